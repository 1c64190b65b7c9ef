// Trials are text, read like any test.
#include "analysis/compiled/campaign.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "analysis/compiled/partner.h"
#include "gpu/emit/moved.h"
#include "language/syntax/native/print.h"
#include "language/syntax/read.h"
#include "ptx/traits.h"

namespace litmus::compiled {

namespace {

Test test_of(const std::vector<std::string>& lines, const std::vector<std::string>& partner = {}) {
    return parse_tests(make_source("trial", test_text("trial", lines, partner))).at(0);
}

// ---- trials ----------------------------------------------------------------------------------------

// The accesses of triples; both spaces, and every order that orders nothing by itself.
constexpr std::array<std::string_view, 7> accesses = {
    "ld.weak{space}.u32 {r}, [{a}];",
    "ld.relaxed.gpu{space}.u32 {r}, [{a}];",
    "ld.volatile{space}.u32 {r}, [{a}];",
    "st.weak{space}.u32 [{a}], {v};",
    "st.relaxed.gpu{space}.u32 [{a}], {v};",
    "st.volatile{space}.u32 [{a}], {v};",
    "atom.relaxed.gpu{space}.add.u32 {r}, [{a}], {v};",
};

struct Ends {
    std::string_view first_space, first, second_space, second;  // of the two accesses
};
constexpr std::array<Ends, 8> ends = {{
    {".global", "x", ".global", "x"},
    {".global", "x", ".global", "x+4"},
    {".global", "x+4", ".global", "x"},
    {".global", "x", ".shared::cta", "s"},
    {".shared::cta", "s", ".shared::cta", "s"},
    {".shared::cta", "s", ".shared::cta", "s+4"},
    {".shared::cta", "s+4", ".shared::cta", "s"},
    {".shared::cta", "s", ".global", "x"},
}};

std::string replaced(std::string text, std::string_view what, std::string_view by) {
    for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) text.replace(at, what.size(), by);
    return text;
}

std::string access_line(std::string_view access, std::string_view space, std::string_view address, size_t number) {
    return filled(replaced(replaced(std::string(access), "{space}", space), "{a}", address), number, "", "");
}

void add(Trial& trial, const Operation& operation, size_t number, const std::string& global, const std::string& shared) {
    for (const std::string& line : operation.prelude) trial.lines.push_back(filled(line, number, global, shared));
    trial.lines.push_back(filled(operation.text, number, global, shared));
    trial.sm = std::max(trial.sm, operation.sm);
}

// splitmix64.
class Random {
public:
    explicit Random(uint64_t seed) : state_(seed) {}
    size_t below(size_t n) { return static_cast<size_t>(next() % n); }
    bool chance(size_t percent) { return below(100) < percent; }

private:
    uint64_t next() {
        state_ += 0x9e3779b97f4a7c15U;
        uint64_t z = state_;
        z = (z ^ z >> 30U) * 0xbf58476d1ce4e5b9U;
        z = (z ^ z >> 27U) * 0x94d049bb133111ebU;
        return z ^ z >> 31U;
    }
    uint64_t state_;
};

// Some waits spin, some results decide whether the thread goes on.
void add_control(Trial& trial, size_t number, Random& random) {
    std::string& line = trial.lines.back();
    const std::string own = std::to_string(number);
    const size_t wait = line.find(" p" + own + ", [bar]");
    if (wait != std::string::npos && random.chance(40)) {
        line = "await " + line.substr(0, wait) + line.substr(wait + 2 + own.size() + 1);
    } else if (wait != std::string::npos && random.chance(40)) {
        trial.lines.push_back("@!p" + own + " exit;");
    } else if (line.rfind("ld.", 0) == 0 && random.chance(20)) {
        trial.lines.push_back("setp.ne.u32 p" + own + ", r" + own + ", 1;");
        trial.lines.push_back("@p" + own + " exit;");
    }
}

// ---- what changed ----------------------------------------------------------------------------------

std::string kind_of(const Instruction& instruction) {
    return (instruction.await ? "await " : "") + gpu::kind_of(instruction);
}

const Operand* address_of(const Instruction& i) {
    for (const Operand& operand : i.operands)
        if (operand.kind == Operand::Kind::address && operand.role != Role::mbarrier) return &operand;
    return nullptr;
}

// "same", "neighbour", "other"; of what names no memory "".
std::string relation(const Instruction& a, const Instruction& b) {
    const Operand* one = address_of(a);
    const Operand* other = address_of(b);
    if (one == nullptr || other == nullptr) return "";
    if (one->name != other->name) return "other";
    return one->offset == other->offset ? "same" : "neighbour";
}

bool orders(const Instruction& i) {
    using Kind = Traits::Kind;
    const Kind which = kind(i.op);
    if (which == Kind::arithmetic || which == Kind::branch || which == Kind::exit) return false;
    const Sem sem = semantics(i);
    return !(which == Kind::load || which == Kind::store || which == Kind::atomic) || sem == Sem::acquire || sem == Sem::release ||
           sem == Sem::acq_rel;
}

template <class Kind>
std::string sort_with(const Test& test, const Change& change, const Kind& kind) {
    const std::vector<Instruction>& body = test.threads[change.thread].body;
    const Instruction& own = body[change.instruction];
    std::string sort = std::string(name(change.kind)) + ": " + kind(own);
    if (!change.other) return sort;
    const std::string where = relation(own, body[*change.other]);
    sort += ", " + kind(body[*change.other]) + (where.empty() ? "" : ", " + where);
    std::set<std::string> between;
    for (size_t i = std::min(change.instruction, *change.other) + 1; i < std::max(change.instruction, *change.other); ++i)
        if (orders(body[i])) between.insert(kind(body[i]));
    for (const std::string& word : between) sort += ", past " + word;
    return sort;
}

// "ld weak global", "atom acquire shared", "mbarrier.try_wait acquire": what matters to the model.
std::string coarse(const Instruction& i) {
    const Traits::Kind which = kind(i.op);
    std::string text = (i.await ? "await " : "") + i.mnemonic;
    if (i.has("read")) text += ".read";
    if (i.has("volatile"))
        text += " volatile";
    else if (traits(i.op).scoped || which == Traits::Kind::fence)
        text += " " + std::string(litmus::name(semantics(i)));
    if (which != Traits::Kind::load && which != Traits::Kind::store && which != Traits::Kind::atomic) return text;
    const bool shared =
        std::any_of(i.qualifiers.begin(), i.qualifiers.end(), [](const std::string& q) { return q.rfind("shared", 0) == 0; });
    return text + (shared ? " shared" : i.has("global") ? " global" : " generic");
}

}  // namespace

