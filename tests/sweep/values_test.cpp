// Values in the sweep: words that are known in part, barriers that reduce, asynchronous operations that release.
#include <doctest/doctest.h>

#include <optional>
#include <sstream>

#include "kernel/arguments.h"
#include "kernel/read.h"
#include "sweep/sweep.h"

using namespace litmus;

namespace {

// A kernel of this body. %rd1 and %rd2 are arrays of 32 words, `s` is shared memory that nobody wrote.
sweep::Swept run_of(const std::string& body, const std::string& grid = "1", const std::string& block = "1") {
    const kernel::Module module = kernel::testing::module_of(
        ".visible .entry k(.param .u64 out, .param .u64 flag)\n{\n.shared .align 16 .b8 s[256];\n.local .align 16 .b8 own[64];\n"
        ".reg .pred %p<10>;\n.reg .b16 %h<10>;\n.reg .b32 %r<20>;\n.reg .b64 %rd<10>;\n.reg .b128 %q<4>;\n"
        "ld.param.u64 %rd1, [out];\nld.param.u64 %rd2, [flag];\nmov.u32 %r1, %tid.x;\n" +
        body + "\nret;\n}\n");
    kernel::LaunchTexts texts;
    texts.grid = grid;
    texts.block = block;
    texts.arguments = {"out=u32[32]", "flag=u32[32]"};
    sweep::Options options;
    options.leaves = true;
    return sweep::sweep(module, kernel::launch_of(module, texts, [](const std::string&) { return std::string(); }), options);
}

// The findings and conditions; "": none.
std::string told(const sweep::Swept& found) {
    std::string text;
    for (const sweep::Finding& finding : found.findings) text += finding.text + "; ";
    for (const std::string& condition : found.conditions) text += "where " + condition + "; ";
    return text;
}

// The first words of `out` afterwards: "1 ? 3", with a ? for one that is not computed as a whole.
std::string words_left(const sweep::Swept& found, size_t words) {
    const sweep::Contents& out = found.left->arrays.at(0);
    std::ostringstream text;
    for (size_t w = 0; w < words; ++w) {
        uint32_t value = 0;
        bool known = true;
        for (size_t b = 0; b < 4; ++b) {
            known = known && out.known[4 * w + b];
            value |= static_cast<uint32_t>(out.bytes[4 * w + b]) << (8 * b);
        }
        text << (w == 0 ? "" : " ");
        if (known)
            text << value;
        else
            text << "?";
    }
    return text.str();
}

// A word in shared memory, of which the bytes 0 and 2 are written, comes into %r2; what the body makes of it is %r3.
std::string of_part(const std::string& body) {
    return words_left(
        run_of("st.shared.u8 [s], 0x85;\nst.shared.u8 [s+2], 7;\nld.shared.u32 %r2, [s];\n" + body + "\nst.global.u32 [%rd1], %r3;"), 1);
}

}  // namespace

TEST_CASE("a comparison may have two results, and two numbers be packed") {
    const auto left = [](const std::string& body) { return words_left(run_of(body, "1", "1"), 4); };
    CHECK(left("setp.eq.s32 %p1|%p2, %r1, 3;\n@%p1 st.global.u32 [%rd1], 1;\n@%p2 st.global.u32 [%rd1+4], 1;\n"
               "setp.eq.or.s32 _|%p3, %r1, 0, %p1;\n@!%p3 st.global.u32 [%rd1+8], 1;\n"
               "cvt.pack.sat.u8.s32.b32 %r2, 300, 7, 5;\nst.global.u32 [%rd1+12], %r2;\n") == "0 1 1 392967");
    const std::string unknown = told(run_of("ld.shared.u32 %r2, [s];\nsetp.eq.s32 %p1|%p2, %r2, 3;\n@%p2 st.global.u32 [%rd1], 1;\n"));
    CHECK(unknown.find("not computed") != std::string::npos);
}

