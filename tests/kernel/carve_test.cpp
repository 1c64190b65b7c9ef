// Memory: what is kept, of which size its elements are, and what is refused.
#include "kernel/carve.h"

#include <doctest/doctest.h>

#include "hand_made.h"
#include "language/syntax/native/print.h"

using namespace litmus;
using namespace litmus::kernel;

namespace {

HandMade one_thread(const std::string& declarations, const std::string& body) {
    return hand_made(1, 1, 1, declarations, [&](uint32_t, uint32_t) { return body; });
}

// The same with objects of bytes without a type, as dynamic shared memory has them.
HandMade untyped(HandMade made) {
    for (Object& object : made.traces.objects) object.typed = false;
    return made;
}

}  // namespace

TEST_CASE("arrays are cut to the granules that are touched, with their values") {
    const Written written =
        write_hand_made(one_thread(".global .u32 x[8] = {0, 1, 2, 3, 4, 5, 6, 7};", "ld.global.u32 a, [x+8];\nld.global.u32 b, [x+20];"));
    REQUIRE(written.test.locations.size() == 1);
    CHECK(written.test.locations[0].init == std::vector<uint64_t>{2, 5});
    CHECK(written.test.threads[0].body[1].operands[1].offset == 4);
    CHECK(written.text.rfind("// x is of x[8] the elements 2, 5\n", 0) == 0);
    CHECK_FALSE(says(written, "the elements"));
    const Test in_kernel = in_numbers_of_kernel(written.test, written.arrays);
    CHECK(in_kernel.locations[0].init == std::vector<uint64_t>{0, 0, 2, 0, 0, 5, 0, 0});
    CHECK(in_kernel.threads[0].body[0].operands[1].offset == 8);
    CHECK(in_kernel.threads[0].body[1].operands[1].offset == 20);
}

TEST_CASE("a vector access keeps the alignment of all") {
    const Written written = write_hand_made(
        one_thread(".global .u32 x[8] = {0, 1, 2, 3, 4, 5, 6, 7};", "ld.global.v2.u32 {a, b}, [x+8];\nld.global.u32 c, [x+28];"));
    CHECK(written.test.locations[0].init == std::vector<uint64_t>{2, 3, 6, 7});
    CHECK(written.test.threads[0].body[1].operands[1].offset == 12);
}

TEST_CASE("an object with elements of two sizes becomes two arrays") {
    HandMade made =
        untyped(one_thread(".shared .u32 s[4] = 0;\n.shared .u8 b[4] = 0;", "st.shared::cta.u32 [s], 1;\nst.shared::cta.u8 [b+1], 1;"));
    made.traces.threads[0].body[1].operands[0].name = "s";
    made.traces.threads[0].body[1].operands[0].offset = 9;
    const Written written = write_hand_made(made);
    REQUIRE(written.test.locations.size() == 2);
    CHECK(written.test.locations[0].name == "s_8");
    CHECK(written.test.locations[0].type == Type::u8);
    CHECK(written.test.locations[1].name == "s_32");
}

TEST_CASE("accesses of mixed sizes to one place are refused, a wider load of parts is not") {
    HandMade made = one_thread(".shared .u32 s[4] = 0;\n.shared .u64 b = 0;", "st.shared::cta.u32 [s], 1;\nst.shared::cta.u64 [b], 1;");
    made.traces.threads[0].body[1].operands[0].name = "s";
    const std::string message = refusal_of(made);
    CHECK(message.find("accesses of mixed sizes to one place: 4 bytes by `st.shared::cta.u32` at k.cu:1 and 8 bytes by "
                       "`st.shared::cta.u64` at k.cu:2") != std::string::npos);
    HandMade load =
        one_thread(".shared .u32 s[4] = 0;\n.shared .u64 b = 0;", "st.shared::cta.v2.u32 [s], {1, 2};\nld.shared::cta.u64 r, [b];");
    load.traces.threads[0].body[1].operands[1].name = "s";
    CHECK(write_hand_made(load).test.locations[0].type == Type::u32);
}

TEST_CASE("a packed operation beside an atomic one of the whole word is refused; a load or a store of the word is not") {
    const auto beside = [](const std::string& first, const std::string& second) {
        HandMade made = one_thread(".global .f16x2 h[4] = 0;\n.global .u32 x[4] = 0;", first + "\n" + second);
        for (Instruction& instruction : made.traces.threads[0].body)
            for (Operand& operand : instruction.operands)
                if (operand.kind == Operand::Kind::address) operand.name = "x";
        return made;
    };
    const std::string packed = "red.relaxed.gpu.global.add.noftz.f16x2 [h], 0x3c003c00;", whole = "red.relaxed.gpu.global.add.u32 [x], 1;";
    for (const auto& [first, second] : {std::pair(packed, whole), std::pair(whole, packed)})
        CHECK(refusal_of(beside(first, second)).find("accesses of mixed sizes to one place: ") != std::string::npos);
    CHECK(refusal_of(beside("st.global.u32 [x], 1;", packed + "\n" + whole)).find("2 bytes by `red.relaxed.gpu.global.add.noftz.f16x2`") !=
          std::string::npos);
    CHECK_NOTHROW(write_hand_made(beside(packed, "st.global.u32 [x], 1;")));
    CHECK_NOTHROW(write_hand_made(beside("ld.global.u32 r, [x];", packed)));
}

