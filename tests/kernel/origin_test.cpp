// Which CUDA line is shown.
#include <doctest/doctest.h>

#include "kernel/module.h"

using namespace litmus::kernel;

TEST_CASE("the line of the source is that of the innermost frame outside of headers") {
    Module module;
    module.files = {{1, "/home/me/k.cu"}, {2, "/usr/local/cuda/include/cuda/ptx.h"}, {3, "helpers.cuh"}};
    CHECK(text_of(module, shown_line(module, {{2, 19, 3}, {1, 12, 5}})) == "k.cu:12");
    CHECK(text_of(module, shown_line(module, {{2, 19, 3}, {3, 4, 1}, {1, 12, 5}})) == "helpers.cuh:4");
    CHECK(text_of(module, shown_line(module, {{2, 19, 3}, {2, 7, 1}})) == "ptx.h:7");
    CHECK(text_of(module, shown_line(module, {{1, 0, 3}, {1, 12, 5}})) == "k.cu:12");
    CHECK(text_of(module, shown_line(module, {})).empty());
}
