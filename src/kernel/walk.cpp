// Control: which statement comes next, where paths fork and meet, calls of device functions.
#include "kernel/walk.h"

#include <algorithm>
#include <array>

#include "ptx/traits.h"

namespace litmus::kernel {

namespace {

constexpr size_t most_frames = 64;      // a function that calls itself without end
constexpr size_t steps_to_check = 256;  // between two looks at the budget

constexpr const char* trap_of_kernel = "a trap is reachable here";

bool begins(const std::string& text, const std::string& with) {
    return text.compare(0, with.size(), with) == 0 && (text.size() == with.size() || text[with.size()] == '.');
}

// What only gives hints of time and caches, or asks a debugger to look (9.7.9.15 to 9.7.9.17, 9.7.19).
bool is_hint(const Statement& statement) {
    static constexpr std::array<std::string_view, 8> hints = {"nanosleep", "prefetch", "prefetchu", "applypriority",
                                                              "discard",   "brkpt",    "pmevent",   "setmaxnreg"};
    return std::find(hints.begin(), hints.end(), statement.words[0]) != hints.end() ||
           begins(dotted(statement.words), "cp.async.bulk.prefetch");
}

// Whether it reads or writes memory, by addresses or by descriptors of matrices.
bool accesses_memory(const Statement& statement) {
    if (is_hint(statement)) return false;
    if (begins(dotted(statement.words), "wgmma.mma_async")) return true;
    return std::any_of(statement.arguments.begin(), statement.arguments.end(),
                       [](const Argument& argument) { return argument.kind == Argument::Kind::address; });
}

}  // namespace

const Plan* Walks::plan_of(const std::string& name) {
    const auto function = functions.find(name);
    if (function == functions.end()) return nullptr;
    auto known = plans.find(name);
    if (known == plans.end()) known = plans.emplace(name, plan(module.source, *function->second, options.budget)).first;
    return &known->second;
}

size_t Walker::KeyHash::operator()(const StateKey& key) const {
    size_t hash = key.size();
    for (const uint64_t word : key) hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL + (hash >> 29);
    return hash;
}

Walker::Walker(Walks& walks, Seat seat, const Plan& entry) : walks_(walks), seat_(seat) {
    State start;
    start.frames.push_back({&entry, 0, std::vector<Word>(entry.carry + 1, Word{true, true, 0})});
    blocks_.emplace_back();
    work_.push_back({std::move(start), 0, false});
}

void Walker::run() {
    while (!work_.empty()) {
        Work work = std::move(work_.back());
        work_.pop_back();
        walk(std::move(work));
    }
}

Trace Walker::trace() {
    Trace trace;
    trace.seat = seat_;
    trace.turns = ways_ > 0 ? ways_ + 1 : 0;  // one more, in which there is nothing left
    trace.notes = std::move(notes_);
    simplify(blocks_, walks_.options.budget);
    decide_by_clock(blocks_, fresh_name("clock"), fresh_name("late"));
    if (const BasicBlock* open = open_branch(blocks_)) {
        const std::string line = text_of(walks_.module, shown_line(walks_.module, open->origin));
        throw Failure(walks_.module.source, open->span, open->open + (line.empty() ? "" : " (" + line + ")"));
    }
    write(std::move(blocks_), trace);
    return trace;
}

// ---- where a path goes ---------------------------------------------------------------------------------------------------------------

void Walker::walk(Work work) {
    State state = std::move(work.state);
    bool entered = work.entered;
    for (;;) {
        if (++walks_.steps % steps_to_check == 0) walks_.options.budget.check();
        const Frame& top = state.top();
        if (!entered && top.plan->leaders[top.pc]) return jump(work.block, std::move(state));
        entered = false;
        const Went went = top.pc < top.plan->function->code.size() ? this->step(state, work.block) : leave(state, work.block);
        if (went == Went::ended) return;
        if (went == Went::next) ++state.top().pc;
    }
}

void Walker::jump(size_t from, State state) {
    const auto [to, fresh] = block_of(state);
    blocks_[from].end = BasicBlock::End::jump;
    blocks_[from].next = to;
    blocks_[from].origin = origin(state);
    if (fresh) work_.push_back({std::move(state), to, true});
}

// The block of a state, and whether it is a new one.
std::pair<size_t, bool> Walker::block_of(const State& state) {
    const auto [at, fresh] = met_.try_emplace(key_of(state), blocks_.size());
    if (!fresh) return {at->second, false};
    if (++walks_.states > walks_.options.most_states)
        fail(state,
             "the threads of this launch have more than " + std::to_string(walks_.options.most_states) + " states, the last of them here",
             "a loop has too many iterations, or its end depends on what is read from memory: use smaller arguments");
    blocks_.emplace_back();
    return {at->second, true};
}

Walker::Went Walker::step(State& state, size_t block) {
    const Frame& top = state.top();
    const Statement& statement = state.statement();
    const Step& step = top.plan->steps[top.pc];
    guard_ = kept_guard(state, statement, step);
    if (guard_) return execute(state, block, statement, step);
    const auto holds = guard_of(state, block);
    if (!holds) return Went::ended;
    if (!*holds) return Went::next;
    return execute(state, block, statement, step);
}

// The guard that an instruction keeps in the residual program: where it is not known, and the instruction gives no result, so that the
// state is the same with it and without it.
std::optional<Guard> Walker::kept_guard(const State& state, const Statement& statement, const Step& step) {
    if (statement.guard < 0 || !step.form || !step.writes.empty()) return std::nullopt;
    const Op op = step.form->op;
    const Word& word = state.top().registers[static_cast<size_t>(statement.guard)];
    if (word.known || word.opaque || is_arithmetic(op) || op == Op::bra || kind(op) == Traits::Kind::exit) return std::nullopt;
    const ResidualRegister& root = registers_[static_cast<size_t>(word.root)];
    if (root.bits == 1 && word.cases->size() == 2) {
        const bool same = (word.cases->at(0).key != 0) == (word.cases->at(0).value != 0);
        return Guard{root.name, same == statement.guard_negated};
    }
    return Guard{target(state, static_cast<size_t>(statement.guard)).name, statement.guard_negated};
}

// Whether the statement is executed; none: the walk has forked.
std::optional<bool> Walker::guard_of(State& state, size_t block) {
    const Statement& statement = state.statement();
    if (statement.guard < 0) return true;
    const Word& guard = state.top().registers[static_cast<size_t>(statement.guard)];
    if (guard.opaque) {
        fork_open(state, block, static_cast<size_t>(statement.guard));
        return std::nullopt;
    }
    const auto value = need(state, block, guard, statement.words[0] == "bra" ? "a branch" : "whether this is executed");
    if (!value) return std::nullopt;
    return (*value != 0) != statement.guard_negated;
}

// Whether the user asked to leave it out. An arrival on an mbarrier object is no copy, though it begins like one: `cp` means those.
bool Walker::is_ignored(const Statement& statement, const Step& step) const {
    const std::string name = dotted(statement.words);
    const bool arrives = step.form && kind(step.form->op) == Traits::Kind::copy_arrive;
    const auto& ignored = walks_.options.ignored;
    return std::any_of(ignored.begin(), ignored.end(), [&](const std::string& beginning) {
        return begins(name, beginning) && (!arrives || begins(beginning, "cp.async.mbarrier"));
    });
}

// Its results then mean nothing.
Walker::Went Walker::leave_out(State& state, size_t block, const Statement& statement, const Step& step) {
    const std::string name = dotted(statement.words);
    if (completes_bytes(statement)) {
        const auto place = mbarrier_of(state, block, statement, step);
        if (!place) return Went::ended;
        walks_.found.left_to_complete.insert({place->object, place->offset});
    }
    note(state, "`" + name + "` is left out, as asked");
    if (accesses_memory(statement)) walks_.left_out.try_emplace(name, origin(state));
    for (const size_t reg : step.writes) set_known(state, reg, 0, true);
    return Went::next;
}

Walker::Went Walker::execute(State& state, size_t block, const Statement& statement, const Step& step) {
    const std::string& name = statement.words[0];
    if (step.writes_first) check_result(state, statement);
    if (step.synchronizes) walks_.reached.insert(&statement);
    if (!walks_.options.ignored.empty() && is_ignored(statement, step)) return leave_out(state, block, statement, step);
    if (name == "bra") return branch(state, step);
    if (name == "brx") return branch_indexed(state, block, step);
    if (name == "call") return call(state, block);
    if (name == "ret") return leave(state, block);
    if (name == "exit" || name == "trap") {
        name == "exit" ? end(block, state) : trap(block, state, trap_of_kernel);
        return Went::ended;
    }
    if (is_hint(statement)) {
        if (name == "discard") note(state, "`" + dotted(statement.words) + "` is left out");
        return Went::next;
    }
    if (name == "createpolicy") {  // how long caches keep something (9.7.9.18)
        for (const size_t reg : step.writes) set_known(state, reg, 0, true);
        return Went::next;
    }
    if (name == "ldmatrix" || name == "stmatrix") return matrix(state, block, statement);
    if (name == "shfl" || name == "vote" || name == "match" || name == "activemask" || name == "elect")
        return step.form ? park(state, block) : keep(state, block, statement, step);  // which refuses it
    if (name == "mov") return move(state, block, statement, step);
    if (step.converts.gives != AddressConversion::Gives::nothing) return convert_address(state, block, statement, step.converts);
    if (name == "ld" || name == "st" || name == "ldu") return access(state, block, statement, step);
    if (name == "clusterlaunchcontrol" || (step.form && !is_arithmetic(step.form->op))) return keep(state, block, statement, step);
    return compute(state, block, statement, step);
}

// What is written is registers, or `_`.
void Walker::check_result(const State& state, const Statement& statement) const {
    const auto is_result = [](const Argument& a) { return a.kind == Argument::Kind::reg || a.kind == Argument::Kind::sink; };
    if (statement.arguments.empty()) fail(state, "`" + dotted(statement.words) + "` lacks operands");
    const Argument& first = statement.arguments[0];
    const bool several = first.kind == Argument::Kind::vector || first.kind == Argument::Kind::pair;
    if (several ? !std::all_of(first.elements.begin(), first.elements.end(), is_result) : !is_result(first))
        fail(state, "the first operand of `" + dotted(statement.words) + "` is what it writes, a register");
}

Walker::Went Walker::branch(State& state, const Step& step) {
    state.top().pc = step.target;
    return Went::moved;
}

Walker::Went Walker::branch_indexed(State& state, size_t block, const Step& step) {
    const Statement& statement = state.statement();
    if (statement.arguments.size() < 2) fail(state, "`brx.idx` takes an index and a list of labels (ISA 9.7.12.4)");
    const auto index = need(state, block, read(state, block, statement.arguments[0]), "a branch");
    if (!index) return Went::ended;
    if (*index >= step.targets.size())
        fail(state, "`brx.idx` with index " + std::to_string(*index) + " is beyond its list of labels (ISA 9.7.12.4)");
    state.top().pc = step.targets[*index];
    return Went::moved;
}

void Walker::end(size_t block, const State& state) {
    ended_ = true;
    blocks_[block].end = BasicBlock::End::exit;
    blocks_[block].origin = origin(state);
    blocks_[block].statement = span_of(state).begin;
}

// Ends all threads; where nobody should come, but for the trap of a time-out, which may come at any time.
void Walker::trap(size_t block, const State& state, const std::string& why) {
    const bool ended = ended_;
    end(block, state);
    ended_ = ended;
    if (state.late) {
        note(state, "the trap of a time-out ends all threads here: an execution that comes here is no more judged");
        emit(block, state, *make("trap", {}));
        return;
    }
    note(state, why);
    blocks_[block].body.push_back({*make("exit", {}), blocks_[block].statement, origin(state), true});
}

Walker::Went Walker::park(State& state, size_t block) {
    const Statement& statement = state.statement();
    Parked parked{{}, block, dotted(statement.words), 0xffffffff, 0};
    const std::string& name = statement.words[0];
    if (name != "activemask" && name != "ldmatrix" && name != "stmatrix") {  // these ask all lanes of the warp
        if (statement.arguments.empty()) fail(state, "operands are missing");
        const auto mask = need(state, block, read(state, block, statement.arguments.back()), "the lanes that take part");
        if (!mask) return Went::ended;
        parked.mask = static_cast<uint32_t>(*mask);
    }
    parked.turn = state.turns[parked.words + " " + std::to_string(parked.mask)]++;
    parked.state = std::move(state);
    parked_.push_back(std::move(parked));
    return Went::ended;
}

Word Walker::operand(Parked& at, size_t n) {
    const Statement& statement = at.state.statement();
    if (n >= statement.arguments.size()) fail(at.state, "operands are missing");
    return read(at.state, at.block, statement.arguments[n]);
}

// The walk has computed what an exchange gives. The test keeps the waiting for the other lanes of the mask: it has the same instruction,
// with operands that say nothing. `match.sync` would compare these operands, and the waiting of `ldmatrix` and `stmatrix` has no name of
// its own: in their place it has a `shfl.sync` from the own lane, which all targets have. All of them wait, and order no memory.
void Walker::wait_for_lanes(const Parked& at) {
    const auto result = [this](const char* name, int bits) { return reg_operand(registers_[static_cast<size_t>(named(name, bits))].name); };
    const Operand mask = number_operand(at.mask), exchanged = result("exchanged", 32), agreed = result("agreed", 1);
    const auto has = [&](const char* word) { return ("." + at.words + ".").find("." + std::string(word) + ".") != std::string::npos; };
    const auto shuffle = [&](const std::string& words, uint64_t clamp) {
        emit(at.block, at.state, *make(words, {exchanged, number_operand(0), number_operand(0), number_operand(clamp), mask}));
    };
    if (has("shfl")) {  // from the own lane
        shuffle(at.words, has("up") ? 0 : 31);
    } else if (has("vote")) {
        emit(at.block, at.state, *make("setp.eq.u32", {agreed, number_operand(0), number_operand(0)}));
        emit(at.block, at.state, *make(at.words, {has("ballot") ? exchanged : agreed, agreed, mask}));
    } else if (has("elect")) {
        emit(at.block, at.state, *make("elect.sync", {exchanged, agreed, mask}));
    } else if (has("match") || has("ldmatrix") || has("stmatrix")) {
        shuffle("shfl.sync.bfly.b32", 31);
        blocks_[at.block].body.back().aligned = has("aligned");
    }
}

void Walker::resume(Parked at, const std::vector<Word>& words, const std::string& text) {
    wait_for_lanes(at);
    const std::vector<size_t> to = results(at.state.statement(), true);
    if (!text.empty()) note(at.state, text);
    for (size_t i = 0; i < std::min(to.size(), words.size()); ++i)
        if (to[i] < at.state.top().registers.size()) set(at.state, at.block, to[i], words[i]);
    ++at.state.top().pc;
    work_.push_back({std::move(at.state), at.block, false});
}

// ---- forks ---------------------------------------------------------------------------------------------------------------------------

void Walker::fork(const State& state, size_t block, const Word& given, uint64_t value) {
    const Word word = given;
    const ResidualRegister root = registers_[static_cast<size_t>(word.root)];
    State yes = state, no = state;
    const bool can_be = assume(yes, word, value, true), can_differ = assume(no, word, value, false);
    if (!can_be && !can_differ) return end(block, state);  // nor can this path
    if (!can_be || !can_differ) {
        work_.push_back({can_be ? std::move(yes) : std::move(no), block, true});
        return;
    }
    yes.branched = no.branched = true;
    yes.late = no.late = false;
    std::vector<Case> asked;
    for (const Case& c : *word.cases) asked.push_back({c.key, c.value == value ? 1U : 0U});
    if (root.bits == 1 && asked.size() == 2)
        return fork_on(state, block, root.name, (asked[0].key != 0) != (asked[0].value != 0), std::move(yes), std::move(no));
    const Target is{registers_[static_cast<size_t>(named("is_" + root.name, 1))].name, 1};
    emit(block, state, choose(is, {reg_operand(root.name), root.bits}, asked));
    fork_on(state, block, is.name, false, std::move(yes), std::move(no));
}

// Forks at a predicate that is opaque. The two ways have to come to the same, or a clock decides; otherwise the thread cannot be written
// down.
void Walker::fork_open(const State& state, size_t block, size_t predicate) {
    State yes = state, no = state;
    set_known(yes, predicate, 1);
    set_known(no, predicate, 0);
    const Word& asked = state.top().registers[predicate];
    yes.late = no.late = blocks_[block].timed = is_timed(asked);
    blocks_[block].open = "what is done here depends on " + not_computed(asked);
    blocks_[block].span = span_of(state);
    fork_on(state, block, "", false, std::move(yes), std::move(no));
}

void Walker::fork_on(const State& state, size_t block, const std::string& predicate, bool negated, State yes, State no) {
    const size_t first = blocks_.size();
    blocks_.resize(first + 2);
    BasicBlock& from = blocks_[block];
    from.end = BasicBlock::End::branch;
    from.guard = {predicate, negated};
    from.other = first;
    from.next = first + 1;
    from.statement = span_of(state).begin;
    from.origin = origin(state);
    work_.push_back({std::move(yes), first, true});
    work_.push_back({std::move(no), first + 1, true});
}

// ---- calls (9.7.12.5) ------------------------------------------------------------------------------------------------------------------

namespace {

struct CallParts {
    const Argument* function = nullptr;  // a name, or the register that holds its address
    std::vector<Argument> results, parameters;
};

CallParts parts_of(const Statement& statement) {
    CallParts parts;
    for (const Argument& argument : statement.arguments) {
        const bool named = parts.function != nullptr;
        if (argument.kind != Argument::Kind::list && !named) parts.function = &argument;
        if (argument.kind != Argument::Kind::list) continue;
        (named ? parts.parameters : parts.results) = argument.elements;
    }
    return parts;
}

}  // namespace

// Where a name lies in the thread's own memory.
std::optional<uint64_t> Walker::own_offset(const Function& function, size_t depth, const std::string& name) const {
    const auto address = walks_.layout.address(function, depth, name);
    if (!address || *address < window::local || *address >= window::shared) return std::nullopt;
    return *address - window::local;
}

// A call pushes a frame: the function is evaluated where it is called. Parameters and results are copied between the memories of the
// two frames.
Walker::Went Walker::call(State& state, size_t block) {
    const CallParts parts = parts_of(state.statement());
    const Function& caller = *state.top().plan->function;
    const size_t depth = state.frames.size() - 1;
    if (!parts.function) fail(state, "a call of no function");
    std::string name = parts.function->name;
    if (parts.function->kind == Argument::Kind::reg) {
        const auto address = need(state, block, read(state, block, *parts.function), "which function is called");
        if (!address) return Went::ended;
        const Function* pointed = walks_.layout.function_at(*address);
        if (!pointed) fail(state, "a call through a pointer that points to no function");
        name = pointed->name;
    }
    const Plan* callee = walks_.plan_of(name);
    if (name == "__assertfail" || name == "__trap") {
        trap(block, state, trap_of_kernel);
        return Went::ended;
    }
    if (!callee) {
        if (name != "vprintf")
            fail(state, "a call of `" + name + "`, whose code is not in this file",
                 "compile the kernel and what it calls into one PTX file (-rdc=false)");
        note(state, "what printf prints is left out");
        for (const Argument& result : parts.results)
            write_cell(state, block, own_offset(caller, depth, result.name).value(), 4, known_word(0), {number_operand(0), 32});
        return Went::next;
    }
    if (state.frames.size() >= most_frames) fail(state, "calls are nested more than " + std::to_string(most_frames) + " deep");
    const Function& function = *callee->function;
    if (parts.parameters.size() != function.parameters.size())
        fail(state, "a call of `" + function.name + "` with " + std::to_string(parts.parameters.size()) + " parameters, of which it has " +
                        std::to_string(function.parameters.size()));
    for (size_t p = 0; p < function.parameters.size(); ++p)
        pass(state, block, parts.parameters[p], caller, depth, function, function.parameters[p]);
    state.frames.push_back({callee, 0, std::vector<Word>(callee->carry + 1, Word{true, true, 0})});
    return Went::moved;
}

// One parameter from the caller's memory, or from its register, into the callee's memory.
void Walker::pass(State& state, size_t block, const Argument& from, const Function& caller, size_t depth, const Function& callee,
                  const Parameter& to) {
    const uint64_t target = own_offset(callee, depth + 1, to.name).value();
    const auto source = from.kind == Argument::Kind::symbol ? own_offset(caller, depth, from.name) : std::nullopt;
    if (source) return copy_cells(state, block, *source, target, to.bytes);
    write_cell(state, block, target, to.bytes, read(state, block, from), this->source(state, block, from));
}

Walker::Went Walker::leave(State& state, size_t block) {
    if (state.frames.size() == 1) {
        end(block, state);
        return Went::ended;
    }
    const Function& callee = *state.top().plan->function;
    const size_t depth = state.frames.size() - 2;
    const Statement& call = state.frames[depth].plan->function->code[state.frames[depth].pc];
    const CallParts parts = parts_of(call);
    const Function& caller = *state.frames[depth].plan->function;
    for (size_t r = 0; r < std::min(parts.results.size(), callee.results.size()); ++r) {
        const auto from = own_offset(callee, depth + 1, callee.results[r].name), to = own_offset(caller, depth, parts.results[r].name);
        if (from && to) copy_cells(state, block, *from, *to, callee.results[r].bytes);
    }
    state.memory.erase(state.memory.lower_bound((depth + 1) * window::frame_stride), state.memory.end());  // the callee's
    state.frames.pop_back();
    return Went::next;
}

// ---- what is said ----------------------------------------------------------------------------------------------------------------------

Origin Walker::origin(const State& state) const {
    Origin whole;
    for (size_t f = state.frames.size(); f-- > 0;) {
        const Frame& frame = state.frames[f];
        const auto& code = frame.plan->function->code;
        if (code.empty()) continue;
        const Origin& own = code[std::min(frame.pc, code.size() - 1)].origin;
        whole.insert(whole.end(), own.begin(), own.end());
    }
    return whole;
}

// The statement where a state stands; behind the last one, that.
Span Walker::span_of(const State& state) {
    const Function& function = *state.top().plan->function;
    return function.code.empty() ? function.span : function.code[std::min(state.top().pc, function.code.size() - 1)].span;
}

void Walker::note(const State& state, const std::string& text) {
    const Origin here = origin(state);
    if (said_.insert({shown_line(walks_.module, here), text}).second) notes_.push_back({here, text});
}

void Walker::fail(const State& state, const std::string& message, const std::string& hint) const {
    const std::string line = text_of(walks_.module, shown_line(walks_.module, origin(state)));
    throw Failure(walks_.module.source, span_of(state), message + (line.empty() ? "" : " (" + line + ")"), hint);
}

void Walker::emit(size_t block, const State& state, Instruction instruction) {
    if (++residuals_ > walks_.options.most_steps)
        fail(state, "more than " + std::to_string(walks_.options.most_steps) + " instructions are left of one thread",
             "use smaller arguments: a loop has many iterations");
    blocks_[block].body.push_back({std::move(instruction), span_of(state).begin, origin(state)});
}

void Walker::emit(size_t block, const State& state, std::vector<Instruction> instructions) {
    for (Instruction& instruction : instructions) emit(block, state, std::move(instruction));
}

}  // namespace litmus::kernel
