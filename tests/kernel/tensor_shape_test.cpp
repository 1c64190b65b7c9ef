// Sizes, strides and boxes that tensor maps have, and the least that they do not.
#include "kernel/tensor_shape.h"

#include <doctest/doctest.h>

using namespace litmus::kernel;

TEST_CASE("tensor maps have one to five sizes, each with its stride but the innermost") {
    CHECK(wrong_shape(0, 2, {64}, {}).empty());
    CHECK(wrong_shape(0, 2, {64, 128}, {128}).empty());
    CHECK(wrong_shape(0, 2, {1, 1, 1, 1, 1}, {}).empty());
    CHECK(wrong_shape(0, 2, {}, {}) == "the tensor has 0 dimensions, and 1 to 5 are possible");
    CHECK(wrong_shape(0, 2, {1, 1, 1, 1, 1, 1}, {}) == "the tensor has 6 dimensions, and 1 to 5 are possible");
    CHECK(wrong_shape(0, 2, {64, 128}, {128, 256}) == "the tensor has 2 sizes and 2 strides, and there is one stride less than sizes");
    CHECK(wrong_shape(0, 2, {64, 0}, {128}) == "size 2 is 0, and each is from 1 to 4294967296");
    CHECK(wrong_shape(0, 2, {most_in_dimension, 2}, {1}).empty());
    CHECK_FALSE(wrong_shape(0, 2, {most_in_dimension + 1, 2}, {1}).empty());
    CHECK_FALSE(wrong_shape(0, 2, {64, 128}, {most_stride + 1}).empty());
}

TEST_CASE("the last byte of a tensor has an address") {
    const std::string beyond = "the tensor reaches beyond the last address";
    CHECK(wrong_shape(UINT64_MAX - 128, 2, {64}, {}).empty());
    CHECK(wrong_shape(UINT64_MAX - 127, 2, {64}, {}) == beyond);
    CHECK(wrong_shape(UINT64_MAX - 200, 2, {4, 3}, {100}) == beyond);
    CHECK(wrong_shape(UINT64_MAX - 208, 2, {4, 3}, {100}).empty());
    CHECK(wrong_shape(0, 1, {1, most_in_dimension, most_in_dimension}, {most_stride, most_stride}) == beyond);  // a product
    CHECK(wrong_shape(0, 8, {1U << 31U, 1U << 31U}, {}) == beyond);                                             // without gaps
    CHECK(wrong_shape(0, 1, {1, 1U << 31U, 1U << 31U, 1U << 31U}, {1, 1, 1}).empty());
}

TEST_CASE("a box has a length from 1 to 256 in each dimension") {
    CHECK(wrong_box({256, 1}, 2).empty());
    CHECK(wrong_box({256}, 2) == "the tensor has 2 dimensions, and its box 1");
    CHECK(wrong_box({1, 1, 1}, 2) == "the tensor has 2 dimensions, and its box 3");
    CHECK(wrong_box({1, 0}, 2) == "length 2 of the box is 0, and each is from 1 to 256");
    CHECK(wrong_box({257, 1}, 2) == "length 1 of the box is 257, and each is from 1 to 256");
}
