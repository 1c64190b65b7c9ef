// Emission of tensor copies: the tensors of all instances in one map (gpu/emit/kernel.cpp).
#include <doctest/doctest.h>

#include <string>

#include "gpu/emitted.h"
#include "gpu/parts.h"

using namespace litmus;
using namespace litmus::gpu;

namespace {

const std::string tensor_reduction = R"(
.shared.cta0 .u32 s[8] = 1;
.global .u32 f = 0;
.global .s32 g[16] = 0;
.tensormap tm = g, dim 4, 4, box 4, 2;
thread P0 @ cta0 {
  mov.u32 row, 1;
  cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [tm, {0, row}], [s];
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;
}
exists (g[4] == 1)
)";

const std::string tensor_column = R"(
.global .u32 g[16] = 0;
.shared.cta0 .u32 s[8] = 1;
.shared.cta0 .mbarrier bar = 1;
.tensormap cols = g, dim 4, 4, 1, lower 0, upper -1, channels 4, pixels 2;
thread P0 @ cta0 {
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 32;
  cp.async.bulk.tensor.3d.shared::cta.global.im2col.mbarrier::complete_tx::bytes [s], [cols, {0, 1, 0}], [bar], {1};
  await mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 [bar], 0;
  ld.weak.shared::cta.u32 r0, [s];
}
exists (P0:r0 == 0)
)";

const std::string tensor_rows = R"(
.global .u32 g[16] = 0;
.shared.cta0 .u32 s[16] = 1;
.tensormap rows = g, dim 4, 4, box 4, 1;
thread P0 @ cta0 {
  cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [rows, {0, 3, 1, 0, 2}], [s];
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;
}
exists (g[0] == 1)
)";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    return text.replace(text.find(from), from.size(), to);
}

}  // namespace

TEST_CASE("the instances of a tensor are one more dimension of its map") {
    const std::string ptx = emitted(tensor_reduction);
    CHECK(contains(ptx, "cp.reduce.async.bulk.tensor.3d.global.shared::cta.add.tile.bulk_group [$tensor0, {0, %row, tm$slot}], [s];"));
    CHECK(contains(ptx, "mad.lo.u32 tm$slot, $shift, 1, $spread;"));  // g is the second location in global memory
    CHECK(contains(ptx, "cvta.param.u64 $tensor0, $tensor0;"));
    CHECK(occurrences(ptx, ".param .align 64 .b8 tensor0[128])") == 3);
    CHECK(
        contains(refusal("\n.global .u32 g[4] = 0;\n.shared.cta0 .u32 s[4] = 0;\n.tensormap tm = g, dim 4, 1, 1, 1, 1, box 4, 1, 1, 1, 1;\n"
                         "thread P0 @ cta0 {\n  cp.async.bulk.tensor.5d.global.shared::cta.bulk_group [tm, {0, 0, 0, 0, 0}], [s];\n}\n"
                         "exists (g[0] == 1)\n"),
                 "five dimensions"));
}

TEST_CASE("the instances of an image are the images of its map") {
    const std::string ptx = emitted(tensor_column);
    CHECK(contains(ptx, "cp.async.bulk.tensor.3d.shared::cta.global.im2col.mbarrier::complete_tx::bytes"));
    CHECK(contains(ptx, "[$tensor0, {0, 1, cols$slot}]"));
    CHECK(contains(ptx, ", {1};"));
    CHECK(contains(refusal(replaced(tensor_column, "{0, 1, 0}", "{0, 2, 0}")), "leave the tensor at its end"));
    CHECK(contains(refusal(replaced(replaced(tensor_column, "dim 4, 4, 1", "dim 4, 2, 2"), "{0, 1, 0}", "{0, 0, 0}")), "several images"));
}

TEST_CASE("the rows of all instances are those of one tensor") {
    const std::string ptx = emitted(tensor_rows);
    CHECK(contains(ptx, "cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [$tensor0, {0, "));
    CHECK(contains(ptx, "div.u32 $slot, $stride, 16;"));
    CHECK(occurrences(ptx, ", rows$slot;") == 4);
    CHECK(contains(refusal(replaced(tensor_rows, "{0, 3, 1, 0, 2}", "{0, 4, 1, 0, 2}")), "leave the tensor at its end"));
}
