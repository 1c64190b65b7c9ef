// Branches are found by the order of the code.
#include "analysis/sweep/advice_places.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "kernel/live.h"
#include "kernel/program.h"

namespace litmus {

namespace {

using kernel::Statement;
using Where = PtxEdit::Where;

constexpr const char* of_call = " (called at ";

// The same statement in each call that its function was inlined at: the one of that call with as many of its line and spelling before it.
std::vector<const Statement*> copies(const kernel::Module& module, const Statement& statement) {
    const kernel::Origin line = without_calls(module, statement.origin);
    if (line.empty()) return {&statement};
    const auto [function, own] = in_code(module, &statement);
    const auto is_alike = [&](const Statement& other) { return other.origin == statement.origin && other.words == statement.words; };
    const auto number = std::count_if(function->code.begin(), function->code.begin() + static_cast<ptrdiff_t>(own), is_alike);
    std::vector<const Statement*> result;
    for (const kernel::Function& one : module.functions) {
        std::map<kernel::Origin, ptrdiff_t> before;
        for (const Statement& other : one.code)
            if (other.words == statement.words && without_calls(module, other.origin) == line && before[other.origin]++ == number)
                result.push_back(&other);
    }
    return result;
}

// The two branches of a condition, in the order of the code.
struct Branches {
    const Statement *fork, *leaves;  // before the first one, and its last statement, which passes the second one by
    const Statement *begin, *last;   // of the second one
};

// Whether a line is changed at several calls.
bool is_at_calls(const kernel::Module& module, const std::vector<PtxEdit>& edits) {
    std::map<kernel::Origin, std::set<kernel::Origin>> calls;
    for (const PtxEdit& edit : edits) calls[without_calls(module, edit.at->origin)].insert(edit.at->origin);
    return std::any_of(calls.begin(), calls.end(), [](const auto& line) { return line.second.size() > 1; });
}

}  // namespace

std::string advised_line(const kernel::Module& module, const sweep::Place& place) {
    if (place.statement == nullptr) return "the kernel's end";
    const kernel::Origin& origin = place.statement->origin;
    const std::string line = kernel::text_of(module, kernel::shown_line(module, origin));
    if (line.empty()) return "`" + kernel::dotted(place.statement->words) + "`";
    const std::string outer = kernel::text_of(module, origin.back());
    return line + (outer.empty() || outer == line ? "" : of_call + outer + ")");
}

InCode in_code(const kernel::Module& module, const Statement* statement) {
    const auto found = std::find_if(module.functions.begin(), module.functions.end(), [&](const kernel::Function& function) {
        return !function.code.empty() && !std::less<>()(statement, &function.code.front()) &&
               !std::less<>()(&function.code.back(), statement);
    });
    return found == module.functions.end() ? InCode{} : InCode{&*found, static_cast<size_t>(statement - found->code.data())};
}

bool leads_by(const kernel::Module& module, const Statement* earlier, const Statement* later) {
    const auto [function, by] = in_code(module, earlier);
    const auto [other, to] = in_code(module, later);
    if (function == nullptr || function != other) return false;
    std::set<size_t> seen = {by};
    std::vector<size_t> open = {0};
    while (!open.empty()) {
        const size_t at = open.back();
        open.pop_back();
        if (at >= function->code.size() || !seen.insert(at).second) continue;
        if (at == to) return false;
        const std::vector<size_t> next = kernel::successors(*function, at);
        open.insert(open.end(), next.begin(), next.end());
    }
    return true;
}

Detour around(const kernel::Module& module, const Statement* statement) {
    constexpr size_t most = 3;
    Detour result;
    const auto [function, own] = in_code(module, statement);
    std::set<size_t> joins;
    for (size_t i = own; i-- > 0;)
        for (const size_t to : kernel::successors(*function, i)) {
            if (to <= own || to == function->code.size()) continue;
            joins.insert(to);
            if (result.forks.size() < most) result.forks.push_back(&function->code[i]);
        }
    for (const size_t join : joins)
        if (result.joins.size() < most) result.joins.push_back(&function->code[join]);
    return result;
}

std::string spelled(const kernel::Module& module, const Statement& statement) {
    const std::string text = module.source->text.substr(statement.span.begin, statement.span.end - statement.span.begin);
    return statement.guard < 0 ? text : text.substr(text.find(statement.words[0], text.find_first_of(" \t")));
}

const Statement* end_of_loop(const kernel::Module& module, const Statement* wait) {
    constexpr size_t most = 8;  // statements of such a loop
    const auto [function, own] = in_code(module, wait);
    for (size_t i = own; i < function->code.size() && i < own + most; ++i)
        for (const size_t to : kernel::successors(*function, i))
            if (to <= own) return &function->code[i];
    return nullptr;
}

std::vector<const Statement*> statements_with(const kernel::Module& module, const std::vector<std::string>& words) {
    std::vector<const Statement*> result;
    for (const kernel::Function& function : module.functions)
        for (const Statement& statement : function.code)
            if (std::all_of(words.begin(), words.end(), [&](const std::string& word) {
                    return std::find(statement.words.begin(), statement.words.end(), word) != statement.words.end();
                }))
                result.push_back(&statement);
    return result;
}

std::vector<const Statement*> alike(const kernel::Module& module, const Statement& statement, bool in_all_calls) {
    std::vector<const Statement*> result;
    for (const kernel::Function& function : module.functions)
        for (const Statement& other : function.code) {
            const bool same_line =
                !statement.origin.empty() && (in_all_calls ? without_calls(module, other.origin) == without_calls(module, statement.origin)
                                                           : other.origin == statement.origin);
            if (&other == &statement || (same_line && other.words == statement.words)) result.push_back(&other);
        }
    return result;
}

kernel::Origin without_calls(const kernel::Module& module, const kernel::Origin& origin) {
    const auto shown = std::find(origin.begin(), origin.end(), kernel::shown_line(module, origin));
    return {origin.begin(), shown == origin.end() ? shown : shown + 1};
}

std::optional<Remedy> in_every_call(const kernel::Module& module, const Remedy& remedy) {
    Remedy result = remedy;
    result.edits.clear();
    for (PtxEdit edit : remedy.edits)
        for (const Statement* one : copies(module, *edit.at)) {
            edit.at = one;
            result.edits.push_back(edit);
        }
    if (result.edits.size() == remedy.edits.size()) return std::nullopt;
    leave_out_calls(module, result);
    return result;
}

std::vector<PtxEdit> moved(const kernel::Module& module, const Statement& statement, const Statement& to, Where where) {
    std::vector<const Statement*> all = copies(module, statement), there = copies(module, to);
    if (all.size() != there.size()) {
        all = {&statement};
        there = {&to};
    }
    std::vector<PtxEdit> edits;
    for (size_t i = 0; i < all.size(); ++i) {
        edits.push_back({all[i], Where::instead, false, ""});
        edits.push_back({there[i], where, false, spelled(module, *all[i])});
    }
    return edits;
}

void leave_out_calls(const kernel::Module& module, Remedy& remedy) {
    std::string& text = remedy.change;
    if (!is_at_calls(module, remedy.edits)) return;
    for (size_t at = text.find(of_call); at != std::string::npos; at = text.find(of_call, at)) text.erase(at, text.find(')', at) + 1 - at);
}

std::string with_argument(const kernel::Module& module, const Statement& statement, size_t argument, const std::string& text) {
    const auto [begin, end] = statement.arguments.at(argument).span;
    const std::string& all = module.source->text;
    return all.substr(statement.span.begin, begin - statement.span.begin) + text + all.substr(end, statement.span.end - end);
}

std::vector<Remedy> meetings(const kernel::Module& module, const sweep::Place& first, const sweep::Place& second, const std::string& name,
                             const std::string& ptx, const WhyThere& why) {
    const std::string of_all = ", where all threads come by";
    std::vector<Remedy> result;
    const auto add = [&](const Statement* statement, const sweep::Place& place, Where where, bool in_all_copies) {
        const std::string change = name + (where == Where::before ? " before " : " behind ") + advised_line(module, place);
        result.push_back({change + (in_all_copies ? "" : of_all),
                          {{statement, in_all_copies ? where : Where::before, in_all_copies, ptx}},
                          why ? why(place.statement, where) : ""});
    };
    const auto at = [&](const sweep::Place& place, Where where) { add(place.statement, place, where, true); };
    const auto beside = [&](const std::vector<const Statement*>& statements, const sweep::Place& place, Where where) {
        for (const Statement* statement : statements) add(statement, place, where, false);
    };
    const Detour to_first = around(module, first.statement), to_second = around(module, second.statement);
    at(second, Where::before);
    at(first, Where::behind);
    beside(to_second.forks, second, Where::before);
    beside(to_first.joins, first, Where::behind);
    if (first.statement == second.statement) return result;
    at(first, Where::before);
    at(second, Where::behind);
    beside(to_first.forks, first, Where::before);
    beside(to_second.joins, second, Where::behind);
    return result;
}

std::vector<Remedy> meetings_in_branches(const kernel::Module& module, const sweep::Place& first, const sweep::Place& second) {
    const InCode one = in_code(module, first.statement), other = in_code(module, second.statement);
    if (one.function == nullptr || one.function != other.function) return {};
    const std::vector<Statement>& code = one.function->code;
    const size_t low = std::min(one.number, other.number), high = std::max(one.number, other.number);
    const kernel::Line a = kernel::shown_line(module, first.statement->origin), b = kernel::shown_line(module, second.statement->origin);
    const auto is_of_line = [&](const Statement& statement, const kernel::Line& line) {
        const kernel::Line own = kernel::shown_line(module, statement.origin);
        return line.line > 0 && own.file == line.file && own.line == line.line;
    };
    // the line of one of them goes on where the branches meet, so that it is in neither of them in CUDA
    const auto goes_on = [&](size_t meet) {
        return std::any_of(code.begin() + static_cast<ptrdiff_t>(meet), code.end(),
                           [&](const Statement& behind) { return is_of_line(behind, a) || is_of_line(behind, b); });
    };
    // a fork before both, from which a branch leads to between the two, where the other branch has been left by then
    const auto sides = [&](size_t fork) -> std::optional<Branches> {
        for (const size_t to : kernel::successors(*one.function, fork)) {
            if (code[fork].words[0] != "bra" || to <= low || to > high || code[to - 1].words[0] != "bra") continue;
            const std::vector<size_t> joins = kernel::successors(*one.function, to - 1);
            if (joins.size() == 1 && joins.front() > high && goes_on(joins.front()))
                return Branches{&code[fork], &code[to - 1], &code[to], &code[joins.front() - 1]};
        }
        return std::nullopt;
    };
    std::optional<Branches> branches;
    for (size_t fork = low; fork-- > 0 && !branches;) branches = sides(fork);
    if (!branches) return {};
    const std::string ptx = "barrier.sync 0;";
    const auto begin_of = [&](bool is_low) {
        return is_low ? PtxEdit{branches->fork, Where::behind, false, ptx} : PtxEdit{branches->begin, Where::before, false, ptx};
    };
    const auto end_of = [&](bool is_low) {
        return is_low ? PtxEdit{branches->leaves, Where::before, false, ptx} : PtxEdit{branches->last, Where::behind, false, ptx};
    };
    std::vector<Remedy> result;
    const auto between = [&](const sweep::Place& earlier, const sweep::Place& later) {
        const bool is_low = earlier.statement == &code[low];
        result.push_back({meeting::of_block + " between " + advised_line(module, earlier) + " and " + advised_line(module, later) +
                              ", outside of the branch, where all threads come by",
                          {end_of(is_low), begin_of(!is_low)}});
    };
    // the line that stands first is done first, as far as lines tell
    if (a.file != b.file || a.line <= b.line) between(first, second);
    if (a.file != b.file || a.line >= b.line) between(second, first);
    return result;
}

bool splits_line(const kernel::Module& module, const std::vector<const Statement*>& accesses, const PtxEdit& edit) {
    const kernel::Line line = kernel::shown_line(module, edit.at->origin);
    if (line.line == 0 || edit.where == Where::instead || !edit.alike) return false;
    const auto first_copy = [&](const Statement* statement) { return in_code(module, alike(module, *statement, true).front()); };
    const InCode here = first_copy(edit.at);
    return std::any_of(accesses.begin(), accesses.end(), [&](const Statement* access) {
        const kernel::Line own = kernel::shown_line(module, access->origin);
        const InCode there = first_copy(access);
        if (own.file != line.file || own.line != line.line || there.function != here.function) return false;
        return edit.where == Where::before ? there.number < here.number : here.number < there.number;
    });
}

std::vector<Remedy> moved_barriers(const SweptModule& kernel) {
    std::vector<const Statement*> passed = kernel.swept.uneven;
    for (const sweep::Finding& finding : kernel.swept.findings) {
        if (finding.kind != sweep::Kind::stuck || finding.places.empty() || finding.places.front().statement == nullptr) continue;
        const Statement* const waits = finding.places.front().statement;
        if (waits->words[0] == "bar" || waits->words[0] == "barrier") passed.push_back(waits);
    }
    std::vector<Remedy> result;
    for (const Statement* barrier : passed) {
        const Detour detour = around(kernel.module, barrier);
        const auto move = [&](const Statement* to, const std::string& word) {
            result.push_back({"the barrier at " + advised_line(kernel.module, {{}, barrier}) + word + ", where all threads come by",
                              moved(kernel.module, *barrier, *to, Where::before),
                              "a barrier is for all threads of its block, and some pass this one by",
                              "async/deadlock/barrier-split.litmus"});
        };
        for (const Statement* join : detour.joins) move(join, " further down");
        for (const Statement* fork : detour.forks) move(fork, " further up");
    }
    return result;
}

std::vector<Remedy> smaller_counts(const kernel::Module& module, const Statement& barrier) {
    constexpr uint64_t warp = 32, most = 4;
    std::vector<Remedy> result;
    if (barrier.arguments.size() != 2) return result;
    const uint64_t counted = barrier.arguments[1].bits;  // 0 of a register
    for (uint64_t fewer = 1; fewer <= most && fewer * warp < counted; ++fewer) {
        const std::string count = std::to_string(counted - fewer * warp);
        std::vector<PtxEdit> edits;
        for (const Statement* one : alike(module, barrier))
            edits.push_back({one, Where::instead, false, with_argument(module, *one, 1, count)});
        result.push_back(
            {"a count of " + count + " threads in place of " + std::to_string(counted) + " at " + advised_line(module, {{}, &barrier}),
             std::move(edits), "a barrier waits for as many threads as it counts, and fewer come", "async/deadlock/barrier-split.litmus"});
    }
    return result;
}

std::vector<Remedy> without_branches(const SweptModule& kernel, const Statement* statement) {
    std::vector<Remedy> result;
    for (const Statement* fork : around(kernel.module, statement).forks) {
        if (fork->words[0] != "bra") continue;
        result.push_back(
            {advised_line(kernel.module, {{}, statement}) + " without the condition at " + advised_line(kernel.module, {{}, fork}),
             {{fork, Where::instead, false, ""}},
             "it waits for all lanes that its mask names, and some go another way",
             "classic/barriers/bar-warp-sync-outside-mask.litmus"});
    }
    return result;
}

std::vector<const kernel::Statement*> exits(const kernel::Module& module) {
    std::vector<const kernel::Statement*> result;
    for (const kernel::Function& function : module.functions)
        for (const kernel::Statement& statement : function.code)
            if (statement.words[0] == "exit" || (statement.words[0] == "ret" && function.entry)) result.push_back(&statement);
    return result;
}

}  // namespace litmus
