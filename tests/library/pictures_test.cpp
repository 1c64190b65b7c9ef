// The pictures of the whole library: of the execution that decides what each test claims, and of each of its first outcomes.
#include <doctest/doctest.h>

#include <filesystem>
#include <set>

#include "analysis/explain/exhibit.h"
#include "analysis/explain/forbidden.h"
#include "cat/readings.h"
#include "language/syntax/read.h"
#include "turn.h"
#include "view/picture/faults.h"

namespace litmus::picture {
namespace {

constexpr size_t most_outcomes = 3;

// The tests of the library whose turn it is.
std::vector<Test> library(const Turn& turn) {
    std::set<std::string> paths;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(LITMUS_SOURCE_DIR "/litmus"))
        if (entry.path().extension() == ".litmus") paths.insert(entry.path().string());
    std::vector<Test> tests;
    size_t number = 0;
    for (const std::string& path : paths)
        for (Test& test : parse_tests(read_source(path)))
            if (turn.has(number++)) tests.push_back(std::move(test));
    return tests;
}

struct Drawn {
    size_t pictures = 0, strong = 0, links = 0;
};

void check(const Drawing& drawing, Drawn& tally) {
    const Scene scene = scene_of(drawing, {});
    const PictureLayout layout = layout_of(scene);
    for (const std::string& fault : faults(scene, layout)) FAIL_CHECK(drawing.title << " " << fault);
    const std::string svg = svg_picture(drawing);
    CHECK_MESSAGE(xml_fault(svg).empty(), drawing.title, xml_fault(svg));
    CHECK_MESSAGE(svg == svg_picture(drawing), drawing.title);
    for (const size_t e : drawn(drawing).events) {
        const std::string letter = "\"" + drawn(drawing).name.at(e) + "\"";
        CHECK_MESSAGE(svg.find("class=\"event\" data-event=" + letter) != std::string::npos, drawing.title, letter);
    }
    ++tally.pictures;
    tally.links += scene.links.size();
    for (const Link& link : scene.links)
        if (link.strong) {
            ++tally.strong;
            break;
        }
}

}  // namespace

// What would have to happen for a condition to hold that no execution satisfies: the breach of an axiom.
TEST_CASE("every picture of what the library forbids keeps the rules") {
    ModelFamily family("ptx", {});
    const Model& model = family.under(family.readings(""));
    const Turn turn(12);
    Drawn tally;
    for (const Test& test : library(turn)) {
        if (test.claim.kind != Claim::Kind::not_exists) continue;
        Solver solver;
        const Forbidden forbidden = why_none(test, test.claim.condition, model, {.most_cases = 1, .most_ways = 2}, solver);
        for (const Forbidden::Case& one : forbidden.cases)
            for (const Refuted& refuted : one.why.refuted)
                for (const BrokenAxiom& breach : refuted.breaches)
                    check({*forbidden.program, model, refuted.execution, test.name + " breaks " + breach.axiom, nullptr, true, &breach},
                          tally);
    }
    MESSAGE(tally.pictures << " pictures with " << tally.links << " links, " << tally.strong << " of them with something to meet first");
    CHECK(tally.pictures > turn.share(300));
    CHECK(tally.strong == tally.pictures);
}

TEST_CASE("every picture of the library keeps the rules") {
    ModelFamily family("ptx", {});
    const Model& model = family.under(family.readings(""));
    Solver solver;
    const Turn turn(12);
    Drawn tally;
    for (const Test& test : library(turn)) {
        Program program = build_program(test, {.blocked = true});
        const Answer answer = solver.solve(program, model, {});
        for (size_t number = 0; number <= most_outcomes; ++number)
            if (const auto drawing = exhibit(program, model, answer, number)) check(*drawing, tally);
    }
    MESSAGE(tally.pictures << " pictures with " << tally.links << " links, " << tally.strong << " of them with something to meet first");
    CHECK(tally.pictures > turn.share(1500));
    CHECK(tally.strong > turn.share(500));
}

}  // namespace litmus::picture
