// Each spelling is a change of the text, read again like any other test.
#include "analysis/compiled/workarounds.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>
#include <tuple>

#include "analysis/edits/text.h"
#include "analysis/verdict/verdict.h"
#include "event/program.h"
#include "language/syntax/native/print.h"
#include "language/syntax/read.h"
#include "ptx/traits.h"

namespace litmus::compiled {

namespace {

// A change of the text that may help.
struct Spelling {
    Place place;
    std::string what;
    litmus::Change change;
};

bool is_access(const Instruction& i) {
    return i.op == Op::ld || i.op == Op::ld_nc || i.op == Op::st;
}

// "ld.relaxed.cta.global.u32" of a weak load.
std::string with_strength(const Instruction& access, const std::string& strength) {
    std::string text = access.mnemonic + "." + strength;
    constexpr std::array<std::string_view, 9> old = {"weak", "relaxed", "volatile", "mmio", "nc", "cta", "cluster", "gpu", "sys"};
    for (const std::string& qualifier : access.qualifiers)
        if (std::find(old.begin(), old.end(), qualifier) == old.end()) text += "." + qualifier;
    return text;
}

bool is_try(const Instruction& i) {
    return traits(i.op).kind == Traits::Kind::mbarrier_wait && !i.await;
}

bool acquires(const Instruction& i) {
    const Sem sem = semantics(i);
    return sem == Sem::acquire || sem == Sem::acq_rel || sem == Sem::sc || traits(i.op).waits;
}

class Spellings {
public:
    explicit Spellings(const Test& test) : test_(test) {}

    void add(const Change& change) {
        strengths(change.thread, change.instruction);
        if (change.other) strengths(change.thread, *change.other);
        const std::vector<Instruction>& body = test_.threads[change.thread].body;
        put_before(change.thread, change.instruction, "fence.acq_rel.cta");
        if (change.other && acquires(body[*change.other]) && scope(body[*change.other]) > Scope::cta)
            put_before(change.thread, change.instruction, "fence.acq_rel." + std::string(name(scope(body[*change.other]))));
        const size_t first = std::min(change.instruction, change.other.value_or(0));
        const size_t last = std::max(change.instruction, change.other.value_or(0));
        for (size_t i = first; i <= last; ++i) {
            if (is_try(body[i])) tries(change.thread, i);
            if (body[i].op == Op::ld && acquires(body[i]) && !body[i].await) spin_on_load(change.thread, i);
            if (body[i].has("read") && traits(body[i].op).kind == Traits::Kind::bulk_wait) wait_for_all(change.thread, i);
        }
    }

    const std::vector<Spelling>& all() const { return all_; }

private:
    void strengths(size_t thread, size_t instruction) {
        const Instruction& access = body(thread)[instruction];
        if (!is_access(access) || acquires(access) || semantics(access) == Sem::release) return;
        std::vector<std::string> words = {"relaxed.cta", "volatile"};
        if (semantics(access) == Sem::relaxed) words = {"relaxed.sys", "volatile"};
        for (const std::string& word : words) {
            const std::string dotted = with_strength(access, word);
            if (dotted != spelling(access))
                make_it(thread, instruction, dotted + operands(access), respelling(test_, place(thread, instruction), dotted));
        }
    }

    void tries(size_t thread, size_t instruction) {
        const Instruction& wait = body(thread)[instruction];
        const Operand* result = wait.find(Role::result);
        if (result == nullptr || result->kind != Operand::Kind::reg) return;
        Instruction spinning = wait;
        spinning.await = true;
        spinning.labels.clear();
        spinning.guard.reset();
        std::erase_if(spinning.operands, [](const Operand& operand) { return operand.role == Role::result; });
        make_it(thread, instruction, print(spinning), replacement(test_, place(thread, instruction), print(spinning)));
        if (instruction + 1 < body(thread).size()) put_before(thread, instruction + 1, "@!" + result->name + " exit");
    }