TEST_CASE("the bytes of a word that were written are known, the others are not") {
    CHECK(of_part("mov.u32 %r3, %r2;") == "?");
    CHECK(of_part("and.b32 %r3, %r2, 255;") == "133");
    CHECK(of_part("and.b32 %r3, %r2, 0xff00ff;") == std::to_string(0x70085));
    CHECK(of_part("and.b32 %r3, %r2, 0x1ff;") == "?");
    CHECK(of_part("or.b32 %r3, %r2, 0xff00ff00;") == std::to_string(0xff07ff85));
    CHECK(of_part("xor.b32 %r3, %r2, %r2;") == "?");  // of each operand it is known alone
    CHECK(of_part("shl.b32 %r3, %r2, 24;") == std::to_string(0x85000000));
    CHECK(of_part("shr.u32 %r4, %r2, 16;\nand.b32 %r3, %r4, 255;") == "7");
    CHECK(of_part("bfe.u32 %r3, %r2, 16, 8;") == "7");
    CHECK(of_part("bfe.s32 %r3, %r2, 0, 8;") == std::to_string(0xffffff85));
    CHECK(of_part("bfe.u32 %r3, %r2, 8, 8;") == "?");
    CHECK(of_part("bfi.b32 %r3, %r2, 0, 4, 8;") == std::to_string(0x850));
    CHECK(of_part("prmt.b32 %r3, %r2, 0, 0x4240;") == std::to_string(0x00070085));
    CHECK(of_part("prmt.b32 %r3, %r2, 0, 0x4448;") == "255");  // the sign of byte 0
    CHECK(of_part("prmt.b32 %r3, %r2, 0, 0x4441;") == "?");
    CHECK(of_part("lop3.b32 %r3, %r2, 255, 0, 0xc0;") == "133");
    CHECK(of_part("not.b32 %r4, %r2;\nand.b32 %r3, %r4, 255;") == std::to_string(0x7a));
    CHECK(of_part("cvt.u32.u8 %r3, %r2;") == "133");
    CHECK(of_part("cvt.s32.s8 %r3, %r2;") == std::to_string(0xffffff85));
    CHECK(of_part("cvt.u32.u16 %r3, %r2;") == "?");
    CHECK(of_part("mov.b32 {%h1, %h2}, %r2;\ncvt.u32.u8 %r3, %h2;") == "7");
    CHECK(of_part("shf.l.wrap.b32 %r4, %r2, %r2, 8;\nshr.u32 %r5, %r4, 8;\nand.b32 %r3, %r5, 255;") == "133");
    CHECK(of_part("add.u32 %r4, %r2, 0;\nand.b32 %r3, %r4, 255;") == "?");  // a sum has carries
}

TEST_CASE("what is known in part stays so on its way") {
    // through memory of the thread, a shuffle, a store of another width, a pair of registers
    CHECK(of_part("st.local.u32 [own], %r2;\nld.local.u8 %r3, [own];") == "133");
    CHECK(of_part("st.local.u32 [own], %r2;\nld.local.s8 %r3, [own];") == std::to_string(0xffffff85));
    CHECK(of_part("shfl.sync.idx.b32 %r4, %r2, 0, 31, 1;\nand.b32 %r3, %r4, 255;") == "133");
    CHECK(of_part("st.shared.u32 [s+16], %r2;\nld.shared.u8 %r3, [s+18];") == "7");
    CHECK(of_part("mov.b64 %rd3, {%r2, %r1};\nshr.u64 %rd4, %rd3, 32;\ncvt.u32.u64 %r3, %rd4;") == "0");
    CHECK(of_part("mov.b64 %rd3, {%r1, %r2};\nshl.b64 %rd4, %rd3, 24;\nshr.u64 %rd5, %rd4, 56;\ncvt.u32.u64 %r3, %rd5;") == "133");
    CHECK(of_part("mov.b64 %rd3, {%r1, %r2};\nshl.b64 %rd4, %rd3, 8;\nshr.u64 %rd5, %rd4, 56;\ncvt.u32.u64 %r3, %rd5;") == "7");
    // a register that is written anew is what it is then
    CHECK(of_part("mov.u32 %r2, 5;\nmov.u32 %r3, %r2;") == "5");
    CHECK(of_part("ld.shared.u32 %r2, [s+64];\nand.b32 %r3, %r2, 255;") == "?");
}