size_t triples(const std::vector<Operation>& operations) {
    return operations.size() * accesses.size() * accesses.size() * ends.size();
}

Trial triple(const std::vector<Operation>& operations, size_t number) {
    Trial trial;
    trial.is_triple = true;
    trial.middle = number % operations.size();
    number /= operations.size();
    const std::string_view first = accesses.at(number % accesses.size());
    number /= accesses.size();
    const std::string_view second = accesses.at(number % accesses.size());
    const Ends& where = ends.at(number / accesses.size());
    trial.lines.push_back(access_line(first, where.first_space, where.first, 0));
    add(trial, operations[trial.middle], 1, "y", "t");
    trial.lines.push_back(access_line(second, where.second_space, where.second, 2));
    return trial;
}

namespace {

// An asynchronous operation, what commits its group, and what waits for that.
struct Group {
    const Operation *operation = nullptr, *commit = nullptr, *wait = nullptr;
};

std::vector<Group> groups_of(const std::vector<Operation>& operations) {
    using Kind = Traits::Kind;
    std::vector<Group> groups;
    for (const Operation& operation : operations) {
        if (!operation.grouped) continue;
        const bool copies = operation.traits == Kind::copy;
        for (const Operation& commit : operations)
            for (const Operation& wait : operations)
                if (commit.traits == (copies ? Kind::copy_commit : Kind::bulk_commit) &&
                    wait.traits == (copies ? Kind::copy_wait : Kind::bulk_wait))
                    groups.push_back({&operation, &commit, &wait});
    }
    return groups;
}

}  // namespace

size_t waits(const std::vector<Operation>& operations) {
    return groups_of(operations).size() * operations.size();
}

Trial wait(const std::vector<Operation>& operations, size_t number) {
    const std::vector<Group> groups = groups_of(operations);
    const Group& group = groups[number / operations.size() % groups.size()];
    Trial trial;
    add(trial, *group.operation, 0, "x", "s");
    add(trial, *group.commit, 1, "x", "s");
    add(trial, *group.wait, 2, "x", "s");
    add(trial, operations[number % operations.size()], 3, "x", "s");
    return trial;
}

