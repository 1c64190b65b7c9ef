// Locations that many updates change: against counting arguments written here, and with counting on and off.
#include <doctest/doctest.h>

#include <filesystem>
#include <set>

#include "cat/readings.h"
#include "language/syntax/native/dsl.h"
#include "solve/chains.h"
#include "solve/solve.h"
#include "solve/specialise.h"
#include "turn.h"

using namespace litmus;

namespace {

const Model& ptx() {
    static const Model model = load_model("ptx", {}, Reading::Base::default_);
    return model;
}

Test test_of(const std::string& body) {
    return parse_dsl(make_source("t.litmus", "test \"t\"\n" + body));
}

// Which values the first observable has, over all outcomes.
std::set<uint64_t> first_values(const std::string& body, size_t counts_from = Solver::always) {
    const Test test = test_of(body);
    Program program = build_program(test, {.blocked = true});
    Solver solver(counts_from);
    SolveOptions options;
    options.max_outcomes = 100'000;
    const Answer answer = solver.solve(program, ptx(), options);
    REQUIRE(answer.complete);
    std::set<uint64_t> values;
    for (const Outcome& outcome : answer.outcomes) values.insert(outcome.values.at(0));
    return values;
}

bool is_possible(const std::string& body) {
    const Test test = test_of(body);
    Program program = build_program(test, {.blocked = true});
    Solver solver(Solver::always);
    return solver.solve(program, ptx(), {}).satisfiable == Truth::yes;
}

std::vector<Chain> chains(const std::string& body) {
    const Test test = test_of(body);
    Program program = build_program(test, {.blocked = true});
    const Model encoded = specialised(program, ptx());
    const ModelBounds bounds = compute_bounds(program, encoded);
    return find_chains(program, encoded, bounds.nodes, bounds.rf, bounds.co, bounds.in, 1);
}

// n threads, each in a CTA of its own, with `instruction`.
std::string threads(int n, const std::string& instruction) {
    std::string text;
    for (int i = 0; i < n; ++i) text += "thread P" + std::to_string(i) + " @ cta" + std::to_string(i) + " { " + instruction + " }\n";
    return text;
}

// Outcomes and flags with counting, and without.
void check_both(const Test& test, const Model& model) {
    CAPTURE(test.name);
    std::vector<std::vector<uint64_t>> outcomes[2];
    std::set<std::string> flags[2];
    for (const bool counting : {false, true}) {
        Program program = build_program(test, {.blocked = true});
        Solver solver(counting ? Solver::always : Solver::never);
        const Answer answer = solver.solve(program, model, {});
        CHECK(answer.complete);
        for (const Outcome& outcome : answer.outcomes) outcomes[counting].push_back(outcome.values);
        for (const Hazard& hazard : answer.hazards->found) flags[counting].insert(hazard.flag);
    }
    CHECK(outcomes[0] == outcomes[1]);
    CHECK(flags[0] == flags[1]);
}

const std::string x = ".global .u32 x = 0;\n";

std::set<uint64_t> up_to(uint64_t first, uint64_t last) {
    std::set<uint64_t> values;
    for (uint64_t v = first; v <= last; ++v) values.insert(v);
    return values;
}

}  // namespace

TEST_CASE("n additions of one end in n, and each draws a ticket of 0 to n - 1") {
    for (const int n : {2, 5, 12}) {
        CAPTURE(n);
        const std::string adds = x + threads(n, "red.relaxed.gpu.global.add.u32 [x], 1;");
        CHECK(first_values(adds + "exists (x == 0)") == std::set<uint64_t>{static_cast<uint64_t>(n)});
    }
    const std::string tickets = x + threads(6, "atom.relaxed.gpu.global.add.u32 r0, [x], 1;");
    CHECK(first_values(tickets + "exists (P3:r0 == 0)") == up_to(0, 5));
    CHECK(first_values(tickets + "exists (P3:r0 == 0 /\\ P4:r0 == 0)") == up_to(0, 5));
}

TEST_CASE("updates whose scopes do not include each other may be lost") {
    const std::string narrow = x + threads(5, "red.relaxed.cta.global.add.u32 [x], 1;");
    CHECK(chains(narrow).empty());
    CHECK(first_values(narrow + "exists (x == 0)") == up_to(1, 5));
    // of four in one CTA and one in another, all but one are a chain, and so none
    std::string mixed = x;
    for (int i = 0; i < 4; ++i) mixed += "thread P" + std::to_string(i) + " @ cta0 { red.relaxed.cta.global.add.u32 [x], 1; }\n";
    CHECK(chains(mixed).size() == 1);
    mixed += "thread P4 @ cta1 { red.relaxed.gpu.global.add.u32 [x], 1; }\n";
    CHECK(chains(mixed).empty());
    CHECK(first_values(mixed + "exists (x == 0)") == first_values(mixed + "exists (x == 0)", Solver::never));
}