TEST_CASE("a register of 128 bits is two of 64") {
    const std::string body =
        "mov.u64 %rd3, 0x100000002;\nmov.u64 %rd4, 0x300000004;\nmov.b128 %q1, {%rd3, %rd4};\nst.global.b128 [%rd1], %q1;\n"
        "ld.global.b128 %q2, [%rd1];\nmov.b128 %q3, %q2;\nmov.b128 {%rd5, %rd6}, %q3;\nst.global.u64 [%rd1+16], %rd6;\n"
        "st.global.u64 [%rd1+24], %rd5;\natom.global.exch.b128 %q1, [%rd1+32], %q3;\nst.global.b128 [%rd1+48], %q1;\n";
    CHECK(words_left(run_of(body), 16) == "2 1 4 3 4 3 2 1 2 1 4 3 0 0 0 0");
}

TEST_CASE("bar.red gives all that wait the predicates together") {
    // of 64 threads those below 40
    const std::string begin = "setp.lt.u32 %p1, %r1, 40;\nmul.wide.u32 %rd3, %r1, 0;\nadd.u64 %rd3, %rd3, %rd1;\nmov.u32 %r3, 77;\n";
    const auto of = [&](const std::string& reduces) {
        return words_left(run_of(begin + reduces + "setp.ne.u32 %p3, %r1, 63;\n@!%p3 st.global.u32 [%rd3], %r3;", "1", "64"), 1);
    };
    const std::string to_word = "selp.u32 %r3, 1, 0, %p2;\n";
    CHECK(of("bar.red.popc.u32 %r3, 0, %p1;\n") == "40");
    CHECK(of("barrier.cta.red.popc.aligned.u32 %r3, 1, !%p1;\n") == "24");
    CHECK(of("barrier.red.popc.u32 %r3, 1, 64, %p1;\n") == "40");
    CHECK(of("bar.red.or.pred %p2, 0, %p1;\n" + to_word) == "1");
    CHECK(of("bar.red.and.pred %p2, 0, %p1;\n" + to_word) == "0");
    CHECK(of("bar.cta.red.and.pred %p2, 0, !%p1;\n" + to_word) == "0");
    CHECK(of("setp.lt.u32 %p1, %r1, 64;\nbar.red.and.pred %p2, 0, %p1;\n" + to_word) == "1");
    CHECK(of("setp.gt.u32 %p1, %r1, 64;\nbar.red.or.pred %p2, 0, %p1;\n" + to_word) == "0");
    // two turns, the other one by one warp
    CHECK(of("bar.red.popc.u32 %r3, 0, %p1;\nsetp.eq.u32 %p4, %r3, 40;\nbar.red.popc.u32 %r3, 0, %p4;\n") == "64");
    // threads that have exited take no part
    CHECK(of("setp.lt.u32 %p5, %r1, 8;\n@%p5 ret;\nbar.red.popc.u32 %r3, 0, %p1;\n") == "32");
    // one that is not computed leaves open what depends on it
    const std::string unknown = "setp.eq.u32 %p8, %r1, 0;\n@%p8 ld.shared.u32 %r4, [s];\n@%p8 setp.eq.u32 %p1, %r4, 0;\n";  // in thread 0
    CHECK(of(unknown + "bar.red.popc.u32 %r3, 0, %p1;\n") == "?");
    CHECK(of(unknown + "bar.red.or.pred %p2, 0, %p1;\n" + to_word) == "1");
    CHECK(of(unknown + "bar.red.and.pred %p2, 0, %p1;\n" + to_word) == "0");
    CHECK(of("setp.lt.u32 %p1, %r1, 64;\n" + unknown + "bar.red.and.pred %p2, 0, %p1;\n" + to_word) == "?");
}