Trial random_trial(const std::vector<Operation>& operations, uint64_t seed, uint64_t number) {
    Random random(seed * 0x2545f4914f6cdd1dU + number);
    constexpr std::array<const char*, 5> globals = {"x", "x", "x+4", "y", "y+4"}, shareds = {"s", "s", "s+4", "t", "t+4"};
    Trial trial;
    const size_t count = 3 + random.below(6);
    for (size_t n = 0; n < count; ++n) {
        const bool access = random.chance(55);
        const bool shared = random.chance(50);
        if (access) {
            trial.lines.push_back(access_line(accesses.at(random.below(accesses.size())), shared ? ".shared::cta" : ".global",
                                              shared ? shareds.at(random.below(5)) : globals.at(random.below(5)), n));
        } else {
            const Operation& operation = operations[random.below(operations.size())];
            const bool wide = !operation.is_access;  // copies and the like take whole arrays
            add(trial, operation, n, wide ? (random.chance(50) ? "x" : "y") : globals.at(random.below(5)),
                wide ? (random.chance(50) ? "s" : "t") : shareds.at(random.below(5)));
        }
        add_control(trial, n, random);
    }
    return trial;
}

std::string sort_of(const Test& test, const Change& change) {
    return sort_with(test, change, kind_of);
}

std::string class_of(const Test& test, const std::vector<Change>& changes) {
    std::set<std::string> sorts;
    for (const Change& change : changes) {
        // whatever the access is that does not wait
        const size_t access = change.kind == Change::Kind::unwaited || change.kind == Change::Kind::stale ? change.instruction : ~size_t{0};
        const Instruction* unwaiting = access == ~size_t{0} ? nullptr : &test.threads[change.thread].body[access];
        sorts.insert(sort_with(test, change, [&](const Instruction& i) { return &i == unwaiting ? i.mnemonic : coarse(i); }));
    }
    std::string text;
    for (const std::string& sort : sorts) text += (text.empty() ? "" : "; ") + sort;
    return text;
}

void count(const Trial& trial, const std::vector<Change>& changes, Passage& passage) {
    const size_t last = trial.lines.size() - 1, middle = last - 1;
    ++passage.triples;
    const auto any = [&](const auto& is_so) { return std::any_of(changes.begin(), changes.end(), is_so) ? uint64_t{1} : uint64_t{0}; };
    using Kind = Change::Kind;
    passage.dropped += any([&](const Change& c) { return c.kind == Kind::dropped; });
    passage.merged += any([&](const Change& c) { return c.kind == Kind::merged; });
    passage.later += any([&](const Change& c) { return c.kind == Kind::moved && c.instruction == last && c.other == middle; });
    passage.earlier += any([&](const Change& c) { return c.kind == Kind::moved && c.instruction == middle; });
    passage.unwaited += any([&](const Change& c) { return c.kind == Kind::unwaited || c.kind == Kind::stale; });
}

// ---- runs ------------------------------------------------------------------------------------------

namespace {

// Those that the assembler takes together; it names none, so halves are tried.
void run(const std::vector<Test>& tests, const std::vector<Trial>& trials, const std::vector<size_t>& which, const Setting& setting,
         const sass::Assembler& assembler, gpu::Body body, Batch& batch) {
    if (which.empty()) return;
    std::vector<gpu::BareThread> threads;
    for (const size_t k : which) threads.push_back({&tests[k], 0, body});
    std::string cubin;
    gpu::BareModule module;
    try {
        module = gpu::emit_bare(threads, setting.target);
        cubin = sass::assemble(assembler, module.ptx, setting.target, setting.level);
    } catch (const std::runtime_error&) {
        if (which.size() == 1) {
            ++batch.refused;
            return;
        }
        const auto half = which.begin() + static_cast<std::ptrdiff_t>(which.size() / 2);
        run(tests, trials, {which.begin(), half}, setting, assembler, body, batch);
        run(tests, trials, {half, which.end()}, setting, assembler, body, batch);
        return;
    }
    const sass::Cubin read = sass::read_cubin(cubin);
    for (size_t n = 0; n < which.size(); ++n) {
        const Test& test = tests[which[n]];
        const Trial& trial = trials[which[n]];
        ThreadCode code = read_thread(test, 0, module.entries[n].lines, read, sass::function_named(read, module.entries[n].name));
        ++batch.assembled;
        if (!code.order.strays.empty()) ++batch.strays;
        if (!code.is_kept())
            batch.changed.push_back({trial, setting, changes_of(test, code), std::move(code)});
        else if (trial.is_triple)
            batch.kept_triples.push_back(trial);
    }
}

// Each change is of a kind that some of the others are of: a reload that is gone must not become an acquire that is not waited for.
bool of_same_kinds(const std::vector<Change>& changes, const std::vector<Change>& others) {
    return std::all_of(changes.begin(), changes.end(), [&](const Change& change) {
        return std::any_of(others.begin(), others.end(), [&](const Change& other) { return other.kind == change.kind; });
    });
}

}  // namespace