    // Where a branch or an exit asks for one value of it.
    void spin_on_load(size_t thread, size_t instruction) {
        const Instruction& load = body(thread)[instruction];
        if (instruction + 2 >= body(thread).size()) return;
        const Instruction& asked = body(thread)[instruction + 1];
        const Instruction& leaves = body(thread)[instruction + 2];
        if (asked.op != Op::setp || asked.operands.size() != 3 || !leaves.guard || (leaves.op != Op::exit && leaves.op != Op::bra)) return;
        const Operand &left = asked.operands[1], &right = asked.operands[2];
        const bool same = load.at(Role::result).name == left.name && right.kind == Operand::Kind::immediate;
        const bool leaves_where_other = leaves.guard->negated ? asked.has("eq") : asked.has("ne");
        if (!same || !leaves_where_other || asked.operands[0].name != leaves.guard->reg) return;
        Instruction plain = load;
        plain.labels.clear();
        plain.guard.reset();
        const std::string text = "await " + print(plain) + " == " + std::to_string(right.value);
        make_it(thread, instruction, text, replacement(test_, place(thread, instruction), text));
    }

    void wait_for_all(size_t thread, size_t instruction) {
        const std::string dotted = spelling(body(thread)[instruction]);
        const std::string without = dotted.substr(0, dotted.rfind(".read"));
        make_it(thread, instruction, without + operands(body(thread)[instruction]), respelling(test_, place(thread, instruction), without));
    }

    void put_before(size_t thread, size_t instruction, const std::string& text) {
        add(thread, instruction, "put `" + text + "` before it", insertion(test_, place(thread, instruction), text));
    }

    void make_it(size_t thread, size_t instruction, const std::string& text, const litmus::Change& change) {
        add(thread, instruction, "make it `" + text + "`", change);
    }

    void add(size_t thread, size_t instruction, const std::string& what, const litmus::Change& change) {
        if (known_.emplace(thread, instruction, what).second) all_.push_back({place(thread, instruction), what, change});
    }

    const std::vector<Instruction>& body(size_t thread) const { return test_.threads[thread].body; }

    static Place place(size_t thread, size_t instruction) { return {static_cast<int>(thread), static_cast<int>(instruction)}; }

    // " r2, [x]"
    static std::string operands(Instruction instruction) {
        instruction.labels.clear();
        instruction.guard.reset();
        const std::string text = print(instruction);
        const size_t blank = text.find(' ');
        return blank == std::string::npos ? std::string() : text.substr(blank);
    }

    const Test& test_;
    std::vector<Spelling> all_;
    std::set<std::tuple<size_t, size_t, std::string>> known_;
};

// The setting whose code is counted: of the highest level, else the first.
const std::pair<Setting, Cost>* counted(const std::vector<std::pair<Setting, Cost>>& costs) {
    const auto most =
        std::max_element(costs.begin(), costs.end(), [](const auto& a, const auto& b) { return a.first.level < b.first.level; });
    return most == costs.end() ? nullptr : &*most;
}

class Trials {
public:
    Trials(const Report& report, const Settings& settings, ModelFamily& family, const std::vector<std::string>& readings, Solver& solver,
           int unroll, const Budget& budget)
        : report_(report),
          settings_(settings),
          family_(family),
          model_(family.under(readings)),
          solver_(solver),
          unroll_(unroll),
          budget_(budget) {}