// One of two blocks draws the last ticket, and tells its threads so by __syncthreads_or.
TEST_CASE("only the last block goes on behind a barrier that says so") {
    const auto last_block = [](const std::string& reduces) {
        return told(
            run_of("setp.ne.u32 %p1, %r1, 0;\nsetp.ne.u32 %p3, %r1, %r1;\nmov.u32 %r2, 0;\n@%p1 bra J;\n"
                   "atom.global.inc.u32 %r2, [%rd2], 1;\nsetp.eq.u32 %p3, %r2, 1;\nJ:\n" +
                       reduces + "@%p1 bra END;\nst.global.u32 [%rd1], %r2;\nEND:",
                   "2", "64"));
    };
    CHECK(last_block("bar.red.or.pred %p4, 0, %p3;\n@!%p4 bra END;\n").find("race") == std::string::npos);
    CHECK(last_block("bar.red.popc.u32 %r5, 0, %p3;\nsetp.eq.u32 %p4, %r5, 0;\n@%p4 bra END;\n").find("race") == std::string::npos);
    CHECK(last_block("bar.sync 0;\n").find("race on `out`") != std::string::npos);
    // the word to which it counts back: 0
    CHECK(words_left(
              run_of("atom.global.inc.u32 %r2, [%rd1], 1;\natom.global.inc.u32 %r3, [%rd1], 1;\natom.global.dec.u32 %r4, [%rd1+4], 9;\n"
                     "st.global.u32 [%rd1+8], %r3;\nst.global.u32 [%rd1+12], %r4;"),
              4) == "0 9 1 0");
}

// Thread 0 of block 0 writes data and releases a flag asynchronously; thread 0 of block 1 waits for it.
TEST_CASE("red.async and st.async that release publish what was done before, and nothing waits for them") {
    const auto passed = [](const std::string& releases, const std::string& reads, const std::string& data = "[%rd1]") {
        return told(run_of("mov.u32 %r2, %ctaid.x;\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 bra READER;\nst.global.u32 [%rd1], 7;\n" + releases +
                               "\nret;\nREADER:\n" + reads +
                               " %r3, [%rd2];\nsetp.eq.u32 %p2, %r3, 0;\n@%p2 bra READER;\nld.global.u32 %r4, " + data + ";\n",
                           "2", "1"));
    };
    CHECK(passed("st.async.release.gpu.global.u32 [%rd2], 1;", "ld.acquire.gpu.global.u32").empty());
    CHECK(passed("red.async.release.gpu.global.add.u32 [%rd2], 1;", "ld.acquire.gpu.global.u32").empty());
    CHECK(passed("st.async.mmio.release.sys.global.u32 [%rd2], 1;", "ld.acquire.sys.global.u32").empty());
    CHECK(passed("red.async.release.gpu.global.add.u32 [%rd2], 1;", "ld.relaxed.gpu.global.u32").find("race on `out`") !=
          std::string::npos);
    // who has acquired from it comes after it, too
    CHECK(passed("st.async.release.gpu.global.u32 [%rd2], 1;", "ld.acquire.gpu.global.u32", "[%rd2]").empty());
    CHECK(passed("st.async.release.gpu.global.u32 [%rd2], 1;", "ld.relaxed.gpu.global.u32", "[%rd2]").empty());
    // and so does who learns of it from that one
    CHECK(told(run_of("mov.u32 %r2, %ctaid.x;\nsetp.eq.u32 %p1, %r2, 1;\n@%p1 bra SECOND;\nsetp.eq.u32 %p1, %r2, 2;\n@%p1 bra THIRD;\n"
                      "st.async.release.gpu.global.u32 [%rd2], 1;\nret;\n"
                      "SECOND:\nld.acquire.gpu.global.u32 %r3, [%rd2];\nsetp.eq.u32 %p2, %r3, 0;\n@%p2 bra SECOND;\n"
                      "st.release.gpu.global.u32 [%rd2+4], 1;\nret;\n"
                      "THIRD:\nld.acquire.gpu.global.u32 %r3, [%rd2+4];\nsetp.eq.u32 %p2, %r3, 0;\n@%p2 bra THIRD;\n"
                      "ld.global.u32 %r4, [%rd2];\n",
                      "3", "1"))
              .empty());
    // its own thread cannot wait for it
    CHECK(told(run_of("st.async.release.gpu.global.u32 [%rd1], 1;\nld.global.u32 %r2, [%rd1];")).find("not known to be complete") !=
          std::string::npos);
    CHECK(told(run_of("red.async.release.gpu.global.add.u32 [%rd1], 1;\nst.global.u32 [%rd1], 1;")).find("not known to be complete") !=
          std::string::npos);
    CHECK(told(run_of("st.async.release.gpu.global.u32 [%rd1], 1;\nld.relaxed.gpu.global.u32 %r2, [%rd1];")).empty());
    // and it is for global memory
    CHECK(told(run_of("mov.u64 %rd3, s;\ncvta.shared.u64 %rd4, %rd3;\nst.async.release.gpu.u32 [%rd4], 1;"))
              .find("for global memory (ISA 9.7.9.12)") != std::string::npos);
}

