// Tensor maps in memory, as they are emitted: each instance has its own, made of a parameter.
#include <doctest/doctest.h>

#include <string>

#include "base/source.h"
#include "gpu/emit/emit.h"
#include "gpu/parts.h"
#include "language/syntax/read.h"

using namespace litmus;

namespace {

std::string emitted_thread(const std::string& body) {
    const std::string text =
        "test \"t\"\n.global .u64 g[2] = 1;\n.global .u64 h[2] = 2;\n.global .tensormap tm = g, dim 2, box 2;\n"
        ".shared.cta0 .tensormap sm = h, dim 2, box 2;\n.shared.cta0 .u64 s[2] = 0;\nthread P0 @ cta0 {\n  mov.u64 r1, h;\n" +
        body + "}\nexists (g[0] == 1)\n";
    return gpu::emit(parse_tests(make_source("t", text)).front()).ptx;
}

}  // namespace

TEST_CASE("an instance's maps begin at its slots") {
    const std::string ptx =
        emitted_thread("  cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [tm, {0}], [s];\n  cp.async.bulk.wait_group 0;\n");
    CHECK(contains(ptx, ".target sm_90a"));
    CHECK(contains(ptx, "tensormap.replace.tile.global_address.global.b1024.b64 [$at], $array;"));
    CHECK(contains(ptx, "tensormap.replace.tile.global_address.shared::cta.b1024.b64 [$line], $at;"));
    CHECK(contains(ptx, "fence.proxy.tensormap::generic.acquire.sys [$at], 128;"));
    CHECK(contains(ptx, "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [tm$generic, {0, 0}], [s];"));
}

TEST_CASE("a map is changed by one lane and copied by the whole warp") {
    const std::string ptx = emitted_thread(
        "  tensormap.replace.tile.global_address.shared::cta.b1024.b64 [sm], r1;\n"
        "  tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [tm], [sm], 128;\n"
        "  fence.proxy.tensormap::generic.acquire.gpu [tm], 128;\n");
    CHECK(contains(ptx, "@$own tensormap.replace.tile.global_address.shared::cta.b1024.b64 [sm], %r1;"));
    CHECK(
        contains(ptx, "\n        tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [tm], [sm], 128;"));
    CHECK(contains(ptx, "@$own fence.proxy.tensormap::generic.acquire.gpu [tm$generic], 128;"));
}
