// Tensor maps as words in memory, where a kernel may write anything.
#include "sweep/tensor_map.h"

#include <doctest/doctest.h>

using namespace litmus;
using namespace litmus::sweep;

namespace {

MapWords words_of(std::vector<uint64_t> sizes, std::vector<uint64_t> box) {
    kernel::TensorMap map;
    map.type = Type::u16;
    map.sizes = std::move(sizes);
    map.box = std::move(box);
    return encoded(map, 0x7e0000000000);
}

}  // namespace

TEST_CASE("tensor maps: what is decoded is what was encoded") {
    const auto tensor = decoded(words_of({64, 128, 2}, {64, 64, 1}));
    REQUIRE(tensor);
    CHECK(tensor->type == Type::u16);
    CHECK(tensor->address == 0x7e0000000000);
    CHECK(tensor->sizes == std::vector<uint64_t>{64, 128, 2});
    CHECK(tensor->strides == std::vector<uint64_t>{128, 16384});
    CHECK(tensor->box == std::vector<uint64_t>{64, 64, 1});
    CHECK(wrong(*tensor).empty());
}

TEST_CASE("tensor maps: five dimensions leave room for the swizzle") {
    MapWords words = words_of({2, 3, 4, 5, 6}, {2, 3, 4, 5, 6});
    for (const uint64_t mode : {3, 0}) {
        REQUIRE(replace(words, "swizzle_mode", 0, mode));
        const auto tensor = decoded(words);
        REQUIRE(tensor);
        CHECK(tensor->box == std::vector<uint64_t>{2, 3, 4, 5, 6});
        CHECK(tensor->swizzled == (mode != 0));
    }
}

TEST_CASE("tensor maps: words that a kernel has made up are none") {
    MapWords words = words_of({64, 128}, {64, 64});
    CHECK_FALSE(decoded(MapWords{}));
    for (const uint64_t type : {static_cast<uint64_t>(Type::pred), uint64_t{0x80}, uint64_t{0xff}}) {
        INFO(type);
        words[0] = (words[0] & ~uint64_t{0xff}) | type;
        CHECK_FALSE(decoded(words));
    }
    for (const uint64_t rank : {0, 6, 255}) {
        words = words_of({64, 128}, {64, 64});
        words[0] = (words[0] & ~uint64_t{0xff00}) | rank << 8U;
        CHECK_FALSE(decoded(words));
    }
}

TEST_CASE("tensor maps: a copy goes by no field that a map cannot have") {
    const auto replaced = [](const std::string& field, uint64_t ordinal, uint64_t value) {
        MapWords words = words_of({64, 128}, {64, 64});
        REQUIRE(replace(words, field, ordinal, value));
        return wrong(decoded(words).value());
    };
    CHECK(replaced("box_dim", 0, 32).empty());
    CHECK(replaced("box_dim", 1, 0) == "length 2 of the box is 0, and each is from 1 to 256");
    CHECK(replaced("box_dim", 0, UINT64_MAX) == "length 1 of the box is 18446744073709551615, and each is from 1 to 256");
    CHECK(replaced("global_dim", 0, 0) == "size 1 is 0, and each is from 1 to 4294967296");
    CHECK(replaced("global_stride", 0, UINT64_MAX) == "stride 1 is 18446744073709551615, and each is from 0 to 1099511627775");
    CHECK(replaced("global_address", 0, UINT64_MAX) == "the tensor reaches beyond the last address");
}
