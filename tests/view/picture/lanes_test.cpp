// Charts in time of small tests: which rows, what stands in them, and where two lanes have memory at one time.
#include "view/picture/lanes.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "analysis/explain/exhibit.h"
#include "cat/readings.h"
#include "language/syntax/read.h"
#include "view/picture/faults.h"
#include "view/picture/sketch.h"

namespace litmus::picture {
namespace {

// A copy into a slot, and who reads it: after the copy has completed, or without a wait.
std::string copy(const std::string& wait) {
    return R"(test "copy"
.shared.cta0 .u32 s[4] = 0;
.global .u32 g[4] = {7, 7, 7, 7};
.shared.cta0 .mbarrier bar = 1;
thread P0 @ cta0 {
  mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [bar], 16;
  cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [s], [g], 16, [bar];
}
thread P1 @ cta0 {
)" + wait +
           R"(  ld.weak.shared::cta.u32 r0, [s];
}
exists (P1:r0 == 7)
)";
}

const std::string waits = copy("  await mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 [bar], 0;\n"), does_not_wait = copy("");

struct Charted {
    Chart chart;
    std::vector<Column> columns;
    std::string svg;
};

Charted charted(const std::string& text) {
    ModelFamily family("ptx", {});
    const Model& model = family.under(family.readings(""));
    const Test test = parse_tests(make_source("t.litmus", text)).at(0);
    Program program = build_program(test, {.blocked = true});
    const Answer answer = Solver().solve(program, model, {});
    const Drawing drawing = exhibit(program, model, answer, 0).value();
    const Sketch sketch = sketch_of(drawing, {});
    return {chart_of(sketch), sketch.scene.columns, lanes_picture(drawing)};
}

const Chart::Step& step(const Charted& of, Column::Kind kind, const std::string& verb) {
    const auto& steps = of.chart.steps;
    const auto found =
        std::find_if(steps.begin(), steps.end(), [&](const Chart::Step& s) { return of.columns[s.column].kind == kind && s.verb == verb; });
    REQUIRE(found != steps.end());
    return *found;
}

TEST_CASE("a copy completes, its mbarrier goes on, then its reader has the slot") {
    const Charted of = charted(waits);
    const Chart::Step& copied = step(of, Column::Kind::operations, "cp");
    const Chart::Step& next = step(of, Column::Kind::mbarrier, "phase 1");
    const Chart::Step& wait = step(of, Column::Kind::thread, "wait");
    const Chart::Step& read = step(of, Column::Kind::thread, "ld");
    CHECK(copied.object == "s");
    CHECK(wait.object == "bar");
    CHECK(copied.time < next.time);
    CHECK(next.time <= wait.time);
    CHECK(wait.time < read.time);
    CHECK(next.until == of.chart.length);
    CHECK(of.chart.slots == std::vector<std::string>{"s"});
    REQUIRE(of.chart.holds.size() == 2);
    CHECK(of.chart.holds[0].column == copied.column);
    CHECK(of.chart.holds[1].column == read.column);
    CHECK(of.chart.holds[0].until <= of.chart.holds[1].time);
    for (const Chart::Hold& hold : of.chart.holds) CHECK_FALSE(hold.contested);
    CHECK(xml_fault(of.svg).empty());
}

TEST_CASE("where nobody waits for a copy, two lanes have the slot at one time") {
    const Charted of = charted(does_not_wait);
    std::vector<Chart::Hold> contested;
    for (const Chart::Hold& hold : of.chart.holds)
        if (hold.contested) contested.push_back(hold);
    REQUIRE(contested.size() == 2);
    CHECK(contested[0].column != contested[1].column);
    CHECK(contested[0].time == contested[1].time);
    CHECK(contested[0].until == contested[1].until);
    CHECK(of.svg.find("class=\"clash\"") != std::string::npos);
    CHECK(of.svg.find("Where two colours meet") != std::string::npos);
    CHECK(charted(waits).svg.find("class=\"clash\"") == std::string::npos);
}

}  // namespace
}  // namespace litmus::picture