TEST_CASE("what is copied has the elements of the other side, and copies of copies keep what is read in the end") {
    const std::string memory = ".global .s32 in[64] = 7;\n.global .s32 out[64] = 0;\n.shared .s32 s[64] = 0;\n.shared .mbarrier bar;";
    HandMade made = one_thread(memory,
                               "mbarrier.init.shared::cta.b64 [bar], 1;\n"
                               "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [bar], 256;\n"
                               "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [in], 256, [bar];\n"
                               "await mbarrier.try_wait.parity.shared::cta.b64 [bar], 0;\n"
                               "cp.async.bulk.global.shared::cta.bulk_group [out], [s], 256;\n"
                               "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\nld.global.u32 r, [out+100];");
    for (Object& object : made.traces.objects) object.typed = object.name == "bar";
    made.traces.threads[0].body.back().qualifiers.back() = "u16";
    bind(made.traces.threads[0].body.back());
    const Written written = write_hand_made(made);
    for (const Location& location : written.test.locations)
        if (!location.is_mbarrier) {
            CHECK(bits(location.type) == 16);
            CHECK(location.count == 8);
        }
    CHECK(written.text.find("// s is of s[128] the elements 48..55\n") != std::string::npos);
    CHECK(says(written, "bar: 16 of 256 bytes are expected"));
}

TEST_CASE("a copy that nobody looks at keeps its first unit") {
    const std::string memory = ".global .s32 in[64] = 7;\n.shared .s32 s[64] = 0;\n.shared .mbarrier bar = 1;";
    const Written written = write_hand_made(
        one_thread(memory, "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s+64], [in+128], 64, [bar];"));
    CHECK(written.test.locations[1].count == 4);
    CHECK(written.text.find("// in is of in[64] the elements 32..35\n") != std::string::npos);
    const Test in_kernel = in_numbers_of_kernel(written.test, written.arrays);
    CHECK(print(in_kernel.threads[0].body[0]).find("[s+64], [in+128], 16, [bar]") != std::string::npos);
}

TEST_CASE("a copy that nobody looks at has the elements of other places, as far as they fit") {
    const auto written = [](uint64_t bytes) {
        HandMade made = one_thread(".global .u64 in[16] = 7;\n.shared .u64 s[16] = 0;",
                                   "cp.async.ca.shared.global [s], [in], 16;\ncp.async.ca.shared.global [s+16], [in+16], 16;\n"
                                   "ld.shared::cta.u64 r, [s];");
        made.traces.objects[0].type = Type::u16;
        made.traces.objects[1].typed = false;
        made.traces.threads[0].body[1].at(Role::size).value = bytes;
        return write_hand_made(made);
    };
    const Written whole = written(16);
    REQUIRE(whole.test.locations.size() == 2);
    CHECK(bits(whole.test.locations[0].type) == 64);
    CHECK(bits(whole.test.locations[1].type) == 64);
    CHECK(written(4).test.locations.size() == 4);  // of 16 bits, as declared
}

TEST_CASE("mbarrier objects of an array have its number, names of registers are left to them") {
    HandMade made =
        one_thread(".shared .mbarrier full;\n.shared .u32 r = 0;", "mbarrier.init.shared::cta.b64 [full], 1;\nld.shared::cta.u32 q, [r];");
    made.traces.objects[0].bytes.resize(16);
    made.traces.threads[0].body[0].operands[0].offset = 8;
    made.traces.threads[0].body[1].operands[0].name = "r";
    const Written written = write_hand_made(made);
    CHECK(written.test.locations[0].name == "full_1");
    CHECK(written.test.locations[1].name == "r_");
}

TEST_CASE("shared memory that nobody writes does not look initialised") {
    const auto made = [](bool written) {
        return one_thread(".shared .u32 s[4] = 0;",
                          std::string(written ? "st.shared::cta.u32 [s+8], 1;\n" : "") + "ld.shared::cta.u32 r, [s+8];");
    };
    CHECK(says(write_hand_made(made(false)), "s@cta0[2] is read, and no thread of the launch writes it"));
    CHECK(!says(write_hand_made(made(true)), "no thread of the launch writes it"));
}

TEST_CASE("an array of which copies move parts, or one that no test can have whole, keeps the numbers of the test") {
    const std::string memory = ".global .s32 in[64] = 7;\n.shared .s32 s[64] = 0;\n.shared .mbarrier bar = 1;";
    const Written parts =
        write_hand_made(one_thread(memory,
                                   "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [in], 256, [bar];\n"
                                   "ld.shared::cta.u32 a, [s];\nld.shared::cta.u32 b, [s+128];"));
    CHECK(says(parts, "s is of s[64] the elements 0..3, 32..35"));
    CHECK(parts.arrays.empty());
    HandMade large = one_thread(".global .u32 x[8] = 0;", "st.global.u32 [x], 1;\nst.global.u32 [x+20], 1;");
    large.traces.objects[0].bytes.resize(size_t{40} << 10);
    CHECK(says(write_hand_made(large), "x is of x[10240] the elements 0, 5"));
}
