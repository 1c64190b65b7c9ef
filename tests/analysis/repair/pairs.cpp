// The difference of two tests by a longest common subsequence of each thread; its smallest part that repairs by trying all.
#include "pairs.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "analysis/edits/catalogue.h"
#include "analysis/repair/search.h"
#include "language/syntax/native/print.h"
#include "language/syntax/read.h"
#include "ptx/traits.h"

namespace repair_pairs {

namespace {

constexpr size_t most_steps = 10;

// One step from the one test to the other: an instruction goes, one comes, or both, perhaps at another place.
struct Atom {
    int thread = -1;
    int leaves = -1;  // an instruction of the one test
    int at = -1;      // before which one the new one comes
    std::optional<Instruction> comes;
    int location = -1;  // a declaration that changes: its index in the mended test
};

bool counts(const Instruction& i) {
    return kind(i.op) == Traits::Kind::mbarrier_arrival || kind(i.op) == Traits::Kind::mbarrier_count;
}

// Where a difference can be told in several ways: what comes stands before what goes, and what is changed stands where it stood.
struct Telling {
    bool comes_first = false, in_place = true;
    bool by_operands = false;  // what has the same operation and operands is the same instruction, called otherwise
};

std::vector<Atom> thread_difference(int t, const std::vector<Instruction>& a, const std::vector<Instruction>& b, Telling telling) {
    const auto same = [&](const Instruction& x, const Instruction& y) {
        return x == y || (telling.by_operands && x.op == y.op && x.operands == y.operands && x.await == y.await);
    };
    std::vector<std::vector<size_t>> common(a.size() + 1, std::vector<size_t>(b.size() + 1));
    for (size_t i = a.size(); i-- > 0;)
        for (size_t j = b.size(); j-- > 0;)
            common[i][j] = same(a[i], b[j]) ? common[i + 1][j + 1] + 1 : std::max(common[i + 1][j], common[i][j + 1]);
    std::vector<Atom> goes, comes;
    for (size_t i = 0, j = 0; i < a.size() || j < b.size();) {
        if (i < a.size() && j < b.size() && same(a[i], b[j])) {
            if (!(a[i] == b[j])) comes.push_back({t, static_cast<int>(i), static_cast<int>(i), b[j], -1});
            ++i, ++j;
        } else if (i < a.size() &&
                   (j == b.size() || common[i + 1][j] > common[i][j + 1] || (!telling.comes_first && common[i + 1][j] == common[i][j + 1])))
            goes.push_back({t, static_cast<int>(i), -1, std::nullopt, -1}), ++i;
        else
            comes.push_back({t, -1, static_cast<int>(i), b[j], -1}), ++j;
    }
    // What goes and comes again has moved; what goes where another of its kind comes is changed. What only goes is kept, arrivals and
    // barriers apart: a repair by leaving out what a test observes is none.
    const auto join = [&](bool moved, const auto& alike) {
        for (Atom& c : comes) {
            if (c.leaves >= 0) continue;
            const auto found =
                std::find_if(goes.begin(), goes.end(), [&](const Atom& g) { return alike(a[static_cast<size_t>(g.leaves)], *c.comes); });
            if (found == goes.end()) continue;
            c.leaves = found->leaves;
            if (!moved && telling.in_place) c.at = c.leaves;
            goes.erase(found);
        }
    };
    const auto store = [](const Instruction& i) { return kind(i.op) == Traits::Kind::store; };
    join(true, [](const Instruction& x, const Instruction& y) { return x == y; });
    join(false, [](const Instruction& x, const Instruction& y) { return x.op == y.op && x.operands == y.operands; });
    const auto life = [](const Instruction& i) { return kind(i.op) == Traits::Kind::mbarrier_life; };  // an end is no other beginning
    join(false, [&](const Instruction& x, const Instruction& y) { return kind(x.op) == kind(y.op) && (!life(x) || x.op == y.op); });
    join(false, [&](const Instruction& x, const Instruction& y) { return store(x) && kind(y.op) == Traits::Kind::atomic; });
    for (const Atom& g : goes)
        if (counts(a[static_cast<size_t>(g.leaves)])) comes.push_back(g);
    return comes;
}

std::vector<Atom> difference(const Test& bug, const Test& mended, Telling telling = {}) {
    std::vector<Atom> atoms;
    for (size_t t = 0; t < bug.threads.size(); ++t)
        for (Atom& atom : thread_difference(static_cast<int>(t), bug.threads[t].body, mended.threads[t].body, telling))
            atoms.push_back(std::move(atom));
    for (size_t l = 0; l < mended.locations.size(); ++l) {
        const Location* was = find_location(bug, mended.locations[l].name);
        if (was != nullptr && was->is_mbarrier && was->arrivals != mended.locations[l].arrivals)
            atoms.push_back({-1, -1, -1, std::nullopt, static_cast<int>(l)});
    }
    return atoms;
}

Test with(const Test& bug, const Test& mended, const std::vector<Atom>& atoms, const std::vector<bool>& taken) {
    Test test = bug;
    for (const Location& location : mended.locations)
        if (find_location(bug, location.name) == nullptr) test.locations.push_back(location);
    for (size_t t = 0; t < bug.threads.size(); ++t) {
        std::vector<Instruction>& body = test.threads[t].body;
        body.clear();
        for (int i = 0; i <= static_cast<int>(bug.threads[t].body.size()); ++i) {
            bool stays = i < static_cast<int>(bug.threads[t].body.size());
            for (size_t k = 0; k < atoms.size(); ++k) {
                if (!taken[k] || atoms[k].thread != static_cast<int>(t)) continue;
                if (atoms[k].comes && atoms[k].at == i) body.push_back(*atoms[k].comes);
                stays = stays && atoms[k].leaves != i;
            }
            if (stays) body.push_back(bug.threads[t].body[static_cast<size_t>(i)]);
        }
    }
    for (size_t k = 0; k < atoms.size(); ++k)
        if (taken[k] && atoms[k].location >= 0) {
            const Location& now = mended.locations[static_cast<size_t>(atoms[k].location)];
            for (Location& location : test.locations)
                if (location.name == now.name) location = now;
        }
    return test;
}

bool repairs(const Test& test, const Goal& goal, const Model& model, Solver& solver) {
    try {
        const Test aimed = aiming(test, goal);
        Program program = build_program(aimed, {.unroll = 2, .blocked = true, .budget = Budget(20)});
        return try_program(program, goal, model, solver).result == Trial::Ending::repaired;
    } catch (const std::exception&) {  // taken apart, the test need not be well formed
        return false;
    }
}

}  // namespace

std::map<std::string, Test> tests_below(const std::string& folder) {
    std::map<std::string, Test> result;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
        if (entry.path().extension() != ".litmus") continue;
        Test test = parse_tests(read_source(entry.path().string())).front();
        // one whose threads share a text, or have it in quotes, as `litmus fmt` writes it: no patch changes the other
        if (first_reworded(test) != nullptr) test = parse_tests(make_source(entry.path().string(), print(test))).front();
        result.emplace(test.name, std::move(test));
    }
    return result;
}

