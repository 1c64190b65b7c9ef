// litmus_init and litmus_tally: the kernels before and after the test, which go over all instances of a launch.
#pragma once

#include "gpu/emit/plan.h"
#include "gpu/emit/text.h"
#include "language/test.h"

namespace litmus::gpu {

void write_init(const Test& test, const Plan& plan, PtxText& text);
void write_tally(const Test& test, const Plan& plan, PtxText& text);

}  // namespace litmus::gpu
