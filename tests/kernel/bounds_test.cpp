// Accesses and copies that end outside of their object, or lie over an mbarrier object, by any thread of the launch.
#include "kernel/bounds.h"

#include <doctest/doctest.h>

#include "hand_made.h"

using namespace litmus;
using namespace litmus::kernel;

namespace {

const std::string memory = ".global .s32 in[64] = 1;\n.shared .s32 buf[32] = 0;\n.shared .mbarrier bar;";

// Of a kernel whose last thread has this body, when the objects have just so many bytes.
std::string refusal_of_body(const std::string& text, size_t in, size_t buf, uint32_t threads = 1) {
    HandMade made = hand_made(1, threads, 1, memory, [&](uint32_t, uint32_t t) { return t + 1 == threads ? text : std::string(); });
    made.traces.objects[0].bytes.resize(in);
    made.traces.objects[1].bytes.resize(buf);
    return refusal_of(made);
}

const std::string bulk_load =
    "mbarrier.init.shared::cta.b64 [bar], 1;\nmbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 64;\n"
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [buf], [in+128], 64, [bar];\n";

// A kernel's object with data and an mbarrier object behind them; the copy gets its bytes in place of 64.
HandMade with_mbarrier_in(uint64_t bytes, const std::string& access) {
    HandMade made = hand_made(1, 1, 1, memory, [&](uint32_t, uint32_t) { return bulk_load + access; });
    Object& buf = made.traces.objects[1];
    buf.bytes.resize(144);
    for (Instruction& instruction : made.traces.threads[0].body)
        for (Operand& operand : instruction.operands) {
            if (operand.name == "bar") {
                operand.name = "buf";
                operand.offset = 128;
            }
            if (operand.kind == Operand::Kind::immediate && operand.value == 64) operand.value = bytes;
        }
    return made;
}

}  // namespace

TEST_CASE("a copy out of the bounds of its object is an error, on either side") {
    const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
    CHECK(refusal_of_body(bulk_load, 192, 64).empty());
    CHECK(refusal_of_body(bulk_load, 192, 48) == "t0 (k.cu:3) accesses 16 bytes past the end of `buf`, which has 48");
    CHECK(refusal_of_body(bulk_load, 176, 64) == "t0 (k.cu:3) accesses 16 bytes past the end of `in`, which has 176");
    const std::string bulk_store = "cp.async.bulk.global.shared::cta.bulk_group [in+128], [buf], 64;\n";
    CHECK(has(refusal_of_body(bulk_store, 191, 64), "1 bytes past the end of `in`"));
    const std::string reduction = "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32 [in], [buf+16], 64;\n";
    CHECK(has(refusal_of_body(reduction, 64, 64), "16 bytes past the end of `buf`"));
    const std::string copy = "cp.async.ca.shared.global [buf+16], [in+16], 16;\n";
    CHECK(has(refusal_of_body(copy, 64, 24), "8 bytes past the end of `buf`"));
    CHECK(has(refusal_of_body(copy, 24, 64), "8 bytes past the end of `in`"));
    CHECK(refusal_of_body("cp.async.ca.shared.global [buf], [in+16], 16, 8;\n", 24, 16).empty());
    CHECK(has(refusal_of_body("cp.async.ca.shared.global [buf], [in+16], 16, 8;\n", 23, 16), "1 bytes past the end of `in`"));
}

TEST_CASE("so is an access, whichever thread makes it") {
    CHECK(refusal_of_body("st.global.v4.u32 [in+16], {0, 0, 0, 0};\n", 24, 0) ==
          "t0 (k.cu:1) accesses 8 bytes past the end of `in`, which has 24");
    CHECK(refusal_of_body("st.global.u32 [in+16], 0;\n", 16, 0, 40).rfind("t39 (k.cu:1) accesses 4 bytes past", 0) == 0);
}

TEST_CASE("an mbarrier object is no data") {
    CHECK(refusal_of(with_mbarrier_in(128, "")).empty());
    CHECK(refusal_of(with_mbarrier_in(144, "")) ==
          "t0 (k.cu:3) writes bytes 0 to 143 of `buf`, and at byte 128 lies an mbarrier object: only mbarrier operations may touch it (ISA "
          "9.7.13.15.1)");
    CHECK(refusal_of(with_mbarrier_in(128, "st.shared::cta.u32 [buf+124], 0;\n")).empty());
    HandMade made = with_mbarrier_in(128, "st.shared::cta.u32 [buf+124], 0;\n");
    made.traces.threads[0].body.back().operands[0].offset = 132;
    CHECK(refusal_of(made).find("at byte 128 lies an mbarrier object") != std::string::npos);
}