TEST_CASE("two kinds that commute, and two that do not") {
    const std::string sums = x + threads(4, "red.relaxed.gpu.global.add.u32 [x], 1;") +
                             "thread Q0 @ cta4 { red.relaxed.gpu.global.add.u32 [x], 10; }\n"
                             "thread Q1 @ cta5 { atom.relaxed.gpu.global.add.u32 r0, [x], 10; }\n";
    const std::vector<Chain> found = chains(sums);
    REQUIRE(found.size() == 1);
    CHECK(found[0].kinds == std::vector<size_t>{4, 2});
    CHECK(first_values(sums + "exists (x == 0)") == std::set<uint64_t>{24});
    CHECK(first_values(sums + "exists (Q1:r0 == 0)") == std::set<uint64_t>{0, 1, 2, 3, 4, 10, 11, 12, 13, 14});
    // x -> max(x, 3) and x -> x + 1, three of each: the maximum comes first, second, third, last, or is never above
    const std::string order =
        x + threads(3, "red.relaxed.gpu.global.add.u32 [x], 1;") + "thread Q0 @ cta4 { red.relaxed.gpu.global.max.u32 [x], 3; }\n";
    CHECK(first_values(order + "exists (x == 0)") == up_to(3, 6));
}

TEST_CASE("a base that is stored later: updates before it are lost, those after it count from its value") {
    const std::string text =
        x + threads(3, "red.relaxed.gpu.global.add.u32 [x], 1;") + "thread Q @ cta4 { st.relaxed.gpu.global.u32 [x], 10; }\n";
    const std::vector<Chain> found = chains(text);
    REQUIRE(found.size() == 1);
    CHECK(found[0].bases.size() == 2);
    CHECK(first_values(text + "exists (x == 0)") == up_to(10, 13));
    // A release before the store is not passed on by an update after it.
    const std::string sync = x +
                             ".global .u32 d = 0;\n"
                             "thread P0 @ cta0 { st.weak.global.u32 [d], 1; atom.release.gpu.global.add.u32 r0, [x], 1; }\n"
                             "thread P1 @ cta1 { st.relaxed.gpu.global.u32 [x], 10; }\n"
                             "thread P2 @ cta2 { red.relaxed.gpu.global.add.u32 [x], 2; }\n"
                             "thread P3 @ cta3 { ld.acquire.gpu.global.u32 r0, [x]; ld.weak.global.u32 r1, [d]; }\n";
    CHECK(is_possible(sync + "exists (P0:r0 == 0 /\\ P3:r0 == 12 /\\ P3:r1 == 0)"));
    CHECK_FALSE(is_possible(sync + "exists (P0:r0 == 10 /\\ P3:r0 == 13 /\\ P3:r1 == 0)"));
    const std::string weak = x + threads(3, "red.relaxed.gpu.global.add.u32 [x], 1;") + "thread Q @ cta4 { st.weak.global.u32 [x], 10; }\n";
    CHECK(chains(weak).empty());
}

TEST_CASE("an update that may fail, or that depends on another value, makes no chain") {
    CHECK(chains(x + threads(4, "atom.relaxed.gpu.global.cas.b32 r0, [x], 0, 1;")).empty());
    CHECK(chains(x + ".global .u32 y = 0;\n" +
                 threads(4, "ld.relaxed.gpu.global.u32 r0, [y]; st.relaxed.gpu.global.u32 [y], 1; red.relaxed.gpu.global.add.u32 [x], r0;"))
              .empty());
}

TEST_CASE("a model without the constraint that a premise rests on has no chains") {
    const Test test = test_of(x + threads(4, "red.relaxed.gpu.global.add.u32 [x], 1;"));
    for (const char* premise : {"atomicity", "coherence-total", "sc-per-location"}) {
        CAPTURE(premise);
        Program program = build_program(test, {.blocked = true});
        const Model weaker = specialised(program, restricted(ptx(), [&](const Constraint& c) { return c.name != premise; }));
        const ModelBounds bounds = compute_bounds(program, weaker);
        CHECK(find_chains(program, weaker, bounds.nodes, bounds.rf, bounds.co, bounds.in, 1).empty());
    }
}

