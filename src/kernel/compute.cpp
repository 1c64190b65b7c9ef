// Arithmetic of a walk: computed where all is known, case by case where it hangs on one root, left to the residual program otherwise.
#include <algorithm>
#include <array>

#include "kernel/fold.h"
#include "kernel/fold_float.h"
#include "kernel/walk.h"

namespace litmus::kernel {

namespace {

constexpr size_t most_kept_cases = 64;  // of one word; a branch or an address follows at most EvaluateOptions::most_cases

// The section of the ISA that describes an instruction which the table knows by its first words.
std::string_view section_of(const std::vector<std::string>& words) {
    std::string_view section;
    size_t longest = 0;
    for (const Form& form : forms()) {
        const auto& mnemonic = form.mnemonic_words;
        if (mnemonic.size() <= longest || mnemonic.size() > words.size()) continue;
        if (!std::equal(mnemonic.begin(), mnemonic.end(), words.begin())) continue;
        section = form.section;
        longest = mnemonic.size();
    }
    return section;
}

// Inputs after the result, vectors taken apart.
std::vector<Argument> sources_of(const Statement& statement) {
    std::vector<Argument> sources;
    for (size_t a = 1; a < statement.arguments.size(); ++a) {
        const Argument& argument = statement.arguments[a];
        if (argument.kind == Argument::Kind::vector)
            sources.insert(sources.end(), argument.elements.begin(), argument.elements.end());
        else
            sources.push_back(argument);
    }
    return sources;
}

// Whether the result is a multiple of a root plus a number, given that each source that is not known is one of the same root: sums,
// products with a number, shifts to the left, conversions to a wider type. What is widened may have wrapped around before, if it is a
// multiple in fewer bits.
Linear linear(const std::vector<std::string>& words, const std::vector<Word>& sources) {
    const auto has = [&](std::string_view w) { return std::find(words.begin(), words.end(), w) != words.end(); };
    const auto number = [&](size_t n) { return n < sources.size() && sources[n].known; };
    const auto single = [](const Word& word) {
        return word.known || (word.cases->size() > 1 && word.cases->at(1).value - word.cases->at(0).value == 1);
    };
    Linear least = Linear::yes;  // of the sources
    for (const Word& word : sources)
        if (!word.known) least = std::min(least, word.linear);
    const auto widened = [least](bool from_single) { return from_single ? least : std::min(least, Linear::wrapping); };
    if (has("sat") || has("hi")) return Linear::no;
    const std::string& name = words[0];
    const auto to = type_named(words.back());
    if (!to || is_float(*to)) return Linear::no;
    if (name == "add" || name == "sub" || name == "neg") return least;
    if (name == "shl") return number(1) ? least : Linear::no;
    if (name == "mul" || name == "mad") {
        if ((!number(0) && !number(1)) || (!has("lo") && !has("wide"))) return Linear::no;
        return has("lo") ? least : widened(single(sources[0]) && single(sources[1]));
    }
    if (name != "cvt" || words.size() < 3) return Linear::no;
    const auto wide = type_named(words[words.size() - 2]);
    if (!wide || is_float(*wide) || bits(*to) < 32 || bits(*wide) < bits(*to)) return Linear::no;
    return bits(*wide) == bits(*to) ? least : widened(single(sources[0]));
}

// The root that all words which are not known hang on; -1: there is none, or there are several.
int common_root(const std::vector<Word>& words) {
    int root = -1;
    for (const Word& word : words) {
        if (word.known) continue;
        if (!word.split() || (root >= 0 && word.root != root)) return -1;
        root = word.root;
    }
    return root;
}

// The words of an instruction that gives the n-th result alone. The second one of `setp` is that of the contrary comparison (9.7.6.2).
// Empty: there is none.
std::vector<std::string> words_of_result(std::vector<std::string> words, size_t n) {
    if (n == 0) return words;
    if (words[0] != "setp") return {};
    for (std::string& word : words) {
        const Operator comparison = comparison_named(word);
        if (comparison == Operator::none) continue;
        const OperatorRow& contrary = row(row(comparison).contrary);
        word = word == row(comparison).unsigned_ ? contrary.unsigned_ : contrary.name;
        return words;
    }
    return {};
}

}  // namespace

bool computes(const std::vector<std::string>& words) {
    static constexpr std::array<std::string_view, 14> sections = {"9.7.1.",   "9.7.2",    "9.7.3",  "9.7.4",   "9.7.5",
                                                                  "9.7.6",    "9.7.7",    "9.7.8",  "9.7.9.3", "9.7.9.7",
                                                                  "9.7.9.21", "9.7.9.22", "9.7.14", "9.7.18"};
    const std::string_view section = section_of(words);
    return std::any_of(sections.begin(), sections.end(), [&](std::string_view s) {
        const bool begins = section.substr(0, s.size()) == s;
        return begins && (s.back() == '.' || section.size() == s.size() || section[s.size()] == '.');
    });
}

Walker::Went Walker::compute(State& state, size_t block, const Statement& statement, const Step& step) {
    const std::string name = dotted(statement.words);
    const bool in_registers = step.form || step.computes;
    const std::vector<Argument> sources = sources_of(statement);
    const bool has_address =
        std::any_of(sources.begin(), sources.end(), [](const Argument& a) { return a.kind == Argument::Kind::address; });
    if (!in_registers || has_address || !step.writes_first) {
        if (step.refusal && !step.refusal->known) fail(state, step.refusal->message, step.refusal->hint);
        fail(state, "`" + name + "` is not modelled");
    }
    const std::vector<size_t> to = results(statement, true);
    std::vector<Word> words;
    bool opaque = false, all_known = true;
    const bool with_carry = step.reads_carry;
    const size_t carry = state.top().plan->carry;
    for (const Argument& source : sources) words.push_back(read(state, block, source));
    if (with_carry) words.push_back(state.top().registers[carry]);
    for (const Word& word : words) {
        opaque = opaque || word.opaque;
        all_known = all_known && word.known;
    }
    if (opaque || with_carry || writes_carry(statement.words)) {
        if (opaque || !all_known) return opaque_result(state, block, statement, sources);
    }
    if (all_known) {
        std::vector<uint64_t> values;
        for (const Word& word : words) values.push_back(word.bits);
        if (with_carry) values.pop_back();
        bool cc = with_carry && words.back().bits != 0;
        auto results = fold(statement.words, values, cc);
        if (!results) results = fold_float(statement.words, values);
        if (!results || results->size() < to.size()) return opaque_result(state, block, statement, sources);
        for (size_t i = 0; i < to.size(); ++i)
            if (to[i] != no_register) set_known(state, to[i], (*results)[i]);
        if (writes_carry(statement.words)) state.top().registers[carry] = known_word(cc ? 1 : 0);
        return Went::next;
    }
    if (compute_cases(state, block, statement, to, words)) return Went::next;
    compute_dynamic(state, block, statement, to, sources, false);
    if (to.size() == 1 && to[0] != no_register) {
        follow_open(state, to[0], statement, words);
        bound_result(state, to[0], statement, words);
        if (width(state, to[0]) == 1) note_condition(state, to[0], statement, words);
    }
    return Went::next;
}

// All that is not known hangs on one root: the operation for each of its keys.
bool Walker::compute_cases(State& state, size_t block, const Statement& statement, const std::vector<size_t>& to,
                           const std::vector<Word>& words) {
    const int root = common_root(words);
    if (root < 0 || (to.size() > 1 && to[0] != no_register && name_of(state, to[0]) == root)) return false;
    const Word& first = *std::find_if(words.begin(), words.end(), [](const Word& w) { return !w.known; });
    std::vector<std::vector<Case>> results(to.size());
    for (const Case& at : *first.cases) {
        std::vector<uint64_t> values;
        for (const Word& word : words) {
            if (word.known) {
                values.push_back(word.bits);
                continue;
            }
            const auto same = std::find_if(word.cases->begin(), word.cases->end(), [&](const Case& c) { return c.key == at.key; });
            if (same == word.cases->end()) return false;
            values.push_back(same->value);
        }
        bool carry = false;
        const auto folded = fold(statement.words, values, carry);
        if (!folded || folded->size() < to.size()) return false;
        for (size_t i = 0; i < to.size(); ++i)
            results[i].push_back({at.key, to[i] == no_register ? 0 : truncate((*folded)[i], width(state, to[i]))});
    }
    for (size_t i = 0; i < to.size(); ++i) {
        if (to[i] == no_register) continue;
        set_cases(state, block, to[i], split_word(root, std::move(results[i])));
    }
    return true;
}

// The residual program computes it; a stand-in where it cannot, or where a source is one.
void Walker::compute_dynamic(State& state, size_t block, const Statement& statement, const std::vector<size_t>& to,
                             const std::vector<Argument>& arguments, bool opaque) {
    std::vector<Input> sources;
    for (const Argument& argument : arguments) sources.push_back(source(state, block, argument));
    for (size_t i = 0; i < to.size(); ++i) {
        if (to[i] == no_register) continue;
        const Target d = target(state, to[i]);
        std::vector<Instruction> written;
        const std::vector<std::string> words = words_of_result(statement.words, i);
        if (!opaque && !words.empty()) written = express(words, d, sources);
        const bool stands_in = written.empty();
        if (stands_in) written = stand_in(d, sources);
        if (stands_in && !opaque) note(state, "`" + dotted(statement.words) + "` is not computed: what it gives stands for any value");
        emit(block, state, std::move(written));
        set_dynamic(state, to[i], stands_in);
    }
}

// A result of an open word is open, too: some of its cases are known.
void Walker::follow_open(State& state, size_t reg, const Statement& statement, const std::vector<Word>& words) {
    int root = -1;
    const Word* of = nullptr;
    for (const Word& word : words) {
        if (word.known) continue;
        if (!word.open || (root >= 0 && (word.root != root || word.cases->size() != of->cases->size()))) return;
        root = word.root;
        of = &word;
    }
    if (root < 0 || state.top().registers[reg].opaque || width(state, reg) == 1 || name_of(state, reg) == root) return;
    std::vector<Case> cases;
    for (size_t i = 0; i < of->cases->size(); ++i) {
        std::vector<uint64_t> values;
        for (const Word& word : words) values.push_back(word.known ? word.bits : word.cases->at(i).value);
        bool carry = false;
        const auto folded = fold(statement.words, values, carry);
        if (!folded) return;
        cases.push_back({of->cases->at(i).key, truncate((*folded)[0], width(state, reg))});
    }
    state.top().registers[reg] = open_word_like(*of, std::move(cases), linear(statement.words, words));
}

// A result that can be one of few numbers is a root: masked, a remainder, or with most bits shifted out.
void Walker::bound_result(State& state, size_t reg, const Statement& statement, const std::vector<Word>& words) {
    if (state.top().registers[reg].opaque || width(state, reg) == 1 || words.size() < 2) return;
    const std::string& name = statement.words[0];
    const auto type = type_named(statement.words.back());
    const Word& by = words[1].known ? words[1] : words[0];
    if (!type || !by.known) return;
    std::vector<Case> cases;
    const auto up_to = [&](uint64_t most) {
        for (uint64_t v = 0; most < most_kept_cases && v <= most; ++v) cases.push_back({v, v});
    };
    if (name == "and") {
        for (uint64_t v = 0;; v = (v - by.bits) & by.bits) {  // every subset of the mask's bits, in their order
            cases.push_back({v, v});
            if (v == by.bits || cases.size() > most_kept_cases) break;
        }
    } else if (&by == &words[1] && !is_signed(*type) && name == "rem" && by.bits > 0) {
        up_to(by.bits - 1);
    } else if (&by == &words[1] && !is_signed(*type) && name == "shr" && by.bits < 64) {
        up_to(truncate(~uint64_t{0}, bits(*type)) >> by.bits);
    } else if (name == "bfe" && words.size() == 3 && words[2].known && !is_signed(*type) && (words[2].bits & 0xff) < 8) {
        up_to((uint64_t{1} << (words[2].bits & 0xff)) - 1);
    }
    if (cases.size() < 2 || cases.size() > most_kept_cases) return;
    const int number = name_of(state, reg);
    state.top().registers[reg] = split_word(number, std::move(cases));
}

// A result that is not computed, or that depends on one which is not: known inputs leave a known stand-in, others one that depends on them.
Walker::Went Walker::opaque_result(State& state, size_t block, const Statement& statement, const std::vector<Argument>& sources) {
    const std::vector<size_t> to = results(statement, true);
    bool dynamic = false, from_opaque = false;
    for (const Argument& source : sources) {
        const Word word = read(state, block, source);
        dynamic = dynamic || !word.known;
        from_opaque = from_opaque || word.opaque;
    }
    if (!from_opaque) note(state, "`" + dotted(statement.words) + "` is not computed: what it gives stands for any value");
    if (dynamic) {
        compute_dynamic(state, block, statement, to, sources, true);
    } else {
        for (const size_t reg : to)
            if (reg != no_register) set_known(state, reg, 0, true);
    }
    if (writes_carry(statement.words)) state.top().registers[state.top().plan->carry] = {true, true, 0};
    return Went::next;
}

// ---- moves (9.7.9.3, 9.7.9.4)
// ------------------------------------------------------------------------------------------------------------

Walker::Went Walker::move(State& state, size_t block, const Statement& statement, const Step&) {
    if (statement.arguments.size() != 2) fail(state, "`mov` takes 2 operands");
    const std::vector<size_t> to = results(statement, true);
    const Argument& from = statement.arguments[1];
    if (const int answer = answer_in(state, block, from); answer >= 0) {
        for (const size_t reg : to)
            if (reg != no_register) set_answer(state, reg, answer);
        return Went::next;
    }
    if (statement.words.back() == "b128") return move_wide(state, block, statement);
    const Word word = read(state, block, from);
    const bool packs = from.kind == Argument::Kind::vector, unpacks = statement.arguments[0].kind == Argument::Kind::vector;
    const auto type = type_named(statement.words.back());
    const int whole = type ? bits(*type) : 64;
    if (word.known) {
        const auto parts = unpack(word.bits, whole, to.size());
        for (size_t i = 0; i < to.size(); ++i)
            if (to[i] != no_register) set_known(state, to[i], unpacks ? parts[i] : word.bits, word.opaque);
        return Went::next;
    }
    if (packs && unpacks) fail(state, "`mov` between two vectors (ISA 9.7.9.4)");
    if (packs) {
        std::vector<Input> elements;
        for (const Argument& element : from.elements) elements.push_back(source(state, block, element));
        if (to[0] == no_register) return Went::next;
        emit(block, state, express_pack(target(state, to[0]), elements));
        set_dynamic(state, to[0], word.opaque);
        return Went::next;
    }
    const Input all = source(state, block, from);
    for (size_t i = 0; i < to.size(); ++i) {
        if (to[i] == no_register) continue;
        if (!unpacks && word.split()) {
            set_cases(state, block, to[i], word);
            continue;
        }
        const Target d = target(state, to[i]);
        if (unpacks)
            emit(block, state, express_unpack(d, {all.operand, whole}, i, to.size()));
        else
            emit(block, state,
                 *make("mov." + std::string(d.bits == 1 ? "pred" : "b" + std::to_string(std::max(16, d.bits))),
                       {reg_operand(d.name), all.operand}));
        set_dynamic(state, to[i], word.opaque);
        if (!unpacks && word.open && name_of(state, to[i]) != word.root) state.top().registers[to[i]] = word;
    }
    return Went::next;
}

// Of 128 bits, which the residual program has, too: packed of two registers, unpacked into two, or copied.
Walker::Went Walker::move_wide(State& state, size_t block, const Statement& statement) {
    const Argument& from = statement.arguments[1];
    const std::vector<size_t> to = results(statement, true);
    const bool unpacks = statement.arguments[0].kind == Argument::Kind::vector;
    Operand into, source;
    into.kind = source.kind = Operand::Kind::vector;
    bool opaque = false;
    const auto take = [&](const Argument& argument) {
        opaque = opaque || read(state, block, argument).opaque;
        return this->source(state, block, argument).operand;
    };
    if (from.kind == Argument::Kind::vector)
        for (const Argument& element : from.elements) source.elements.push_back(take(element));
    else
        source = take(from);
    const auto place = [&](size_t reg) {
        Operand sink;
        sink.kind = Operand::Kind::sink;
        return reg == no_register ? sink : reg_operand(target(state, reg).name);
    };
    if (unpacks)
        for (const size_t reg : to) into.elements.push_back(place(reg));
    else
        into = place(to[0]);
    if (into.kind == Operand::Kind::sink) return Went::next;
    emit(block, state, *make("mov.b128", {into, source}));
    for (const size_t reg : to) {
        if (reg == no_register) continue;
        if (unpacks && !opaque)
            set_open(state, reg);
        else
            set_dynamic(state, reg, opaque);
    }
    return Went::next;
}

// ---- addresses -------------------------------------------------------------------------------------------------------------------

Walker::Went Walker::convert_address(State& state, size_t block, const Statement& statement, const AddressConversion& conversion) {
    using Gives = AddressConversion::Gives;
    if (statement.arguments.size() < 2 || statement.arguments[0].kind != Argument::Kind::reg)
        fail(state, "`" + dotted(statement.words) + "` takes a register and an address");
    const auto to = static_cast<size_t>(statement.arguments[0].reg);
    const auto own_rank = walks_.geometry.rank(seat_.block);
    const Word given = read(state, block, statement.arguments[1]);
    const bool is_sum = conversion.gives == Gives::generic || conversion.gives == Gives::in_space;
    if (is_sum && given.cases) {
        std::vector<Case> cases = *given.cases;
        for (Case& c : cases) c.value = conversion.of(c.value, own_rank);
        if (given.split()) {
            set_cases(state, block, to, split_word(given.root, std::move(cases)));
            return Went::next;
        }
        const Target d = target(state, to);
        const uint64_t more = conversion.of(0, own_rank);
        const bool less = conversion.gives == Gives::in_space;
        emit(block, state,
             *make(less ? "sub.u64" : "add.u64",
                   {reg_operand(d.name), source(state, block, statement.arguments[1]).operand, number_operand(less ? -more : more)}));
        set_dynamic(state, to, false);
        if (name_of(state, to) != given.root) state.top().registers[to] = open_word_like(given, std::move(cases), given.linear);
        return Went::next;
    }
    const auto address = need(state, block, given, "an address");
    if (!address) return Went::ended;
    if (conversion.gives != Gives::of_rank) {
        set_known(state, to, conversion.of(*address, own_rank));
        return Went::next;
    }
    if (statement.arguments.size() < 3) fail(state, "`mapa` takes an address and a rank (ISA 9.7.9.23)");
    const auto target = need(state, block, read(state, block, statement.arguments[2]), "the rank of a CTA");
    if (!target) return Went::ended;
    set_known(state, to, conversion.of(*address, *target));
    return Went::next;
}

}  // namespace litmus::kernel
