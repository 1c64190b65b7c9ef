// Which instructions moved and which are gone: code made by hand, where the answer is known, and the classes that ptxas 13.0 showed.
#include "sass/order.h"

#include <doctest/doctest.h>

#include "sass/assembler.h"
#include "sass/code.h"
#include "sass/ptxas.h"
#include "tiny_cubin.h"

using namespace litmus::sass;

namespace {

Order order(const std::vector<std::string>& ptx, const std::vector<Coded>& code, const std::vector<uint32_t>& lines) {
    const Cubin cubin = read_cubin(tiny_cubin(ptx, code));
    return order_of(cubin, function_named(cubin, "f"), lines);
}

}  // namespace

TEST_CASE("code in the order of the PTX") {
    const Order o = order({"", "", ""}, {{1, ldg}, {2, membar}, {3, stg}}, {1, 2, 3});
    CHECK(o.moved.empty());
    CHECK(o.gone.empty());
    CHECK(o.places == std::vector<std::vector<uint64_t>>{{0}, {16}, {32}});
}

TEST_CASE("permuted by hand") {
    CHECK(order({}, {{2, stg}, {1, ldg}}, {1, 2}).moved == std::vector<Moved>{{0, 1}});
    CHECK(order({}, {{3, stg}, {1, ldg}, {2, ldg}}, {1, 2, 3}).moved == std::vector<Moved>{{0, 2}, {1, 2}});
    CHECK(order({}, {{3, stg}, {2, ldg}, {1, ldg}}, {1, 2, 3}).moved == std::vector<Moved>{{0, 1}, {0, 2}, {1, 2}});
}

TEST_CASE("arithmetic for an operand is no place, nor are the further turns of a loop") {
    CHECK(order({}, {{2, imad}, {1, ldg}, {2, stg}}, {1, 2}).moved.empty());
    CHECK(order({}, {{1, ldg}, {2, stg}, {1, ldg}}, {1, 2}).moved.empty());
    CHECK(order({}, {{1, ldg}, {9, imad}, {2, stg}}, {1, 2}).places[1] == std::vector<uint64_t>{32});
}

TEST_CASE("a NOP keeps the place of what needs no code, and only of that") {
    const Order o = order({}, {{1, nop}, {2, ldg}}, {1, 2});
    CHECK(o.gone.empty());
    CHECK(o.places[0] == std::vector<uint64_t>{0});
    CHECK(order({}, {{2, nop}, {1, ldg}, {2, stg}}, {1, 2}).moved.empty());
    // it is where an acquire is waited for, too: a load is gone all the same
    CHECK(order({"ld.acquire.gpu.u32 %r0, [x];"}, {{1, nop}, {2, ldg}}, {1, 2}).gone == std::vector<Gone>{{0, std::nullopt}});
}

TEST_CASE("dropped, and merged with one that is wider than it was written") {
    const std::vector<std::string> words = {"ld.weak.shared::cta.u32 %r0, [s];", "@%p ld.weak.shared::cta.u32 %r1, [s+4];",
                                            "st.weak.global.u32 [x], 1;"};
    CHECK(order(words, {{1, lds, 4}, {3, stg}}, {1, 2, 3}).gone == std::vector<Gone>{{1, std::nullopt}});
    CHECK(order(words, {{1, lds, 5}, {3, stg}}, {1, 2, 3}).gone == std::vector<Gone>{{1, 0}});
    CHECK(order(words, {{2, lds, 5}, {3, stg}}, {1, 2, 3}).gone == std::vector<Gone>{{0, 1}});
    CHECK(order(words, {{1, lds, 4}, {2, 0x941}, {3, stg, 5}}, {1, 2, 3}).gone == std::vector<Gone>{{1, std::nullopt}});
    const std::vector<std::string> vectors = {"ld.weak.global.v2.u32 {%r0, %r1}, [x];", "ld.weak.global.u32 %r2, [x+8];"};
    CHECK(order(vectors, {{1, ldg, 5}}, {1, 2}).gone == std::vector<Gone>{{1, std::nullopt}});
    CHECK(order(vectors, {{1, ldg, 6}}, {1, 2}).gone == std::vector<Gone>{{1, 0}});
}

TEST_CASE("the second of two that ptxas tried to make one has no row, and is told by its address") {
    const std::vector<std::string> words = {"ld.weak.shared::cta.u32 %r0, [s];", "ld.weak.shared::cta.u32 %r1, [s+8];"};
    const auto at = [](uint32_t line, unsigned offset) { return Coded{line, lds, 4, 7, 0, 7, 0, offset}; };
    const Order o = order(words, {at(1, 16), at(1, 24)}, {1, 2});
    CHECK(o.gone.empty());
    CHECK(o.places == std::vector<std::vector<uint64_t>>{{0}, {16}});
    CHECK(order(words, {at(1, 24), at(1, 16)}, {1, 2}).moved == std::vector<Moved>{{0, 1}});
    CHECK(order(words, {at(1, 16), at(1, 20)}, {1, 2}).gone == std::vector<Gone>{{1, std::nullopt}});
    CHECK(order(words, {at(1, 16), at(1, 16)}, {1, 2}).gone == std::vector<Gone>{{1, std::nullopt}});
}

TEST_CASE("lines that are nowhere") {
    const Order o = order({"a"}, {{1, ldg}}, {5, 0});
    CHECK(o.gone == std::vector<Gone>{{0, std::nullopt}, {1, std::nullopt}});
    CHECK(o.moved.empty());
}

TEST_CASE("what ptxas 13.0 does: a reload behind an acquire is dropped, a map is written before the wait for its reading") {
    const auto assembler = assembler_or_skip("ptxas 13.0");
    if (!assembler) return;
    const std::string head =
        ".version 8.6\n.target sm_90a\n.address_size 64\n.shared .align 128 .b8 s[128];\n.visible .entry f(.param .u64 x, .param .u64 "
        "y)\n{\n"
        ".reg .b64 %x, %y;\n.reg .b32 %a, %b, %c;\nld.param.u64 %x, [x];\nld.param.u64 %y, [y];\n";
    const auto read = [&](const std::string& body, const std::vector<uint32_t>& lines) {
        const Cubin cubin = read_cubin(assemble(*assembler, head + body + "ret;\n}\n", "sm_90a"));
        return order_of(cubin, function_named(cubin, "f"), lines);
    };
    const std::string stores = "st.global.u32 [%y+16], %a;\nst.global.u32 [%y+20], %b;\nst.global.u32 [%y+24], %c;\n";
    const Order reload =
        read("ld.weak.global.u32 %a, [%x];\nld.acquire.sys.global.u32 %b, [%y];\nld.weak.global.u32 %c, [%x];\n" + stores, {11, 12, 13});
    CHECK(reload.gone == std::vector<Gone>{{2, std::nullopt}});
    const Order map = read(
        "cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [%x, {0}], [s];\ncp.async.bulk.commit_group;\n"
        "cp.async.bulk.wait_group.read 0;\ntensormap.replace.tile.global_address.global.b1024.b64 [%x], %y;\n",
        {11, 12, 13, 14});
    CHECK(map.moved == std::vector<Moved>{{2, 3}});
    CHECK(map.gone.empty());
    const Order kept = read("ld.weak.global.u32 %a, [%x];\nfence.acq_rel.sys;\nld.weak.global.u32 %c, [%x];\n" + stores, {11, 12, 13});
    CHECK(kept.gone.empty());
    CHECK(kept.moved.empty());
}
