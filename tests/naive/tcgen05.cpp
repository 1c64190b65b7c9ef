// Operations on tensor memory, and st.bulk, discard and clusterlaunchcontrol (model/semantics.md section 6).
#include <algorithm>

#include "machine.h"

namespace litmus::naive {

namespace {

// The bytes of idesc that say how large the matrices are: M / 16 in bits 24 to 28, N / 8 in bits 17 to 22; a row has 32 bytes.
int64_t bytes_of_matrix(uint64_t idesc, bool is_a) {
    return is_a ? static_cast<int64_t>((idesc & 0x1f000000) >> 24) * 16 * 32 : static_cast<int64_t>((idesc & 0x7e0000) >> 17) * 8 * 32;
}

const Operand& only(const Instruction& i, Role role) {
    return *std::find_if(i.operands.begin(), i.operands.end(), [role](const Operand& o) { return o.role == role; });
}

}  // namespace

// The own CTA, and of a pair the other one: ranks 0 and 1, 2 and 3 ...
std::vector<int> Machine::pair_of_ctas() const {
    std::vector<int> found{cta_};
    if (!has_word("cta_group::2")) return found;
    const std::vector<int> ranks = ctas_by_rank();
    for (size_t k = 0; k < ranks.size(); ++k)
        if (ranks[k] == cta_) {
            const size_t other = k % 2 == 0 ? k + 1 : k - 1;
            if (other < ranks.size()) found.push_back(ranks[other]);
        }
    return found;
}

// Which multiplications follow each other on an accumulator, by all that says how large the matrices are and what they add to: K is a row
// of 32 bytes in elements, twice as many of a sparse one (ISA 9.7.16.2.2).
int Machine::pipeline(uint64_t idesc) const {
    const auto is_any = [this](std::initializer_list<const char*> kinds) {
        return std::any_of(kinds.begin(), kinds.end(), [this](const char* kind) { return has_word(std::string("kind::") + kind); });
    };
    const bool four_bits = is_any({"mxf4", "mxf4nvf4"}), is_scaled = four_bits || is_any({"mxf8f6f4"});
    int k = is_any({"tf32"}) ? 8 : is_any({"f16"}) ? 16 : four_bits ? 64 : 32;
    if (four_bits && idesc >> 31 != 0) k = 96;
    if (instruction().mnemonic.find(".sp") != std::string::npos) k *= 2;
    const int rows = static_cast<int>(bytes_of_matrix(idesc, true) / 512), columns = static_cast<int>(bytes_of_matrix(idesc, false) / 256);
    const int type = is_scaled ? 0 : static_cast<int>(idesc >> 4 & 3),
              stays = instruction().mnemonic.find(".ws") != std::string::npos ? 1 : 0;
    return (((rows * 64 + columns) * 256 + k) * 4 + type) * 2 + stays;
}

// Reads, or writes of a value in each CTA.
void Machine::touch_tensor(uint64_t address, size_t start, const std::map<int, uint64_t>& written, std::vector<size_t>& events) {
    const Event::Kind kind = written.empty() ? Event::Kind::read : Event::Kind::write;
    for (const int cta : pair_of_ctas()) {
        const auto there = cta == cta_ ? std::optional(address) : memory_.tensor_counterpart(address, cta);
        if (!there) continue;
        for (const int part : touched_parts()) {
            const MemoryPlace at = memory_.at(*there + static_cast<uint64_t>(4 * part), Type::b32);
            const size_t e = inside(start, kind, at, Type::b32, part, written.empty() ? ask(at) : written.at(cta));
            Event& made = trace_.steps[e].event;
            made.proxy = Proxy::tensor;
            made.sem = Sem::weak;
            made.scope = Scope::none;
            events.push_back(e);
        }
    }
}

// Of the four that the warps of a warpgroup reach, one each: a warp's own, or all that some warp of the test reaches, and the first.
std::set<int> Machine::touched_parts() const {
    const auto own = [](const Thread& thread) { return thread.at.warp_named ? thread.at.warp % 4 : 0; };
    const auto reaches = [](const Instruction& i) { return i.mnemonic == "tcgen05.ld" || i.mnemonic == "tcgen05.st"; };
    if (reaches(instruction())) return {own(test_.threads[static_cast<size_t>(thread_)])};
    std::set<int> parts{0};
    if (has_word("4x256b")) return parts;  // four lanes
    for (const Thread& thread : test_.threads)
        if (std::any_of(thread.body.begin(), thread.body.end(), reaches)) parts.insert(own(thread));
    return parts;
}

// What the test does with tensor memory is told exactly by 8-bit integers, dense and as they are, both matrices in shared memory; and by
// stores of the first lane.
bool Machine::knows_tensors() const {
    for (const Thread& thread : test_.threads)
        for (const Instruction& i : thread.body) {
            if (i.op == Op::tcgen_store && thread.at.warp_named && (thread.at.warp % 4 != 0 || thread.at.lane != 0)) return false;
            if (i.op == Op::tcgen_copy && i.has("b8x16")) return false;
            if (i.op != Op::tcgen_mma) continue;
            const int a = location_index(test_, i.operands.at(1).name);
            if (i.mnemonic != "tcgen05.mma" || !i.has("kind::i8") || (a >= 0 && test_.locations[static_cast<size_t>(a)].is_tensor))
                return false;
        }
    return true;
}

void Machine::operate_on_tensor() {
    const Instruction& i = instruction();
    std::vector<Operand> named;
    for (const Operand& o : i.operands)
        if (o.role == Role::matrix || o.role == Role::tensor_memory || o.role == Role::scales || o.role == Role::metadata)
            named.push_back(o);
    const size_t start = issue(named);
    const bool multiplies = i.op == Op::tcgen_mma, loads = i.op == Op::tcgen_load, stores = i.op == Op::tcgen_store;
    const uint64_t idesc = multiplies ? value(only(i, Role::descriptor), Type::b32) : 0;
    const bool adds = multiplies && value(only(i, Role::scale_d), Type::pred) != 0;
    std::vector<size_t> events, of_a;
    std::map<int, std::vector<std::vector<uint8_t>>> contents;
    bool is_a = true;
    for (const Operand& o : named) {
        if (o.role == Role::tensor_memory) continue;
        const uint64_t from = address(o);
        if (memory_.is_tensor(from)) {
            touch_tensor(from, start, {}, of_a);
        } else if (multiplies) {
            const std::vector<int> ctas = pair_of_ctas();
            for (const int cta : ctas) {
                const bool longer = !is_a && i.mnemonic.find(".sp") != std::string::npos;  // half of a sparse A is not stored
                const int64_t bytes = bytes_of_matrix(idesc, is_a) * (longer ? 2 : 1) / static_cast<int64_t>(ctas.size());
                contents[cta].push_back(matrix_at(cta == cta_ ? from : memory_.counterpart(from, cta), bytes, start, events));
            }
        } else {
            const std::map<std::string, int64_t> sizes{
                {"128x256b", 4096}, {"4x256b", 128}, {"128x128b", 2048}, {"64x128b", 1024}, {"32x128b", 512}};
            for (const auto& [shape, bytes] : sizes)
                for (const int cta : has_word(shape) ? pair_of_ctas() : std::vector<int>{})
                    contents[cta].push_back(matrix_at(cta == cta_ ? from : memory_.counterpart(from, cta), bytes, start, events));
        }
        is_a = false;
    }
    const uint64_t place = address(only(i, Role::tensor_memory));
    std::vector<size_t> before, after;
    if (loads || adds) touch_tensor(place, start, {}, before);
    const bool known = knows_tensors() && (idesc & 0x1e00c) == 0;
    std::set<size_t> sources(events.begin(), events.end());
    if (multiplies) collect(start, contents, sources);
    std::map<int, uint64_t> sums;
    const std::vector<int> ctas = pair_of_ctas(), ranks = ctas_by_rank();
    const auto rank = [&](int cta) { return std::find(ranks.begin(), ranks.end(), cta) - ranks.begin(); };
    const int even = ctas.size() > 1 && rank(cta_) % 2 == 1 ? ctas[1] : cta_;
    for (const int cta : ctas) {
        uint32_t sum = 0;
        for (size_t e = before.size(); known && e-- > 0;)  // the first of this CTA
            if (memory_.cells()[static_cast<size_t>(trace_.steps[before[e]].event.cell)].instance == cta)
                sum = static_cast<uint32_t>(trace_.steps[before[e]].value);
        for (size_t k = 0; known && multiplies && k < 32; ++k) {
            const size_t at = k < 16 ? k : 128 + k - 16;
            const auto number = [&](size_t nth) -> int32_t {
                const uint8_t byte = contents.at(nth == 0 ? cta : even).at(nth).at(at);
                return (idesc >> (nth == 0 ? 7 : 10) & 1) != 0 ? static_cast<int8_t>(byte) : byte;
            };
            sum += static_cast<uint32_t>(number(0) * number(1));
        }
        for (size_t k = 0; known && i.op == Op::tcgen_copy && k < 4; ++k) sum += uint32_t{contents.at(cta).at(0).at(k)} << (8 * k);
        if (known && stores) sum = static_cast<uint32_t>(value(only(i, Role::fragment).elements.at(0), Type::b32));
        sums[cta] = sum;
    }
    if (!loads) touch_tensor(place, start, sums, after);
    for (const size_t w : after) {
        for (const size_t r : of_a) trace_.aio.emplace(r, w);
        for (const size_t r : before) trace_.aio.emplace(r, w);
    }
    // what the values come from
    sources.insert(before.begin(), before.end());
    sources.insert(of_a.begin(), of_a.end());
    if (multiplies) sources.merge(reads_of(only(i, Role::scale_d)));
    if (stores) sources.merge(reads_of(only(i, Role::fragment).elements.at(0)));
    for (const size_t w : after)
        if (known) depend(trace_.data, sources, w);
    for (const std::vector<size_t>& some : {before, after})
        for (const size_t e : some)
            if (multiplies) trace_.steps[e].event.shape = pipeline(idesc);
    for (const std::vector<size_t>& some : {of_a, before, after}) events.insert(events.end(), some.begin(), some.end());
    if (loads || stores)
        (loads ? tensor_loads_ : tensor_stores_).push_back(completion(start, events));
    else
        tracked_.insert(tracked_.end(), events.begin(), events.end());
    if (loads)
        for (const Operand& r : only(i, Role::tile).elements) unread_results_[r.name] = start;
    if (loads && known && has_word("32x32b"))
        assign(only(i, Role::tile).elements.at(0), Type::b32, trace_.steps[before.front()].value, {before.front()}, {before.front()});
}

// The collector buffer: a matrix A that stays there from a `fill` on, through each `use`, may be multiplied in place of the one in memory.
void Machine::collect(size_t start, std::map<int, std::vector<std::vector<uint8_t>>>& contents, std::set<size_t>& reads) {
    const bool holds_b = instruction().mnemonic.find(".ws") != std::string::npos;
    std::string buffer = holds_b ? "b0" : "a";
    for (const std::string other : {"b1", "b2", "b3"})
        for (const std::string use : {"fill", "use", "lastuse", "discard"})
            if (has_word("collector::" + other + "::" + use)) buffer = other;
    const auto says = [&](const std::string& use) { return has_word("collector::" + buffer + "::" + use); };
    if (says("use") || says("lastuse")) {
        const auto found = collected_.find(buffer);
        if (found == collected_.end()) {
            trace_.steps[start].is_faulty = true;
        } else if (oracle_->choice(next_id(), 2) == 1) {
            for (const auto& [cta, matrix] : found->second.matrix) contents[cta].at(0) = matrix;
            reads.insert(found->second.reads.begin(), found->second.reads.end());
        }
    }
    if (says("fill")) {
        Collected& filled = collected_[buffer];
        filled = {{}, reads};
        for (const auto& [cta, matrices] : contents)
            if (!holds_b) filled.matrix[cta] = matrices.at(0);
    } else if (!says("use")) {
        collected_.erase(buffer);
    }
}

void Machine::commit_tensor() {
    const Instruction& i = instruction();
    const Operand& named = only(i, Role::mbarrier);
    const uint64_t object = address(named);
    std::vector<int> ctas{cta_};
    const bool multicast = has_word("multicast::cluster");
    if (multicast) ctas = multicast_ctas(value(only(i, Role::cta_mask), Type::u32));
    Way way;
    way.issue = issue({named});
    way.sem = Sem::release;
    way.scope = Scope::cluster;
    way.arrives = true;
    for (const int cta : ctas) {
        const Update u = update(named, multicast ? memory_.counterpart(object, cta) : object, {0, 1, 0}, way);
        for (const size_t e : tracked_)
            for (const size_t to : {u.read, u.write}) trace_.aio.emplace(e, to);
    }
}

void Machine::wait_for_tensor() {
    Event e = event(Event::Kind::group_wait);
    e.scope = Scope::none;
    const size_t wait = add(e, 0);
    for (const size_t done : instruction().mnemonic == "tcgen05.wait::ld" ? tensor_loads_ : tensor_stores_) trace_.grp.emplace(done, wait);
    if (instruction().mnemonic == "tcgen05.wait::ld") unread_results_.clear();
    block(wait);
}

// A register that a tcgen05.ld writes is written again only when the load has been waited for, or its result has been read
// (ISA 9.1, 9.7.16.6.4.5).
void Machine::touch_results() {
    const auto see = [this](const auto& self, const Operand& o) -> void {
        if (o.kind == Operand::Kind::reg || o.indirect) unread_results_.erase(o.name);
        for (const Operand& element : o.elements) self(self, element);
    };
    for (const Operand& o : instruction().operands)
        if (o.role != Role::result && o.role != Role::tile && o.role != Role::accumulator) see(see, o);
    if (instruction().expect) see(see, instruction().expect->value);
    for (const std::string& name : written_registers(instruction()))
        if (const auto found = unread_results_.find(name); found != unread_results_.end()) trace_.steps[found->second].is_faulty = true;
}

// The memory is given back, of a pair in both CTAs; the thread may stay there for want of the peer.
void Machine::hold_tensor() {
    const Instruction& i = instruction();
    if (i.op == Op::tcgen_alloc) throw Unsupported("columns of tensor memory");
    const std::vector<int> ctas = pair_of_ctas();
    if (ctas.size() > 1) {
        const bool stays = oracle_->choice({static_cast<int>(pc_), iteration_, -5}, 2) == 1;
        trace_.given_back.push_back({ctas[1], !stays});
        if (stays) return stay();
    }
    Operand named = i.operands.at(0);
    named.indirect = named.kind == Operand::Kind::reg || named.indirect;
    named.kind = Operand::Kind::address;
    int element = 0;
    for (const int cta : ctas) {
        const auto there = cta == cta_ ? std::optional(address(named)) : memory_.tensor_counterpart(address(named), cta);
        for (const int part : there ? touched_parts() : std::set<int>{}) {
            const MemoryPlace at = memory_.at(*there + static_cast<uint64_t>(4 * part), Type::b32);
            const size_t e = access(Event::Kind::write, at, Type::b32, element++, named, 0);
            trace_.steps[e].event.sem = Sem::weak;
            trace_.steps[e].event.scope = Scope::none;
        }
    }
}

void Machine::fill() {
    const Operand& named = instruction().operands.at(0);
    const uint64_t to = address(named), size = value(instruction().operands.at(1), Type::u64);
    const Type type = memory_.cell_at(to).type;
    const auto step = static_cast<uint64_t>(bits(type) / 8);
    for (uint64_t at = 0; at < size; at += step) {
        const size_t e = access(Event::Kind::write, memory_.at(to + at, type), type, static_cast<int>(at / step), named, 0);
        trace_.steps[e].event.sem = Sem::weak;
        trace_.steps[e].event.scope = Scope::none;
    }
}

// How many clusters an answer may name: those that have not started, where the test counts up to eight and asks for one.
int Machine::named_clusters() const {
    const int clusters = test_.unlaunched.value_or(0);
    for (const Thread& thread : test_.threads)
        for (const Instruction& i : thread.body)
            if (i.op == Op::query_cancel && !i.has("is_canceled") && clusters <= 8) return std::max(clusters, 1);
    return 1;
}

// One of the answers, the same in all bytes and CTAs: none, or the number of a cluster.
void Machine::request_cancellation() {
    const Operand &named = instruction().operands.at(0), &bar = instruction().operands.at(1);
    const uint64_t to = address(named), object = address(bar);
    const Type type = memory_.cell_at(to).type;
    const auto step = static_cast<uint64_t>(bits(type) / 8);
    const size_t start = issue({named, bar});
    const uint64_t answer = oracle_->choice(next_id(), static_cast<size_t>(named_clusters()) + 1);
    trace_.cancelled += answer > 0 ? 1 : 0;
    if (named_clusters() > 1 && answer > 0 && !trace_.named.insert(answer).second) throw DeadEnd{};
    if (trace_.cancelled > test_.unlaunched.value_or(trace_.cancelled)) throw DeadEnd{};
    const bool everywhere = has_word("multicast::cluster::all");
    for (const int cta : everywhere ? ctas_by_rank() : std::vector<int>{cta_}) {
        const auto there = [&](uint64_t address) { return everywhere ? memory_.counterpart(address, cta) : address; };
        std::vector<size_t> writes;
        for (uint64_t at = 0; at < 16; at += step) {
            const size_t w = inside(start, Event::Kind::write, memory_.at(there(to) + at, type), type, static_cast<int>(at / step), answer);
            trace_.steps[w].event.sem = Sem::weak;
            trace_.steps[w].event.scope = Scope::none;
            writes.push_back(w);
        }
        complete_on(start, bar, there(object), 16, writes);
        trace_.steps.back().fails = answer == 0;
    }
}

// An answer in a register: 1 where a cluster was cancelled, and the load that it comes from, by which it is known later.
void Machine::load_answer() {
    const Instruction& i = instruction();
    const uint64_t start = address(i.operands.at(1));
    const Type type = memory_.cell_at(start).type;
    const auto step = static_cast<uint64_t>(bits(type) / 8);
    std::set<size_t> elements;
    bool is_success = true;
    uint64_t named = 0;
    for (uint64_t byte = 0; byte < 16; byte += step) {
        const MemoryPlace at = memory_.at(start + byte, type);
        const uint64_t found = ask(at);
        const size_t read = access(Event::Kind::read, at, type, static_cast<int>(byte / step), i.operands[1], found);
        elements.insert(read);
        is_success = is_success && found != 0;
        if (byte == 0) named = found <= static_cast<uint64_t>(named_clusters()) ? found : 1;
    }
    join(elements);
    for (const Operand& half : i.operands[0].elements) assign(half, Type::b32, is_success ? named : 0, elements, elements);
}

void Machine::query_answer() {
    const Instruction& i = instruction();
    const Operand& response = i.operands.at(1).elements.at(0);
    const uint64_t named = read(response.name, Type::b32);
    const bool is_success = named != 0;
    const std::set<size_t> reads = reads_of(response), elements = registers_[response.name].direct;
    for (const size_t a : elements)
        for (const size_t b : elements) trace_.queried.emplace(a, b);
    if (has_word("is_canceled")) return assign(i.operands[0], Type::pred, is_success ? 1 : 0, reads, {});
    if (!is_success && !elements.empty()) trace_.steps[*elements.begin()].is_faulty = true;
    // the first CTA of the cluster: clusters follow those of the test, in one dimension
    uint64_t first = 0;
    for (const Placement& cta : memory_.ctas()) first = std::max(first, static_cast<uint64_t>(cta.cta) + 1);
    first = test_.unlaunched && is_success ? first + (named - 1) * ctas_by_rank().size() : 0;
    const bool vector = i.operands[0].kind == Operand::Kind::vector;
    for (size_t k = 0; k < (vector ? i.operands[0].elements.size() : 1); ++k)
        assign(vector ? i.operands[0].elements[k] : i.operands[0], Type::b32,
               k == 0 && !i.has("get_first_ctaid::y") && !i.has("get_first_ctaid::z") ? first : 0, reads, {});
}

}  // namespace litmus::naive
