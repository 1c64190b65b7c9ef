// Operations on mbarrier objects, and asynchronous operations (model/semantics.md sections 5 and 6).
#include <algorithm>
#include <cstdlib>

#include "machine.h"
#include "ptx/value.h"

namespace litmus::naive {

bool Machine::has_word(std::string_view word) const {
    const Instruction& i = instruction();
    return i.has(word) || ("." + i.mnemonic + ".").find("." + std::string(word) + ".") != std::string::npos;
}

// ---- mbarrier objects -------------------------------------------------------------------------------------

// Updates are counted one after the other: no two of them find the same state, and what a thread sees of one life of an
// object never goes back, nor does it come back to a life that is over. (The axioms say so; runs that break it are given up here because
// there are many.)
void Machine::keep_order(int cell, const ObjectState& now) {
    if (bounds_.drawn) return;
    const auto before = seen_.find(cell);
    if (before != seen_.end() && before->second.life == now.life && now.age < before->second.age) throw DeadEnd{};
    if (before != seen_.end() && before->second.life != now.life) left_[cell].insert(before->second.life);
    if (left_[cell].count(now.life) > 0) throw DeadEnd{};
    seen_[cell] = now;
}

Machine::Update Machine::update(const Operand& named, uint64_t address, const MbarrierStep& step, const Way& way) {
    const MemoryPlace at = memory_.at(address, Type::b64);
    if (!memory_.cells()[static_cast<size_t>(at.cell)].is_mbarrier) throw Unsupported("no mbarrier object");
    const uint64_t old = ask(at);
    const ObjectState before = memory_.state(old);
    if (!way.issue) keep_order(at.cell, before);
    if (!updated_.insert(old).second && !bounds_.drawn) throw DeadEnd{};
    ObjectState after = before;
    ++after.age;
    after.counts = unpack(after_step(pack(before.counts), pack(step)));
    const uint64_t made = memory_.number_of(after);
    const auto event_of = [&](Event::Kind kind, uint64_t value) {
        return way.issue ? inside(*way.issue, kind, at, Type::b64, 0, value) : access(kind, at, Type::b64, 0, named, value);
    };
    const Update u{event_of(Event::Kind::read, old), event_of(Event::Kind::write, made)};
    if (!way.issue) seen_[at.cell] = after;
    Step &read = trace_.steps[u.read], &write = trace_.steps[u.write];
    for (Step* s : {&read, &write}) {
        s->event.scope = way.scope;
        s->event.proxy = Proxy::generic;
        s->event.completes = way.issue.has_value();
        s->phase = before.counts.phase;
        s->life = before.life;
    }
    read.event.sem = Sem::relaxed;
    write.event.sem = way.sem;
    read.event.partner = static_cast<int>(u.write);
    write.event.partner = static_cast<int>(u.read);
    write.is_arrival = way.arrives;
    trace_.data.emplace(u.read, u.write);
    if (way.issue) trace_.aio.emplace(u.read, u.write);
    // the phase waits for fewer arrivals than come, or the tx-count leaves its range: counts as they are before a phase
    // completes
    const int64_t tx = int64_t{before.counts.tx} + step.tx;
    const bool overdrawn = step.arrivals > 0 && before.counts.pending < static_cast<uint32_t>(step.arrivals);
    read.is_faulty = !is_live(before) || overdrawn || (step.tx != 0 && std::abs(tx) > most_tx);
    return u;
}

void Machine::initialise(const Operand& at, bool live) {
    const Instruction& i = instruction();
    const MemoryPlace place = memory_.at(address(at), Type::b64);
    if (!memory_.cells()[static_cast<size_t>(place.cell)].is_mbarrier) throw Unsupported("no mbarrier object");
    ObjectState state;
    state.cell = place.cell;
    state.life = {thread_, static_cast<int>(pc_), iteration_};
    if (live) {
        const auto count = static_cast<uint32_t>(value(i.operands.at(1), Type::u32));
        if (count == 0) throw Unsupported("a count of 0");
        state.counts = {1, 0, count, count, 0};
    }
    left_[place.cell].insert(memory_.state(memory_.initial(place.cell)).life);
    keep_order(place.cell, state);
    const size_t write = access(Event::Kind::write, place, Type::b64, 0, at, memory_.number_of(state));
    Event& e = trace_.steps[write].event;
    e.initialises = live;
    e.invalidates = !live;
}

void Machine::mbarrier() {
    const Instruction& i = instruction();
    const auto named =
        std::find_if(i.operands.begin(), i.operands.end(), [](const Operand& o) { return o.kind == Operand::Kind::address; });
    if (i.op == Op::mbarrier_pending_count) {
        const auto token = memory_.state_of_token(value(i.operands.at(1), Type::u64));
        return assign(i.operands[0], Type::u32, token ? token->counts.pending : 0, reads_of(i.operands[1]), {});
    }
    if (named == i.operands.end()) throw Unsupported(i.mnemonic);
    const auto argument = static_cast<size_t>(named - i.operands.begin()) + 1;
    if (i.op == Op::mbarrier_init || i.op == Op::mbarrier_inval) return initialise(*named, i.op == Op::mbarrier_init);
    if (i.op == Op::mbarrier_test_wait || i.op == Op::mbarrier_try_wait) return wait(argument);
    const auto number = argument < i.operands.size() ? static_cast<int32_t>(value(i.operands[argument], Type::u32)) : 1;
    const bool drops = i.op == Op::mbarrier_arrive_drop;
    MbarrierStep step{0, number, drops ? number : 0};
    if (i.op == Op::mbarrier_expect_tx) step = {number, 0, 0};
    if (i.op == Op::mbarrier_complete_tx) step = {-number, 0, 0};
    if ((i.op == Op::mbarrier_arrive || drops) && has_word("expect_tx")) step = {number, 1, drops ? 1 : 0};
    Way way;
    way.sem = semantics(i);
    way.scope = scope(i);
    way.arrives = step.arrivals > 0;
    const Update u = update(*named, address(*named), step, way);
    const uint64_t old = trace_.steps[u.read].value;
    const bool completes = memory_.state(trace_.steps[u.write].value).counts.phase != memory_.state(old).counts.phase;
    if (has_word("noComplete") && completes) trace_.steps[u.write].is_faulty = true;
    if ((i.op == Op::mbarrier_arrive || drops) && i.operands[0].kind == Operand::Kind::reg)
        assign(i.operands[0], Type::b64, Memory::token_of(old), {u.read}, {u.read});
}

void Machine::wait(size_t argument) {
    const Instruction& i = instruction();
    const Operand& named = i.operands.at(argument - 1);
    const Operand& wanted = i.operands.at(argument);
    const bool parity = has_word("parity");
    for (;;) {
        const MemoryPlace at = memory_.at(address(named), Type::b64);
        if (!memory_.cells()[static_cast<size_t>(at.cell)].is_mbarrier) throw Unsupported("no mbarrier object");
        const uint64_t by = value(wanted, parity ? Type::u32 : Type::u64);
        const auto token = memory_.state_of_token(by);
        const auto matches = [&](const ObjectState& s) {
            return token && token->cell == s.cell && token->life == s.life && token->counts.phase <= s.counts.phase &&
                   token->counts.phase + 1 >= s.counts.phase;
        };
        const auto holds = [&](const ObjectState& s) {
            if (parity) return (s.counts.phase & 1) != (by & 1);
            return matches(s) && token->counts.phase != s.counts.phase;
        };
        const uint64_t found = ask(at);
        const ObjectState now = memory_.state(found);
        keep_order(at.cell, now);
        const size_t read = access(Event::Kind::read, at, Type::b64, 0, named, found);
        Step& step = trace_.steps[read];
        step.is_returned = holds(now);
        step.is_faulty = !is_live(now) || (!parity && !matches(now));
        step.phase = now.counts.phase;
        step.life = now.life;
        depend(trace_.ctrl, reads_of(wanted), read);
        if (!i.await) {
            std::set<size_t> reads = reads_of(wanted);
            reads.insert(read);
            return assign(i.operands[0], Type::pred, step.is_returned ? 1 : 0, reads, {read});
        }
        wait_for({read}, wanted);
        if (step.is_returned || bounds_.drawn) return;
        if (!retries()) {
            for (const uint64_t v : (*candidates_)[static_cast<size_t>(at.cell)])
                if (!holds(memory_.state(v))) trace_.hopeless.push_back({{at.cell, v}});
            return stay();
        }
        iteration_ = executed_[pc_]++;
        ordinal_ = 0;
    }
}

// ---- asynchronous operations --------------------------------------------------------------------------------

size_t Machine::issue(const std::vector<Operand>& addresses) {
    Event e = event(Event::Kind::issue);
    e.scope = Scope::none;
    e.operation = operations_++;
    const size_t start = add(e, 0);
    for (const Operand& a : addresses)
        if (a.indirect) depend(trace_.addr, reads_of(a), start);
    return start;
}

// A memory event of the operation that `issue` starts.
size_t Machine::inside(size_t issue, Event::Kind kind, const MemoryPlace& at, Type type, int element, uint64_t value) {
    const Instruction& i = instruction();
    Event e = event(kind);
    e.asynchronous = true;
    e.operation = trace_.steps[issue].event.operation;
    e.cell = at.cell;
    e.address = at.address;
    e.proxy = proxy(i);
    e.type = type;
    e.element = element;
    const size_t step = add(e, value);
    trace_.iss.emplace(issue, step);
    return step;
}

Machine::Update Machine::reduce(size_t issue, const MemoryPlace& at, Type type, int element, uint64_t operand) {
    const Instruction& i = instruction();
    const bool global = memory_.cells()[static_cast<size_t>(at.cell)].instance < 0;
    const uint64_t old = ask(at);
    const auto result = apply(memory_operation(operation(i), type, global), type, old, operand);
    if (!result) throw Unsupported("this reduction");
    const Update u{inside(issue, Event::Kind::read, at, type, element, old), inside(issue, Event::Kind::write, at, type, element, *result)};
    trace_.steps[u.read].event.reduction = true;
    trace_.steps[u.read].event.partner = static_cast<int>(u.write);
    trace_.steps[u.write].event.partner = static_cast<int>(u.read);
    trace_.steps[u.read].event.sem = Sem::relaxed;
    trace_.steps[u.write].event.sem = semantics(i);
    trace_.aio.emplace(u.read, u.write);
    trace_.data.emplace(u.read, u.write);
    return u;
}

size_t Machine::completion(size_t issue, const std::vector<size_t>& before) {
    Event e = event(Event::Kind::completion);
    e.scope = Scope::none;
    e.asynchronous = true;
    e.completes = true;
    e.operation = trace_.steps[issue].event.operation;
    const size_t step = add(e, 0);
    trace_.iss.emplace(issue, step);
    for (const size_t b : before) trace_.aio.emplace(b, step);
    return step;
}

// complete_tx(bytes) by the operation: .release.cluster, after the events of `before`.
void Machine::complete_on(size_t issue, const Operand& named, uint64_t address, int64_t bytes, const std::vector<size_t>& before) {
    Way way;
    way.sem = Sem::release;
    way.scope = Scope::cluster;
    way.issue = issue;
    const Update u = update(named, address, {static_cast<int32_t>(-bytes), 0, 0}, way);
    for (const size_t b : before) {
        trace_.aio.emplace(b, u.read);
        trace_.aio.emplace(b, u.write);
    }
}

// red.async and st.async.
void Machine::direct() {
    const Instruction& i = instruction();
    const Type type = data_type(i);
    const uint64_t to = address(i.operands.at(0));
    std::vector<Operand> addresses{i.operands[0]};
    const bool completes = i.operands.size() > 2;
    if (completes) addresses.push_back(i.operands[2]);
    const uint64_t object = completes ? address(i.operands[2]) : 0;
    const size_t start = issue(addresses);
    std::vector<size_t> events;
    for (int k = 0; k < vector_width(i); ++k) {
        const Operand& from =
            i.operands.at(1).kind == Operand::Kind::vector ? i.operands[1].elements.at(static_cast<size_t>(k)) : i.operands[1];
        const uint64_t v = value(from, type);
        for (const MemoryPlace& at : memory_.all_at(to + static_cast<uint64_t>(k * bits(type) / 8), type)) {
            size_t write = 0;
            if (i.op == Op::red_async || i.op == Op::multimem_reduce_async) {
                const Update u = reduce(start, at, type, k, v);
                events.push_back(u.read);
                write = u.write;
            } else {
                write = inside(start, Event::Kind::write, at, type, k, v);
                trace_.steps[write].event.sem = semantics(i);
            }
            events.push_back(write);
            depend(trace_.data, reads_of(from), write);
        }
    }
    if (completes) complete_on(start, i.operands[2], object, vector_width(i) * bits(type) / 8, events);
}

// The CTAs of the cluster, by number, whose bit is set in the mask.
std::vector<int> Machine::multicast_ctas(uint64_t mask) const {
    const Placement& here = test_.threads[static_cast<size_t>(thread_)].at;
    std::map<int, int> by_number;
    for (size_t c = 0; c < memory_.ctas().size(); ++c) {
        const Placement& at = memory_.ctas()[c];
        if (at.gpu == here.gpu && at.cluster == here.cluster) by_number[at.cta] = static_cast<int>(c);
    }
    std::vector<int> result;
    uint64_t bit = 1;
    for (const auto& [number, cta] : by_number) {
        if ((mask & bit) != 0) result.push_back(cta);
        bit <<= 1;
    }
    return result;
}

// cp.async.bulk and cp.reduce.async.bulk: every element of the copy has its events.
void Machine::bulk() {
    const Instruction& i = instruction();
    const bool grouped = has_word("bulk_group"), reduces = i.op == Op::bulk_reduce || i.op == Op::multimem_bulk_reduce,
               multicast = has_word("multicast::cluster");
    const uint64_t to = address(i.operands.at(0)), from = address(i.operands.at(1));
    const auto size = static_cast<int64_t>(value(i.operands.at(2), Type::u32));
    std::vector<Operand> addresses{i.operands[0], i.operands[1]};
    if (!grouped) addresses.push_back(i.operands.at(3));
    const uint64_t object = grouped ? 0 : address(i.operands[3]);
    const Type type = reduces ? data_type(i) : memory_.cell_at(to).type;
    const int64_t step = bits(type) / 8;
    const size_t start = issue(addresses);
    std::vector<int> ctas{-1};
    if (multicast) ctas = multicast_ctas(value(i.operands.at(4), Type::u32));
    std::vector<size_t> reads;
    std::vector<std::vector<size_t>> writes(ctas.size());
    for (int64_t k = 0; k < size / step; ++k) {
        const auto offset = static_cast<uint64_t>(k * step);
        const int element = static_cast<int>(k);
        const MemoryPlace source = memory_.at(from + offset, type);
        const uint64_t read_value = ask(source);
        const size_t r = inside(start, Event::Kind::read, source, type, element, read_value);
        trace_.steps[r].event.sem = Sem::weak;
        trace_.steps[r].event.scope = Scope::none;
        reads.push_back(r);
        for (size_t n = 0; n < ctas.size(); ++n) {
            for (const MemoryPlace& at : memory_.all_at(ctas[n] < 0 ? to + offset : memory_.counterpart(to + offset, ctas[n]), type)) {
                std::vector<size_t> made;
                if (reduces) {
                    const Update u = reduce(start, at, type, element, read_value);
                    made = {u.read, u.write};
                } else {
                    made = {inside(start, Event::Kind::write, at, type, element, read_value)};
                }
                for (const size_t e : made) {
                    trace_.steps[e].event.sem = reduces ? Sem::relaxed : Sem::weak;
                    trace_.steps[e].event.scope = !reduces ? Scope::none : i.op == Op::multimem_bulk_reduce ? Scope::sys : Scope::gpu;
                    writes[n].push_back(e);
                }
                trace_.aio.emplace(r, made.back());
                trace_.data.emplace(r, made.back());
            }
        }
    }
    end_transfer(start, reads, writes, grouped ? nullptr : &i.operands[3], object, ctas, size);
}

bool Machine::waits_for_groups(bool reads) const {
    const auto& body = this->body();
    return std::any_of(body.begin(), body.end(), [&](const Instruction& x) { return x.op == Op::bulk_wait && (!reads || x.has("read")); });
}

// The completion of a bulk operation: of its group, or on the object in each CTA that it writes.
void Machine::end_transfer(size_t start, const std::vector<size_t>& reads, const std::vector<std::vector<size_t>>& writes,
                           const Operand* named, uint64_t object, const std::vector<int>& ctas, int64_t size) {
    std::vector<std::vector<size_t>> all = writes;
    for (auto& events : all) events.insert(events.end(), reads.begin(), reads.end());
    if (!named) {
        Member member{completion(start, all[0]), std::nullopt, bulk_groups_.commits};
        if (waits_for_groups(true)) {
            std::vector<size_t> maps, data;
            for (const size_t r : reads) (trace_.steps[r].event.proxy == Proxy::tensormap ? maps : data).push_back(r);
            member.reads_done = completion(start, data);
            for (const size_t r : maps) trace_.aio_map.emplace(r, *member.reads_done);
        }
        bulk_groups_.members.push_back(member);
        return;
    }
    // which CTA is told of a destination: itself, or the one of its pair that is as even as that of the object
    const std::vector<int> ranks = ctas_by_rank();
    const auto rank = [&](int cta) { return static_cast<size_t>(std::find(ranks.begin(), ranks.end(), cta) - ranks.begin()); };
    const auto told = [&](int cta) {
        if (!has_word("cta_group::2")) return cta;
        return ranks.at((rank(cta) & ~size_t{1}) | (rank(memory_.cell_at(object).instance) & 1));
    };
    for (size_t n = 0; n < ctas.size(); ++n) {
        complete_on(start, *named, ctas[n] < 0 ? object : memory_.counterpart(object, told(ctas[n])), size, all[n]);
        const size_t last = trace_.steps.size() - 1;
        Step& found = trace_.steps[static_cast<size_t>(trace_.steps[last].event.partner)];
        const uint64_t before = pack(memory_.state(found.value).counts);
        for (int32_t part = 16; part < size; part += 16)  // as if only so much had come
            if (unpack(after_step(before, pack(MbarrierStep{-part, 0, 0}))).phase != unpack(before).phase) found.overfills = true;
        for (size_t m = 0; m < ctas.size(); ++m)
            for (const size_t e : writes[m])
                if (m != n) trace_.aio_multicast.emplace(e, last);
    }
}

// cp.async: what the source size leaves out is filled with zeros.
void Machine::copy() {
    const Instruction& i = instruction();
    const uint64_t to = address(i.operands.at(0)), from = address(i.operands.at(1));
    const auto size = static_cast<int64_t>(value(i.operands.at(2), Type::u32));
    const int64_t present = i.operands.size() > 3 ? static_cast<int64_t>(value(i.operands[3], Type::u32)) : size;
    const Type type = memory_.cell_at(to).type;
    const int64_t step = bits(type) / 8;
    const size_t start = issue({i.operands[0], i.operands[1]});
    std::vector<size_t> events;
    for (int64_t k = 0; k < size / step; ++k) {
        const auto offset = static_cast<uint64_t>(k * step);
        uint64_t v = 0;
        std::optional<size_t> r;
        if (k * step < present) {
            const MemoryPlace source = memory_.at(from + offset, type);
            v = ask(source);
            r = inside(start, Event::Kind::read, source, type, static_cast<int>(k), v);
            events.push_back(*r);
        }
        const size_t w = inside(start, Event::Kind::write, memory_.at(to + offset, type), type, static_cast<int>(k), v);
        events.push_back(w);
        group_writes_.push_back(w);
        if (!r) continue;
        trace_.aio.emplace(*r, w);
        trace_.data.emplace(*r, w);
    }
    copy_groups_.members.push_back({completion(start, events), std::nullopt, copy_groups_.commits});
    copied_.insert(copied_.end(), events.begin(), events.end());
}

// cp.async.mbarrier.arrive: an arrive-on after all prior cp.async of the thread; without .noinc it raises the pending
// count first.
void Machine::arrive_after_copies() {
    const Instruction& i = instruction();
    const Operand& named = i.operands.at(0);
    const uint64_t object = address(named);
    if (!has_word("noinc")) {
        Way raise;
        update(named, object, {0, -1, 0}, raise);
    }
    Way way;
    way.issue = issue({named});
    way.sem = Sem::release;
    way.arrives = true;
    const Update u = update(named, object, {0, 1, 0}, way);
    for (const size_t e : copied_)
        for (const size_t to : {u.read, u.write}) trace_.aio.emplace(e, to);
}

void Machine::commit(bool bulk) {
    ++(bulk ? bulk_groups_ : copy_groups_).commits;
    if (bulk) return;
    // two cp.async of one group write one location (ISA 9.7.9.25.3.2)
    std::set<int> cells;
    for (const size_t w : group_writes_)
        if (!cells.insert(trace_.steps[w].event.cell).second) trace_.steps[w].is_faulty = true;
    group_writes_.clear();
}

// wait_group N: all groups but the N latest are complete.
void Machine::wait_for_groups(Groups& groups) {
    const Instruction& i = instruction();
    if (has_word("wait_all")) commit(false);
    const uint64_t pending = i.operands.empty() ? 0 : value(i.operands[0], Type::u32);
    Event e = event(Event::Kind::group_wait);
    e.scope = Scope::none;
    const size_t wait = add(e, 0);
    for (const Member& m : groups.members)
        if (m.group + pending < groups.commits)
            trace_.grp.emplace(has_word("read") ? m.reads_done.value_or(m.completion) : m.completion, wait);
    block(wait);
}

}  // namespace litmus::naive
