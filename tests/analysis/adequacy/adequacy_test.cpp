// Which parts of a model a test needs.
#include "analysis/adequacy/adequacy.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>

#include "analysis/small_tests.h"
#include "analysis/verdict/signs.h"
#include "turn.h"

namespace litmus {
namespace {

// By the name of the part.
using Needs = std::map<std::string, Need>;

Needs asked(const Test& test, const ModelParts& parts, const std::set<std::string>& only = {}, double timeout = 0, int unroll = 2) {
    Program program = build_program(test, {.unroll = unroll, .blocked = true});
    Solver solver(Solver::usually, faster);
    const auto wanted = [&](size_t p) { return only.empty() || only.count(parts.parts[p].part.id) > 0; };
    const auto needed = needs(
        test, program, parts, solver, [=] { return Budget(timeout); }, wanted);
    Needs result;
    for (size_t p = 0; p < needed.size(); ++p) result[parts.parts[p].part.id] = needed[p];
    return result;
}

Needs asked(const Test& test, const std::string& model, double timeout = 0) {
    return asked(test, model_parts(ModelFamily(model, {})), {}, timeout);
}

// The same in the plain way: each part is deleted from the text, and the two models solved.
Needs asked_plainly(const Test& test, const ModelFamily& family, const ModelParts& parts, const std::set<std::string>& only = {}) {
    Program program = build_program(test, {.blocked = true});
    Solver solver(Solver::usually, faster);
    const auto need_of = [&](const Model& whole, const Model& without) {
        const Answer a = solver.solve(program, whole, {}), b = solver.solve(program, without, {});
        if (!knows_all(a) || !knows_all(b)) return Need::undecided;
        if (judge(test, a).verdict != judge(test, b).verdict) return Need::verdict;
        bool same = a.outcomes.size() == b.outcomes.size();
        for (const Outcome& outcome : a.outcomes) same = same && has_outcome(b, outcome.values);
        std::set<Sign> signs, others;
        for (const auto& [sign, hazard] : signs_of(program, a)) signs.insert(sign);
        for (const auto& [sign, hazard] : signs_of(program, b)) others.insert(sign);
        return same && signs == others ? Need::no : Need::answer;
    };
    Needs result;
    for (const PartUnder& p : parts.parts) {
        Need& need = result[p.part.id] = Need::no;
        if (!only.empty() && only.count(p.part.id) == 0) continue;
        const Model open = p.under.empty() ? Model() : without(family.open(), p.part);
        for (const size_t s : p.under) {
            if (need == Need::no) need = need_of(under(family.open(), parts.settings[s]), under(open, parts.settings[s]));
        }
    }
    return result;
}

// A model of our own.
class Folder {
public:
    explicit Folder(const std::string& text)
        : path_(std::filesystem::temp_directory_path() / ("adequacy-" + std::to_string(getpid()) + ".cat")) {
        std::ofstream(path_) << "\"mine\"\n" << text;
        family_.emplace(path_.string(), std::vector<std::string>{});
        std::filesystem::remove(path_);
    }
    const ModelFamily& family() const { return *family_; }

private:
    std::filesystem::path path_;
    std::optional<ModelFamily> family_;
};

// What the test needs of such a model; the plain way says the same.
Needs asked_of(const std::string& model, const Test& test) {
    const Folder folder(model);
    const ModelParts parts = model_parts(folder.family());
    const Needs needed = asked(test, parts);
    CHECK(needed == asked_plainly(test, folder.family(), parts));
    return needed;
}

TEST_CASE("the parts of sc that forbid store buffering") {
    std::map<std::string, Need> needed = asked(parsed(store_buffering), "sc");
    CHECK(needed["sequential-consistency: axiom"] == Need::verdict);  // the claim is that it can happen
    CHECK(needed["sequential-consistency: alternative po"] == Need::verdict);
    CHECK(needed["sequential-consistency: alternative fr"] == Need::verdict);
    CHECK(needed["sequential-consistency: alternative rf"] == Need::no);
    CHECK(needed["atomicity: axiom"] == Need::no);  // no atomics here
    CHECK(needed["barrier: alternative waits"] == Need::no);
}

TEST_CASE("a part that changes an answer and no verdict") {
    const Test lost = parsed(R"(test "lost update"
.global .u32 x = 0;
thread P0 @ cta0 { atom.add.relaxed.gpu.global.u32 r0, [x], 1; }
thread P1 @ cta1 { atom.add.relaxed.gpu.global.u32 r0, [x], 1; }
exists (P0:r0 == 1)
)");
    CHECK(asked(lost, "sc")["atomicity: axiom"] == Need::no);  // the claim shows P0:r0 alone
    const Test both = parsed(R"(test "lost update, both seen"
.global .u32 x = 0;
thread P0 @ cta0 { atom.add.relaxed.gpu.global.u32 r0, [x], 1; }
thread P1 @ cta1 { atom.add.relaxed.gpu.global.u32 r0, [x], 1; }
exists (P0:r0 == 1 \/ P1:r0 == 1)
)");
    CHECK(asked(both, "sc")["atomicity: axiom"] == Need::answer);
}

TEST_CASE("a reading that is off by default is looked for where it is on") {
    const Test test = library_test("async/proxy-war/war-mbarrier-added-only.litmus");
    const ModelParts parts = model_parts(ModelFamily("ptx", {}));
    for (const PartUnder& p : parts.parts) {
        if (p.part.id == "comes-from: alternative rf") CHECK(p.under.empty());
        if (p.part.id == "war-mbarrier: reading") CHECK(parts.settings[p.under.front()].back() == "war-mbarrier");
    }
    Needs needed = asked(test, parts, {"war-mbarrier: reading", "war-performed: reading", "comes-from: alternative rf"});
    CHECK(needed["war-mbarrier: reading"] == Need::verdict);
    CHECK(needed["war-performed: reading"] == Need::no);
    CHECK(needed["comes-from: alternative rf"] == Need::no);  // ptx does not use the definition
}

TEST_CASE("what nobody wants to know is not asked, and what is not decided is not called unneeded") {
    for (const auto& [part, need] : asked(parsed(store_buffering), model_parts(ModelFamily("sc", {})), {"no part"}))
        CHECK(need == Need::no);
    CHECK(asked(parsed(store_buffering), "sc", 1e-9)["sequential-consistency: axiom"] == Need::undecided);
}

// Ends where its first read finds what its thread has written, and otherwise not before it is cut.
const Test endless = parsed(R"(test "endless"
.global .u32 x = 0;
thread P0 @ cta0 {
  mov.u32 r1, 0;
  st.relaxed.gpu.global.u32 [x], 1;
L: ld.relaxed.gpu.global.u32 r0, [x];
  sub.u32 r0, 1, r0;
  add.u32 r1, r1, r1;
  add.u32 r1, r1, r0;
  setp.ne.u32 p, r1, 0;
  @p bra L;
}
forall (P0:r1 == 0)
)");

TEST_CASE("what a change adds is told: an outcome, a race, a flag, an execution that the filter leaves out, a cut") {
    const std::string coherent = "acyclic (po & loc) | rf | co | fr as c\n";
    CHECK(asked_of(coherent, parsed(message))["c: alternative fr"] == Need::no);
    const Test twice = parsed(R"(test "twice"
.global .u32 x = 0;
thread P0 @ cta0 { st.relaxed.gpu.global.u32 [x], 1; }
thread P1 @ cta1 { ld.relaxed.gpu.global.u32 r0, [x]; ld.relaxed.gpu.global.u32 r1, [x]; }
exists (P1:r0 == 1 /\ P1:r1 == 0)
)");
    CHECK(asked_of(coherent, twice)["c: alternative fr"] == Need::verdict);
    CHECK(asked_of(coherent + "flag ~empty ((W * M) & loc & ext) \\ (IW * _) \\ (_ * _) as data-race",
                   twice)["data-race: exception _ * _"] == Need::answer);
    CHECK(asked_of(coherent + "flag ~empty rf & (W * W) as some", twice)["some: conjunct W * W"] == Need::answer);
    CHECK(asked_of(coherent + "flag ~empty rf & (W * W) as undefined-some", twice)["undefined-some: conjunct W * W"] == Need::verdict);
    const Test never = parsed(R"(test "never"
.global .u32 x = 0;
thread P0 @ cta0 {
  st.relaxed.gpu.global.u32 [x], 1;
L: ld.relaxed.gpu.global.u32 r0, [x];
  setp.ne.u32 p, r0, 0;
  @p bra L;
}
filter (P0:r0 == 1)
exists (P0:r0 == 0)
)");
    CHECK(asked_of(coherent, never)["c: axiom"] == Need::verdict);      // it is a deadlock no more
    CHECK(asked_of(coherent, endless)["c: axiom"] == Need::undecided);  // it may go round and round
}

TEST_CASE("what a change takes away is told: an outcome, a race, a flag, the only execution that ends") {
    const Test test = parsed(message);
    const std::string coherent = "acyclic (po & loc) | rf | co | fr as c\n";
    CHECK(asked_of(coherent, test)["c: conjunct loc"] == Need::answer);
    CHECK(asked_of(coherent, parsed(store_buffering))["c: conjunct loc"] == Need::verdict);
    CHECK(asked_of(coherent + "flag ~empty (W * R) & loc & ext as data-race", test)["data-race: flag"] == Need::answer);
    CHECK(asked_of(coherent + "flag ~empty rf & ext as some", test)["some: flag"] == Need::answer);
    const Test filtered = parsed(R"(test "filtered"
.global .u32 x = 0;
thread P0 @ cta0 { ld.relaxed.gpu.global.u32 r0, [x]; }
thread P1 @ cta1 { st.relaxed.gpu.global.u32 [x], 1; }
filter (P0:r0 == 2)
exists (P0:r0 == 0)
)");
    CHECK(asked_of("empty rf & (R * R) as a", filtered)["a: conjunct R * R"] == Need::verdict);  // then none ends
}

TEST_CASE("where not even the whole answer is known, no part is called unneeded whose graph is another one") {
    const Folder folder("empty (rf & (R * _)) & int as a\nempty iss & po as b");
    const Needs needed = asked(endless, model_parts(folder.family()));
    CHECK(needed.at("a: conjunct int") == Need::undecided);
    CHECK(needed.at("a: axiom") == Need::undecided);
    CHECK(needed.at("b: conjunct po") == Need::no);  // there is nothing asynchronous
    CHECK(needed.at("b: axiom") == Need::no);
}

TEST_CASE("a part that takes part under some readings only is asked about, though the whole is the same without them") {
    const std::string model = "reading \"r\" strongest \"meaning\"\nempty ((if \"r\" then co else 0) & iss) | (rf & (W * W)) as a\n";
    CHECK(asked_of(model, parsed(message))["a: conjunct iss"] == Need::verdict);
    CHECK(asked_of(model, parsed(message))["a: conjunct W * W"] == Need::verdict);
}

TEST_CASE("what may take and add is asked both ways") {
    const Test test = parsed(store_buffering);
    asked_of("irreflexive (rf | fr); ext; (po | co) as a\nflag ~empty (rf; po) \\ (fr; po) as f", test);
    asked_of("let rec x = (po & (W * R)) | (x; (fr | rf))\nirreflexive x; po as a\nacyclic (po & loc) | rf | co | fr as c", test);
    asked_of("let f(r) = r; po\nempty (f(fr) & f(fr^-1)) \\ f(co?) as a\nacyclic ((f(rf) | f(fr))+ & ext) as b", test);
}

// Every second part of ptx takes minutes for all.
TEST_CASE("the plain way says the same of the library") {
    const Turn turn(12);
    const auto compare = [&](const std::string& model, const std::vector<std::string>& tests) {
        const ModelFamily family(model, {});
        const ModelParts parts = model_parts(family);
        std::set<std::string> some;
        for (size_t p = 0; p < parts.parts.size(); ++p)
            if (model != "ptx" || turn.has(p)) some.insert(parts.parts[p].part.id);
        for (const std::string& path : tests) {
            INFO(model << ": " << path);
            const Test test = library_test(path);
            CHECK(asked(test, parts, some) == asked_plainly(test, family, parts, some));
        }
    };
    const std::vector<std::string> classic{"classic/mp/mp-fence-acq-rel.litmus", "classic/lb/lb-spin-label.litmus",
                                           "classic/barriers/bar-red-loop-rounds.litmus"};
    compare("sc", classic);
    compare("ptx-6.0", {classic.front(), classic[1]});
    compare("ptx", {classic.front(), "async/proxy-war/war-mbarrier-added-only.litmus", "lessons/07-mbarriers.litmus"});
}

}  // namespace
}  // namespace litmus
