// Which lanes go on, and where.
#include "sweep/machine.h"

#include <algorithm>
#include <bit>

#include "kernel/arguments.h"
#include "kernel/dimensions.h"
#include "ptx/matrix.h"
#include "sweep/grids.h"

namespace litmus::sweep {

namespace {

constexpr uint64_t quantum = 4096;      // instructions of a warp before another one runs
constexpr uint32_t most_idle = 64;      // rounds in which nothing changes: all that runs spins
constexpr uint64_t work_to_check = 32;  // between two looks at the budget

// Of what has no operation in the table: registers of a warpgroup (9.7.19.5), cache policies (9.7.9.18), some prefetches (9.7.9.15).
bool is_inconsequential(std::string_view name) {
    constexpr std::array<std::string_view, 3> names{"setmaxnreg", "createpolicy", "prefetch"};
    return std::find(names.begin(), names.end(), name) != names.end();
}

bool has_narrow_accesses(const std::vector<Step>& code, uint32_t gpus) {
    return std::any_of(code.begin(), code.end(), [&](const Step& step) {
        const auto kind = step.form ? traits(step.form->op).kind : Traits::Kind::load;
        const bool accesses = kind == Traits::Kind::load || kind == Traits::Kind::store || kind == Traits::Kind::atomic ||
                              kind == Traits::Kind::from_registers;
        return accesses && step.scope != Scope::none && widest(step.scope, gpus) != Scope::sys;
    });
}

std::vector<Scope> scopes_of(const std::vector<Step>& code, uint32_t gpus) {
    std::set<Scope> scopes;
    for (const Step& step : code)
        if (step.scope != Scope::none) scopes.insert(widest(step.scope, gpus));
    return {scopes.begin(), scopes.end()};
}

// The schedule is not one of this launch, so that nothing that was found stands.
struct Misfit : Failure {
    using Failure::Failure;
};

// A lane within a call stands where the call is, and behind who has not called yet.
bool stands_before(const Warp& warp, uint32_t lane, uint32_t other) {
    const auto &own = warp.calls[lane], &others = warp.calls[other];
    if (own.empty() && others.empty()) return warp.at[lane] < warp.at[other];
    const auto [a, b] = std::mismatch(own.begin(), own.end(), others.begin(), others.end());
    const size_t own_place = a == own.end() ? warp.at[lane] : *a, other_place = b == others.end() ? warp.at[other] : *b;
    return own_place != other_place ? own_place < other_place : own.size() < others.size();
}

std::string plural(size_t n, const std::string& word) {
    return std::to_string(n) + " " + word + (n == 1 ? "" : "s");
}

}  // namespace

Machine::Machine(const kernel::Module& module, const kernel::Launch& launch, const Options& options)
    : module_(module),
      launch_(launch),
      options_(options),
      entry_(kernel::entry_named(module, launch.entry)),
      layout_(module, launch, entry_, options.budget),
      geometry_(launch),
      linked_(std::make_shared<const Linked>(link(module, entry_, layout_, options.budget))),
      code_(steps_of(module.source, linked_->code, options.budget)),
      narrow_(has_narrow_accesses(code_, options.gpus)),
      scopes_(scopes_of(code_, options.gpus)),
      asks_wide_(options.compares_scopes && options.in_scope && geometry_.cluster_size() > 1),
      before_((options.schedule.is_contrary() ? options.before_contrary : options.before).get()),
      given_(layout_.objects().size()),
      doubts_(before_ != nullptr ? before_->doubts : Doubts()),
      findings_(module, options),
      log_(options.watch),
      groups_(geometry_, options.gpus),
      decisions_(module, code_, before_ != nullptr ? before_->began : std::vector<std::string>()),
      timing_(code_, decisions_.earlier(), doubts_),
      elections_(options.schedule.is_contrary()),
      requests_(geometry_, launch.unlaunched, options.schedule.is_contrary()) {
    for (const kernel::Register& reg : linked_->code.registers) {
        const auto type = type_named(reg.type);
        widths_.push_back(type ? bits(*type) : 64);
    }
    widths_.push_back(1);  // the condition code
    for (size_t s = 0; s < code_.size(); ++s) code_[s].original = linked_->originals[s];
    kernel::require_cut(launch_, options_.gpus);
    lay_out_maps();
    const bool overlaps = launch_.programmatic && before_ != nullptr && before_->running != nullptr;
    if (overlaps) running_ = numbered_behind(*before_->running);
    if (overlaps && options_.gpus > 1) throw Failure(module_.source, {}, "programmatic dependent launches on several GPUs are not swept");
    begin_threads();
}

void Machine::begin_threads() {
    const uint32_t threads = geometry_.threads();
    if (running_) components_ = running_->components;
    const uint64_t registers = linked_->code.registers.size() + 1;  // the last one is the condition code
    for (uint32_t block = 0; block < geometry_.blocks(); ++block) {
        const bool starts = !requests_.is_left(geometry_.cluster(block));
        for (uint32_t first = 0; first < threads; first += warp_size) {
            options_.budget.check();
            Warp& warp = warps_.emplace_back();
            warp.block = block;
            warp.first = threads_.size();
            warp.registers = Registers(registers);
            for (uint32_t lane = 0; lane < warp_size && first + lane < threads; ++lane) {
                (starts ? warp.exists : warp.held) |= Lanes{1} << lane;
                Thread& thread = threads_.emplace_back();
                thread.seat = geometry_.seat(block, first + lane);
                thread.component = components_++;
            }
        }
    }
    for (Thread& thread : threads_) {
        if (asks_wide_) thread.known.wide.make();
        if (running_) thread.known.order.join(running_->started);
        if (running_ && asks_wide_) thread.known.wide->order.join(running_->started);
        thread.known.own(thread.component, thread.number);
    }
    own_memory_.resize(threads_.size());
}

Swept Machine::run() {
    try {
        run_warps();
    } catch (const Misfit&) {
        throw;
    } catch (const Failure& failure) {  // what was found before stands, and may be why it came to this
        if (findings_.empty()) throw;
        findings_.break_off(failure.diagnostics().front().message);
    }
    decisions_.report(findings_);
    swept_.contended = decisions_.are_contended();
    swept_.ended = std::all_of(warps_.begin(), warps_.end(), [](const Warp& warp) { return warp.live() == 0; });
    if (swept_.ended) report_resized();
    swept_.of_scopes_alone = asks_wide_ && findings_.are_of_scopes_alone();
    swept_.log = log_.take();
    if (options_.records) swept_.took = taken();
    if (options_.leaves) swept_.left = left();
    findings_.give(swept_);
    return std::move(swept_);
}

void Machine::run_warps() {
    const Schedule& schedule = options_.schedule;
    if (schedule.turns != nullptr)
        for (const Turns& turns : *schedule.turns)
            for (uint32_t n = 0; n < turns.times && !findings_.is_done(); ++n) take(turns.turn(n));
    if (schedule.choices != nullptr && !findings_.is_done()) run_by_choice();
    for (bool goes_on = schedule.then == Schedule::Then::goes_on; goes_on; goes_on = !findings_.is_done() && start_rest()) run_started();
    if (schedule.then == Schedule::Then::stops)
        note_able();
    else if (!findings_.is_done())
        report_stuck();
}

// A turn that the schedule gives.
void Machine::take(const Turn& turn) {
    const auto refuse = [&](const std::string& why) {
        throw Misfit(module_.source, Span{}, "a turn of the schedule does not fit this launch: " + why);
    };
    if (turn.warp >= warps_.size()) refuse("there is no warp " + std::to_string(turn.warp));
    Warp& warp = warps_[turn.warp];
    if (warp.exists == 0) start_rest();
    const uint64_t n = run_turn(warp, turn, turn.before != nullptr);
    if (turn.before == nullptr && n < turn.instructions && !findings_.is_done())
        refuse("warp " + std::to_string(turn.warp) + " cannot go on after " + plural(n, "instruction") + " of " +
               std::to_string(turn.instructions));
}

void Machine::note_able() {
    for (Warp& warp : warps_)
        if (const Lanes lanes = going_on(warp); lanes != 0) {
            const size_t at = warp.at[*each(lanes).begin()];
            swept_.able.push_back({static_cast<uint32_t>(&warp - warps_.data()), at < code_.size() ? code_[at].original : nullptr});
        }
}

Schedule Machine::taken() {
    const bool stops = findings_.is_done() || options_.schedule.then == Schedule::Then::stops;
    return with_turns(recording_.take(), stops ? Schedule::Then::stops : Schedule::Then::ends, options_.schedule);
}

void Machine::run_started() {
    uint32_t idle = 0;
    for (bool moved = true; moved && idle < most_idle && !findings_.is_done();) {
        moved = false;
        bool spins = true;
        const uint64_t before = changes_;
        for (size_t w = 0; w < warps_.size(); ++w) {
            Warp& warp = warps_[options_.schedule.is_contrary() ? warps_.size() - 1 - w : w];
            const bool goes_on = run_turn(warp, {.instructions = quantum, .behind = stalled_ ? warp.ran : 0}, true) > 0;
            moved = moved || goes_on;
            if (goes_on && changes_ == before && !warp.looked && !was_here(warp)) spins = false;
        }
        stalled_ = changes_ == before && spins;
        idle = stalled_ ? idle + 1 : 0;
    }
}

uint64_t Machine::run_turn(Warp& warp, const Turn& turn, bool to_poll) {
    warp.looked = warp.yields = false;
    warp.behind = turn.behind;
    warp.ran = 0;
    uint64_t n = 0;
    const auto note = [&] {
        if (options_.records && n > 0) recording_.add({static_cast<uint32_t>(&warp - warps_.data()), n, turn.behind});
    };
    try {
        while (n < turn.instructions && !findings_.is_done() && !(to_poll && warp.yields) && !stands_at(warp, turn.before) &&
               !(chooses_ && stands_at_choice(warp))) {
            ++n;
            if (!advance(warp)) {
                --n;
                break;
            }
            ++swept_.instructions;
            work(1);
            if (swept_.instructions > options_.most_steps) give_up(warp);
        }
    } catch (const Failure&) {  // the turn that repeats this one fails, too
        note();
        throw;
    }
    note();
    return n;
}

bool Machine::stands_at(Warp& warp, const kernel::Statement* statement) {
    if (statement == nullptr) return false;
    const Lanes lanes = going_on(warp);
    if (lanes == 0) return false;
    const size_t at = warp.at[*each(lanes).begin()];
    return at < code_.size() && code_[at].original == statement;
}

void Machine::work(uint64_t units) {
    worked_ += units;
    if (worked_ < work_to_check) return;
    worked_ = 0;
    options_.budget.check();
}

void Machine::give_up(const Warp& warp) const {
    const Lanes live = warp.live();
    const auto lane = static_cast<uint32_t>(std::countr_zero(live != 0 ? live : warp.exists));
    const Step& step = code_[std::min(warp.at[lane], code_.size() - 1)];
    const kernel::Seat& seat = thread(warp, lane).seat;
    throw Failure(module_.source, Span{step.statement->span.begin, step.statement->span.end},
                  "more than " + plural(options_.most_steps, "instruction") + " of warps are executed, and thread " +
                      std::to_string(seat.thread) + " of block " + std::to_string(seat.block) + " is here (" +
                      some_line(module_, *step.statement) + ")",
                  "fewer blocks, and fewer rounds of loops, show as much; or the kernel does not end with these arguments");
}

// Whether the warp is where it once was, with the same values, since something last changed: it goes round for ever. Of ever fewer rounds
// it is kept where it was (R. P. Brent, An improved Monte Carlo factorization algorithm, 1980), so that a cycle of any length is found.
bool Machine::was_here(Warp& warp) {
    Warp::Round& round = warp.round;
    if (round.changes != changes_) round = {changes_, 0, 0, false};
    if (round.again) return true;
    work(warp.registers.count());
    const uint64_t now = state_of(warp);
    round.again = round.number > 0 && round.state == now;
    if (std::has_single_bit(++round.number)) round.state = now;
    return round.again;
}

uint64_t Machine::state_of(const Warp& warp) const {
    uint64_t state = 0xcbf29ce484222325;  // FNV-1a, by words
    const auto add = [&](uint64_t word) { state = (state ^ word) * 0x100000001b3; };
    for (const uint32_t lane : each(warp.live())) {
        add(warp.at[lane]);
        for (const size_t caller : warp.calls[lane]) add(caller);
        own_memory_[warp.first + lane].sum_up(add);
    }
    for (const auto& [statement, guessed] : warp.guesses) add(guessed % 2);
    warp.registers.sum_up(warp.live(), add);
    return state;
}

bool Machine::can_go_on(const Warp& warp, uint32_t lane) const {
    const Waiting& waiting = warp.waiting[lane];
    switch (waiting.what) {
        case Waiting::For::nothing:
            return true;
        case Waiting::For::lanes: {
            const Lanes others = waiting.mask & warp.live();
            return (others & ~waiting_with(warp, step_of(warp, lane), waiting.mask)) == 0;
        }
        case Waiting::For::barrier:
            return barriers_.at({warp.block, waiting.object}).generation > waiting.generation;
        case Waiting::For::phase:
            return mbarriers_.of(waiting.object).phase > waiting.generation;
        case Waiting::For::products: {
            const auto& commits = products_.at(waiting.object).commits;
            return waiting.generation < commits.size() && commits[waiting.generation].first >= warps_of(waiting.object);
        }
        case Waiting::For::cluster:
            return clusters_.at(thread(warp, lane).seat.cluster)
                .is_complete(waiting.generation, geometry_.cluster_size() * geometry_.threads());
        case Waiting::For::peer: {
            const auto memory = tensor_memories_.find(static_cast<uint32_t>(waiting.object));
            return memory != tensor_memories_.end() && memory->second.with_peer >= waiting.generation;
        }
        case Waiting::For::columns:
            return tensor_memories_.at(static_cast<uint32_t>(waiting.object)).has_room(waiting.generation);
    }
    return false;
}

// The lanes at the least place, of those that can go on. Where all spins, those that have spun stand behind: another lane of their warp may
// be the one that they wait for.
Lanes Machine::going_on(Warp& warp) const {
    Lanes able = 0, lanes = 0;
    for (const uint32_t lane : each(warp.live()))
        if (warp.waiting[lane].what == Waiting::For::nothing || can_go_on(warp, lane)) able |= Lanes{1} << lane;
    if (able == 0) return 0;
    if ((able & ~warp.behind) == 0) warp.behind = 0;
    std::optional<uint32_t> first;
    for (const uint32_t lane : each(able & ~warp.behind))
        if (!first || stands_before(warp, lane, *first)) first = lane;
    const size_t least = warp.at[*first];
    for (const uint32_t lane : each(able))
        if (warp.at[lane] == least) lanes |= Lanes{1} << lane;
    return lanes;
}

bool Machine::advance(Warp& warp) {
    const Lanes lanes = going_on(warp);
    if (lanes == 0) return false;
    const size_t least = warp.at[*each(lanes).begin()];
    warp.ran |= lanes;
    if (least >= code_.size()) {
        leave(warp, lanes);
        return true;
    }
    const Step& step = code_[least];
    for (const uint32_t read : step.waits_for) perform(warp, lanes, read);
    const Lanes on = guarded(warp, lanes, step);
    next(warp, lanes & ~on);
    if (on != 0) execute(warp, on, step);
    return true;
}

// Where a guard is not computed, one of its two values is taken, for all lanes together, and kept: that of which other statements make the
// contrary (`@p`, `@!p`) still holds. What a guard lets through is executed; a branch is taken every other time, so that a loop ends.
Lanes Machine::guarded(Warp& warp, Lanes lanes, const Step& step) {
    if (step.statement->guard < 0) return lanes;
    const auto reg = static_cast<size_t>(step.statement->guard);
    const Lanes open = lanes & ~warp.registers.known(reg);
    if (open != 0) {
        const uint32_t statement = number_of(step);
        const bool goes = step.name() != "bra" || warp.guesses[statement]++ % 2 == 1;
        Value guess = goes != step.statement->guard_negated ? 1 : 0;
        guess.doubt = doubt_of(step);
        decisions_.guess(statement);
        write_register(warp, open, step.statement->guard, guess);
        for (const uint32_t lane : each(open)) thread(warp, lane).guessed = true;
    }
    Lanes on = 0;
    bool timed = false;
    for (const uint32_t lane : each(lanes)) {
        bool goes = (warp.registers.bits(reg, lane) != 0) != step.statement->guard_negated;
        const Doubt doubt = warp.registers.doubt(reg, lane);
        const std::optional<bool> other_way = timing_.unless_it_gives_up(doubt, step);
        if (other_way) {
            goes = *other_way;
            warp.looked = warp.yields = true;  // it waits for something
        } else if (doubt != 0 && timing_.is_timed(doubt)) {
            goes = as_time_goes(warp, goes, step);
            timed = true;
        }
        for (const uint32_t began : doubts_.statements(doubt))
            if (!other_way || !timing_.is_clock(began)) decisions_.decide(began, number_of(step));
        if (goes) on |= Lanes{1} << lane;
    }
    if (timed) ++warp.guesses[number_of(step)];
    return on;
}

void Machine::next(Warp& warp, Lanes lanes) const {
    for (const uint32_t lane : each(lanes)) {
        ++warp.at[lane];
        warp.waiting[lane] = {};
    }
}

// Lanes meet where each of them "executed" the instruction "with the same qualifiers and same membermask value" (9.7.9.6, 9.7.13.2,
// 9.7.13.9 to 9.7.13.14): in two branches, too. An instruction without a mask is `.aligned`, and asks for "the same" instruction.
bool Machine::meets(const Step& one, const Step& other) {
    return &one == &other || (one.find(Role::member_mask) != nullptr && one.statement->words == other.statement->words);
}

Lanes Machine::waiting_with(const Warp& warp, const Step& step, Lanes mask) const {
    Lanes found = 0;
    for (const uint32_t lane : each(mask & warp.live())) {
        const Waiting& waiting = warp.waiting[lane];
        if (waiting.what == Waiting::For::lanes && waiting.mask == mask && meets(step, step_of(warp, lane))) found |= Lanes{1} << lane;
    }
    return found;
}

bool Machine::gather(Warp& warp, Lanes& lanes, const Step& step) {
    const kernel::Argument* const named = step.find(Role::member_mask);
    std::array<Lanes, warp_size> masks{};
    Lanes outside = 0;
    for (const uint32_t lane : each(lanes)) {
        masks[lane] = named != nullptr ? static_cast<Lanes>(need(warp, lane, step, *named, "a mask of lanes")) : ~Lanes{0};
        if ((masks[lane] >> lane & 1) == 0) outside |= Lanes{1} << lane;
    }
    if (outside != 0) pass_outside(warp, outside, step);
    lanes &= ~outside;
    if (lanes == 0) return false;
    const Lanes mask = masks[*each(lanes).begin()];
    Lanes together = 0;
    for (const uint32_t lane : each(lanes)) {
        if (masks[lane] == mask)
            together |= Lanes{1} << lane;
        else
            warp.waiting[lane] = {Waiting::For::lanes, masks[lane], 0, 0};
    }
    const Lanes came = together | waiting_with(warp, step, mask);
    if ((mask & warp.live() & ~came) != 0) {
        for (const uint32_t lane : each(together)) warp.waiting[lane] = {Waiting::For::lanes, mask, 0, 0};
        return false;
    }
    lanes = came;
    if (std::has_single_bit(lanes) && (warp.elected_among[*each(lanes).begin()] & ~mask) != 0)
        findings_.condition("the lane that `elect.sync` elects may be one that this mask leaves out", *step.statement);
    if (step.form && needs_whole_warp(*step.form) && warp.exited != 0)
        find(Breach::exited_lanes, {citation({}, *step.form)}, {place(thread(warp, *each(lanes).begin()), step)});
    if (named == nullptr && (warp.passed & warp.exited) != 0)
        findings_.condition("lanes of the warp pass this `.aligned` instruction by, and do something else before they exit",
                            *step.statement);
    warp.passed = 0;
    meet_in_time(warp, lanes);
    return true;
}

// Lanes do something while others of their warp wait for them.
void Machine::note_passed(Warp& warp, Lanes lanes) {
    for (const uint32_t lane : each(warp.live() & ~lanes))
        if (warp.waiting[lane].what == Waiting::For::lanes && (warp.waiting[lane].mask & lanes) != 0) {
            warp.passed |= lanes;
            return;
        }
}

// A lane that its own mask leaves out: what comes of that is undefined (9.7.9.6, 9.7.13.2, 9.7.13.9 to 9.7.13.14). It goes on, with a
// result that is not computed, and has met nobody.
void Machine::pass_outside(Warp& warp, Lanes lanes, const Step& step) {
    const uint32_t first = *each(lanes).begin();
    find(Breach::outside_mask, {std::to_string(first), citation({}, *step.form)}, {place(thread(warp, first), step)});
    if (step.writes_first) write_alike(warp, lanes, step.statement->arguments[0], {});
    next(warp, lanes);
}

// What each knew, all know from here on: in time alone.
void Machine::meet_in_time(Warp& warp, Lanes lanes) {
    if (std::has_single_bit(lanes)) return;
    const Time& first = thread(warp, *each(lanes).begin()).known.time;
    bool have_met = true;
    for (const uint32_t lane : each(lanes)) have_met = have_met && thread(warp, lane).known.time.has_met(first);
    if (have_met) return;
    Time time;
    for (const uint32_t lane : each(lanes)) time.join(thread(warp, lane).known.time);
    for (const uint32_t lane : each(lanes)) thread(warp, lane).known.time = time;
}

void Machine::execute(Warp& warp, Lanes lanes, const Step& step) {
    const std::string_view name = step.name();
    use_registers(warp, lanes, step);
    if (name == "bra") return branch(warp, lanes, step);
    if (name == "brx") return branch_indexed(warp, lanes, step);
    if (name == "call") return call(warp, lanes, step);
    if (name == "ret") return give_back(warp, lanes);
    if (name == "exit") return leave(warp, lanes);
    if (name == "trap") return trap(warp, lanes, step);
    if (step.converts.gives != kernel::AddressConversion::Gives::nothing) {  // some forms the table lacks
        convert_address(warp, lanes, step);
        return next(warp, lanes);
    }
    if (name == "ldmatrix" || name == "stmatrix") {
        if (!gather(warp, lanes, step)) return;
        matrix_rows(warp, lanes, step);
        return next(warp, lanes);
    }
    if (!step.form || step.form->op == Op::warp_mma) return execute_unlisted(warp, lanes, step);
    using K = Traits::Kind;
    const K kind = traits(step.form->op).kind;
    if (kind != K::arithmetic && (warp.live() & ~lanes) != 0) note_passed(warp, lanes);
    if (is_multimem(step.form->op) && (kind == K::load || kind == K::store || kind == K::atomic)) {
        multimem(warp, lanes, step);
        return next(warp, lanes);
    }
    switch (kind) {
        case K::load:
            load(warp, lanes, step);
            return next(warp, lanes);
        case K::store:
            store(warp, lanes, step);
            return next(warp, lanes);
        case K::atomic:
            atomic(warp, lanes, step);
            return next(warp, lanes);
        case K::fence:
        case K::proxy_fence:
            if (step.has("tensormap::generic"))
                for (const uint32_t lane : each(lanes)) map_fence(warp, lane, step);
            else
                fence(warp, lanes, step);
            return next(warp, lanes);
        case K::map_write:
            if (step.form->op == Op::map_copy) return copy_map(warp, lanes, step);
            for (const uint32_t lane : each(lanes)) replace_field(warp, lane, step);
            return next(warp, lanes);
        case K::tcgen:
        case K::tcgen_commit:
        case K::tcgen_wait:
        case K::tcgen_fence:
        case K::tcgen_life:
            return tensor_core(warp, lanes, step);
        case K::cta_barrier:
            return barrier(warp, lanes, step);
        case K::cluster_barrier:
            return cluster_barrier(warp, lanes, step);
        case K::warp_barrier:
            if (!gather(warp, lanes, step)) return;
            meet_in_warp(warp, lanes);
            return next(warp, lanes);
        case K::warp_reduction:
            if (!gather(warp, lanes, step)) return;
            exchange(warp, lanes, step);
            return next(warp, lanes);
        case K::arithmetic:
            if (step.form->op == Op::activemask) {
                Value together = uint64_t{lanes};  // who comes together is not promised
                together.doubt = doubt_of(step);
                write_register(warp, lanes, step.statement->arguments[0].reg, together);
            } else {
                compute(warp, lanes, step);
            }
            return next(warp, lanes);
        case K::hint:
            for (const uint32_t lane : each(lanes)) ask_hint(warp, lane, step);
            if (step.name() == "setmaxnreg") warp.resized.push_back(&step);
            return next(warp, lanes);
        case K::cancellation:
            for (const uint32_t lane : each(lanes)) request_cluster(warp, lane, step);
            return next(warp, lanes);
        case K::cancellation_query:
            for (const uint32_t lane : each(lanes)) query_answer(warp, lane, step);
            return next(warp, lanes);
        case K::grid_trigger:
            trigger(warp, lanes);
            return next(warp, lanes);
        case K::grid_wait:
            wait_for_grids(warp, lanes);
            return next(warp, lanes);
        case K::branch:
            return branch(warp, lanes, step);
        case K::exit:
            return leave(warp, lanes);
        case K::mbarrier_life:
        case K::mbarrier_count:
        case K::mbarrier_arrival:
        case K::mbarrier_wait:
        case K::mbarrier_query:
            return mbarrier(warp, lanes, step);
        case K::mma:
        case K::mma_fence:
        case K::mma_commit:
        case K::mma_wait:
            if (!gather(warp, lanes, step)) return;
            if (product(warp, lanes, step)) next(warp, lanes);
            return;
        case K::tensor:
        case K::bulk:
        case K::bulk_commit:
        case K::bulk_wait:
        case K::copy:
        case K::copy_commit:
        case K::copy_wait:
        case K::copy_arrive:
        case K::from_registers:
            asynchronous(warp, lanes, step);
            return next(warp, lanes);
        default:
            fail(warp, *each(lanes).begin(), step, "`" + kernel::dotted(step.statement->words) + "` is not executed by the sweep");
    }
}

// What the table of instructions lacks, and kernels have all the same, and products that have no value. What might be of consequence is
// refused.
void Machine::execute_unlisted(Warp& warp, Lanes lanes, const Step& step) {
    const std::string_view name = step.name();
    if (name == "ld" || name == "st") {  // of `.param` and `.local`, which the table lacks
        name == "ld" ? load(warp, lanes, step) : store(warp, lanes, step);
        return next(warp, lanes);
    }
    const auto& arguments = step.statement->arguments;
    const bool in_memory =
        std::any_of(arguments.begin(), arguments.end(), [](const auto& a) { return a.kind == kernel::Argument::Kind::address; });
    const bool computed = step.computes && !in_memory;
    if (!computed && !is_inconsequential(name))
        fail(warp, static_cast<uint32_t>(std::countr_zero(lanes)), step,
             "`" + kernel::dotted(step.statement->words) + "` is not executed by the sweep");
    if (step.has("sync") && !gather(warp, lanes, step)) return;
    if (step.writes_first) compute(warp, lanes, step);
    return next(warp, lanes);
}

// tcgen05 (9.7.16).
void Machine::tensor_core(Warp& warp, Lanes lanes, const Step& step) {
    using K = Traits::Kind;
    if (step.has("cta_group::1") || step.has("cta_group::2")) {  // all instructions of a kernel have the same (9.7.16.5)
        const int group = cta_group(*step.form);
        if (cta_group_ == 0) cta_group_ = group;
        const uint32_t first = *each(lanes).begin();
        if (group != cta_group_) find(Breach::mixed_groups, {std::to_string(cta_group_)}, {place(thread(warp, first), step)});
        if (group == 2 && (geometry_.rank(warp.block) ^ 1) >= geometry_.cluster_size())
            fail(warp, first, step, "`.cta_group::2` needs the block of the other rank in its pair (ISA 9.7.16.5)");
    }
    switch (traits(step.form->op).kind) {
        case K::tcgen:
            if (step.form->op == Op::tcgen_mma || step.form->op == Op::tcgen_copy) {
                for (const uint32_t lane : each(lanes)) tensor_operation(warp, lane, step);
            } else {
                if (!gather(warp, lanes, step)) return;
                tensor_registers(warp, lanes, step);
            }
            return next(warp, lanes);
        case K::tcgen_commit:
            for (const uint32_t lane : each(lanes)) tensor_commit(warp, lane, step);
            return next(warp, lanes);
        case K::tcgen_wait:
            if (!gather(warp, lanes, step)) return;
            tensor_wait(warp, lanes, step);
            return next(warp, lanes);
        case K::tcgen_fence:
            tensor_fence(warp, lanes, step);
            return next(warp, lanes);
        default:
            return tensor_life(warp, lanes, step);
    }
}

// bar.warp.sync orders memory among the lanes that meet (9.7.13.2).
void Machine::meet_in_warp(Warp& warp, Lanes lanes) {
    Knowledge all;
    for (const uint32_t lane : each(lanes)) all.join(thread(warp, lane).known);
    for (const uint32_t lane : each(lanes)) {
        Thread& own = thread(warp, lane);
        log({.what = Event::What::warp, .number = lanes}, own, step_of(warp, lane));
        own.known.join(all);
        own.renew();
    }
}

void Machine::branch(Warp& warp, Lanes lanes, const Step& step) {
    for (const uint32_t lane : each(lanes)) {
        warp.at[lane] = step.target;
        warp.waiting[lane] = {};
    }
}

void Machine::branch_indexed(Warp& warp, Lanes lanes, const Step& step) {
    for (const uint32_t lane : each(lanes)) {
        const uint64_t index = need(warp, lane, step, step.statement->arguments.at(0), "a branch");
        if (index >= step.targets.size()) fail(warp, lane, step, "the index is beyond the list of labels (ISA 9.7.12.4)");
        warp.at[lane] = step.targets[index];
        warp.waiting[lane] = {};
    }
}

// A thread must wait for the completion of its bulk copies (9.7.9.25.2). It has waited here if they have read their source, because the
// block's shared memory ends with it. No sentence says the same of `cp.async`: a thread waits for its result if it wants that
// (9.7.9.25.1). So `cp.async` in flight is no finding, and raises no flag `in-flight-at-exit` (model/semantics.md, section 9).
void Machine::leave(Warp& warp, Lanes lanes) {
    warp.exited |= lanes;
    ++changes_;
    for (const uint32_t lane : each(lanes)) {
        Thread& own = thread(warp, lane);
        own.exited = true;
        if (own.bulk_reads && own.bulk_reads->awaited < own.bulk_reads->issued)
            find(Breach::copy_at_exit, {}, {{own.seat, own.bulk_reads->last}});
        // the block is there until the last of its threads exits: one of them has to know of each access from outside
        presence_.exit(warp.block, own.known.time);
        count_exit(own);
        if (presence_.exited(warp.block) < geometry_.threads()) continue;
        const Time& known = presence_.known_at_exits(warp.block);
        for (const Access& guest : presence_.guests(warp.block))
            if (known.accesses[guest.component] < guest.number)
                find(Breach::block_ended, {"the shared memory of block " + std::to_string(warp.block), " when it is accessed"},
                     {place_of(guest)});
        leave_tensor_memory(warp.block);
    }
}

std::pair<Breach, Filling> Machine::why_stuck(const Warp& warp, uint32_t lane) const {
    const Waiting& waiting = warp.waiting[lane];
    if (waiting.what == Waiting::For::lanes) {
        const bool named = code_[warp.at[lane]].statement->words[0] != "bar";
        return {Breach::few_lanes, {named ? "mask" : "warp"}};
    }
    if (waiting.what == Waiting::For::barrier) {
        const Barrier& barrier = barriers_.at({warp.block, waiting.object});
        const auto [came, all] = came_to(warp.block, barrier);
        return {Breach::few_threads, {std::to_string(waiting.object), std::to_string(all - std::min(came, all)), plural(all, "thread")}};
    }
    if (waiting.what == Waiting::For::cluster) return {Breach::few_in_cluster, {}};
    if (waiting.what != Waiting::For::phase) return {Breach::stuck, {}};
    const Mbarrier& object = mbarriers_.of(waiting.object);
    const std::string phase = std::to_string(object.phase);
    if (object.pending > 0) {
        const bool none = object.pending == object.count;
        const std::string lacking = object.count == 1 ? "its arrival"
                                                      : (none ? "all" : std::to_string(object.pending)) + " of " +
                                                            plural(static_cast<size_t>(object.count), "arrival");
        return {!none               ? Breach::few_arrivals
                : object.phase == 0 ? Breach::no_first_arrival
                                    : Breach::no_arrival,
                {phase, object.name, lacking}};
    }
    const std::string bytes = plural(static_cast<size_t>(std::abs(object.bytes)), "byte");
    if (object.bytes > 0) return {Breach::few_bytes, {phase, object.name, bytes}};
    return {Breach::many_bytes, {phase, object.name, bytes}};
}

// Where the count of a phase was set that lacks some arrivals, or its bytes were last expected.
std::optional<Place> Machine::what_told(const Warp& warp, uint32_t lane, Breach breach) const {
    if (warp.waiting[lane].what != Waiting::For::phase) return std::nullopt;
    const Mbarrier& object = mbarriers_.of(warp.waiting[lane].object);
    if (breach == Breach::few_arrivals) return place_of(object.init);
    const bool of_bytes = breach == Breach::few_bytes || breach == Breach::many_bytes;
    return of_bytes && !object.added.empty() ? std::optional(place_of(object.added.back())) : std::nullopt;
}

void Machine::log_waits() {
    for (const Warp& warp : warps_)
        for (const uint32_t lane : each(warp.live())) {
            const Waiting& waiting = warp.waiting[lane];
            Event event{.what = Event::What::cluster};
            if (waiting.what == Waiting::For::phase)
                event = {.what = Event::What::wait, .mbarrier = memory(mbarriers_.of(waiting.object)), .phase = waiting.generation};
            else if (waiting.what != Waiting::For::cluster)
                continue;
            log(event, thread(warp, lane), code_[warp.at[lane]]);
        }
}

void Machine::report_stuck() {
    log_waits();
    struct Group {
        size_t threads = 0;
        std::vector<Place> places;  // the first that waits; what it was told to wait for
        Breach breach = Breach::stuck;
        Filling why;
        const Mbarrier* object = nullptr;  // whose phase it waits for
    };
    std::map<size_t, Group> stuck;  // by statement
    for (const Warp& warp : warps_)
        for (const uint32_t lane : each(warp.live())) {
            if (warp.at[lane] >= code_.size()) continue;
            Group& group = stuck[warp.at[lane]];
            if (group.threads++ > 0) continue;
            group.places = {place(thread(warp, lane), code_[warp.at[lane]])};
            std::tie(group.breach, group.why) = why_stuck(warp, lane);
            if (const auto told = what_told(warp, lane, group.breach)) group.places.push_back(*told);
            if (warp.waiting[lane].what == Waiting::For::phase) group.object = &mbarriers_.of(warp.waiting[lane].object);
        }
    std::vector<std::pair<size_t, Group>> causes_first(stuck.begin(), stuck.end());
    std::stable_sort(causes_first.begin(), causes_first.end(),
                     [](const auto& a, const auto& b) { return a.second.breach < b.second.breach; });
    for (const auto& [at, group] : causes_first) {
        const bool spins = group.breach == Breach::stuck;
        const std::string one = spins ? " goes round" : " waits", several = spins ? " go round" : " wait";
        Filling with{plural(group.threads, "thread") + (group.threads == 1 ? one : several) + " for ever " + (spins ? "at" : "in") + " `" +
                     kernel::dotted(code_[at].statement->words) + "`"};
        with.insert(with.end(), group.why.begin(), group.why.end());
        if (group.object != nullptr)
            find_in_phase(*group.object, group.breach, with, group.places);
        else
            find(group.breach, with, group.places);
    }
}

// setmaxnreg is executed by all warps of a warpgroup (9.7.19.5).
void Machine::report_resized() {
    const auto words = [](const Step* step) { return step->statement->words; };
    constexpr uint32_t warps_of_group = 4;
    for (size_t w = 0; w < warps_.size(); ++w) {
        const uint32_t in_group = threads_[warps_[w].first].seat.warp() % warps_of_group;
        const auto &own = warps_[w].resized, &first = warps_[w - in_group].resized;
        const auto [a, b] = std::mismatch(own.begin(), own.end(), first.begin(), first.end(),
                                          [&](const Step* one, const Step* other) { return words(one) == words(other); });
        if (a == own.end() && b == first.end()) continue;
        const bool has_own = a != own.end();
        find(Breach::half_warpgroup, {}, {place(threads_[warps_[has_own ? w : w - in_group].first], has_own ? **a : **b)});
    }
}

void Machine::decide(Doubt doubt, const Step& step) {
    for (const uint32_t began : doubts_.statements(doubt)) decisions_.decide(began, number_of(step));
}

// ---- what is said ----------------------------------------------------------------------------------------------------------------

void Machine::find(Breach breach, const Filling& with, std::vector<Place> places, std::optional<Memory> byte, std::optional<Clash> clash,
                   bool of_scopes) {
    if (!of_scopes) findings_.note_wide();
    const bool guessed = is_guessed(places);
    findings_.add(breach, with, std::move(places), guessed, byte, std::move(clash));
}

bool Machine::is_guessed(const std::vector<Place>& places) const {
    return std::any_of(places.begin(), places.end(), [&](const Place& place) {
        return !place.earlier && threads_[place.seat.block * geometry_.threads() + place.seat.thread].guessed;
    });
}

void Machine::find_in_phase(const Mbarrier& object, Breach breach, const Filling& with, std::vector<Place> places, int64_t brought) {
    findings_.note_wide();
    const bool guessed = is_guessed(places);
    if (Finding* const made = findings_.add(breach, with, std::move(places), guessed, {}, {}))
        made->tally =
            Tally{place_of(object.init).statement, object.count, object.pending, object.bytes - brought, memory(object), object.phase};
}

void Machine::log(const Event& event, const Thread& thread, const Step& step) {
    log_.add(event, static_cast<uint32_t>(&thread - threads_.data()), step);
}

Memory Machine::memory(const Spot& spot) const {
    return {instances_[spot.number].object, spot.shared ? spot.block : 0, spot.offset};
}

Memory Machine::memory(const Mbarrier& object) const {
    const auto& [number, offset] = object.at;
    return {instances_[number].object, object.block, offset};
}

void Machine::fail(const Warp& warp, uint32_t lane, const Step& step, const std::string& message) const {
    const kernel::Seat& seat = thread(warp, lane).seat;
    const std::string line = line_of(module_, *step.statement);
    throw Failure(module_.source, Span{step.statement->span.begin, step.statement->span.end},
                  "thread " + std::to_string(seat.thread) + " of block " + std::to_string(seat.block) + ": " + message +
                      (line.empty() ? "" : " (" + line + ")"));
}

Swept sweep(const kernel::Module& module, const kernel::Launch& launch, const Options& options) {
    return Machine(module, launch, options).run();
}

}  // namespace litmus::sweep