std::map<std::string, std::string> known_reasons() {
    std::map<std::string, std::string> result;
    std::ifstream file(std::string(LITMUS_SOURCE_DIR) + "/tests/analysis/repair/known.txt");
    for (std::string line; std::getline(file, line);)
        if (const size_t bar = line.find(" | "); bar != std::string::npos && line[0] != '#')
            result[line.substr(0, bar)] = line.substr(bar + 3);
    return result;
}

namespace {

std::optional<Needed> needed_of(const Test& bug, const Test& mended, const std::vector<Atom>& atoms, const Goal& goal, const Model& model,
                                Solver& solver) {
    if (atoms.size() > most_steps) return std::nullopt;
    std::vector<uint32_t> masks;
    for (uint32_t mask = 1; mask < (1U << atoms.size()); ++mask) masks.push_back(mask);
    std::stable_sort(masks.begin(), masks.end(), [](uint32_t a, uint32_t b) { return __builtin_popcount(a) < __builtin_popcount(b); });
    for (const uint32_t mask : masks) {
        std::vector<bool> taken;
        for (size_t k = 0; k < atoms.size(); ++k) taken.push_back(((mask >> k) & 1U) != 0);
        if (!repairs(with(bug, mended, atoms, taken), goal, model, solver)) continue;
        Needed result{with(bug, mended, atoms, taken), {}, {}};
        for (size_t k = 0; k < atoms.size(); ++k) {
            if (!taken[k]) continue;
            Step& step = result.steps.emplace_back();
            step.thread = atoms[k].thread;
            const std::string whose = step.thread < 0 ? "" : bug.threads[static_cast<size_t>(step.thread)].name + " ";
            if (step.thread < 0) result.text += "  declare " + mended.locations[static_cast<size_t>(atoms[k].location)].name;
            if (atoms[k].leaves >= 0) {
                step.out.push_back(bug.threads[static_cast<size_t>(step.thread)].body[static_cast<size_t>(atoms[k].leaves)]);
                result.text += "  " + whose + "- " + print(step.out.front());
            }
            if (atoms[k].comes) {
                step.in.push_back(*atoms[k].comes);
                result.text += "  " + whose + "+ " + print(step.in.front());
            }
        }
        return result;
    }
    return std::nullopt;
}

}  // namespace

