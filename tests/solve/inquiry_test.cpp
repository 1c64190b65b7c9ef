// Questions asked of one encoding with open readings, against the solver asked anew under each set of readings.
#include "solve/inquiry.h"

#include <doctest/doctest.h>

#include <filesystem>

#include "analysis/small_tests.h"
#include "cat/fold.h"
#include "solve/specialise.h"
#include "turn.h"

using namespace litmus;

namespace {

using Names = std::vector<std::string>;

BySight<Truth> asked_anew(Program& program, const Model& model, Solver& solver) {
    const Answer answer = solver.solve(program, model, {});
    BySight<Truth> truths;
    truths[Sight::satisfies] = answer.satisfiable;
    truths[Sight::violates] = answer.violable;
    truths[Sight::terminates] = answer.nonempty;
    truths[Sight::cut] = answer.bound_hit ? Truth::yes : Truth::no;
    truths[Sight::races] = raises(*answer.hazards, race_flag) ? Truth::yes : Truth::no;
    truths[Sight::undefined] = answer.hazards->undefined;
    truths[Sight::stuck] = answer.hazards->blocked;
    return truths;
}

// The weakest and the strongest set of readings, and those that differ from one of them by one reading.
std::vector<Names> near_the_ends(const std::set<std::string>& readings) {
    std::vector<Names> sets{{}, {readings.begin(), readings.end()}};
    for (const std::string& one : readings) {
        sets.push_back({one});
        Names others;
        for (const std::string& other : readings)
            if (other != one) others.push_back(other);
        sets.push_back(others);
    }
    return sets;
}

// Returns how many answers were "no" under one set of readings and "yes" under another.
size_t compare(const Test& test, const Model& open_model) {
    Program program = build_program(test, {.blocked = true});
    const Model open = specialised(program, open_model);
    BySight<bool> all;
    for (const Sight s : all_sights) all[s] = true;
    Solver inquiring, asking;
    FixedBases bases(program);
    Inquiry inquiry(program, bases, open, all, inquiring);
    BySight<std::set<Truth>> seen;
    for (const Names& on : near_the_ends(open_variants(open))) {
        const Model model = with_variants(open_model, on);
        std::string named;
        for (const std::string& reading : on) named += reading + " ";
        const BySight<Truth> expected = asked_anew(program, model, asking);
        for (const Sight s : all_sights) {
            CAPTURE(test.name);
            CAPTURE(static_cast<int>(s));
            CAPTURE(named);
            const Inquiry::Sighting found = inquiry.ask(s, {on.begin(), on.end()}, model);
            CHECK(found.truth == expected[s]);
            CHECK(found.witness.has_value() == (found.truth == Truth::yes && s != Sight::cut));
            seen[s].insert(found.truth);
        }
    }
    size_t differing = 0;
    for (const Sight s : all_sights) differing += seen[s].size() > 1;
    return differing;
}

}  // namespace

TEST_CASE("an inquiry answers as the solver does under each set of readings") {
    const Model ptx = load_open_model("ptx");
    const Turn turn(6);
    size_t differing = 0, number = 0;
    for (const char* folder : {"async/proxy-war", "async/sync-restrict"}) {
        const std::filesystem::path path = std::filesystem::path(LITMUS_SOURCE_DIR) / "litmus" / folder;
        std::set<std::string> names;
        for (const auto& file : std::filesystem::directory_iterator(path))
            if (file.path().extension() == ".litmus") names.insert(file.path().filename().string());
        for (const std::string& name : names)
            if (turn.has(number++)) differing += compare(library_test(std::string(folder) + "/" + name), ptx);
    }
    CHECK(differing > turn.share(20));
}

TEST_CASE("readings may act on sets, on flags, and on what a constraint is about") {
    const Model model = parse_open_model(make_source("m.cat", R"(
let fr = rf^-1; co
empty (if "no-initial" then rf & (IW * R) else rf & ext) as initial
irreflexive (if "loops" then (po | rf | co | fr)+ else 0) as loops
let first = if "writes" then W else R
flag ~empty ([first]; po; [R]) as undefined-order
flag ~empty (if "races" then rf & ext else co & ext) as data-race
)"));
    size_t differing = compare(parsed(message), model) + compare(parsed(store_buffering), model);
    CHECK(differing >= 4);
}
