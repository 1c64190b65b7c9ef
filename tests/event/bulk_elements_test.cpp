// Elements that stand for others: which ones become events, and that what meets at one that nothing names is among them.
#include <doctest/doctest.h>

#include <map>
#include <set>

#include "event/program.h"
#include "language/syntax/native/dsl.h"
#include "language/syntax/read.h"
#include "ptx/traits.h"

using namespace litmus;

namespace {

struct BuiltElements {
    explicit BuiltElements(const std::string& body)
        : test(parse_dsl(make_source("t.litmus", "test \"t\"\n" + body))), program(build_program(test, {})) {}

    // The elements of a location that have events, each with the instructions that access it.
    std::map<int, std::set<int>> elements(const std::string& name) const {
        std::map<int, std::set<int>> result;
        for (const Event& e : program.events) {
            if (e.cell < 0 || e.thread < 0) continue;
            const Cell& cell = program.cells[static_cast<size_t>(e.cell)];
            if (test.locations[static_cast<size_t>(cell.location)].name == name) result[cell.element].insert(e.instruction);
        }
        return result;
    }

    // Whether some element of a location is accessed by two operations.
    bool meet(const std::string& name) const {
        for (const auto& [element, instructions] : elements(name))
            if (instructions.size() > 1) return true;
        return false;
    }

    Test test;
    Program program;
};

const std::string tiles = R"(.shared.cta0 .u32 s[16] = 5;
.shared.cta0 .u32 t[16] = 6;
.shared.cta0 .mbarrier bar = 1;
.global .u32 g[32] = 1;
.tensormap tm = g, dim 8, 4, box 4, 2;
.tensormap rows = g, dim 4, 8, box 4, 1;
.global .tensormap changing = g, dim 8, 4, box 4, 2;
)";

std::string in_thread(const std::string& first, const std::string& second) {
    return tiles + "thread P0 @ cta0 {\n  " + first + ";\n  " + second + ";\n}\n";
}

std::string box(const std::string& place, const std::string& from, const std::string& map = "tm") {
    return "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [" + map + ", " + place + "], [" + from + "]";
}

std::string scatter(const std::string& place, const std::string& from) {
    return "cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [rows, " + place + "], [" + from + "]";
}

}  // namespace

TEST_CASE("what two operations share is told, wherever it lies in either") {
    CHECK(BuiltElements(in_thread(box("{0, 1}", "s"), box("{2, 0}", "t"))).meet("g"));
    CHECK_FALSE(BuiltElements(in_thread(box("{0, 1}", "s"), box("{4, 0}", "t"))).meet("g"));
    CHECK(BuiltElements(in_thread(box("{0, 1}", "s", "changing"), box("{2, 0}", "t"))).meet("g"));
    CHECK(BuiltElements(in_thread(box("{0, 0}", "s"), "cp.async.bulk.global.shared::cta.bulk_group [g+32], [t], 16")).meet("g"));
    CHECK(BuiltElements(
              in_thread(box("{0, 0}", "s"), "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [tm, {0, 1}], [t]"))
              .meet("g"));
    const std::string load = "cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [s], [tm, {0, 0}], [bar]";
    CHECK(BuiltElements(in_thread(load, box("{0, 1}", "t"))).meet("g"));
    CHECK(BuiltElements(in_thread(scatter("{0, 2, 0, 3, 1}", "s"), scatter("{0, 4, 5, 3, 6}", "t"))).meet("g"));
    CHECK_FALSE(BuiltElements(in_thread(scatter("{0, 2, 0, 3, 1}", "s"), scatter("{0, 4, 5, 7, 6}", "t"))).meet("g"));
    const std::string gather =
        "cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes [s], [rows, {0, 2, 0, 3, 1}], [bar]";
    CHECK(BuiltElements(in_thread(gather, scatter("{0, 4, 5, 3, 6}", "t"))).meet("g"));
}

TEST_CASE("a multimem address is each location that it points to") {
    const std::string text = R"(.shared.cta0 .u32 s[16] = 5;
.global .u32 g0[16] = 1;
.global .u32 g1[16] = 2;
.multimem g = g0, g1;
.tensormap tm = g1, dim 4, 4, box 4, 2;
thread P0 @ gpu0.cta0 {
  multimem.cp.async.bulk.global.shared::cta.bulk_group [g+16], [s], 32;
  cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [tm, {0, 0}], [s];
}
)";
    CHECK(BuiltElements(text).meet("g1"));
    CHECK_FALSE(BuiltElements(text).meet("g0"));
}

TEST_CASE("an address that mapa gives is that of the location at the same offset, whatever its name") {
    const BuiltElements t(R"(.global .u32 g[8] = 1;
.shared.cta0 .u32 here[8] = 0;
.shared.cta1 .u32 there[8] = 0;
.shared.cta1 .mbarrier bar = 1;
thread P0 @ cta0 {
  mov.u32 a, here;
  mapa.shared::cluster.u32 b, a, 1;
  st.weak.shared::cluster.u32 [b+16], 7;
}
thread P1 @ cta1 { cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [there], [g], 32, [bar]; }
)");
    CHECK(t.elements("there") == std::map<int, std::set<int>>{{4, {0, 2}}});
    CHECK(t.elements("here").empty());
}

TEST_CASE("of what has one fate one element is kept, or what is named") {
    const std::string copy = "cp.async.bulk.global.shared::cta.bulk_group [g], [s], 64";
    CHECK(BuiltElements(in_thread(copy, "mov.u32 r0, 0")).elements("g").size() == 1);
    CHECK(BuiltElements(in_thread(copy, "ld.weak.global.u32 r0, [g+8]")).elements("g") == std::map<int, std::set<int>>{{2, {0, 1}}});
    CHECK(BuiltElements(in_thread(copy, "mov.u32 r0, 0") + "forall (g[3] == 5)\n").elements("g").count(3) == 1);
    // the halves of what the first one writes: one is written again, one is not, and the lesser fate is not kept
    const BuiltElements halves(in_thread(copy, "cp.async.bulk.global.shared::cta.bulk_group [g+32], [t], 32"));
    CHECK(halves.elements("g") == std::map<int, std::set<int>>{{8, {0, 1}}});
}

TEST_CASE("values that nobody may read are looked for beside those that were written again") {
    const BuiltElements t(R"(.global .u64 g[16] = 3;
.shared.cta0 .u64 s[16] = 5;
thread P0 @ cta0 {
  discard.global.L2 [g], 128;
  st.weak.global.u64 [g], 7;
  cp.async.ca.shared.global [s], [g], 16;
}
)");
    CHECK(t.elements("g").at(0) == std::set<int>{0, 1, 2});
    CHECK(t.elements("g").at(1) == std::set<int>{0, 2});
}

TEST_CASE("a factor of a product is constant unless something writes it") {
    const auto product_reads = [](const std::string& before) {
        const BuiltElements t(R"(.shared.cta0 .u32 a[512] = 0x01010101;
.shared.cta0 .u32 b[64] = 0x01010101;
thread P0 @ cta0 {
  )" + before + R"(
  wgmma.fence.sync.aligned;
  wgmma.mma_async.sync.aligned.m64n8k32.s32.u8.u8 {d0, d1, d2, d3}, [a], [b], 0;
}
)");
        return t.elements("b").size();
    };
    CHECK(product_reads("mov.u32 r0, 0;") == 1);
    CHECK(product_reads("st.bulk.weak.shared::cta [b], 16, 0;") == 4);  // half of the first column
}
