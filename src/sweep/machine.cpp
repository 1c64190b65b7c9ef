// Which lanes go on, and where.
#include "sweep/machine.h"

#include <algorithm>
#include <bit>

#include "kernel/arguments.h"
#include "kernel/dimensions.h"
#include "ptx/matrix.h"
#include "sweep/grids.h"
#include "sweep/rounds.h"

namespace litmus::sweep {

namespace {

constexpr uint64_t quantum = 4096;  // instructions of a warp before another one runs
constexpr uint32_t most_idle = 64;  // rounds in which nothing changes: all that runs spins

// Of what has no operation in the table: registers of a warpgroup (9.7.19.5), cache policies (9.7.9.18), some prefetches (9.7.9.15).
bool is_inconsequential(std::string_view name) {
    constexpr std::array<std::string_view, 3> names{"setmaxnreg", "createpolicy", "prefetch"};
    return std::find(names.begin(), names.end(), name) != names.end();
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

// Whether it may order what its thread does with what other warps do.
bool synchronises(const Step& step) {
    return acquires(step.sem) || releases(step.sem) || (step.form && (is_barrier(step.form->op) || is_mbarrier(step.form->op)));
}

std::string plural(size_t n, const std::string& word) {
    return std::to_string(n) + " " + word + (n == 1 ? "" : "s");
}

}  // namespace

Machine::Machine(const kernel::Module& module, const kernel::Launch& launch, const Options& options)
    : task_(module, launch, options),
      account_(task_),
      doubts_(task_.before != nullptr ? task_.before->doubts : Doubts()),
      decisions_(module, task_.code, task_.before != nullptr ? task_.before->began : std::vector<std::string>(), doubts_),
      effort_(options.budget),
      observer_(task_, account_, decisions_, effort_),
      barriers_(task_, account_, observer_),
      clusters_(task_, account_, observer_),
      phases_(task_, account_, observer_),
      tensors_(task_, account_, observer_),
      behind_(task_.code, options.schedule.orders_fences),
      given_(task_.layout.objects().size()),
      timing_(task_.code, decisions_.earlier(), doubts_),
      elections_(options.schedule.is_contrary()),
      requests_(task_.geometry, launch.unlaunched, options.schedule.is_contrary()) {
    for (const kernel::Register& reg : task_.linked->code.registers) {
        const auto type = type_named(reg.type);
        widths_.push_back(type ? bits(*type) : 64);
    }
    widths_.push_back(1);  // the condition code
    lay_out_maps();
    begin_warps();
}

void Machine::begin_warps() {
    const uint32_t threads = task_.geometry.threads();
    const uint64_t registers = task_.linked->code.registers.size() + 1;  // the last one is the condition code
    for (uint32_t block = 0; block < task_.geometry.blocks(); ++block) {
        const bool starts = !requests_.is_left(task_.geometry.cluster(block));
        for (uint32_t first = 0; first < threads; first += warp_size) {
            task_.options.budget.check();
            Warp& warp = warps_.emplace_back();
            warp.block = block;
            warp.first = size_t{block} * threads + first;
            warp.registers = Registers(registers);
            for (uint32_t lane = 0; lane < warp_size && first + lane < threads; ++lane)
                (starts ? warp.exists : warp.held) |= Lanes{1} << lane;
        }
    }
    own_memory_.resize(task_.seats.size());
}

Swept Machine::run() {
    if (task_.options.schedule.exchanges == Alike::threads && !observer_.exchange()) {
        swept_.not_exchangeable = "threads do more together than that they meet";
        return std::move(swept_);
    }
    if (task_.options.schedule.exchanges == Alike::lives && !observer_.lives()) {
        swept_.not_exchangeable = "blocks do more together than that they find what others have written";
        return std::move(swept_);
    }
    try {
        run_warps();
    } catch (const Misfit&) {
        throw;
    } catch (const Failure& failure) {  // what was found before stands, and may be why it came to this
        if (account_.findings().empty()) throw;
        account_.findings().break_off(failure.diagnostics().front().message);
    }
    decisions_.report(account_.findings());
    swept_.uneven = barriers_.take_uneven();
    swept_.accesses = tensors_.accesses() + observer_.accesses();
    swept_.contended = decisions_.are_contended();
    if (const kernel::Statement* const whole = observer_.whole())
        swept_.practices.push_back("`" + kernel::dotted(whole->words) + "` (" + some_line(task_.module, *whole) +
                                   ") is one access, as GPUs do it, though the ISA has its elements in no order (8.2.4)");
    if (observer_.line()) report_line(*observer_.line());
    report_detours();
    if (observer_.exchange()) report_exchange(*observer_.exchange());
    if (observer_.lives()) swept_.handed_on = observer_.lives()->handed_on();
    swept_.ended = std::all_of(warps_.begin(), warps_.end(), [](const Warp& warp) { return warp.live() == 0; });
    if (swept_.ended) report_resized();
    swept_.of_scopes_alone = task_.asks_wide && account_.findings().are_of_scopes_alone();
    swept_.log = account_.events().take();
    if (task_.options.records) swept_.took = taken();
    for (const Part& part : written()) swept_.written += part.end - part.begin;
    if (task_.options.leaves) swept_.left = left();
    account_.findings().give(swept_);
    return std::move(swept_);
}

void Machine::run_warps() {
    const Schedule& schedule = task_.options.schedule;
    if (schedule.turns != nullptr)
        for (const Turns& turns : *schedule.turns)
            for (uint32_t n = 0; n < turns.times && !account_.findings().is_done(); ++n) take(turns.turn(n));
    if (schedule.choices != nullptr && !account_.findings().is_done()) run_by_choice();
    const bool are_too_many = observer_.lives() && observer_.lives()->are_too_many();
    if (swept_.shown_elsewhere || !swept_.no_detours.empty() || are_too_many) return;
    for (bool goes_on = schedule.then == Schedule::Then::goes_on; goes_on; goes_on = !account_.findings().is_done() && start_rest())
        run_started();
    if (schedule.then == Schedule::Then::stops)
        note_able();
    else if (!account_.findings().is_done())
        report_stuck();
}

// A turn that the schedule gives.
void Machine::take(const Turn& turn) {
    const auto refuse = [&](const std::string& why) {
        throw Misfit(task_.module.source, Span{}, "a turn of the schedule does not fit this launch: " + why);
    };
    if (turn.warp >= warps_.size()) refuse("there is no warp " + std::to_string(turn.warp));
    Warp& warp = warps_[turn.warp];
    if (warp.exists == 0) start_rest();
    const uint64_t n = run_turn(warp, turn, turn.before != nullptr);
    if (turn.before == nullptr && n < turn.instructions && !account_.findings().is_done())
        refuse("warp " + std::to_string(turn.warp) + " cannot go on after " + plural(n, "instruction") + " of " +
               std::to_string(turn.instructions));
}

void Machine::note_able() {
    for (Warp& warp : warps_)
        if (const Lanes lanes = going_on(warp); lanes != 0) {
            const size_t at = warp.at[*each(lanes).begin()];
            swept_.able.push_back(
                {static_cast<uint32_t>(&warp - warps_.data()), at < task_.code.size() ? task_.code[at].original : nullptr});
        }
}

Schedule Machine::taken() {
    const bool stops = account_.findings().is_done() || task_.options.schedule.then == Schedule::Then::stops;
    return with_turns(recording_.take(), stops ? Schedule::Then::stops : Schedule::Then::ends, task_.options.schedule);
}

void Machine::run_started() {
    uint32_t idle = 0;
    for (bool moved = true; moved && idle < most_idle && !account_.findings().is_done();) {
        moved = false;
        bool spins = true;
        const uint64_t before = observer_.changes().all;
        for (size_t w = 0; w < warps_.size(); ++w) {
            Warp& warp = warps_[task_.options.schedule.is_contrary() ? warps_.size() - 1 - w : w];
            const uint64_t ran = run_turn(warp, {.instructions = quantum, .behind = stalled_ ? warp.ran : 0}, true);
            moved = moved || ran > 0;
            if (ran > 0 && observer_.changes().all == before && !warp.looked && !goes_round(warp, ran, quantum)) spins = false;
        }
        stalled_ = observer_.changes().all == before && spins;
        idle = stalled_ ? idle + 1 : 0;
    }
}

uint64_t Machine::run_turn(Warp& warp, const Turn& turn, bool to_poll) {
    warp.looked = warp.yields = warp.polls = false;
    warp.behind = turn.behind;
    warp.parked = turn.parked;
    warp.ran = 0;
    const bool parks = chooses_ && task_.options.schedule.splits;
    uint64_t n = 0, noted = 0;
    const auto note = [&] {
        if (task_.options.records && n > noted)
            recording_.add({static_cast<uint32_t>(&warp - warps_.data()), n - noted, turn.behind, warp.parked});
        noted = n;
    };
    try {
        while (n < turn.instructions && !account_.findings().is_done() && !(to_poll && warp.yields)) {
            if (const Lanes parked = parks ? at_choice(warp, warp.live()) | at_detour(warp, warp.live()) : turn.parked;
                parked != warp.parked) {
                note();
                warp.parked = parked;
            }
            const Lanes lanes = going_on(warp);
            if (lanes == 0 || stands_at(warp, lanes, turn.before) || (chooses_ && !parks && (stands_at_choice(warp) || is_held(warp))))
                break;
            const size_t at = warp.at[*each(lanes).begin()];
            ++n;
            advance(warp, lanes);
            ++swept_.instructions;
            // lanes that vote whether to poll again have no read which leads back to itself
            if (to_poll && at < task_.code.size() && is_strong_read(task_.code[at]) && was_here(warp)) warp.yields = true;
            effort_.add(1);
            if (swept_.instructions > task_.options.most_steps) give_up(warp);
        }
    } catch (const Failure&) {  // the turn that repeats this one fails, too
        note();
        throw;
    }
    note();
    return n;
}

bool Machine::stands_at(const Warp& warp, Lanes lanes, const kernel::Statement* statement) const {
    if (statement == nullptr) return false;
    const size_t at = warp.at[*each(lanes).begin()];
    return at < task_.code.size() && task_.code[at].original == statement;
}

void Machine::give_up(const Warp& warp) const {
    const Lanes live = warp.live();
    const auto lane = static_cast<uint32_t>(std::countr_zero(live != 0 ? live : warp.exists));
    const Step& step = task_.code[std::min(warp.at[lane], task_.code.size() - 1)];
    const kernel::Seat& seat = thread(warp, lane).seat;
    throw Failure(task_.module.source, Span{step.statement->span.begin, step.statement->span.end},
                  "more than " + plural(task_.options.most_steps, "instruction") + " of warps are executed, and thread " +
                      std::to_string(seat.thread) + " of block " + std::to_string(seat.block) + " is here (" +
                      some_line(task_.module, *step.statement) + ")",
                  "fewer blocks, and fewer rounds of loops, show as much; or the kernel does not end with these arguments");
}

// Whether a turn of so many instructions was a part of a loop without an end. One that did not use up its limit ended where its warp had to
// wait for others.
bool Machine::goes_round(Warp& warp, uint64_t instructions, uint64_t limit) {
    return instructions == limit && was_here(warp);
}

// Whether the warp is where it once was, with the same values, since something last changed: it goes round for ever. Of ever fewer rounds
// it is kept where it was (R. P. Brent, An improved Monte Carlo factorization algorithm, 1980), so that a cycle of any length is found.
bool Machine::was_here(Warp& warp) {
    Warp::Round& round = warp.round;
    if (round.changes != observer_.changes().all) {
        round = {observer_.changes().all, 0, 0, false};
        return false;
    }
    if (round.again) return true;
    effort_.add(warp.registers.count());
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
            return barriers_.is_over(warp.block, waiting.object, waiting.generation);
        case Waiting::For::phase:
            return observer_.mbarriers().of(waiting.object).phase > waiting.generation;
        case Waiting::For::products: {
            const auto& commits = products_.at(waiting.object).commits;
            return waiting.generation < commits.size() && commits[waiting.generation].first >= warps_of(waiting.object);
        }
        case Waiting::For::cluster:
            return clusters_.is_over(thread(warp, lane).seat.cluster, waiting.generation);
        case Waiting::For::peer: {
            return tensors_.has_come(static_cast<uint32_t>(waiting.object), waiting.generation);
        }
        case Waiting::For::columns:
            return tensors_.has_room(static_cast<uint32_t>(waiting.object), waiting.generation);
    }
    return false;
}

// The lanes at the least place, of those that can go on. Where all spins, those that have spun stand behind: another lane of their warp may
// be the one that they wait for.
Lanes Machine::going_on(Warp& warp) const {
    Lanes able = 0, lanes = 0;
    bool together = true;            // at one place
    std::optional<uint32_t> missed;  // that waits for lanes which have not come
    const auto waits_as = [&](uint32_t lane, uint32_t other) {
        return warp.at[lane] == warp.at[other] && warp.waiting[lane].what == Waiting::For::lanes &&
               warp.waiting[lane].mask == warp.waiting[other].mask;
    };
    for (const uint32_t lane : each(warp.live() & ~warp.parked)) {
        if (missed && waits_as(lane, *missed)) continue;
        if (warp.waiting[lane].what == Waiting::For::nothing || can_go_on(warp, lane)) {
            together = together && (able == 0 || warp.at[lane] == warp.at[static_cast<uint32_t>(std::countr_zero(able))]);
            able |= Lanes{1} << lane;
        } else if (warp.waiting[lane].what == Waiting::For::lanes) {
            missed = lane;
        }
    }
    if (able == 0) return 0;
    if ((able & ~warp.behind) == 0) warp.behind = 0;
    if (together) return able;
    const Lanes front = able & ~warp.behind;
    auto first = static_cast<uint32_t>(std::countr_zero(front));
    for (const uint32_t lane : each(front))
        if (stands_before(warp, lane, first)) first = lane;
    const size_t least = warp.at[first];
    for (const uint32_t lane : each(able))
        if (warp.at[lane] == least) lanes |= Lanes{1} << lane;
    return lanes;
}

void Machine::advance(Warp& warp, Lanes lanes) {
    const size_t least = warp.at[*each(lanes).begin()];
    warp.ran |= lanes;
    if (least >= task_.code.size()) {
        leave(warp, lanes);
        return;
    }
    const Step& step = task_.code[least];
    for (const uint32_t read : step.waits_for) observer_.perform(thread(warp, 0), lanes, read);
    const Lanes on = guarded(warp, lanes, step);
    if (observer_.exchange()) note_way(warp, lanes, on, step);
    next(warp, lanes & ~on);
    if (on != 0) execute(warp, on, step);
    if (on != 0 && synchronises(step))
        for (const uint32_t lane : each(on)) thread(warp, lane).since = task_.number_of(step);
    if (observer_.lives()) observer_.lives()->end_step(warp.block);
}

// A lane that has waited comes to its statement again.
void Machine::note_way(const Warp& warp, Lanes lanes, Lanes on, const Step& step) {
    Lanes fresh = 0;
    for (const uint32_t lane : each(lanes))
        if (warp.waiting[lane].what == Waiting::For::nothing) fresh |= Lanes{1} << lane;
    observer_.exchange()->go(static_cast<uint32_t>(warp.first), fresh, on, task_.number_of(step));
    if (observer_.lives()) observer_.lives()->go(static_cast<uint32_t>(warp.first), fresh & on, task_.number_of(step));
}

// Where a guard is not computed, one of its two values is taken, for all lanes together, and kept: that of which other statements make the
// contrary (`@p`, `@!p`) still holds. What a guard lets through is executed; a branch is taken every other time, so that a loop ends.
Lanes Machine::guarded(Warp& warp, Lanes lanes, const Step& step) {
    if (step.statement->guard < 0) return lanes;
    const auto reg = static_cast<size_t>(step.statement->guard);
    const Lanes open = lanes & ~warp.registers.known(reg);
    if (open != 0) {
        const uint32_t statement = task_.number_of(step);
        const bool goes = step.name() != "bra" || warp.guesses[statement]++ % 2 == 1;
        Value guess = goes != step.statement->guard_negated ? 1 : 0;
        guess.doubt = decisions_.doubt_of(step);
        kernel::Argument guard;
        guard.reg = step.statement->guard;
        if (!decisions_.has_guessed(statement)) decisions_.guess(statement, why_not_computed(warp, *each(open).begin(), guard, step).lacks);
        write_register(warp, open, step.statement->guard, guess);
        for (const uint32_t lane : each(open)) account_.note_guess(thread(warp, lane));
    }
    Lanes on = 0;
    bool timed = false;
    for (const uint32_t lane : each(lanes)) {
        bool goes = (warp.registers.bits(reg, lane) != 0) != step.statement->guard_negated;
        const Doubt doubt = step.decides_nothing ? 0 : warp.registers.doubt(reg, lane);
        const std::optional<bool> other_way = timing_.unless_it_gives_up(doubt, step);
        if (other_way) {
            goes = *other_way;
            warp.looked = warp.yields = true;  // it waits for something
        } else if (doubt != 0 && timing_.is_timed(doubt)) {
            goes = as_time_goes(warp, goes, step);
            timed = true;
        }
        for (const uint32_t began : doubts_.statements(doubt))
            if (!other_way || !timing_.is_clock(began)) decisions_.decide(began, task_.number_of(step));
        if (is_named(doubt) && !observer_.exchange()->may_decide(thread(warp, lane).index, step, doubt, goes))
            decisions_.decide(names_block, step);
        if (goes) on |= Lanes{1} << lane;
    }
    if (timed) ++warp.guesses[task_.number_of(step)];
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
        account_.findings().condition("the lane that `elect.sync` elects may be one that this mask leaves out", *step.statement);
    if (step.form && needs_whole_warp(*step.form) && warp.exited != 0)
        account_.find(Breach::exited_lanes, {citation({}, *step.form)}, {place(thread(warp, *each(lanes).begin()), step)});
    if (named == nullptr && (warp.passed & warp.exited) != 0)
        account_.findings().condition("lanes of the warp pass this `.aligned` instruction by, and do something else before they exit",
                                      *step.statement);
    warp.passed = 0;
    observer_.meet_in_time(warp.first, lanes);
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
    account_.find(Breach::outside_mask, {std::to_string(first), citation({}, *step.form)}, {place(thread(warp, first), step)});
    if (step.writes_first) write_alike(warp, lanes, step.statement->arguments[0], {});
    next(warp, lanes);
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
        case K::fill:
            for (const uint32_t lane : each(lanes)) fill(warp, lane, step);
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
            observer_.meet(warp.first, lanes, warp.at);
            return next(warp, lanes);
        case K::warp_reduction:
            if (!gather(warp, lanes, step)) return;
            exchange(warp, lanes, step);
            return next(warp, lanes);
        case K::arithmetic:
            if (step.form->op == Op::activemask) {
                Value together = uint64_t{lanes};  // who comes together is not promised
                together.doubt = decisions_.doubt_of(step);
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
            for (const uint32_t lane : each(lanes)) observer_.trigger(thread(warp, lane));
            return next(warp, lanes);
        case K::grid_wait:
            for (const uint32_t lane : each(lanes)) observer_.wait_for_grids(thread(warp, lane));
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
        if (group != cta_group_) account_.find(Breach::mixed_groups, {std::to_string(cta_group_)}, {place(thread(warp, first), step)});
        if (group == 2 && (task_.geometry.rank(warp.block) ^ 1) >= task_.geometry.cluster_size())
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
    observer_.note_change();
    if (observer_.exchange()) note_left(warp, lanes);
    for (const uint32_t lane : each(lanes)) {
        Thread& own = thread(warp, lane);
        const bool is_last = observer_.exit(own);
        clusters_.exit(own);
        barriers_.exit(own);
        give_reduced();
        if (is_last) tensors_.leave(warp.block);
    }
}

// Whether others of their block wait while these lanes exit.
void Machine::note_left(const Warp& warp, Lanes lanes) {
    if (!observer_.exchange()->is_of_threads()) return;
    for (const Warp& other : warps_)
        for (const uint32_t waits : each(other.block == warp.block ? other.live() : 0))
            if (other.waiting[waits].what != Waiting::For::nothing)
                for (const uint32_t lane : each(lanes))
                    observer_.exchange()->leave_waiting(thread(warp, lane).index, task_.number_of(step_of(other, waits)));
}

std::pair<Breach, Filling> Machine::why_stuck(const Warp& warp, uint32_t lane) const {
    const Waiting& waiting = warp.waiting[lane];
    if (waiting.what == Waiting::For::lanes) {
        const Step& step = task_.code[warp.at[lane]];
        if (step.find(Role::member_mask) != nullptr) return {Breach::few_lanes, {"mask"}};
        const bool is_barrier = step.statement->words[0] == "bar" || step.statement->words[0] == "barrier";
        if (is_barrier) return {Breach::few_lanes_at_barrier, {}};
        return {Breach::few_lanes, {"warp"}};
    }
    if (waiting.what == Waiting::For::barrier) {
        const auto [came, all] = barriers_.came_to(warp.block, waiting.object);
        return {Breach::few_threads, {std::to_string(waiting.object), std::to_string(all - std::min(came, all)), plural(all, "thread")}};
    }
    if (waiting.what == Waiting::For::cluster) return {Breach::few_in_cluster, {}};
    if (waiting.what != Waiting::For::phase) return {Breach::stuck, {}};
    const Mbarrier& object = observer_.mbarriers().of(waiting.object);
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
    const Mbarrier& object = observer_.mbarriers().of(warp.waiting[lane].object);
    if (breach == Breach::few_arrivals) return task_.place_of(object.init);
    const bool of_bytes = breach == Breach::few_bytes || breach == Breach::many_bytes;
    return of_bytes && !object.added.empty() ? std::optional(task_.place_of(object.added.back())) : std::nullopt;
}

void Machine::log_waits() {
    for (const Warp& warp : warps_)
        for (const uint32_t lane : each(warp.live())) {
            const Waiting& waiting = warp.waiting[lane];
            Event event{.what = Event::What::cluster};
            if (waiting.what == Waiting::For::phase)
                event = {
                    .what = Event::What::wait, .mbarrier = observer_.mbarriers().of(waiting.object).where, .phase = waiting.generation};
            else if (waiting.what != Waiting::For::cluster)
                continue;
            account_.log(event, thread(warp, lane), task_.code[warp.at[lane]]);
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
            if (warp.at[lane] >= task_.code.size()) continue;
            Group& group = stuck[warp.at[lane]];
            if (group.threads++ > 0) continue;
            group.places = {place(thread(warp, lane), task_.code[warp.at[lane]])};
            std::tie(group.breach, group.why) = why_stuck(warp, lane);
            if (const auto told = what_told(warp, lane, group.breach)) group.places.push_back(*told);
            if (warp.waiting[lane].what == Waiting::For::phase) group.object = &observer_.mbarriers().of(warp.waiting[lane].object);
        }
    std::vector<std::pair<size_t, Group>> causes_first(stuck.begin(), stuck.end());
    std::stable_sort(causes_first.begin(), causes_first.end(),
                     [](const auto& a, const auto& b) { return a.second.breach < b.second.breach; });
    for (const auto& [at, group] : causes_first) {
        const bool spins = group.breach == Breach::stuck;
        const std::string one = spins ? " goes round" : " waits", several = spins ? " go round" : " wait";
        Filling with{plural(group.threads, "thread") + (group.threads == 1 ? one : several) + " for ever " + (spins ? "at" : "in") + " `" +
                     kernel::dotted(task_.code[at].statement->words) + "`"};
        with.insert(with.end(), group.why.begin(), group.why.end());
        if (group.object != nullptr)
            account_.find_in_phase(*group.object, group.breach, with, group.places);
        else
            account_.find(group.breach, with, group.places);
    }
}

// setmaxnreg is executed by all warps of a warpgroup (9.7.19.5).
void Machine::report_resized() {
    const auto words = [](const Step* step) { return step->statement->words; };
    constexpr uint32_t warps_of_group = 4;
    for (size_t w = 0; w < warps_.size(); ++w) {
        const uint32_t in_group = thread(warps_[w], 0).seat.warp() % warps_of_group;
        const auto &own = warps_[w].resized, &first = warps_[w - in_group].resized;
        const auto [a, b] = std::mismatch(own.begin(), own.end(), first.begin(), first.end(),
                                          [&](const Step* one, const Step* other) { return words(one) == words(other); });
        if (a == own.end() && b == first.end()) continue;
        const bool has_own = a != own.end();
        account_.find(Breach::half_warpgroup, {}, {place(thread(warps_[has_own ? w : w - in_group], 0), has_own ? **a : **b)});
    }
}

// ---- what is said ----------------------------------------------------------------------------------------------------------------

void Machine::fail(const Warp& warp, uint32_t lane, const Step& step, const std::string& message) const {
    const kernel::Seat& seat = thread(warp, lane).seat;
    const std::string line = line_of(task_.module, *step.statement);
    throw Failure(task_.module.source, Span{step.statement->span.begin, step.statement->span.end},
                  "thread " + std::to_string(seat.thread) + " of block " + std::to_string(seat.block) + ": " + message +
                      (line.empty() ? "" : " (" + line + ")"));
}

Swept sweep(const kernel::Module& module, const kernel::Launch& launch, const Options& options) {
    return Machine(module, launch, options).run();
}

}  // namespace litmus::sweep
