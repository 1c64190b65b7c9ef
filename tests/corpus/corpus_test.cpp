// The public corpus: its verdicts, under its models and ours.
//
// The data stay outside the project: LITMUS_CORPUS names the corpus, else ../shared/corpus is tried.
// Without it a case reports itself as skipped, or fails when LITMUS_REQUIRE names "corpus".
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "analysis/verdict/support.h"
#include "language/syntax/read.h"
#include "solve/solve.h"

using namespace litmus;
namespace fs = std::filesystem;

namespace {

// ---- where the data are --------------------------------------------------------------------------

bool required(const std::string& what) {
    const char* list = std::getenv("LITMUS_REQUIRE");
    return list != nullptr && ("," + std::string(list) + ",").find("," + what + ",") != std::string::npos;
}

// The folder when it is there; otherwise says that `what` is skipped, or fails where it is required.
std::optional<fs::path> folder_or_skip(const fs::path& folder, const std::string& what) {
    if (fs::is_directory(folder)) return folder;
    const std::string message = "skipped: no " + what + " at " + folder.string();
    if (required(what)) FAIL(message);
    MESSAGE(message);
    return std::nullopt;
}

std::optional<fs::path> corpus() {
    const char* named = std::getenv("LITMUS_CORPUS");
    return folder_or_skip(named != nullptr ? fs::path(named) : fs::path(LITMUS_SOURCE_DIR) / "../shared/corpus", "corpus");
}

std::vector<std::string> lines_of(const fs::path& file) {
    std::ifstream in(file);
    REQUIRE_MESSAGE(in.good(), file.string());
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> parts;
    std::istringstream in(text);
    for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
    return parts;
}

// ---- verdicts ------------------------------------------------------------------------------------

enum class Holds { no, yes, undecided };

// Whether the test's own claim holds over terminating executions.
Holds claim_holds(Solver& solver, const Test& test, const Model& model) {
    Program program = build_program(test, {});
    require_support(program, model);
    SolveOptions options;
    options.want_outcomes = false;
    options.want_hazards = false;
    const Answer answer = solver.solve(program, model, options);
    const bool universal = test.claim.kind == Claim::Kind::forall;
    const Answer::Truth asked = universal ? answer.violable : answer.satisfiable;
    if (asked == Answer::Truth::unknown) return Holds::undecided;
    const bool found = asked == Answer::Truth::yes;
    return found == (test.claim.kind == Claim::Kind::exists) ? Holds::yes : Holds::no;
}

Test only_test(const fs::path& file) {
    std::vector<Test> tests = parse_tests(read_source(file.string()));
    REQUIRE(tests.size() == 1);
    return std::move(tests[0]);
}

// One line of expected.csv.
struct Expected {
    std::string model;  // "ptx-v6.0"
    std::string test;   // path in the corpus
    bool holds = false;
};

std::vector<Expected> expectations(const fs::path& corpus) {
    std::vector<Expected> result;
    const std::vector<std::string> lines = lines_of(corpus / "expected.csv");
    REQUIRE(lines.at(0) == "model,test,holds");
    for (size_t i = 1; i < lines.size(); ++i) {
        const std::vector<std::string> parts = split(lines[i], ',');
        REQUIRE_MESSAGE(parts.size() == 3, lines[i]);
        result.push_back({parts[0], parts[1], parts[2] == "1"});
    }
    return result;
}

// Where our model answers otherwise than theirs, and why the ISA asks for it.
struct Difference {
    std::string model;  // ours
    std::string test;
    bool ours = false;
    std::string why;
};

const std::vector<Difference>& known_differences() {
    static const std::vector<Difference> all = {};
    return all;
}

const Difference* known_difference(const std::string& model, const std::string& test) {
    const auto& all = known_differences();
    const auto it = std::find_if(all.begin(), all.end(), [&](const Difference& d) { return d.model == model && d.test == test; });
    return it == all.end() ? nullptr : &*it;
}

// Every line of expected.csv for which `applies`, under one of our models.
void compare_with_ours(const fs::path& corpus, const std::string& ours, const std::string& theirs) {
    Solver solver;
    const Model model = load_model(ours, {});
    size_t compared = 0;
    for (const Expected& line : expectations(corpus)) {
        if (line.model != theirs) continue;
        INFO(line.test, " under ", ours);
        const Holds holds = claim_holds(solver, only_test(corpus / line.test), model);
        ++compared;
        const Difference* known = known_difference(ours, line.test);
        CHECK(holds == ((known ? known->ours : line.holds) ? Holds::yes : Holds::no));
        if (known) {
            CHECK_MESSAGE(known->ours != line.holds, "no difference any more");
            MESSAGE(line.test, " under ", ours, ": theirs ", line.holds, ", ours ", known->ours, ": ", known->why);
        }
    }
    CHECK(compared > 0);
}

}  // namespace

TEST_CASE("corpus: each line of expected.csv under its own model file") {
    const auto root = corpus();
    if (!root) return;
    Solver solver;
    std::map<std::string, Model> models;
    size_t compared = 0;
    for (const Expected& line : expectations(*root)) {
        INFO(line.test, " under ", line.model);
        if (!models.count(line.model)) models.emplace(line.model, load_model((*root / "models" / (line.model + ".cat")).string(), {}));
        CHECK(claim_holds(solver, only_test(*root / line.test), models.at(line.model)) == (line.holds ? Holds::yes : Holds::no));
        ++compared;
    }
    CHECK(compared == 158);
}

TEST_CASE("corpus: our ptx-6.0 agrees with their ptx-v6.0") {
    if (const auto root = corpus()) compare_with_ours(*root, "ptx-6.0", "ptx-v6.0");
}

TEST_CASE("corpus: our ptx-7.5 agrees with their ptx-v7.5") {
    if (const auto root = corpus()) compare_with_ours(*root, "ptx-7.5", "ptx-v7.5");
}

TEST_CASE("corpus: our ptx agrees with their ptx-v7.5") {
    if (const auto root = corpus()) compare_with_ours(*root, "ptx", "ptx-v7.5");
}

TEST_CASE("corpus: every row of the mixed-proxy tables") {
    const auto root = corpus();
    if (!root) return;
    Solver solver;
    size_t asserted = 0, permitted = 0;
    for (const char* name : {"ptx-7.5", "ptx"}) {
        const Model model = load_model(name, {});
        for (const fs::directory_entry& entry : fs::directory_iterator(*root / "mixedproxy")) {
            if (entry.path().extension() != ".test") continue;
            for (const Test& test : parse_tests(read_source(entry.path().string()))) {
                if (test.report_only) continue;
                INFO(test.name, " under ", name);
                // assert: must hold in all executions; permit: may hold in some
                CHECK(test.claim.kind != Claim::Kind::none);
                (test.claim.kind == Claim::Kind::exists ? permitted : asserted) += 1;
                CHECK(claim_holds(solver, test, model) == Holds::yes);
            }
        }
    }
    CHECK(asserted > 0);
    CHECK(permitted > 0);
    MESSAGE(asserted, " assert and ", permitted, " permit rows, over two models");
}
