// A small test that several files of this folder run.
#pragma once

namespace litmus {

inline constexpr const char* message_passing = R"(test "MP"
.global .u32 x = 0;
.global .u32 f = 0;
thread P0 @ cta0 { st.relaxed.gpu.global.u32 [x], 1; st.relaxed.gpu.global.u32 [f], 1; }
thread P1 @ cta1 { ld.relaxed.gpu.global.u32 r0, [f]; ld.relaxed.gpu.global.u32 r1, [x]; }
exists (P1:r0 == 1 /\ P1:r1 == 0)
)";

}  // namespace litmus