TEST_CASE("cp.async fills with zeros what it does not read") {
    // the words of `out` that are copied, shared words that one copies over, and the words of `out` afterwards
    const auto left = [](const std::string& behind_size) {
        const std::string copied =
            "mov.u32 %r2, s;\nmov.u32 %r3, 0x01020304;\nst.global.u32 [%rd1], %r3;\nst.global.u32 [%rd1+4], 5;\nst.global.u32 [%rd1+8], "
            "6;\n"
            "setp.eq.u32 %p1, %r1, 0;\nsetp.ne.u32 %p2, %r1, 0;\ncp.async.cg.shared.global [%r2], [%rd1], 16" +
            behind_size +
            ";\ncp.async.wait_all;\nld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [%r2];\nst.global.v4.u32 [%rd1], {%r4, %r5, %r6, %r7};";
        return words_left(run_of(copied), 4);
    };
    CHECK(left("") == "16909060 5 6 0");
    CHECK(left(", 16") == "16909060 5 6 0");
    CHECK(left(", 8") == "16909060 5 0 0");
    CHECK(left(", 5") == "16909060 5 0 0");
    CHECK(left(", 2") == "772 0 0 0");
    CHECK(left(", 0") == "0 0 0 0");
    CHECK(left(", %p1") == "0 0 0 0");
    CHECK(left(", !%p1") == "16909060 5 6 0");
    CHECK(left(", %p2") == "16909060 5 6 0");
}

// 5.1.7, 6.4.1: dynamic shared memory begins behind what is declared, and a kernel aligns an address there by itself.
TEST_CASE("an address that is a multiple of what is asked is aligned, wherever its object begins") {
    const auto said = [](const std::string& rounds) {
        const kernel::Module module = kernel::testing::module_of(
            ".extern .shared .align 4 .b8 behind[];\n.visible .entry k()\n{\n.shared .align 4 .b8 word[4];\n.reg .b32 %r<10>;\n"
            "mov.u32 %r1, behind;\n" +
            rounds + "st.shared.v4.u32 [%r1], {%r2, %r2, %r2, %r2};\nst.shared.u32 [word], 1;\nret;\n}\n");
        kernel::LaunchTexts texts;
        texts.grid = texts.block = "1";
        texts.shared_bytes = 256;
        return told(sweep::sweep(module, kernel::launch_of(module, texts, [](const std::string&) { return std::string(); })));
    };
    CHECK(said("add.u32 %r1, %r1, 127;\nand.b32 %r1, %r1, 0xffffff80;\n") == "");
    CHECK(kernel::testing::has(said("add.u32 %r1, %r1, 8;\n"), "is not aligned to 16 bytes"));
}

