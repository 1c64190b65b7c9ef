// What is known on a path: where a branch was taken, what its predicate says holds from there on; where it was not, the contrary does.
//
// The words that hang on a root lose the cases that contradict that. A path on which a word can have no value any more cannot be.
#include <algorithm>
#include <array>
#include <limits>

#include "kernel/fold.h"
#include "kernel/walk.h"

namespace litmus::kernel {

namespace {

// Whether `setp`, or its contrary, says that two words are equal (9.7.6.2).
bool says_equal(const Statement& setp, bool holds) {
    return std::find(setp.words.begin(), setp.words.end(), holds ? "eq" : "ne") != setp.words.end();
}

}  // namespace

// What `setp` says of one word where the other one is known.
class NumberTest {
public:
    NumberTest(const Statement& setp, uint64_t number, bool number_first, bool holds)
        : setp_(setp), number_(number), number_first_(number_first), holds_(holds) {}

    bool equal() const { return says_equal(setp_, holds_); }
    uint64_t number() const { return number_; }
    bool passes(uint64_t value) const {
        const std::array<uint64_t, 2> sources = number_first_ ? std::array{number_, value} : std::array{value, number_};
        bool carry = false;
        const auto result = fold(setp_.words, sources, carry);
        return !result || (result->at(0) != 0) == holds_;
    }
    // Whether one of these numbers does, which are all negative or none of them: in a row whether signed or not. Of numbers in a row
    // those that are less, or more, than another one begin at an end.
    bool passes_any(int64_t least, int64_t most, int bits) const {
        if (says_equal(setp_, !holds_)) return true;  // all but one
        if (equal()) return sign_extend(number_, bits) >= least && sign_extend(number_, bits) <= most;
        return passes(truncate(static_cast<uint64_t>(least), bits)) || passes(truncate(static_cast<uint64_t>(most), bits));
    }

private:
    const Statement& setp_;
    uint64_t number_;
    bool number_first_, holds_;
};

namespace {

// Whether the word is its root: two of its cases say so.
bool is_root(const Word& word) {
    return word.linear == Linear::yes && word.cases->size() > 1 &&
           std::all_of(word.cases->begin(), word.cases->end(), [](const Case& c) { return c.key == c.value; });
}

// Whether no two numbers of the root give the word the same value: then it is the root and a number, or that widened.
bool is_one_to_one(const Word& word) {
    return word.linear == Linear::yes && word.cases->size() > 1 && word.cases->at(1).value - word.cases->at(0).value == 1;
}

}  // namespace

// The condition of a predicate that was just computed of these words.
void Walker::note_condition(State& state, size_t reg, const Statement& statement, const std::vector<Word>& words) {
    const std::string& name = statement.words[0];
    const auto type = type_named(statement.words.back());
    const bool compares = name == "setp" && type && !is_float(*type);
    const bool joins = (name == "and" || name == "or") && statement.words.back() == "pred";
    if ((!compares && !joins) || words.size() != 2 || state.top().registers[reg].opaque) return;
    const int root = name_of(state, reg);
    if (words[0].root == root || words[1].root == root) return;
    if (words[0].root >= 0 || words[1].root >= 0) state.says[root] = {&statement, words[0], words[1]};
}

// Leaves the root these keys, and what is below and above all that can be keys. The first and the last of those stay as long as there is
// more on their side: they say how far away that is (follow_index). False: a word has no value any more.
bool Walker::keep_cases(State& state, int root, const std::set<uint64_t>& keys, bool below, bool above) const {
    const std::vector<Case> all = open_cases(registers_[static_cast<size_t>(root)].bits);
    bool possible = true;
    state.each_word([&](Word& word) {
        if (word.root != root) return;
        const bool has_below = word.open && word.below && below, has_above = word.open && word.above && above;
        std::vector<Case> left;
        for (const Case& c : *word.cases) {
            const bool is_edge = (has_below && c.key == all.front().key) || (has_above && c.key == all.back().key);
            if (is_edge || keys.contains(c.key)) left.push_back(c);
        }
        if (left.empty() && !has_below && !has_above) possible = false;
        if (left.empty()) return;
        if (has_below || has_above) {
            word = open_word(root, std::move(left), word.linear);
            word.below = has_below;
            word.above = has_above;
            return;
        }
        const bool one = std::all_of(left.begin(), left.end(), [&](const Case& c) { return c.value == left[0].value; });
        word = one ? known_word(left[0].value) : split_word(root, std::move(left));
    });
    return possible;
}

// On a path where the word has this value, or does not. False: there is no such path.
bool Walker::assume(State& state, const Word& word, uint64_t value, bool equal) const {
    if (word.known) return (word.bits == value) == equal;
    if (word.root < 0) return true;
    std::set<uint64_t> keys;
    for (const Case& c : *word.cases)
        if ((c.value == value) == equal) keys.insert(c.key);
    const int root = word.root;
    const bool open = word.open && !equal;
    if (!keep_cases(state, root, keys, open, open)) return false;
    const auto said = state.says.find(root);
    if (said == state.says.end() || keys.size() != 1) return true;
    const Saying condition = said->second;
    state.says.erase(said);
    return assume(state, condition, *keys.begin() != 0);
}

// On a path where the condition holds, or does not.
bool Walker::assume(State& state, const Saying& condition, bool holds) const {
    const Word &a = condition.a, &b = condition.b;
    const uint64_t value = holds ? 1 : 0;
    if (condition.statement->words[0] != "setp") {
        if ((condition.statement->words[0] == "and") == holds) return assume(state, a, value, true) && assume(state, b, value, true);
        if (a.known && a.bits != value) return assume(state, b, value, true);  // one of the two is what both are not
        if (b.known && b.bits != value) return assume(state, a, value, true);
        return true;
    }
    if (a.known && b.known) return NumberTest(*condition.statement, b.bits, false, holds).passes(a.bits);
    if (b.known && a.root >= 0) return assume(state, a, NumberTest(*condition.statement, b.bits, false, holds));
    if (a.known && b.root >= 0) return assume(state, b, NumberTest(*condition.statement, a.bits, true, holds));
    if (says_equal(*condition.statement, holds)) make_one(state, a, b);
    return true;
}

// On a path where the word passes the test.
bool Walker::assume(State& state, const Word& word, const NumberTest& test) const {
    const int root = word.root, bits = registers_[static_cast<size_t>(root)].bits;
    std::set<uint64_t> keys;
    for (const Case& c : *word.cases)
        if (test.passes(c.value)) keys.insert(c.key);
    bool below = word.open && word.below, above = word.open && word.above;
    if (is_root(word)) {
        const int64_t least = bits == 64 ? std::numeric_limits<int64_t>::min() : -(int64_t{1} << (bits - 1)), most = -(least + 1);
        const auto cases = static_cast<int64_t>(walks_.options.most_cases);  // keys are -cases, ..., cases - 1
        below = below && test.passes_any(least, -cases - 1, bits);
        above = above && test.passes_any(cases, most, bits);
        if (test.equal() && (below || above)) {
            fix_root(state, root, truncate(test.number(), bits));
            return true;
        }
    } else if (test.equal() && !keys.empty() && is_one_to_one(word)) {
        below = above = false;
    }
    return keep_cases(state, root, keys, below, above);
}

// The root is a number that is no key. What else hangs on it has a register of its own, which stays.
void Walker::fix_root(State& state, int root, uint64_t number) const {
    state.each_word([&](Word& word) {
        if (word.root == root) word = is_root(word) ? known_word(number) : dynamic_word();
    });
}

// The two words are equal: what is known of the one is known of the other.
void Walker::make_one(State& state, const Word& a, const Word& b) const {
    if (a.root < 0 || b.root < 0 || a.root == b.root) return;
    const Word less = a.open ? a : b, more = a.open ? b : a;
    state.each_word([&](Word& word) {
        if (word.root == less.root && *word.cases == *less.cases) word = more;
    });
}

}  // namespace litmus::kernel
