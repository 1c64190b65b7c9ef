// The tables of accesses and edges, and the patterns that they are written in.
#include "gen/vocabulary.h"

#include <algorithm>
#include <array>
#include <set>
#include <sstream>

#include "ptx/table.h"

namespace litmus::gen {

namespace {

constexpr std::array all_scopes = {Scope::cta, Scope::cluster, Scope::gpu, Scope::sys};
constexpr std::array all_memories = {Memory::global, Memory::own, Memory::peer};

std::string_view word(Memory memory) {
    return memory == Memory::global ? "global" : memory == Memory::own ? "shared::cta" : "shared::cluster";
}

// What {q} may stand for; whether it may in a certain place is asked of the instruction table.
std::vector<std::string> qualifiers() {
    std::vector<std::string> result = {"weak", "volatile", "mmio.relaxed.sys", "mmio.release.sys"};
    for (const Sem sem : {Sem::relaxed, Sem::acquire, Sem::release, Sem::acq_rel, Sem::sc})
        for (const Scope scope : all_scopes) result.push_back(std::string(name(sem)) + "." + std::string(name(scope)));
    return result;
}

// Whether the table has what the line begins with; a line of the simple spelling for other proxies is none of PTX.
bool is_legal(std::string line) {
    if (line.rfind("await ", 0) == 0) line = line.substr(6);
    return std::holds_alternative<Spelling>(resolve(line.substr(0, line.find_first_of(" ;"))));
}

// A name for what a line begins with, as a word of a file's name: without "::".
std::string plain_name(std::string text) {
    return filled(std::move(text), {{"::", "_"}});
}

// ---- accesses --------------------------------------------------------------------------------

// A pattern: one access for each {q}, in the memories for which the table has it.
struct AccessRow {
    std::string name;
    std::string family;  // empty: it depends on {q}
    Direction direction;
    std::string text;
    Access rest = {};
};

std::string family_of(const std::string& q) {
    if (q == "weak") return "plain";
    return q == "volatile" || q.rfind("mmio", 0) == 0 ? "volatile" : "strong";
}

std::vector<AccessRow> access_rows() {
    const Access read{.gives = true}, write{.takes = true}, update{.adds = true, .takes = true};
    const Access through_alias_read{.through = "alias", .special = true, .gives = true},
        through_alias{.through = "alias", .special = true, .takes = true};
    Access tx = write, tx_add = update, far = write, far_add = update;  // far: with release semantics in global memory, nobody is told
    far.memories = far_add.memories = {Memory::global};
    tx.completion = tx_add.completion = Completion::mbarrier;
    tx.memories = tx_add.memories = {Memory::peer};
    return {
        {"{q}", "", Direction::read, "ld.{q}.{space}.u32 {r}, [{x}];", read},
        {"{q}", "", Direction::write, "st.{q}.{space}.u32 [{x}], {v};", write},
        {"red.{q}", "red", Direction::write, "red.{q}.{space}.add.u32 [{x}], {v};", update},
        {"exch.{q}", "atom", Direction::write, "atom.{q}.{space}.exch.b32 {r}, [{x}], {v};", write},
        {"st.async", "async", Direction::write, "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [{x}], {v}, [{done}];", tx},
        {"red.async", "async", Direction::write,
         "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [{x}], {v}, [{done}];", tx_add},
        {"st.async.{q}", "async", Direction::write, "st.async.{q}.{space}.u32 [{x}], {v};", far},
        {"red.async.{q}", "async", Direction::write, "red.async.{q}.{space}.add.u32 [{x}], {v};", far_add},
        {"alias", "alias", Direction::read, "ld.weak.global.u32 {r}, [{x}];", through_alias_read},
        {"alias", "alias", Direction::write, "st.weak.global.u32 [{x}], {v};", through_alias},
    };
}

// A copy of memory: an access that reads, one that writes, and an edge between the two.
struct CopyRow {
    std::string name;
    std::string family;
    std::string text;  // from {from} to {to}
    Memory from, to;
    Completion completion;
    int bytes;
    bool adds;
};

std::vector<CopyRow> copy_rows() {
    using enum Memory;
    const std::string tx = "mbarrier::complete_tx::bytes";
    return {
        {"bulk.in", "bulk", "cp.async.bulk.shared::cta.global." + tx + " [{to}], [{from}], 16, [{done}];", global, own,
         Completion::mbarrier, 16, false},
        {"bulk.across", "bulk", "cp.async.bulk.shared::cluster.shared::cta." + tx + " [{to}], [{from}], 16, [{done}];", own, peer,
         Completion::mbarrier, 16, false},
        {"bulk.out", "bulk", "cp.async.bulk.global.shared::cta.bulk_group [{to}], [{from}], 16;", own, global, Completion::bulk_group, 16,
         false},
        {"reduce.across", "bulk", "cp.reduce.async.bulk.shared::cluster.shared::cta." + tx + ".add.u32 [{to}], [{from}], 16, [{done}];",
         own, peer, Completion::mbarrier, 16, true},
        {"reduce.out", "bulk", "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [{to}], [{from}], 16;", own, global,
         Completion::bulk_group, 16, true},
        {"cp.async", "cp-async", "cp.async.ca.shared::cta.global [{to}], [{from}], 4;", global, own, Completion::copy_group, 4, false},
    };
}

// Through other proxies.
struct ForeignRow {
    std::string proxy;
    Direction direction;
    std::string text;
};
std::vector<ForeignRow> foreign_rows() {
    return {{"surface", Direction::read, "suld.weak.u32 {r}, [{x}];"},
            {"surface", Direction::write, "sust.weak.u32 [{x}], {v};"},
            {"texture", Direction::read, "tld.weak.u32 {r}, [{x}];"},
            {"constant", Direction::read, "ldc.weak.u32 {r}, [{x}];"}};
}

// The memories for which the table has the instruction, among those that the row names, if it names any.
std::vector<Memory> memories_of(const Access& access) {
    const bool named = access.text.find("{space}") != std::string::npos;
    std::vector<Memory> result;
    for (const Memory memory : all_memories) {
        const bool among = std::find(access.memories.begin(), access.memories.end(), memory) != access.memories.end();
        const bool possible = access.memories.empty() ? named || memory == Memory::global : among;
        if (possible && is_legal(filled(access.text, {{"{space}", std::string(word(memory))}}))) result.push_back(memory);
    }
    return result;
}

void add_accesses(Vocabulary& result) {
    for (const AccessRow& row : access_rows())
        for (const std::string& q : qualifiers()) {
            Access access = row.rest;
            access.name = filled(row.name, {{"{q}", q == "weak" ? "" : q}});
            access.family = row.family.empty() ? family_of(q) : row.family;
            access.direction = row.direction;
            access.text = filled(row.text, {{"{q}", q}});
            access.memories = memories_of(access);
            if (!access.memories.empty()) result.accesses.push_back(access);
            if (row.text.find("{q}") == std::string::npos) break;
        }
    for (const ForeignRow& row : foreign_rows())
        result.accesses.push_back({.name = row.proxy,
                                   .family = not_ptx,
                                   .direction = row.direction,
                                   .text = row.text,
                                   .memories = {Memory::global},
                                   .through = row.proxy,
                                   .special = true,
                                   .gives = row.direction == Direction::read,
                                   .takes = row.direction == Direction::write});
    for (const CopyRow& row : copy_rows()) {
        const Access both{
            .name = row.name, .family = row.family, .completion = row.completion, .bytes = row.bytes, .special = row.family == "bulk"};
        Access read = both, write = both;
        read.text = filled(row.text, {{"{from}", "{x}"}, {"{to}", "{other}"}});
        read.memories = {row.from};
        read.other = row.to;
        write.direction = Direction::write;
        write.text = filled(row.text, {{"{to}", "{x}"}, {"{from}", "{other}"}});
        write.memories = {row.to};
        write.other = row.from;
        write.adds = row.adds;
        result.accesses.insert(result.accesses.end(), {read, write});
    }
}

// ---- edges -----------------------------------------------------------------------------------

// A pattern: one edge for each direction, with the same location and another one, within a thread and between threads that are so near.
struct OrderRow {
    std::string name;
    std::string family;
    bool internal;
    std::vector<Scope> near;
    Edge rest = {};
};

// Whether a fence is for tensor maps, of which generated tests have none.
bool is_for_maps(const Form& form) {
    return std::any_of(form.slots.begin(), form.slots.end(), [](const Slot& s) { return s.name == "tensormap::generic"; });
}

// The fences of the table, each form under one name: not those that are older spellings of others, nor without their semantics.
std::vector<OrderRow> fence_rows() {
    std::vector<OrderRow> rows;
    for (const Form& form : forms()) {
        const bool proxy = form.op == Op::fence_proxy;
        if ((!proxy && form.op != Op::fence) || form.mnemonic.rfind("membar", 0) == 0 || is_for_maps(form)) continue;
        each_name(form, [&](const std::vector<std::string>& words, Version) {
            std::string text;
            for (const std::string& w : words) text += (text.empty() ? "" : ".") + w;
            const bool bare = form.op == Op::fence && words.size() == 2;  // fence.gpu is fence.acq_rel.gpu
            if (!bare)
                rows.push_back({"F" + plain_name(text).substr(1),
                                proxy ? "proxy-fence" : "fence",
                                true,
                                {},
                                {.fences_proxies = proxy, .after = {text + ";"}}});
        });
    }
    return rows;
}

// Synchronization between two threads, alone and with a proxy fence on either side of it.
std::vector<OrderRow> synchronizing_rows() {
    std::vector<OrderRow> rows;
    const std::string bar = "bar.sync {i}, 64;";
    rows.push_back({"Bar.sync", "barrier", false, {Scope::cta}, {.after = {bar}, .before = {bar}}});
    rows.push_back({"Bar.arrive", "barrier", false, {Scope::cta}, {.after = {"bar.arrive {i}, 64;"}, .before = {bar}}});
    for (const char* how : {"release", "relaxed"}) {
        const std::vector<std::string> both{"barrier.cluster.arrive." + std::string(how) + ";", "barrier.cluster.wait.acquire;"};
        rows.push_back({"Cluster." + std::string(how), "barrier", false, {Scope::cluster}, {.after = both, .before = both}});
    }
    for (const std::string& q : qualifiers()) {
        const std::string acquire = filled(q, {{"release", "acquire"}});
        const std::string arrive = "mbarrier.arrive." + q + ".{mspace}.b64 _, [{mbar}];";
        const std::string wait = "await mbarrier.try_wait.parity." + acquire + ".shared::cta.b64 [{mbar}], 0;";
        if (is_legal(filled(arrive, {{"{mspace}", "shared::cta"}})) && is_legal(wait))
            rows.push_back(
                {"Mbar." + q, "mbarrier", false, {Scope::cta, Scope::cluster}, {.has_object = true, .after = {arrive}, .before = {wait}}});
    }
    const std::string fence = "fence.proxy.async;";
    for (size_t i = 0, all = rows.size(); i < all; ++i) {
        OrderRow first = rows[i], last = rows[i];
        first.name = "Proxy-" + first.name;
        first.rest.after.insert(first.rest.after.begin(), fence);
        last.name += "-Proxy";
        last.rest.before.push_back(fence);
        first.family = last.family = "proxy-fence";
        first.rest.fences_proxies = last.rest.fences_proxies = true;
        rows.insert(rows.end(), {first, last});
    }
    return rows;
}

// What waits for an asynchronous operation.
std::vector<OrderRow> completion_rows() {
    std::vector<OrderRow> rows;
    for (const std::string& q : qualifiers()) {
        const std::string expect = "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [{done}], {bytes};";
        const std::string wait = "await mbarrier.try_wait.parity." + q + ".shared::cta.b64 [{done}], 0;";
        if (is_legal(wait))
            rows.push_back(
                {"Done." + q, "completion", true, {Scope::cta, Scope::cluster}, {.waits = Completion::mbarrier, .before = {expect, wait}}});
    }
    const std::string commit = "cp.async.bulk.commit_group;";
    rows.push_back({"Group", "completion", true, {}, {.waits = Completion::bulk_group, .after = {commit, "cp.async.bulk.wait_group 0;"}}});
    rows.push_back(
        {"Group.read", "completion", true, {}, {.waits = Completion::bulk_group, .after = {commit, "cp.async.bulk.wait_group.read 0;"}}});
    rows.push_back({"Wait", "completion", true, {}, {.waits = Completion::copy_group, .after = {"cp.async.wait_all;"}}});
    return rows;
}

std::vector<OrderRow> order_rows() {
    std::vector<OrderRow> rows{{"Po", "po", true, {}}};
    for (const auto& more : {fence_rows(), synchronizing_rows(), completion_rows()}) rows.insert(rows.end(), more.begin(), more.end());
    // Dependencies decide something: what is written, or whether it is, if the value read is not that of the cycle.
    const std::vector<std::string> chosen{"setp.eq.u32 p{i}, {r}, {e};", "selp.u32 t{i}, {v}, 0, p{i};"};
    const std::vector<std::string> jump{"setp.ne.u32 p{i}, {r}, {e};", "@p{i} bra L{i};"};
    rows.push_back({"DpData", "dependency", true, {}, {.carries = true, .before = chosen, .value = "t{i}"}});
    rows.push_back({"DpCtrl", "dependency", true, {}, {.carries = true, .before = jump, .behind = {"L{i}:"}}});
    return rows;
}

std::string letters(Direction from, Direction to) {
    return std::string(from == Direction::read ? "R" : "W") + (to == Direction::read ? "R" : "W");
}

std::string at(Scope near) {
    return near == Scope::none ? "" : "@" + std::string(name(near));
}

void add_order(Vocabulary& result, const OrderRow& row) {
    std::vector<Scope> places = row.near;
    if (row.internal) places.insert(places.begin(), Scope::none);
    for (const bool same : {false, true})
        for (const Direction from : {Direction::read, Direction::write})
            for (const Direction to : {Direction::read, Direction::write})
                for (const Scope near : places) {
                    if (row.rest.carries && (from != Direction::read || to != Direction::write)) continue;
                    Edge edge = row.rest;
                    const std::string end = (same ? "s" : "d") + letters(from, to);
                    edge.name = row.name + end + at(near);
                    edge.stem = row.name;
                    edge.shape = (near == Scope::none ? "Po" : "Sync") + end;
                    edge.family = row.family;
                    edge.from = from;
                    edge.to = to;
                    edge.same = same;
                    edge.near = near;
                    result.edges.push_back(edge);
                }
}

void add_communication(Vocabulary& result) {
    struct Row {
        std::string name;
        Edge::Kind kind;
        Direction from, to;
    };
    for (const Row& row : {Row{"Rf", Edge::Kind::reads_from, Direction::write, Direction::read},
                           Row{"Co", Edge::Kind::coherence, Direction::write, Direction::write},
                           Row{"Fr", Edge::Kind::from_reads, Direction::read, Direction::write}}) {
        for (const Scope near : {Scope::none, Scope::cta, Scope::cluster, Scope::gpu, Scope::sys}) {
            const std::string name = row.name + (near == Scope::none ? "i" : "e");
            result.edges.push_back({.name = name + at(near),
                                    .stem = name,
                                    .shape = name,
                                    .family = "communication",
                                    .kind = row.kind,
                                    .from = row.from,
                                    .to = row.to,
                                    .same = true,
                                    .near = near});
        }
    }
}

// Two accesses that are halves of one instruction.
void add_instruction(Vocabulary& result, const std::string& name, const std::string& shape, const std::string& family,
                     const std::string& text, const Access& read, const Access& write) {
    result.edges.push_back({.name = name,
                            .stem = name,
                            .shape = shape,
                            .family = family,
                            .kind = Edge::Kind::instruction,
                            .from = Direction::read,
                            .to = Direction::write,
                            .same = shape == "Rmw",
                            .instruction = text});
    for (Access half : {read, write}) {
        half.name.clear();
        half.family = family;
        half.half = name;
        half.other.reset();
        result.accesses.push_back(half);
    }
}

void add_instructions(Vocabulary& result) {
    for (const std::string& q : qualifiers()) {
        Access read{.text = "atom." + q + ".{space}.exch.b32 {r}, [{x}], {v};", .gives = true};
        read.memories = memories_of(read);
        Access write = read;
        write.direction = Direction::write;
        if (!read.memories.empty()) add_instruction(result, "Rmw." + q, "Rmw", "atom", read.text, read, write);
    }
    for (const CopyRow& row : copy_rows()) {
        const auto of = [&](Direction direction) {
            return *std::find_if(result.accesses.begin(), result.accesses.end(),
                                 [&](const Access& a) { return a.name == row.name && a.direction == direction; });
        };
        std::string name = "Copy." + row.name;
        add_instruction(result, name, "Copy", row.family, row.text, of(Direction::read), of(Direction::write));
    }
}

std::vector<std::string> split(const std::string& text) {
    std::istringstream in(text);
    std::vector<std::string> words;
    for (std::string w; in >> w;) words.push_back(w);
    return words;
}

}  // namespace

const Vocabulary& vocabulary() {
    static const Vocabulary all = [] {
        Vocabulary result;
        add_accesses(result);
        add_communication(result);
        for (const OrderRow& row : order_rows()) add_order(result, row);
        add_instructions(result);
        return result;
    }();
    return all;
}

const std::vector<Shape>& shapes() {
    static const std::vector<Shape> all = [] {
        std::vector<Shape> result;
        for (const auto& [name, edges] : std::vector<std::pair<std::string, std::string>>{
                 {"CoWW", "PosWW Coi"},
                 {"CoWR", "PosWR Fri"},
                 {"CoRW", "PosRW Rfi"},
                 {"CoRR", "Rfe PosRR Fre"},
                 {"CoRW2", "Rfe PosRW Coe"},
                 {"MP", "PodWW Rfe PodRR Fre"},
                 {"SB", "PodWR Fre PodWR Fre"},
                 {"LB", "PodRW Rfe PodRW Rfe"},
                 {"S", "PodWW Rfe PodRW Coe"},
                 {"R", "PodWW Coe PodWR Fre"},
                 {"2+2W", "PodWW Coe PodWW Coe"},
                 {"WRC", "Rfe PodRW Rfe PodRR Fre"},
                 {"WWC", "Rfe PodRW Rfe PodRW Coe"},
                 {"RWC", "Rfe PodRR Fre PodWR Fre"},
                 {"WRR+2W", "Rfe PodRR Fre PodWW Coe"},
                 {"WRW+WR", "Rfe PodRW Coe PodWR Fre"},
                 {"WRW+2W", "Rfe PodRW Coe PodWW Coe"},
                 {"IRIW", "Rfe PodRR Fre Rfe PodRR Fre"},
                 {"IRRWIW", "Rfe PodRR Fre Rfe PodRW Coe"},
                 {"IRWIW", "Rfe PodRW Coe Rfe PodRW Coe"},
                 {"ISA2", "PodWW Rfe PodRW Rfe PodRR Fre"},
                 {"W+RWC", "PodWW Rfe PodRR Fre PodWR Fre"},
                 {"3.SB", "PodWR Fre PodWR Fre PodWR Fre"},
                 {"3.LB", "PodRW Rfe PodRW Rfe PodRW Rfe"},
                 {"3.2W", "PodWW Coe PodWW Coe PodWW Coe"},
                 {"Z6.0", "PodWW Rfe PodRW Coe PodWR Fre"},
                 {"Z6.1", "PodWW Coe PodWW Rfe PodRW Coe"},
                 {"Z6.2", "PodWW Rfe PodRW Rfe PodRW Coe"},
                 {"Z6.3", "PodWW Coe PodWW Rfe PodRR Fre"},
                 {"Z6.4", "PodWW Coe PodWR Fre PodWR Fre"},
                 {"Z6.5", "PodWW Coe PodWW Coe PodWR Fre"},
             })
            result.push_back({name, split(edges)});
        return result;
    }();
    return all;
}

bool is_plain(const std::string& family) {
    return family == "plain" || family == "strong" || family == "communication" || family == "po";
}

std::vector<std::string> companions(const std::string& family) {
    if (family == "proxy-fence") return {"alias", "bulk"};
    if (family == "completion") return {"async", "bulk", "cp-async"};
    return {};
}

std::vector<std::string> families() {
    std::vector<std::string> result;
    const auto add = [&](const std::string& family) {
        if (std::find(result.begin(), result.end(), family) == result.end()) result.push_back(family);
    };
    for (const Access& access : vocabulary().accesses) add(access.family);
    for (const Edge& edge : vocabulary().edges) add(edge.family);
    std::stable_partition(result.begin(), result.end(), is_plain);
    return result;
}

bool leaves(const Access& access, const Edge& edge) {
    const bool first_half = !access.half.empty() && access.direction == Direction::read;
    const bool whole = edge.kind == Edge::Kind::instruction ? first_half && access.half == edge.name : !first_half;
    return whole && edge.from == access.direction && (edge.waits == Completion::none || edge.waits == access.completion) &&
           (!edge.carries || access.gives);
}

bool enters(const Edge& edge, const Access& access) {
    const bool second_half = !access.half.empty() && access.direction == Direction::write;
    const bool whole = edge.kind == Edge::Kind::instruction ? second_half && access.half == edge.name : !second_half;
    return whole && edge.to == access.direction && (!edge.carries || access.takes);
}

bool follows(const Edge& first, const Edge& second) {
    using Kind = Edge::Kind;
    if (second.kind == Kind::coherence) return first.kind != Kind::coherence && first.kind != Kind::from_reads;
    return second.kind != Kind::from_reads || first.kind != Kind::reads_from;
}

std::string filled(std::string text, const Words& words) {
    for (const auto& [name, value] : words)
        for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + value.size()))
            text.replace(at, name.size(), value);
    return text;
}

}  // namespace litmus::gen