std::optional<Needed> needed(const Test& bug, const Test& mended, const Goal& goal, const Model& model, Solver& solver) {
    if (bug.threads.size() > mended.threads.size()) return std::nullopt;
    std::optional<Needed> least;
    for (const Telling telling :
         {Telling{false, true}, Telling{true, true}, Telling{false, false}, Telling{true, false}, Telling{false, true, true}}) {
        std::optional<Needed> found = needed_of(bug, mended, difference(bug, mended, telling), goal, model, solver);
        if (found && (!least || found->steps.size() < least->steps.size())) least = std::move(found);
    }
    return least;
}

namespace {

// Whether one instruction is the other, or a weaker one of the kind.
bool no_more(const Instruction& a, const Instruction& b) {
    using Kind = Traits::Kind;
    const Kind what = kind(a.op);
    if (what == Kind::fence || what == Kind::proxy_fence || what == Kind::tcgen_fence || what == Kind::mma_fence)
        return no_stronger(a, b) && a.operands == b.operands;
    if (what == Kind::tcgen_wait && a.mnemonic != b.mnemonic) return false;
    const auto alike = [](Op op) { return op == Op::mbarrier_test_wait ? Op::mbarrier_try_wait : op; };
    if (alike(a.op) != alike(b.op) || scope(a) > scope(b)) return false;
    // A wait that acquires costs no more than a relaxed one.
    if (kind(a.op) != Traits::Kind::mbarrier_wait && !no_stronger(semantics(a), semantics(b))) return false;
    if (kind(a.op) == Traits::Kind::store) return true;  // of a value: to whatever place
    if (a.op == Op::atom || a.op == Op::ld) {            // into whatever register
        return a.find(Role::address) != nullptr && a.at(Role::address) == b.at(Role::address) && a.await == b.await && a.expect == b.expect;
    }
    return a.operands == b.operands && a.await == b.await;
}

}  // namespace

bool takes(const Test& bug, const Test& repaired, const Test& mended, const Needed& known) {
    if (repaired.threads == known.test.threads && repaired.locations == known.test.locations) return true;
    std::vector<Atom> ours = difference(bug, repaired);
    const auto matched = [&](const Step& step) {
        const auto found = std::find_if(ours.begin(), ours.end(), [&](const Atom& atom) {
            if (atom.thread != step.thread) return false;
            if (step.thread < 0) return true;
            // What goes where something comes may as well stay.
            if (atom.comes.has_value() != !step.in.empty() || (atom.leaves >= 0 && step.out.empty())) return false;
            if (atom.leaves < 0 && step.in.empty()) return false;
            if (atom.leaves >= 0 &&
                !(bug.threads[static_cast<size_t>(atom.thread)].body[static_cast<size_t>(atom.leaves)] == step.out.front()))
                return false;
            return !atom.comes || no_more(*atom.comes, step.in.front());
        });
        if (found == ours.end()) return false;
        ours.erase(found);
        return true;
    };
    if (!std::all_of(known.steps.begin(), known.steps.end(), matched)) return false;
    // What else it does, the mended test does, too.
    const std::vector<Atom> theirs = difference(bug, mended);
    return std::all_of(ours.begin(), ours.end(), [&](const Atom& atom) {
        return std::any_of(theirs.begin(), theirs.end(), [&](const Atom& other) {
            return atom.thread == other.thread && atom.thread >= 0 && atom.comes && other.comes && no_more(*atom.comes, *other.comes);
        });
    });
}

}  // namespace repair_pairs
