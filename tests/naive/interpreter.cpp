// Control flow, and the enumeration of traces.
#include "interpreter.h"

#include <algorithm>
#include <stdexcept>

#include "machine.h"
#include "ptx/traits.h"

namespace litmus::naive {
namespace {

// Goes through all sequences of choices: each run repeats those made so far and takes the first of each new one.
class Odometer {
public:
    size_t choose(size_t n) {
        if (n == 0) throw DeadEnd{};
        if (at_ == digits_.size()) digits_.emplace_back(0, n);
        return digits_[at_++].first;
    }
    // To the next sequence; false: there is none.
    bool next() {
        while (!digits_.empty() && digits_.back().first + 1 == digits_.back().second) digits_.pop_back();
        if (digits_.empty()) return false;
        ++digits_.back().first;
        at_ = 0;
        return true;
    }

private:
    std::vector<std::pair<size_t, size_t>> digits_;
    size_t at_ = 0;
};

class EveryWay : public Oracle {
public:
    EveryWay(Odometer& odometer, const Candidates& candidates) : odometer_(odometer), candidates_(candidates) {}
    uint64_t value(const StepId& /*read*/, int cell) override {
        const std::set<uint64_t>& values = candidates_[static_cast<size_t>(cell)];
        return *std::next(values.begin(), static_cast<std::ptrdiff_t>(odometer_.choose(values.size())));
    }
    size_t choice(const StepId& /*at*/, size_t n) override { return odometer_.choose(n); }

private:
    Odometer& odometer_;
    const Candidates& candidates_;
};

// Memory that does not change any more: every cell has one value.
class Frozen : public Oracle {
public:
    Frozen(Odometer& odometer, const Candidates& candidates) : any_(odometer, candidates) {}
    uint64_t value(const StepId& read, int cell) override {
        const auto known = values.find(cell);
        return known != values.end() ? known->second : values[cell] = any_.value(read, cell);
    }
    size_t choice(const StepId& at, size_t n) override { return any_.choice(at, n); }
    std::map<int, uint64_t> values;

private:
    EveryWay any_;
};

}  // namespace

Machine::Machine(const Test& test, Memory& memory, const Bounds& bounds, int thread, const Candidates& candidates, Oracle& oracle,
                 Candidates* written)
    : test_(test),
      memory_(memory),
      bounds_(bounds),
      thread_(thread),
      candidates_(&candidates),
      oracle_(&oracle),
      written_(written),
      cta_(memory.cta_of(test.threads[static_cast<size_t>(thread)].at)),
      grids_(grids_of(test)) {}

Trace Machine::run() {
    const auto& body = this->body();
    if (grids_.size() > 1) begin();
    while (!over_ && pc_ < body.size()) execute();
    if (!over_) finish(Trace::End::ended);
    for (const auto& [name, r] : registers_) trace_.registers[name] = {r.unknown.empty() ? r.value : Memory::opaque, r.type};
    return std::move(trace_);
}

void Machine::finish(Trace::End end) {
    over_ = true;
    trace_.end = end;
    if (end != Trace::End::ended) return;
    guard_reads_.clear();
    iteration_ = ordinal_ = 0;
    pc_ = body().size();
    Event e;
    e.kind = Event::Kind::exit;
    add(e, 0);
}

// The thread goes no further.
void Machine::stay() {
    trace_.stuck_at = static_cast<int>(pc_);
    finish(Trace::End::stuck);
}

void Machine::execute() {
    const Instruction& i = instruction();
    iteration_ = executed_[pc_]++;
    ordinal_ = mentioned_ = 0;
    first_ = trace_.steps.size();
    guard_reads_.clear();
    bool happens = true;
    if (i.guard) {
        mention_register(i.guard->reg, true);
        happens = (read(i.guard->reg, Type::pred) != 0) != i.guard->negated;
        if (const auto found = registers_.find(i.guard->reg); found != registers_.end()) guard_reads_ = found->second.reads;
    }
    if (i.op == Op::bra) {
        // what can change whether a loop repeats: all that follows waits for it
        if (i.guard && registers_.count(i.guard->reg) > 0 && target() <= pc_) trace_.mentions.back().compared = true;
        control_.insert(guard_reads_.begin(), guard_reads_.end());
        if (happens) return branch();
        ++pc_;
        return;
    }
    if (!happens) {
        for (const std::string& name : written_registers(i)) registers_[name].reads.insert(guard_reads_.begin(), guard_reads_.end());
        if (i.op == Op::exit || i.op == Op::trap) control_.insert(guard_reads_.begin(), guard_reads_.end());
        ++pc_;
        return;
    }
    if (i.op == Op::exit) {
        control_.insert(guard_reads_.begin(), guard_reads_.end());
        return finish(Trace::End::ended);
    }
    if (i.op == Op::trap) return finish(Trace::End::trapped);
    waits_ = !is_arithmetic(i.op);
    touch_registers();
    touch_results();
    note_aligned();
    if (const std::optional<Operand> address = astray())
        stray(*address);
    else
        happen();
    if (!over_) ++pc_;
}

// The instruction itself, its guard apart. It names every operation: one that is new does not compile until somebody says here
// what it does, or that it is left out on purpose (Unsupported, which skips the program).
void Machine::happen() {
    switch (instruction().op) {
        case Op::setp:
            return set_predicate();
        case Op::ld:
        case Op::ld_nc:
            return load();
        case Op::st:
            return store();
        case Op::atom:
        case Op::red:
            return atomic();
        case Op::fence:
        case Op::fence_proxy:
            return fence();
        case Op::red_async:
        case Op::st_async:
        case Op::multimem_store_async:
        case Op::multimem_reduce_async:
            return direct();
        case Op::bulk_copy:
        case Op::bulk_reduce:
        case Op::multimem_bulk_copy:
        case Op::multimem_bulk_reduce:
            return bulk();
        case Op::tensor_copy:
        case Op::tensor_reduce:
            return tensor();
        case Op::tensor_prefetch:
            return;
        case Op::map_replace:
            return replace_array();
        case Op::map_field:
            return replace_field();
        case Op::map_copy:
            return copy_map();
        case Op::multimem_load:
        case Op::multimem_store:
        case Op::multimem_reduce:
            return scalar_by_scalar();
        case Op::async_copy:
            return copy();
        case Op::async_arrive:
            return arrive_after_copies();
        case Op::bulk_commit:
        case Op::async_commit:
            return commit(instruction().op == Op::bulk_commit);
        case Op::bulk_wait:
        case Op::async_wait:
            return wait_for_groups(instruction().op == Op::bulk_wait ? bulk_groups_ : copy_groups_);
        case Op::wgmma_mma:
            return multiply();
        case Op::wgmma_fence:
            return fence_registers();
        case Op::wgmma_commit:
            ++mma_groups_.commits;
            return;
        case Op::wgmma_wait:
            return wait_for_multiplications();
        case Op::tcgen_mma:
        case Op::tcgen_copy:
        case Op::tcgen_load:
        case Op::tcgen_store:
            return operate_on_tensor();
        case Op::tcgen_commit:
            return commit_tensor();
        case Op::tcgen_wait:
            return wait_for_tensor();
        case Op::tcgen_fence:
            return fence();
        case Op::tcgen_alloc:
        case Op::tcgen_dealloc:
            return hold_tensor();
        case Op::tcgen_relinquish:
            return;
        case Op::st_bulk:
        case Op::discard:
            return fill();
        case Op::try_cancel:
            return request_cancellation();
        case Op::query_cancel:
            return query_answer();
        case Op::mbarrier_init:
        case Op::mbarrier_inval:
        case Op::mbarrier_expect_tx:
        case Op::mbarrier_complete_tx:
        case Op::mbarrier_arrive:
        case Op::mbarrier_arrive_drop:
        case Op::mbarrier_test_wait:
        case Op::mbarrier_try_wait:
        case Op::mbarrier_pending_count:
            return mbarrier();
        case Op::bar_sync:
        case Op::bar_arrive:
        case Op::bar_red:
        case Op::cluster_arrive:
        case Op::cluster_wait:
            return barrier();
        case Op::mov:
        case Op::binary:
        case Op::not_:
        case Op::neg:
        case Op::cvt:
        case Op::selp:
        case Op::mad:
        case Op::cvta:
        case Op::mapa:
        case Op::getctarank:
        case Op::isspacep:
        case Op::policy:
            return compute();
        case Op::ldmatrix:
        case Op::stmatrix:
            return move_row();
        case Op::warp_mma:
            return multiply_registers();
        case Op::hint:
            return;
        case Op::grid_trigger:
            return trigger_grids();
        case Op::grid_wait:
            return wait_for_grids();
        case Op::suld:
        case Op::sust:
        case Op::tld:
        case Op::ldc:
        case Op::bar_quorum:
        case Op::bar_quorum_arrive:
        case Op::bar_warp_sync:
        case Op::redux_sync:
        case Op::activemask:
        case Op::vote_sync:
        case Op::shfl_sync:
        case Op::match_sync:
        case Op::elect_sync:
            throw Unsupported(instruction().mnemonic);
        case Op::bra:
        case Op::exit:
        case Op::trap:
            break;  // execute() has done them
    }
    throw std::logic_error("an instruction that the naive interpreter does not know");
}

// Where the branch at pc_ leads.
size_t Machine::target() const {
    const auto& operands = instruction().operands;
    if (operands.size() != 1) throw Unsupported("branches of the foreign formats");
    for (size_t k = 0; k < body().size(); ++k)
        if (std::count(body()[k].labels.begin(), body()[k].labels.end(), operands[0].name) > 0) return k;
    return body().size();
}

void Machine::branch() {
    const size_t target = this->target();
    if (target <= pc_ && !spinning_) {
        const bool again = repeated_[pc_]++ < bounds_.failures;
        if (oracle_->choice({static_cast<int>(pc_), iteration_, 0}, 2) == 1) {
            trace_.hopeless = spins(target, pc_);
            if (trace_.hopeless.empty()) throw DeadEnd{};
            return stay();
        }
        if (!again) return finish(Trace::End::cut);
    }
    pc_ = target;
}

// The final values with which the loop from `first` to the branch at `last`, taken now, goes on for ever and changes none of them.
std::vector<std::map<int, uint64_t>> Machine::spins(size_t first, size_t last) const {
    std::vector<std::map<int, uint64_t>> result, left;
    Odometer odometer;
    do {
        Frozen frozen(odometer, *candidates_);
        Machine copy = *this;
        copy.oracle_ = &frozen;
        copy.spinning_ = true;
        copy.undecided_ = false;
        bool comes_back = false;
        try {
            comes_back = copy.comes_back(first, last);
        } catch (const Leaves&) {
        } catch (const DeadEnd&) {
            continue;
        }
        if (comes_back)
            result.push_back(frozen.values);
        else if (copy.undecided_)
            left.push_back(frozen.values);
    } while (odometer.next());
    // time passes: a comparison with a clock that leads out of the loop comes out so, sooner or later
    const auto agree = [](const std::map<int, uint64_t>& a, const std::map<int, uint64_t>& b) {
        return std::all_of(a.begin(), a.end(), [&](const auto& v) { return b.count(v.first) == 0 || b.at(v.first) == v.second; });
    };
    result.erase(std::remove_if(result.begin(), result.end(),
                                [&](const auto& values) {
                                    return std::any_of(left.begin(), left.end(), [&](const auto& other) { return agree(values, other); });
                                }),
                 result.end());
    return result;
}

// The second of two more rounds of the loop leaves all registers alike; or they come to more rounds than any test counts, so that what
// changes in them decides nothing.
bool Machine::comes_back(size_t first, size_t last) {
    constexpr int more_than_any_counts = 64;
    std::map<std::string, uint64_t> before;
    const auto alike = [&] {
        return std::all_of(registers_.begin(), registers_.end(), [&](const auto& r) { return before[r.first] == r.second.value; });
    };
    for (int round = 0; round < 2 || (round < more_than_any_counts && !alike()); ++round) {
        before.clear();
        for (const auto& [name, r] : registers_) before[name] = r.value;
        pc_ = first;
        seen_.clear();
        left_.clear();
        do {
            execute();
            if (over_ && trace_.end == Trace::End::stuck) return true;  // at an await inside
            if (over_ || pc_ < first || pc_ > last) return false;
        } while (pc_ != first);
    }
    return true;
}

// After a failing iteration of an await: whether the thread tries again; otherwise it stays.
bool Machine::retries() {
    const int failed = ++repeated_[pc_];
    if (spinning_ || failed >= bounds_.failures) return false;
    return oracle_->choice({static_cast<int>(pc_), iteration_, -1}, 2) == 0;
}

Trace Interpreter::run(int thread, const Candidates& candidates, Oracle& oracle, Candidates* written) const {
    return Machine(test_, memory_, bounds_, thread, candidates, oracle, written).run();
}

Interpreter::All Interpreter::all(int thread, const Candidates& candidates) const {
    All result;
    result.written.resize(candidates.size());
    Odometer odometer;
    size_t runs = 0;
    do {
        EveryWay oracle(odometer, candidates);
        if (++runs > 10 * bounds_.traces) throw Unsupported("too many runs of a thread");
        try {
            Trace trace = run(thread, candidates, oracle, &result.written);
            if (trace.end == Trace::End::cut)
                result.cut = true;
            else
                result.traces.push_back(std::move(trace));
        } catch (const DeadEnd&) {
        }
        if (result.traces.size() > bounds_.traces) throw Unsupported("too many traces of a thread");
    } while (odometer.next());
    return result;
}

}  // namespace litmus::naive