    Workarounds run() {
        const Test& test = report_.test;
        if (const auto* most = counted(report_.costs)) result_.measured = most->first;
        Spellings spellings(test);
        for (const Finding& finding : report_.findings)
            if (finding.ruling.fate == Fate::forbidden)
                for (const Change& change : finding.compiled.changes) spellings.add(change);
        try {
            const Verdict before = verdict_of(test);
            for (const Spelling& spelling : spellings.all()) attempt(spelling, before);
        } catch (const OverBudget&) {
            result_.complete = false;
        }
        std::stable_sort(result_.found.begin(), result_.found.end(), [](const Workaround& a, const Workaround& b) {
            const auto price = [](const Workaround& w) { return std::tuple(w.extra.barriers, w.extra.loads, w.extra.instructions); };
            return price(a) < price(b);
        });
        return std::move(result_);
    }

private:
    void attempt(const Spelling& spelling, Verdict before) {
        ++result_.tried;
        const std::string text = applied(report_.test.source->text, {spelling.change});
        try {
            const Test test = parse_tests(make_source(report_.file, text)).at(0);
            const std::optional<Fate> fate = fate_of(test);
            if (!fate) return;
            const Verdict after = verdict_of(test);
            if (after != before && after != Verdict::ok) return;
            Workaround found{static_cast<size_t>(spelling.place.thread),
                             static_cast<size_t>(spelling.place.instruction),
                             spelling.what,
                             text,
                             *fate,
                             {}};
            found.extra = extra_;
            result_.found.push_back(std::move(found));
        } catch (const Failure&) {  // it is no test: a form that does not exist, a register that the claim names is gone
        }
    }

    // Nothing where something is forbidden, or not known.
    std::optional<Fate> fate_of(const Test& test) {
        const AllMade all = make_all(test, settings_);
        if (all.made.empty() || all.refused.size() > report_.refused.size()) return std::nullopt;
        extra_ = extra_of(all);
        Fate worst = Fate::kept;
        std::optional<Judge> judge;
        for (const Made& made : all.made) {
            if (made.compiled.changes.empty() && made.compiled.unknown.empty()) continue;
            if (!judge) judge.emplace(test, family_, solver_, unroll_, budget_);
            const Fate fate = judge->rule_on(made.compiled).fate;
            if (fate == Fate::unknown) result_.complete = false;
            if (fate == Fate::unknown || fate == Fate::forbidden) return std::nullopt;
            worst = std::max(worst, fate);
        }
        return worst;
    }

    Extra extra_of(const AllMade& all) const {
        Extra extra;
        const auto minus = [](size_t a, size_t b) { return static_cast<long>(a) - static_cast<long>(b); };
        for (const auto& [setting, after] : all.costs)
            for (const auto& [same, before] : report_.costs)
                if (setting == same && setting == result_.measured)
                    extra = {minus(after.instructions, before.instructions), minus(after.loads, before.loads),
                             minus(after.barriers, before.barriers)};
        return extra;
    }

    Verdict verdict_of(const Test& test) {
        Program program = build_program(test, {.unroll = unroll_, .blocked = true, .budget = budget_});
        SolveOptions options;
        options.want_outcomes = false;
        const Answer answer = solver_.solve(program, model_, options);
        if (answer.timed_out) throw OverBudget(OverBudget::What::time);
        return litmus::judge(test, answer).verdict;
    }

    const Report& report_;
    const Settings& settings_;
    ModelFamily& family_;
    const Model& model_;
    Solver& solver_;
    const int unroll_;
    const Budget budget_;
    Workarounds result_;
    Extra extra_;
};

std::string counted(long number, const std::string& thing) {
    const long size = std::abs(number);
    return std::to_string(size) + " " + thing + (number < 0 ? " less" : " more");
}

}  // namespace

Workarounds workarounds(const Report& report, const Settings& settings, ModelFamily& family, const std::vector<std::string>& readings,
                        Solver& solver, int unroll, const Budget& budget) {
    require_own_text(report.test);
    return Trials(report, settings, family, readings, solver, unroll, budget).run();
}

std::string in_words(const Extra& extra) {
    std::string text;
    const auto add = [&](long number, const std::string& thing) {
        if (number != 0) text += (text.empty() ? "" : ", ") + counted(number, thing);
    };
    add(extra.instructions, std::abs(extra.instructions) == 1 ? "instruction" : "instructions");
    add(extra.loads, std::abs(extra.loads) == 1 ? "load" : "loads");
    add(extra.barriers, "MEMBAR or CCTL");
    return text.empty() ? "nothing more" : text;
}

}  // namespace litmus::compiled
