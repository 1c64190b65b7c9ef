// Rows of matrices as they are emitted: all lanes of the warp give one address, and hold what the thread holds.
#include <doctest/doctest.h>

#include <string>

#include "base/source.h"
#include "gpu/emit/emit.h"
#include "gpu/parts.h"
#include "language/syntax/read.h"

using namespace litmus;

namespace {

std::string emitted_rows(const std::string& body, const std::string& place = "cta0") {
    const std::string text =
        "test \"t\"\n.global .u32 g = 1;\n.global .u64 h[2] = 1;\n.global .tensormap tm = h, dim 2, box 2;\n"
        ".shared.cta0 .u32 tile[4] = 0;\nthread P0 @ " +
        place + " {\n" + body + "}\nexists (g == 1)\n";
    return gpu::emit(parse_tests(make_source("t", text)).front()).ptx;
}

// Why a body is not emitted.
std::string why_not_emitted(const std::string& body, const std::string& place = "cta0") {
    try {
        emitted_rows(body, place);
    } catch (const Failure& f) {
        return f.diagnostics().at(0).message;
    }
    return "it is emitted";
}

}  // namespace

TEST_CASE("a row is loaded by the whole warp, and what one lane has read is stored by all") {
    const std::string ptx = emitted_rows(
        "  ld.weak.global.u32 r0, [g];\n  stmatrix.sync.aligned.m8n8.x1.shared.b16 [tile], {r0};\n"
        "  ldmatrix.sync.aligned.m8n8.x4.shared.b16 {r1, r2, r3, r4}, [tile];\n");
    CHECK(contains(ptx, "@$own ld.weak.global.u32 %r0"));
    CHECK(contains(ptx, "shfl.sync.idx.b32 %r0, %r0, 0, 31, 0xffffffff;"));
    CHECK(contains(ptx, "\n        stmatrix.sync.aligned.m8n8.x1.shared.b16 [tile], {%r0};"));
    CHECK(contains(ptx, "\n        ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1, %r2, %r3, %r4}, [tile];"));
}

TEST_CASE("rows that other lanes would have to name are not emitted, nor products, nor another rank of a map") {
    const std::string load = "  ldmatrix.sync.aligned.m8n8.x1.shared.b16 {r1}, [tile];\n", set = "  mov.b32 w, 1;\n";
    CHECK(why_not_emitted(load) == "it is emitted");
    CHECK(why_not_emitted(load, "cta0.warp0.lane1").find("of another lane than the first is not emitted") != std::string::npos);
    CHECK(why_not_emitted(set + "  stmatrix.sync.aligned.m8n8.x2.shared.b16 [tile], {w, w};\n").find("the form `.x1` is emitted") !=
          std::string::npos);
    CHECK(why_not_emitted(set + "  movmatrix.sync.aligned.m8n8.trans.b16 d, w;\n").find("products of a warp") != std::string::npos);
    CHECK(why_not_emitted("  tensormap.replace.tile.rank.global.b1024.b32 [tm], 0;\n").find("the rank of a tensor map is not emitted") !=
          std::string::npos);
    CHECK(why_not_emitted("  tensormap.replace.tile.box_dim.global.b1024.b32 [tm], 0, 2;\n") == "it is emitted");
}
