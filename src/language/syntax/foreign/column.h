// Herd's column format with the architecture PTX, as its users write it.
//
//     PTX MP
//     "message passing"
//     { x=0; y=0; }
//      P0@cta 0,gpu 0      | P1@cta 1,gpu 0       ;
//      st.weak x, 1        | ld.acquire.gpu r0, y ;
//      st.release.gpu y, 1 | ld.weak r1, x        ;
//     exists (P1:r0 == 1 /\ P1:r1 == 0)
#pragma once

#include <string>

#include "base/source.h"
#include "language/test.h"

namespace litmus {

// Throws Failure with the place of what is wrong. A quoted line that is a URL is a ref, the other
// quoted text is the doc; lines `Key=value` are kept as refs (`Ref=`, `Repairs=`, `Target=` fill their fields).
// As in herd, a location that is used but not declared starts at 0.
Test parse_column(const SourcePtr& source);

// parse_column(print_column(t)) equals t. `test` is of Dialect::column (else: convert.h); throws
// Failure when it holds what the format cannot say.
std::string print_column(const Test& test);

}  // namespace litmus
