// Spellings that ptxas keeps, each verified in its code.
#include "analysis/compiled/workarounds.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "language/syntax/read.h"
#include "sass/ptxas.h"

using namespace litmus;
using namespace litmus::compiled;

namespace {

Test program(const std::string& name) {
    return parse_tests(read_source(LITMUS_SOURCE_DIR "/litmus/async/ptxas/" + name + ".litmus")).at(0);
}

std::vector<std::string> words(const Workarounds& found) {
    std::vector<std::string> list;
    for (const Workaround& one : found.found) list.push_back(one.what);
    return list;
}

Workarounds found_for(const Test& test, const sass::Assembler& assembler) {
    const Settings settings{{assembler}, {3}, {"sm_90a"}, {gpu::Body::plain}, false};
    ModelFamily family("ptx", {});
    Solver solver;
    const Report report = report_on("t.litmus", test, settings, family, solver, 2, {});
    CHECK(report.fate() == Fate::forbidden);
    return workarounds(report, settings, family, family.readings(""), solver, 2, {});
}

Workarounds found_for(const std::string& name, const sass::Assembler& assembler) {
    return found_for(program(name), assembler);
}

bool has(const Workarounds& found, const std::string& what) {
    const std::vector<std::string> all = words(found);
    return std::find(all.begin(), all.end(), what) != all.end();
}

}  // namespace

TEST_CASE("a reload stays where it is strong, behind a fence, and behind a loop that waits") {
    const auto assembler = assembler_or_skip("ptxas 13.0");
    if (!assembler) return;
    const Workarounds found = found_for("reload", *assembler);
    CHECK(found.complete);
    CHECK(has(found, "make it `ld.relaxed.cta.global.u32 r2, [x]`"));
    CHECK(has(found, "make it `ld.volatile.global.u32 r2, [x]`"));
    CHECK(has(found, "make it `await ld.acquire.cta.shared::cta.u32 r1, [told] == 1`"));
    CHECK(has(found, "put `fence.acq_rel.cta` before it"));
    for (const Workaround& one : found.found) CHECK(one.extra.loads == 1);
    CHECK(found.found.back().extra.barriers == 1);
    CHECK(in_words(found.found.front().extra) == "1 instruction more, 1 load more");
    CHECK(found.found.front().text.find("  ld.relaxed.cta.global.u32 r2, [x];\n}") != std::string::npos);
}

TEST_CASE("a try is asked about, a neighbour is strong, two strengths become one, a float atomic has a fence behind it") {
    const auto assembler = assembler_or_skip("ptxas 13.0");
    if (!assembler) return;
    CHECK(has(found_for("tried-once", *assembler), "put `@!p exit` before it"));
    CHECK(has(found_for("neighbour", *assembler), "make it `ld.relaxed.cta.shared::cta.u32 r2, [s+4]`"));
    CHECK(has(found_for("mixed-strength", *assembler), "make it `ld.volatile.global.u32 r1, [x]`"));
    CHECK(has(found_for("float-acquire", *assembler), "put `fence.acq_rel.cluster` before it"));
    CHECK_FALSE(has(found_for("float-acquire", *assembler), "put `fence.acq_rel.cta` before it"));
}

TEST_CASE("a map is changed behind a wait for the whole copy") {
    const auto assembler = assembler_or_skip("ptxas 13.0");
    if (!assembler) return;
    const Test test = parse_tests(make_source("t.litmus", R"(test "map-changed"
.global .u64 g[2] = 1;
.global .u64 h[2] = 2;
.global .tensormap tm = g, dim 2, box 2;
.shared.cta0 .u64 s[2] = 5;
thread P0 @ cta0 {
  cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [tm, {0}], [s];
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group.read 0;
  mov.u64 r1, h;
  tensormap.replace.tile.global_address.global.b1024.b64 [tm], r1;
  cp.async.bulk.wait_group 0;
}
exists (true)
)"))
                          .at(0);
    CHECK(has(found_for(test, *assembler), "make it `cp.async.bulk.wait_group 0`"));
}

TEST_CASE("costs in words") {
    CHECK(in_words(Extra{}) == "nothing more");
    CHECK(in_words(Extra{-1, 1, 2}) == "1 instruction less, 1 load more, 2 MEMBAR or CCTL more");
}
