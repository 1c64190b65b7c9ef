// Small tests that several files of this folder ask about.
#pragma once

#include <string>

#include "language/syntax/read.h"

namespace litmus {

inline constexpr const char* store_buffering = R"(test "sb"
.global .u32 x = 0;
.global .u32 y = 0;
thread P0 @ cta0 { st.relaxed.gpu.global.u32 [x], 1; ld.relaxed.gpu.global.u32 r0, [y]; }
thread P1 @ cta1 { st.relaxed.gpu.global.u32 [y], 1; ld.relaxed.gpu.global.u32 r0, [x]; }
exists (P0:r0 == 0 /\ P1:r0 == 0)
)";

inline constexpr const char* message = R"(test "mp"
.global .u32 x = 0;
.global .u32 f = 0;
thread P0 @ cta0 { st.weak.global.u32 [x], 1; st.release.gpu.global.u32 [f], 1; }
thread P1 @ cta1 { ld.acquire.gpu.global.u32 r0, [f]; ld.weak.global.u32 r1, [x]; }
exists (P1:r0 == 1 /\ P1:r1 == 1)
)";

inline Test parsed(const std::string& text) {
    return parse_tests(make_source("t.litmus", text)).at(0);
}

inline Test library_test(const std::string& path) {
    return parse_tests(read_source(LITMUS_SOURCE_DIR "/litmus/" + path)).at(0);
}

}  // namespace litmus
