// What a verdict rests on, found with few questions, against asking every one of them afresh.
#include "analysis/verdict/reliance.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "analysis/verdict/hazards.h"
#include "language/syntax/read.h"

using namespace litmus;
namespace fs = std::filesystem;

namespace {

using Names = std::vector<std::string>;

Names named(const ModelFamily& family, Reading::Base base) {
    return readings_of(family.by_default(), base);
}

// The verdict under these readings, with nothing known.
Verdict afresh(const Test& test, ModelFamily& family, const Names& on, Solver& solver) {
    Program program = build_program(test, {2, true});
    return judge(test, solver.solve(program, family.under(on), {})).verdict;
}

std::optional<Reliance> cleverly(const Test& test, ModelFamily& family, const Names& on, Solver& solver) {
    Program program = build_program(test, {2, true});
    const Answer answer = solver.solve(program, family.under(on), {});
    return reliance({test, program}, family, on, "", answer, solver);
}

void compare(const Test& test, ModelFamily& family, const Names& on, Solver& solver) {
    const Names weakest = named(family, Reading::Base::weakest);
    Names disputed;
    for (const Reading& reading : family.by_default().readings)
        if (reading.base != Reading::Base::weakest) disputed.push_back(reading.name);
    const Dependence plain =
        depends_on(weakest, disputed, [&](const Names& set) { return static_cast<int>(afresh(test, family, set, solver)); });
    const std::optional<Reliance> found = cleverly(test, family, on, solver);
    CHECK((found ? found->depends.flips : decltype(plain.flips){}) == plain.flips);
    if (!found) return;
    CHECK(found->depends.known);
    CHECK(found->verdict == afresh(test, family, on, solver));
    CHECK(found->weakest == afresh(test, family, weakest, solver));
    CHECK(found->by_default == afresh(test, family, named(family, Reading::Base::default_), solver));
    CHECK(found->strongest == afresh(test, family, named(family, Reading::Base::strongest), solver));
}

std::vector<fs::path> library() {
    std::vector<fs::path> files;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(fs::path(LITMUS_SOURCE_DIR) / "litmus"))
        if (entry.path().extension() == ".litmus") files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
}

}  // namespace

TEST_CASE("shortcuts find what asking afresh finds") {
    constexpr size_t step = 71;  // one test of so many; 1: all of them, which takes minutes
    ModelFamily family("ptx", {});
    Solver solver;
    const std::vector<fs::path> files = library();
    for (size_t i = 0; i < files.size(); i += step) {
        INFO(files[i].string());
        for (const Test& test : parse_tests(read_source(files[i].string()))) {
            compare(test, family, named(family, Reading::Base::default_), solver);
            compare(test, family, named(family, Reading::Base::strongest), solver);
        }
    }
}

TEST_CASE("the shortcuts hold where a verdict changes with readings, for each thing that a verdict is made of") {
    ModelFamily family("ptx", {});
    Solver solver;
    for (const char* file :
         {"proxy-raw/raw-bar-issuer-fences", "proxy-war/war-mbarrier-unfenced", "multicast/mc-peer-trusts-leader",
          "completion/red-async-publishes-nothing", "cluster-barrier/red-async-barrier-too-weak", "phases/full-empty-parity-stuck"}) {
        const std::string path = std::string(LITMUS_SOURCE_DIR "/litmus/async/") + file + ".litmus";
        if (!fs::exists(path)) continue;
        INFO(path);
        const std::vector<Test> tests = parse_tests(read_source(path));
        compare(tests.at(0), family, named(family, Reading::Base::default_), solver);
        compare(tests.at(0), family, named(family, Reading::Base::weakest), solver);
    }
}

TEST_CASE("no reading concerns a test that the model says the same of under all") {
    ModelFamily family("ptx", {});
    Solver solver;
    const std::vector<Test> tests = parse_tests(read_source(LITMUS_SOURCE_DIR "/litmus/classic/mp/mp-relaxed.litmus"));
    CHECK_FALSE(cleverly(tests.at(0), family, named(family, Reading::Base::default_), solver));
    ModelFamily none("sc", {});
    CHECK_FALSE(cleverly(tests.at(0), none, {}, solver));
}

TEST_CASE("out of time, nothing is claimed to be known") {
    ModelFamily family("ptx", {});
    Solver solver;
    const std::vector<Test> tests = parse_tests(read_source(LITMUS_SOURCE_DIR "/litmus/async/proxy-raw/raw-bar-issuer-fences.litmus"));
    Program program = build_program(tests.at(0), {2, true});
    const Names on = named(family, Reading::Base::default_);
    const Answer answer = solver.solve(program, family.under(on), {});
    program.budget = Budget(1e-9);
    const auto result = reliance({tests[0], program}, family, on, "", answer, solver);
    REQUIRE(result);
    CHECK_FALSE(result->depends.known);
    CHECK(result->verdict == Verdict::ok);
    CHECK(result->weakest == Verdict::unknown);
}