TEST_CASE("what waits say of the order of some updates leaves the chain a chain") {
    const std::vector<Chain> found = chains(R"(.shared.cta0 .mbarrier bar = 6;
        thread P0 @ cta0 {
          mbarrier.arrive.release.cta.shared::cta.b64 _, [bar], 1;
          mbarrier.arrive.release.cta.shared::cta.b64 _, [bar], 1;
        }
        thread P1 @ cta0 { mbarrier.arrive.release.cta.shared::cta.b64 _, [bar], 2; }
        thread P2 @ cta0 { mbarrier.arrive.release.cta.shared::cta.b64 _, [bar], 2; }
        thread P3 @ cta0 { await mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 [bar], 0; })");
    REQUIRE(found.size() == 1);
    CHECK(found[0].updates.size() == 4);
}

namespace {

using Table = std::vector<std::optional<uint64_t>>;

Table table_of(const std::string& body) {
    const Test test = test_of(body);
    Program program = build_program(test, {.blocked = true});
    const Model encoded = specialised(program, ptx());
    const ModelBounds bounds = compute_bounds(program, encoded);
    const std::vector<Chain> found = find_chains(program, encoded, bounds.nodes, bounds.rf, bounds.co, bounds.in, 1);
    REQUIRE(found.size() == 1);
    const auto table = values_by_count(program, found[0], found[0].bases[0]);
    REQUIRE(table);
    return *table;
}

}  // namespace

TEST_CASE("values by count: what an order changes has none") {
    // additions 0, 1, 2 without the maximum, then with it: 1; 1 or 2; 2 or 3
    CHECK(table_of(x + threads(2, "red.relaxed.gpu.global.add.u32 [x], 1;") +
                   "thread Q @ cta4 { red.relaxed.gpu.global.max.u32 [x], 1; }\n") == Table{0, 1, 2, 1, std::nullopt, std::nullopt});
    // nine additions and a store of 0 among them give more values than are kept; nothing may be concluded from the rest
    const Table many = table_of(x + threads(10, "red.relaxed.gpu.global.add.u32 [x], 1;") +
                                "thread Q @ cta11 { red.relaxed.gpu.global.and.b32 [x], 0; }\n");
    for (size_t additions = 1; additions <= 10; ++additions) CHECK(!many.at(11 + additions));
}

TEST_CASE("an mbarrier object initialised by an instruction is a chain with two bases") {
    std::string text = ".shared.cta0 .mbarrier bar;\nthread P0 @ cta0 { mbarrier.init.shared::cta.b64 [bar], 4; bar.sync 0; }\n";
    for (int i = 1; i < 5; ++i)
        text += "thread P" + std::to_string(i) + " @ cta0 { bar.sync 0; mbarrier.arrive.release.cta.shared::cta.b64 _, [bar]; }\n";
    text += "thread P5 @ cta0 { bar.sync 0; mbarrier.test_wait.parity.acquire.cta.shared::cta.b64 p, [bar], 0; selp.b32 r0, 1, 0, p; }\n";
    const std::vector<Chain> found = chains(text);
    REQUIRE(found.size() == 1);
    CHECK(found[0].bases.size() == 2);
    CHECK(first_values(text + "exists (P5:r0 == 1)") == std::set<uint64_t>{0, 1});
}

TEST_CASE("a release reaches whoever reads from an update after it, unless a store lies between") {
    const std::string head = x +
                             ".global .u32 d = 0;\n"
                             "thread P0 @ cta0 { st.weak.u32 [d], 1; atom.release.gpu.global.add.u32 r9, [x], 1; }\n";
    const std::string acquire = "thread P9 @ cta9 { ld.acquire.gpu.u32 r0, [x]; ld.weak.u32 r1, [d]; }\n";
    const std::string adds =
        "thread P1 @ cta1 { red.relaxed.gpu.global.add.u32 [x], 1; }\nthread P2 @ cta2 { red.relaxed.gpu.global.add.u32 [x], 1; }\n"
        "thread P3 @ cta3 { red.relaxed.gpu.global.add.u32 [x], 1; }\n";
    const std::string all_four = "exists (P9:r0 == 4 /\\ P9:r1 == 0)";
    CHECK_FALSE(is_possible(head + adds + acquire + all_four));
    CHECK(is_possible(head + adds + acquire + "exists (P9:r0 == 3 /\\ P9:r1 == 0)"));  // the three others
    // a store of 1 ends what the release published: P9 sees three updates of it
    const std::string store = "thread P4 @ cta4 { st.relaxed.gpu.global.u32 [x], 1; }\n";
    CHECK(is_possible(head + adds + acquire + store + all_four));
    // likewise where the reader is itself an update
    const std::string draws = "thread P9 @ cta9 { atom.acquire.gpu.global.add.u32 r0, [x], 1; ld.weak.u32 r1, [d]; }\n";
    CHECK_FALSE(is_possible(head + adds + draws + all_four));
    const std::string after_first = "exists (P0:r9 == 0 /\\ P9:r0 == 4 /\\ P9:r1 == 0)";  // only with the store in between
    CHECK_FALSE(is_possible(head + adds + draws + after_first));
    CHECK(is_possible(head + adds + draws + store + after_first));
    CHECK(is_possible(head + adds + acquire + store + after_first));
    // a reader whose scope does not include the updates' threads acquires nothing from them
    const std::string narrow = "thread P9 @ cta9 { ld.acquire.cta.u32 r0, [x]; ld.weak.u32 r1, [d]; }\n";
    CHECK(is_possible(head + adds + narrow + all_four));
}

