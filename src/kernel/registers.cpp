// Registers and operands of a walk: what they hold, and where the residual program has them.
//
// A word that is not known lies in a residual register of its own name, always the same one for a register of a function at a depth of
// calls. Writing it makes all cases that hang on its former value plain words: they have registers of their own, which stay.
#include <algorithm>
#include <cctype>

#include "kernel/fold.h"
#include "kernel/walk.h"

namespace litmus::kernel {

namespace {

int bits_of_type(const std::string& type) {
    const auto known = type_named(type);
    return known ? bits(*known) : 64;
}

}  // namespace

// ---- names ---------------------------------------------------------------------------------------------------------------------------

int Walker::named(const std::string& name, int bits) {
    const auto [at, fresh] = numbers_.try_emplace(name, static_cast<int>(registers_.size()));
    if (fresh) registers_.push_back({name, bits});
    return at->second;
}

int Walker::name_of(const State& state, size_t reg) {
    const Frame& top = state.top();
    const auto [at, fresh] = register_numbers_.try_emplace({top.plan, {state.frames.size(), reg}}, 0);
    if (!fresh) return at->second;
    std::string name;
    const auto& declared = top.plan->function->registers;
    for (const char c : reg < declared.size() ? declared[reg].name : std::string("carry"))
        if (c != '%') name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    if (name.empty() || std::isalpha(static_cast<unsigned char>(name[0])) == 0) name.insert(0, "v");
    return at->second = named(fresh_name(name), width(state, reg));
}

std::string Walker::fresh_name(const std::string& name) {
    std::string unique = name;
    for (size_t n = 2; walks_.layout.has_object(unique) || !used_names_.insert(unique).second; ++n)
        unique = name + "_v" + std::to_string(n);
    return unique;
}

int Walker::width(const State& state, size_t reg) const {
    const auto& declared = state.top().plan->function->registers;
    return reg < declared.size() ? bits_of_type(declared[reg].type) : 1;
}

Target Walker::target(const State& state, size_t reg) {
    const ResidualRegister& residual = registers_[static_cast<size_t>(name_of(state, reg))];
    return {residual.name, residual.bits};
}

// ---- writing -------------------------------------------------------------------------------------------------------------------------

void Walker::set_known(State& state, size_t reg, uint64_t bits, bool opaque) {
    const Statement* const source = opaque ? source_of_opaque(state) : nullptr;
    Word& word = state.top().registers[reg];
    word = {true, opaque, opaque ? 0 : truncate(bits, width(state, reg))};
    word.source = source;
}

// Who gave what the running statement gives, where that is opaque: who gave the opaque word that it reads, of several a clock; none: the
// statement itself.
const Statement* Walker::source_of_opaque(const State& state) {
    const Frame& top = state.top();
    const Word* first = nullptr;
    for (const size_t reg : top.plan->steps[top.pc].reads) {
        const Word& word = top.registers[reg];
        if (is_timed(word)) return word.source;
        if (word.opaque && !first) first = &word;
    }
    return first ? first->source : &state.statement();
}

// An opaque word, in words.
std::string Walker::not_computed(const Word& word) const {
    const std::string value = "a value that is not computed";
    if (!word.source) return value + ": nothing has written the register that it comes from";
    const std::string line = text_of(walks_.module, shown_line(walks_.module, word.source->origin));
    return value + ", which `" + dotted(word.source->words) + "` gives" + (line.empty() ? "" : " (" + line + ")");
}

// The residual register of `reg` has been written.
void Walker::set_dynamic(State& state, size_t reg, bool opaque) {
    const int number = name_of(state, reg);
    const Statement* const source = opaque ? source_of_opaque(state) : nullptr;
    forget_root(state, number);
    Word& word = state.top().registers[reg];
    word = dynamic_word(opaque);
    word.source = source;
    if (width(state, reg) == 1 && !opaque) word = split_word(number, {{0, 0}, {1, 1}});
}

// Small numbers, which may be indices: as many below zero as above it.
std::vector<Case> Walker::open_cases(int bits) const {
    std::vector<Case> cases;
    const auto most = static_cast<int64_t>(walks_.options.most_cases);
    for (int64_t key = -most; key < most; ++key) {
        const uint64_t word = truncate(static_cast<uint64_t>(key), bits);
        cases.push_back({word, word});
    }
    return cases;
}

void Walker::set_open(State& state, size_t reg) {
    set_dynamic(state, reg, false);
    const int bits = width(state, reg);
    if (bits >= 32) state.top().registers[reg] = open_word(name_of(state, reg), open_cases(bits), Linear::yes);
}

// Gives `reg` a word that is split into cases, and writes it to the residual register.
void Walker::set_cases(State& state, size_t block, size_t reg, const Word& word) {
    const std::vector<Case> cases = *word.cases;
    const bool one = std::all_of(cases.begin(), cases.end(), [&](const Case& c) { return c.value == cases[0].value; });
    if (one) return set_known(state, reg, cases[0].value);
    const ResidualRegister root = registers_[static_cast<size_t>(word.root)];
    emit(block, state, choose(target(state, reg), {reg_operand(root.name), root.bits}, cases));
    const int number = name_of(state, reg);
    forget_root(state, number);
    if (word.root != number) {
        state.top().registers[reg] = split_word(word.root, cases);
        return;
    }
    std::set<uint64_t> values;  // the root itself has been written: its new values are the keys
    for (const Case& c : cases) values.insert(c.value);
    std::vector<Case> own;
    for (const uint64_t value : values) own.push_back({value, value});
    state.top().registers[reg] = split_word(number, std::move(own));
}

void Walker::set(State& state, size_t block, size_t reg, const Word& word) {
    if (word.known) return set_known(state, reg, word.bits, word.opaque);
    if (word.split()) return set_cases(state, block, reg, word);
    set_dynamic(state, reg, word.opaque);
}

void Walker::forget_root(State& state, int root) const {
    state.says.erase(root);
    state.each_word([&](Word& word) {
        if (word.root == root) word = dynamic_word();
    });
}

// ---- reading -------------------------------------------------------------------------------------------------------------------------

int Walker::width(const State& state, const Argument& argument) const {
    return argument.kind == Argument::Kind::reg ? width(state, static_cast<size_t>(argument.reg)) : 64;
}

Word Walker::read_special(const State& state, const std::string& name) {
    if (const auto value = special_register(name, seat_, walks_.launch, walks_.layout)) return known_word(*value);
    if (!is_special_register(name)) fail(state, "`" + name + "` is no special register that is known here (ISA 10)");
    note(state, "`" + name + "` is not known before the kernel runs: " +
                    (width_of_unknown(name.substr(1)) ? "a branch on it goes either way" : "nothing may depend on it"));
    return {true, true, 0};
}

// The value of an operand. A predicate's complement has a register of the residual program where it is not known.
Word Walker::read(State& state, size_t block, const Argument& argument) {
    switch (argument.kind) {
        case Argument::Kind::reg: {
            Word word = state.top().registers[static_cast<size_t>(argument.reg)];
            if (!argument.negated) return word;
            if (word.known) word.bits = word.opaque ? 0 : 1 - word.bits;
            if (!word.split()) return word;
            std::vector<Case> cases = *word.cases;
            for (Case& c : cases) c.value = 1 - c.value;
            return split_word(word.root, std::move(cases));
        }
        case Argument::Kind::immediate:
            return known_word(argument.bits);
        case Argument::Kind::special:
            return read_special(state, argument.name);
        case Argument::Kind::symbol: {
            const Function& function = *state.top().plan->function;
            const auto address = walks_.layout.address(function, state.frames.size() - 1, argument.name);
            if (!address) fail(state, "`" + argument.name + "` has no address here");
            const uint64_t own = *address < window::code ? window::of_cta(walks_.geometry.rank(seat_.block)) : 0;  // of shared memory
            return known_word(*address + own + static_cast<uint64_t>(argument.offset));
        }
        case Argument::Kind::vector: {  // packed, as `mov.b64 d, {lo, hi}` reads it
            std::vector<uint64_t> parts;
            bool opaque = false;
            const int each = argument.elements.empty() ? 64 : width(state, argument.elements[0]);
            for (const Argument& element : argument.elements) {
                const Word word = read(state, block, element);
                if (!word.known) return dynamic_word(word.opaque);
                opaque = opaque || word.opaque;
                parts.push_back(word.bits);
            }
            return {true, opaque, pack(parts, each * static_cast<int>(parts.size()))};
        }
        default:
            fail(state, "an operand that has no value");
    }
}

// The operand as instructions of the residual program have it.
Input Walker::source(State& state, size_t block, const Argument& argument) {
    const Word word = read(state, block, argument);
    const int bits = width(state, argument);
    if (word.known && bits > 64) fail(state, "a register of 128 bits that nothing has written is read");
    if (word.known) return {number_operand(word.bits), bits};
    if (argument.kind != Argument::Kind::reg) fail(state, "an operand that is not known here");
    const Target whole = target(state, static_cast<size_t>(argument.reg));
    if (!argument.negated) return {reg_operand(whole.name), bits};
    const Target complement{registers_[static_cast<size_t>(named("not_" + whole.name, 1))].name, 1};
    emit(block, state, *make("not.pred", {reg_operand(complement.name), reg_operand(whole.name)}));
    return {reg_operand(complement.name), 1};
}

// The registers that the first operand names, `no_register` for `_`.
std::vector<size_t> Walker::results(const Statement& statement, bool writes_first) const {
    std::vector<size_t> found;
    if (!writes_first || statement.arguments.empty()) return found;
    const Argument& first = statement.arguments[0];
    const auto add = [&](const Argument& a) { found.push_back(a.kind == Argument::Kind::reg ? static_cast<size_t>(a.reg) : no_register); };
    if (first.kind == Argument::Kind::vector || first.kind == Argument::Kind::pair)
        std::for_each(first.elements.begin(), first.elements.end(), add);
    else
        add(first);
    return found;
}

// A word on which the statement depends; none: the walk has forked, and the statement is executed again on both ways.
std::optional<uint64_t> Walker::need(State& state, size_t block, const Word& word, const std::string& what) {
    if (word.opaque) fail(state, what + " depends on " + not_computed(word));
    if (word.known) return word.bits;
    if (!word.split())
        fail(state, what + " depends on a value that is read from memory and can be any number",
             "memory that no thread writes, and values that are masked to a few bits, can be followed");
    std::set<uint64_t> values;  // a way each
    for (const Case& c : *word.cases) values.insert(c.value);
    if (values.size() > std::max<size_t>(2, walks_.options.most_cases))
        fail(state, what + " depends on a value that is read from memory and can be one of " + std::to_string(values.size()) + " numbers",
             "at most " + std::to_string(walks_.options.most_cases) + " are followed");
    const bool predicate = word.cases->size() == 2 && word.cases->at(0).value + word.cases->at(1).value == 1;
    fork(state, block, word, predicate ? 1 : word.cases->front().value);
    return std::nullopt;
}

}  // namespace litmus::kernel