Batch assemble(const std::vector<Trial>& trials, const sass::Assembler& assembler, int level, const std::string& target, gpu::Body body) {
    Batch batch;
    std::vector<Test> tests(trials.size());
    std::vector<size_t> which;
    for (size_t k = 0; k < trials.size(); ++k) {
        try {
            tests[k] = test_of(trials[k].lines);
            gpu::emit_bare({{&tests[k], 0, body}}, target);  // what cannot be emitted throws here
            which.push_back(k);
        } catch (const Failure&) {
            ++batch.refused;
        }
    }
    run(tests, trials, which, {assembler.name, level, target, std::string(name(body))}, assembler, body, batch);
    return batch;
}

Judged judge(const Changed& changed, ModelFamily& family, Solver& solver, double seconds) {
    const Test alone = test_of(changed.trial.lines);
    std::set<std::vector<std::string>> tried;
    std::optional<Judged> worst;
    for (const Change& change : changed.changes)
        for (const std::vector<std::string>& partner : partners(alone, change)) {
            if (!tried.insert(partner).second) continue;
            Judged judged;
            try {
                judged.test = test_of(changed.trial.lines, partner);
                Judge judge(judged.test, family, solver, 2, Budget(seconds, 0));
                const CompiledTest compiled = compiled_test(judged.test, {changed.code});
                judged.ruling = judge.rule_on(compiled);
                judged.race_free = judge.race_free();
                judged.readings = judge.readings();
                judged.changes = compiled.changes;
            } catch (const Failure& failure) {
                judged.ruling.reason = failure.diagnostics().front().message;
            } catch (const OverBudget& over) {
                judged.ruling.reason = over.what();
            }
            if (judged.ruling.fate == Fate::forbidden) return judged;
            if (!worst || judged.ruling.fate > worst->ruling.fate) worst = std::move(judged);
        }
    return worst ? *worst : Judged{};
}

std::optional<std::pair<Changed, Judged>> reduced(const Changed& changed, const sass::Assembler& assembler, ModelFamily& family,
                                                  Solver& solver, double seconds) {
    const auto body =
        std::find_if(std::begin(gpu::bodies), std::end(gpu::bodies), [&](gpu::Body b) { return gpu::name(b) == changed.setting.body; });
    const auto forbidden = [&](const std::vector<std::string>& lines) -> std::optional<std::pair<Changed, Judged>> {
        Trial trial = changed.trial;
        trial.lines = lines;
        const Batch batch = assemble({trial}, assembler, changed.setting.level, changed.setting.target, *body);
        if (batch.changed.empty()) return std::nullopt;
        Judged judged = judge(batch.changed.front(), family, solver, seconds);
        if (judged.ruling.fate != Fate::forbidden || !of_same_kinds(batch.changed.front().changes, changed.changes)) return std::nullopt;
        return std::make_pair(batch.changed.front(), std::move(judged));
    };
    std::optional<std::pair<Changed, Judged>> best = forbidden(changed.trial.lines);
    for (bool again = best.has_value(); again;) {
        again = false;
        for (size_t n = best->first.trial.lines.size(); n-- > 0;) {
            std::vector<std::string> fewer = best->first.trial.lines;
            fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(n));
            if (fewer.empty()) continue;
            if (auto smaller = forbidden(fewer)) {
                best = std::move(smaller);
                again = true;
            }
        }
    }
    return best;
}

}  // namespace litmus::compiled