TEST_CASE("st.bulk writes zeros, and discard what nobody may use") {
    const std::string shared = "mov.u32 %r2, s;\nmov.u32 %r3, 5;\nst.shared.v4.u32 [s], {%r3, %r3, %r3, %r3};\n";
    const auto left = [&](const std::string& size) {
        return words_left(run_of(shared + "st.bulk.weak.shared::cta [%r2], " + size +
                                 ", 0;\nld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [s];\nst.global.v4.u32 [%rd1], {%r4, %r5, %r6, %r7};"),
                          4);
    };
    CHECK(left("16") == "0 0 0 0");
    CHECK(left("8") == "0 0 5 5");
    CHECK(left("0") == "5 5 5 5");
    CHECK_THROWS_WITH_AS(left("264"), doctest::Contains("264 bytes, which is more than there is"), Failure);
    CHECK(words_left(run_of("mov.u32 %r3, 5;\nst.global.u32 [%rd1], %r3;\ndiscard.global.L2 [%rd1], 128;\nst.global.u32 [%rd1+4], %r3;"),
                     3) == "? 5 ?");
    // thread 0 fills what thread 1 reads, in another warp
    const auto said = [](const std::string& between) {
        return told(run_of("mov.u32 %r2, s;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 st.bulk.weak.shared::cta [%r2], 256, 0;\n" + between +
                               "ld.shared.u32 %r3, [s+252];",
                           "1", "64"));
    };
    CHECK(said("bar.sync 0;\n") == "");
    CHECK(kernel::testing::has(said(""), "race on `s` of block 0 at byte 252"));
}

TEST_CASE("cp.async that ignores its source, or reads none of it, does not access it") {
    // Thread 0 copies from where thread 1 writes, in another warp, or from nowhere.
    const auto said = [](const std::string& from, const std::string& behind_size) {
        return told(
            run_of("mov.u32 %r2, s;\nsetp.eq.u32 %p1, %r1, 0;\nsetp.eq.u32 %p2, %r1, 32;\nmov.u64 %rd3, 0;\n"
                   "@%p1 cp.async.cg.shared.global [%r2], [" +
                       from + "], 16" + behind_size + ";\ncp.async.wait_all;\n@%p2 st.global.u32 [%rd1], 1;",
                   "1", "64"));
    };
    const std::string raced = "race on `out` at byte 0";
    CHECK(kernel::testing::has(said("%rd1", ""), raced));
    CHECK(kernel::testing::has(said("%rd1", ", 4"), raced));
    CHECK(kernel::testing::has(said("%rd1", ", %p2"), raced));
    CHECK(said("%rd1", ", 0") == "");
    CHECK(said("%rd1", ", %p1") == "");
    CHECK(said("%rd3", ", 0") == "");
    CHECK(said("%rd3", ", %p1") == "");
    CHECK(said("%rd1+4", ", 0") != "");  // misaligned all the same
}

TEST_CASE("an operand of which nothing is computed may be no matter") {
    // nobody writes %r9, and %p9 is a comparison with it; %p3 is false
    const auto left = [](const std::string& body) {
        return words_left(run_of("setp.ne.u32 %p9, %r9, 7;\nsetp.eq.u32 %p3, %r1, 5;\nmov.u32 %r2, 3;\nmov.u32 %r3, 4;\n" + body), 1);
    };
    const auto selected = [&](const std::string& operands) { return left("selp.u32 %r3, " + operands + ";\nst.global.u32 [%rd1], %r3;"); };
    CHECK(selected("%r9, %r2, %p3") == "3");
    CHECK(selected("%r2, %r9, %p3") == "?");
    CHECK(selected("%r2, %r2, %p9") == "3");
    const auto both = [&](const std::string& with) { return left(with + ";\nselp.u32 %r3, 1, 2, %p4;\nst.global.u32 [%rd1], %r3;"); };
    CHECK(both("and.pred %p4, %p9, %p3") == "2");
    CHECK(both("not.pred %p3, %p3;\nor.pred %p4, %p9, %p3") == "1");
    CHECK(both("or.pred %p4, %p9, %p3") == "?");
}
