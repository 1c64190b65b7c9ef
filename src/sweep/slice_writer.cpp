// Event by event, into the thread that the test has got last.
#include "sweep/slice_writer.h"

#include <algorithm>
#include <utility>

#include "kernel/arguments.h"
#include "kernel/make.h"
#include "kernel/program.h"
#include "ptx/traits.h"
#include "sweep/slice_question.h"

namespace litmus::sweep {

namespace {

using What = Event::What;
using kernel::number_operand;
using kernel::reg_operand;

constexpr size_t most_instructions = 400;
constexpr int elements = 4;  // of 4 bytes: so many words a copy has

Operand address(const std::string& name, int cta = -1) {
    Operand operand;
    operand.kind = Operand::Kind::address;
    operand.name = name;
    operand.cta = cta;
    return operand;
}

Operand sink() {
    Operand operand;
    operand.kind = Operand::Kind::sink;
    return operand;
}

std::string strength(const Event& event, Sem sem) {
    return event.scope == Scope::none ? "weak" : std::string(name(sem)) + "." + std::string(name(event.scope));
}
std::string strength(const Event& event) {
    return strength(event, event.sem);
}

}  // namespace

Writer::Writer(const Ground& ground, const Story& story, Scene& scene) : ground_(ground), story_(story), scene_(scene) {
    if (story.byte) data_ = &scene.data.front();
    declare();
}

void Writer::declare() {
    for (const Data& data : scene_.data)
        if (!scene_.flags.contains(data.at))
            test.locations.push_back(array(data.name, ground_.is_shared(data.at) ? Space::shared : Space::global, data.at.block));
    for (const auto& [memory, object] : scene_.objects) {
        Location location;
        location.name = object.name;
        location.space = Space::shared;
        location.is_mbarrier = true;
        location.type = Type::b64;
        location.init = {0};
        if (!scene_.is_initialised_here(memory)) location.arrivals = static_cast<uint32_t>(object.count);
        test.locations.push_back(location);
    }
    for (const auto& [memory, flag] : scene_.flags) {
        Location location;
        location.name = flag.name;
        location.type = flag.type;
        location.init = {flag.first};
        if (ground_.is_shared(memory)) {
            location.space = Space::shared;
            location.cta = static_cast<int>(memory.block);
        }
        test.locations.push_back(location);
    }
}

// So large that a copy has room.
Location Writer::array(const std::string& name, Space space, uint32_t block) const {
    Location location;
    location.name = name;
    location.space = space;
    if (space == Space::shared) location.cta = static_cast<int>(block);
    location.type = Type::u32;
    location.count = elements;
    location.array = true;
    location.init.assign(elements, 0);
    return location;
}

// Another place that a copy reads or writes, of its own; of shared memory, in this block.
std::string Writer::other(Space space, uint32_t block) {
    const std::string name = scene_.names.numbered("other", others_);
    test.locations.push_back(array(name, space, block));
    return name;
}

void Writer::begin_thread(uint32_t number) {
    const uint32_t of_block = ground_.geometry.threads();
    const kernel::Seat seat = ground_.geometry.seat(number / of_block, number % of_block);
    litmus::Thread& thread = test.threads.emplace_back();
    statements.emplace_back();
    thread.name = ground_.geometry.blocks() > 1 ? "b" + std::to_string(seat.block) + "t" + std::to_string(seat.thread)
                                                : "t" + std::to_string(seat.thread);
    thread.at.gpu = static_cast<int>(seat.block / (ground_.geometry.blocks() / ground_.options.gpus));
    thread.at.cluster = static_cast<int>(seat.cluster);
    thread.at.cta = static_cast<int>(seat.block);
    thread.at.warp = static_cast<int>(seat.warp());
    thread.at.lane = static_cast<int>(seat.lane());
    thread.at.warp_named = true;
    groups_ = Groups::none;
    found_.clear();
    for (const Event& event : story_.log) {
        if (event.thread != number || event.what != What::copy || !is_in_group(event) || !scene_.concerns(event)) continue;
        const Groups now = groups_of(*event.op);
        if (groups_ != Groups::none && groups_ != now) throw Missing{"a thread has copies in groups of two kinds"};
        groups_ = now;
    }
}

void Writer::end_thread() {
    test.threads.back().end_labels = std::exchange(labels_, {});
    if (test.threads.back().body.size() > most_instructions)
        throw Missing{"it would have more than " + std::to_string(most_instructions) + " instructions in a thread"};
}

void Writer::branch(const Event& event, const std::string& found, uint64_t value, const std::string& label) {
    Operand target;
    target.kind = Operand::Kind::label;
    target.name = label;
    compare(event, "eq", found, value, "bra", {target});
}

void Writer::trap_unless(const Event& event, uint64_t value) {
    compare(event, "ne", read_, value, "trap", {});
}

// An instruction that is executed where what was read compares so with the value.
void Writer::compare(const Event& event, const std::string& how, const std::string& found, uint64_t value, const std::string& dotted,
                     std::vector<Operand> operands) {
    const std::string holds = fresh_register("p");
    put(event, "setp." + how + "." + std::string(name(scene_.flags.at(*event.place).type)),
        {reg_operand(holds), reg_operand(found), number_operand(value)});
    put(event, dotted, std::move(operands));
    test.threads.back().body.back().guard = Guard{holds, false};
}

void Writer::put(const Event& event, const std::string& dotted, std::vector<Operand> operands) {
    auto made = kernel::make(dotted, std::move(operands));
    if (!made) throw Missing{"the language of tests has no `" + dotted + "`"};
    const kernel::Line line = kernel::shown_line(ground_.module, event.statement->origin);
    const auto file = ground_.module.files.find(line.file);
    if (line.line > 0 && file != ground_.module.files.end()) {
        made->origin = CudaLine{line.file, line.line, 0};
        test.files[line.file] = file->second;
    }
    made->labels = std::exchange(labels_, {});
    test.threads.back().body.push_back(std::move(*made));
    statements.back().push_back(event.statement);
}

void Writer::add(const Event& event) {
    switch (event.what) {
        case What::access:
            return story_.is_named() ? at_shares(event, &Writer::access) : access(event);
        case What::copy:
            if (!scene_.concerns(event)) return;
            return story_.is_named() && !scene_.touches_of(event).empty() ? at_shares(event, &Writer::copy) : copy(event);
        case What::need:
            return need(event);
        case What::flag:
            if (scene_.flags.contains(*event.place)) flag(event);
            return;
        case What::init:  // other objects are initialised before the test
            if (const auto at = scene_.objects.find(*event.mbarrier); at != scene_.objects.end() && scene_.is_initialised_here(at->first))
                put(event, "mbarrier.init.shared::cta.b64",
                    {address(at->second.name), number_operand(static_cast<uint64_t>(at->second.count))});
            return;
        case What::invalidate:
            throw Missing{"an mbarrier object is invalidated"};
        case What::arrive:
        case What::expect:
        case What::wait:
            if (scene_.objects.contains(*event.mbarrier)) mbarrier(event);
            return;
        case What::fence:
            if (!event.statement->arguments.empty()) throw Missing{"a fence of a place"};
            return put(event, kernel::dotted(event.statement->words), {});
        case What::barrier: {
            std::vector<Operand> operands = {number_operand(static_cast<uint64_t>(event.number))};
            if (event.counted) {
                const auto& [number, warps] = scene_.barrier_of(event);
                operands = {number_operand(static_cast<uint64_t>(number)), number_operand(warps * 32)};
            }
            return put(event, event.op == Op::bar_arrive ? "bar.arrive" : "bar.sync", std::move(operands));
        }
        case What::cluster: {
            std::vector<std::string> words = event.statement->words;
            std::erase(words, "aligned");
            return put(event, kernel::dotted(words), {});
        }
        case What::warp:
            return put(event, "bar.warp.sync", {number_operand(lanes_of(event))});
        case What::commit:
        case What::groups:
            if (groups_ != Groups::none && groups_of(*event.op) == groups_) wait_for_groups(event);
            return;
    }
}

uint64_t Writer::lanes_of(const Event& event) const {
    const uint32_t first = event.thread - event.thread % ground_.geometry.threads() % 32;
    uint64_t lanes = 0;
    for (uint32_t lane = 0; lane < 32; ++lane)
        if ((event.number >> lane & 1) != 0 && story_.threads.contains(first + lane)) lanes |= uint64_t{1} << lane;
    return lanes;
}

int Writer::cta_of(const Event& event, const Memory& memory) const {
    return ground_.block_of(event) == memory.block ? -1 : static_cast<int>(memory.block);
}
// The window of shared memory, as the thread sees it.
std::string Writer::window(const Event& event, const Memory& memory) const {
    return !ground_.is_shared(memory) ? "global" : cta_of(event, memory) < 0 ? "shared::cta" : "shared::cluster";
}
// The byte; of a finding that is no race another place, beside the object that completes the copy.
Operand Writer::data(const Event& event) {
    if (data_ == nullptr) return address(other(Space::shared, event.mbarrier->block), cta_of(event, *event.mbarrier));
    return address(data_->name, ground_.is_shared(data_->at) ? cta_of(event, data_->at) : -1);
}
// A multimem address that points to this location alone.
Operand Writer::multimem_of(const std::string& location) {
    const auto [at, is_new] = multimem_.try_emplace(location);
    if (is_new) {
        Location made;
        made.name = at->second = scene_.names.fresh(location + "_all", "_");
        made.points_to = {location};
        test.locations.push_back(std::move(made));
    }
    return address(at->second);
}

void Writer::access(const Event& event) {
    const std::string space = window(event, data_->at);
    if (by_multimem(event) && event.writes)
        return put(event, "multimem.st." + strength(event) + ".global.u32", {multimem_of(data_->name), number_operand(1)});
    if (by_multimem(event))
        return put(event, "multimem.ld_reduce." + strength(event) + ".global.add.u32",
                   {reg_operand(fresh_register()), multimem_of(data_->name)});
    if (event.writes && event.does != Operator::none) return update(event, space);
    if (event.writes)
        return put(event, "st." + strength(event) + "." + space + "." + std::string(name(data_->type)), {data(event), number_operand(1)});
    const auto& words = event.statement->words;  // a read past the coherent caches is one in the test, too (9.7.9.9)
    const bool uncached = std::find(words.begin(), words.end(), "nc") != words.end();
    const bool acquires = event.sem == Sem::acquire || event.sem == Sem::acq_rel;  // also of an atomic operation that writes nothing
    const std::string how = uncached ? space + ".nc" : strength(event, acquires ? Sem::acquire : Sem::relaxed) + "." + space;
    const std::string found = fresh_register();
    put(event, "ld." + how + "." + std::string(name(data_->type)), {reg_operand(found), data(event)});
    found_[event.statement] = found;
}

// By the operation of the kernel, of one word. A cas, which writes only where it finds what it compares with, is an addition.
void Writer::update(const Event& event, const std::string& space) {
    const OperatorRow& does = row(event.does == Operator::cas ? Operator::add : event.does);
    const std::string how =
        strength(event) + "." + space + "." + std::string(does.name) + (does.on == OperatorRow::Domain::bits ? ".b32" : ".u32");
    std::vector<Operand> operands = {data(event), number_operand(1)};
    if (event.reads) operands.insert(operands.begin(), reg_operand(fresh_register()));
    put(event, (event.reads ? "atom." : "red.") + how, std::move(operands));
}

// The kernel may do something else after it has read something else. Nothing is known of that, so the test ends there.
void Writer::flag(const Event& event) {
    const Flag& flag = scene_.flags.at(*event.place);
    const std::string type(name(flag.type));
    const std::string how = strength(event) + "." + window(event, *event.place) + ".";
    if (by_multimem(event) && event.reads) throw Missing{"a flag is read through a multimem address"};
    const Operand at = by_multimem(event) ? multimem_of(flag.name)
                                          : address(flag.name, ground_.is_shared(*event.place) ? cta_of(event, *event.place) : -1);
    const std::string through = by_multimem(event) ? "multimem." : "";
    if (event.writes && !event.operand) throw Missing{"what is written to a flag is not computed"};
    const std::string async = from_registers(event) ? ".async" : "";
    if (!event.reads && event.does == Operator::none)
        return put(event, through + "st" + async + "." + how + type, {at, number_operand(*event.operand)});
    const std::string found = read_ = fresh_register();
    if (event.does == Operator::none) {
        put(event, "ld." + how + type, {reg_operand(found), at});
        if (event.settled) {
            test.threads.back().body.back().await = true;
            test.threads.back().body.back().expect = Expectation{Operator::eq, number_operand(*event.read)};
            return;
        }
    } else {
        const std::string does = std::string(row(event.does).name) + "." + event.statement->words.back();
        if (!event.reads) return put(event, through + "red" + async + "." + how + does, {at, number_operand(*event.operand)});
        std::vector<Operand> operands = {reg_operand(found), at};
        if (event.does == Operator::cas) operands.push_back(number_operand(*event.compared));
        operands.push_back(number_operand(*event.operand));
        put(event, "atom." + how + does, std::move(operands));
    }
    if (story_.is_named()) return;  // every order finds the same, or nothing hangs on it, or add_ways() looks at it
    trap_unless(event, *event.read);
    goes_elsewhere = true;
}

void Writer::copy(const Event& event) {
    if (by_multimem(event)) throw Missing{"an asynchronous operation on a multimem address"};
    if (data_ == nullptr && is_in_group(event) && groups_of(*event.op) == Groups::bulk)
        return put(event, "cp.async.bulk.global.shared::cta.bulk_group",
                   {address(other(Space::global)), address(other(Space::shared, ground_.block_of(event))), number_operand(copied_bytes)});
    const bool in_shared = data_ != nullptr && ground_.is_shared(data_->at);
    if (event.reads && in_shared && cta_of(event, data_->at) >= 0) throw Missing{"an operation that reads shared memory of another block"};
    if (event.reads && event.writes) throw Missing{"a copy of the byte to itself"};
    const Operand bytes = number_operand(copied_bytes);
    if (story_.is_named() && event.writes && event.op && traits(*event.op).reduces && !from_registers(event)) return reduce(event);
    if (event.op == Op::async_copy) {
        if (event.reads) throw Missing{"a cp.async that reads what is written"};
        return put(event, "cp.async.cg.shared.global", {data(event), address(other(Space::global)), bytes});
    }
    if (from_registers(event) && !event.mbarrier)
        return put(
            event,
            event.op == Op::st_async ? "st.async." + strength(event) + ".global.u32" : "red.async." + strength(event) + ".global.add.u32",
            {data(event), number_operand(1)});
    if (event.mbarrier) {
        const Operand by = address(scene_.objects.at(*event.mbarrier).name, cta_of(event, *event.mbarrier));
        if (event.op == Op::st_async)
            return put(event, "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32", {data(event), number_operand(1), by});
        if (event.op == Op::red_async)
            return put(event, "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32",
                       {data(event), number_operand(1), by});
        const bool to_peer = window(event, *event.mbarrier) == "shared::cluster";
        const std::string dotted =
            std::string("cp.async.bulk.shared::") + (to_peer ? "cluster" : "cta") + ".global.mbarrier::complete_tx::bytes";
        if (event.writes || data_ == nullptr) return put(event, dotted, {data(event), address(other(Space::global)), bytes, by});
        if (in_shared)
            return put(event, "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes",
                       {address(other(Space::shared, event.mbarrier->block), cta_of(event, *event.mbarrier)), data(event), bytes, by});
        throw Missing{"a copy into shared memory that reads what is written"};
    }
    if (event.reads && in_shared)
        return put(event, "cp.async.bulk.global.shared::cta.bulk_group", {address(other(Space::global)), data(event), bytes});
    if (event.writes && !in_shared)
        return put(event, "cp.async.bulk.global.shared::cta.bulk_group",
                   {data(event), address(other(Space::shared, ground_.block_of(event))), bytes});
    throw Missing{"a copy of a kind that has no plainer one"};
}

// A reduction in bulk of the byte.
void Writer::reduce(const Event& event) {
    const Operand from = address(other(Space::shared, ground_.block_of(event))), bytes = number_operand(copied_bytes);
    if (!event.mbarrier) return put(event, "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32", {data(event), from, bytes});
    put(event, "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32",
        {data(event), from, bytes, address(scene_.objects.at(*event.mbarrier).name, cta_of(event, *event.mbarrier))});
}

void Writer::wait_for_groups(const Event& event) {
    const std::string words = groups_ == Groups::copies ? "cp.async" : "cp.async.bulk";
    if (event.what == What::commit) return put(event, words + ".commit_group", {});
    const bool reads = std::count(event.statement->words.begin(), event.statement->words.end(), "read") > 0;
    put(event, words + ".wait_group" + (reads ? ".read" : ""), {number_operand(static_cast<uint64_t>(event.number))});
}

void Writer::mbarrier(const Event& event) {
    Object& object = scene_.objects.at(*event.mbarrier);
    const Operand at = address(object.name, cta_of(event, *event.mbarrier));
    const std::string space = window(event, *event.mbarrier);
    if (event.what == What::wait) {
        put(event, "mbarrier.try_wait.parity." + strength(event) + "." + space + ".b64", {at, number_operand(event.phase & 1)});
        test.threads.back().body.back().await = true;
        return;
    }
    if (event.what == What::expect) {
        int64_t& bytes = object.bytes[event.phase];
        if (bytes > 0)
            put(event, "mbarrier.expect_tx.relaxed." + std::string(space == "shared::cta" ? "cta" : "cluster") + "." + space + ".b64",
                {at, number_operand(static_cast<uint64_t>(bytes))});
        bytes = 0;
        return;
    }
    if (event.op == Op::async_arrive) {
        const bool counts = event.number > 0;
        return put(event, std::string("cp.async.mbarrier.arrive") + (counts ? ".noinc" : "") + ".shared::cta.b64", {at});
    }
    if (event.op != Op::mbarrier_arrive) throw Missing{"`" + kernel::dotted(event.statement->words) + "`"};
    // who is not here arrives together with the first who is
    const bool is_open = object.open == event.phase;
    const int64_t lacking = is_open ? 0 : object.count - std::exchange(object.arrivals[event.phase], object.count);
    std::vector<Operand> operands = {sink(), at};
    if (event.number + lacking > 1) operands.push_back(number_operand(static_cast<uint64_t>(event.number + lacking)));
    put(event, "mbarrier.arrive." + strength(event) + "." + space + ".b64", std::move(operands));
}

// The event at each place that it shares, one after the other.
void Writer::at_shares(const Event& event, void (Writer::*write)(const Event&)) {
    for (const auto& [number, writes] : scene_.touches_of(event)) {
        data_ = &scene_.data[number];
        Event one = event;
        one.reads = !writes;
        one.writes = writes;
        (this->*write)(one);
    }
    data_ = nullptr;
}

// A store of what was read waits for its value, as something does in the kernel.
void Writer::need(const Event& event) {
    const auto read = found_.find(event.statement);
    if (read == found_.end()) return;
    put(event, "st.weak.global.u32", {address(other(Space::global)), reg_operand(read->second)});
    found_.erase(read);
}

}  // namespace litmus::sweep
