// Replicated threads and pasted assembly: what is read is what the text says when it is written out.
#include <doctest/doctest.h>

#include "base/source.h"
#include "language/syntax/native/dsl.h"
#include "language/syntax/native/print.h"

using namespace litmus;

namespace {

constexpr std::string_view head = R"(test "t"

.global .u32 x = 0;
.global .u32 g[16] = 0;
.shared .u32 s[4] = 0;
.shared.cta0 .mbarrier bar = 1;

)";

Test parsed(const std::string& body) {
    return parse_dsl(make_source("t.litmus", std::string(head) + body));
}

// The two texts are one test, and printing it is the second.
void is(const std::string& text, const std::string& written_out) {
    const Test test = parsed(text);
    CHECK(test == parsed(written_out));
    CHECK(print(test) == print(parsed(written_out)));
    CHECK(parse_dsl(make_source("printed", print(test))) == test);
}

}  // namespace

TEST_CASE("a replicated thread is as many threads, %i the number of each") {
    is(R"(thread W[3] @ cluster%i.cta(%i*2+1) {
  st.weak.global.u32 [g[%i]], %i*10+7;
  st.weak.global.u32 [g+%i*8+4], -%i;
  mov.u32 a, (%i-1);
  await ld.relaxed.gpu.global.u32 i, [x] >= %i;
}
exists (W.0:i == 1 /\ W.2:a == 1))",
       R"(thread W.0 @ cluster0.cta1 {
  st.weak.global.u32 [g], 7;
  st.weak.global.u32 [g+4], 0;
  mov.u32 a, -1;
  await ld.relaxed.gpu.global.u32 i, [x] >= 0;
}
thread W.1 @ cluster1.cta3 {
  st.weak.global.u32 [g+4], 17;
  st.weak.global.u32 [g+12], -1;
  mov.u32 a, 0;
  await ld.relaxed.gpu.global.u32 i, [x] >= 1;
}
thread W.2 @ cluster2.cta5 {
  st.weak.global.u32 [g+8], 27;
  st.weak.global.u32 [g+20], -2;
  mov.u32 a, 1;
  await ld.relaxed.gpu.global.u32 i, [x] >= 2;
}
exists (W.0:i == 1 /\ W.2:a == 1))");
}

TEST_CASE("instances of shared memory may be named by replica") {
    is(R"(thread W[2] @ cta%i {
  ld.weak.shared::cluster.u32 r0, [s@cta%i+4];
  ld.weak.shared::cluster.u32 r1, [s@cta(%i*0+1)];
})",
       R"(thread W.0 @ cta0 {
  ld.weak.shared::cluster.u32 r0, [s@cta0+4];
  ld.weak.shared::cluster.u32 r1, [s@cta1];
}
thread W.1 @ cta1 {
  ld.weak.shared::cluster.u32 r0, [s@cta1+4];
  ld.weak.shared::cluster.u32 r1, [s@cta1];
})");
}

TEST_CASE("outside of replicated threads %i is a register") {
    is("thread P @ cta0 {\n  mov.u32 %i, 3;\n  st.weak.global.u32 [x], %i;\n}",
       "thread P @ cta0 {\n  mov.u32 i, 3;\n  st.weak.global.u32 [x], i;\n}");
}

TEST_CASE("labels and registers of blocks are their own where the thread has the names already") {
    is(R"(thread P @ cta0 {
  .reg .b32 %r<4>;
  mov.u32 r1, 1;
LOOP:
  {
    .reg .pred p;
    .reg .u32 r1, fresh;
    mov.u32 r1, 2;
    setp.eq.u32 p, r1, 2;
    @p bra LOOP;
    bra DONE;
  LOOP:
    mov.u32 fresh, r1;
  DONE:
  }
  {
    .reg .pred p;
    setp.eq.u32 p, r1, 1;
    @p bra DONE;
    mov.u32 r1, 9;
  DONE:
  }
})",
       R"(thread P @ cta0 {
  mov.u32 r1, 1;
LOOP:
  mov.u32 r1_2, 2;
  setp.eq.u32 p, r1_2, 2;
  @p bra LOOP_2;
  bra DONE;
LOOP_2:
  mov.u32 fresh, r1_2;
DONE:
  setp.eq.u32 p_2, r1, 1;
  @p_2 bra DONE_2;
  mov.u32 r1, 9;
DONE_2:
})");
}

TEST_CASE("an asm statement is its instructions with its operands") {
    is(R"(thread P @ cta0 {
  asm volatile("{\n\t"                  // wait(bar, 0)
               ".reg .pred p;\n\t"
               "mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2;  // %1 is an address\n\t"
               "selp.b32 %0, 1, 0, p;\n\t"
               "}"
               : "=r"(p)
               : "r"(bar), "n"(0)
               : "memory");
  __asm__ __volatile__("st.weak.global.u32 [%0+8], %1; st.weak.global.v2.u32 [%0 + 16], {%1, %2};" :: "l"(g+32), "r"(p), "r"(7));
  asm("mov.u32 %%t, 5;");
})",
       R"(thread P @ cta0 {
  mbarrier.test_wait.parity.shared::cta.b64 p_2, [bar], 0;
  selp.b32 p, 1, 0, p_2;
  st.weak.global.u32 [g+40], p;
  st.weak.global.v2.u32 [g+48], {p, 7};
  mov.u32 t, 5;
})");
}

TEST_CASE("special registers keep their names, and have the values of the thread's place") {
    const Test test = parsed(R"(thread A @ cluster1.cta4.warp2.lane3 {
  mov.u32 r0, %tid.x;
  mov.b32 r1, %ntid.x;
  mov.u32 r2, %cluster_ctarank;
  mov.u32 r3, %cluster_nctarank;
  mov.u32 r4, %ctaid.x;
  mov.u32 r5, %nctaid.x;
  mov.u32 r6, %clusterid.x;
  mov.u32 r7, %laneid;
  cvt.u64.u32 r8, %lanemask_gt;
  mov.u32 r9, %ntid.y;
  mov.u32 r10, %tid.z;
  mov.u32 r11, %lanemask_le;
}
thread B @ cluster1.cta2 {
  mov.u32 r0, %cluster_ctarank;
})");
    CHECK(print(test).find("mov.u32 r2, %cluster_ctarank;") != std::string::npos);
    CHECK(parse_dsl(make_source("printed", print(test))) == test);
    const std::vector<uint64_t> values = {67, 96, 1, 2, 4, 5, 1, 3, 0xfffffff0, 1, 0, 15};
    for (size_t i = 0; i < values.size(); ++i) CHECK(test.threads[0].body[i].operands.at(1).value == values[i]);
    CHECK(test.threads[1].body[0].operands.at(1).value == 0);
}