TEST_CASE("of what updates read, bits that no order changes are constants; the others are not") {
    const std::string adds = threads(5, "red.relaxed.gpu.global.add.u32 [x], 4;");
    CHECK(first_values(".global .u32 x = 3;\n" + adds + "exists (x == 0)") == std::set<uint64_t>{23});
    // two bases that differ in bits which the updates keep
    const std::string store = "thread Q @ cta7 { st.relaxed.gpu.global.u32 [x], 32; }\n";
    CHECK(first_values(".global .u32 x = 3;\n" + adds + store + "exists (x == 0)") == std::set<uint64_t>{32, 36, 40, 44, 48, 52});
    // a base that stores what it has read, so that it has no table
    const std::string copy =
        ".global .u32 y = 0;\nthread R @ cta8 { st.relaxed.gpu.global.u32 [y], 256; }\n"
        "thread Q @ cta7 { ld.relaxed.gpu.global.u32 r0, [y]; st.relaxed.gpu.global.u32 [x], r0; }\n";
    CHECK(first_values(x + adds + copy + "exists (x == 0)") == first_values(x + adds + copy + "exists (x == 0)", Solver::never));
    CHECK(first_values(x + adds + copy + "exists (x == 0)").count(276) == 1);
    // an order that matters to one bit
    const std::string xors = adds + "thread Q @ cta7 { red.relaxed.gpu.global.xor.b32 [x], 8; }\n";
    CHECK(first_values(x + xors + "exists (x == 0)") == first_values(x + xors + "exists (x == 0)", Solver::never));
}

TEST_CASE("updates that a branch leaves out are in no order") {
    const std::string body =
        x + ".global .u32 y = 0;\n" + threads(4, "red.relaxed.gpu.global.add.u32 [x], 1;") +
        "thread P4 @ cta4 { ld.relaxed.gpu.u32 r0, [y]; setp.eq.u32 p, r0, 1; @p red.relaxed.gpu.global.add.u32 [x], 1; }\n"
        "thread P5 @ cta5 { ld.relaxed.gpu.u32 r0, [y]; setp.eq.u32 p, r0, 1; @p red.relaxed.gpu.global.add.u32 [x], 1; }\n"
        "thread P6 @ cta6 { st.relaxed.gpu.u32 [y], 1; }\n";
    CHECK(chains(body).size() == 1);
    CHECK(first_values(body + "exists (x == 0)") == up_to(4, 6));
}

TEST_CASE("tests of the library have the same outcomes and hazards with counting and without") {
    ModelFamily family("ptx", {});
    const Model& links = family.under(resolve_readings(family.by_default(), "default,-mbarrier-endpoints"));  // where every link counts
    const Turn turn;
    size_t compared = 0, number = 0;
    for (const char* folder : {"async/red-atom", "async/arrivals", "async/phases", "classic/control", "classic/values"}) {
        const std::filesystem::path path = std::filesystem::path(LITMUS_SOURCE_DIR) / "litmus" / folder;
        const std::set<std::filesystem::path> files(std::filesystem::directory_iterator(path), {});
        for (const auto& file : files) {
            if (!turn.has(number++)) continue;
            const Test test = parse_dsl(read_source(file.string()));
            for (const Model* model : {&ptx(), &links}) {
                check_both(test, *model);
                ++compared;
            }
        }
    }
    CHECK(compared > turn.share(200));
}
