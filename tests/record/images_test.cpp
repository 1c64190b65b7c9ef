// PTX in images: text, fatbins as `fatbinary` of CUDA 13.0 writes them of tests/kernel/cuda/ring.ptx, and what is neither.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "record/fatbin.h"
#include "record/ptx_text.h"
#include "record/unpack.h"

using namespace litmus::record;

namespace {

std::string bytes_of(const std::string& name) {
    std::ifstream file(std::filesystem::path(LITMUS_SOURCE_DIR) / "tests" / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::string text_in(const std::string& fatbin) {
    const Image image = read_image(bytes_of("record/" + fatbin));
    CHECK(image.what == "a fatbin");
    REQUIRE(image.ptx.size() == 1);
    CHECK(image.ptx.front().architecture == 90);
    return unpack(image.ptx.front());
}

}  // namespace

TEST_CASE("images: a fatbin has its PTX, however it is packed") {
    const std::string plain = text_in("ring.none.fatbin");
    CHECK(plain.find(".visible .entry ring(") != std::string::npos);
    CHECK(plain.find('\0') == std::string::npos);
    CHECK(text_in("ring.lz4.fatbin") == plain);
    CHECK(text_in("ring.zstd.fatbin") == plain);
}

TEST_CASE("images: PTX, cubins and anything else") {
    const Image text = read_image(std::string(".version 9.0\n.target sm_90\n\0rest", 32));
    CHECK(text.what == "PTX");
    REQUIRE(text.ptx.size() == 1);
    CHECK(unpack(text.ptx.front()) == ".version 9.0\n.target sm_90\n");
    const Image cubin = read_image(
        "\x7f"
        "ELF and more");
    CHECK(cubin.what == "a cubin");
    CHECK(cubin.ptx.empty());
    CHECK(read_image("nothing").ptx.empty());
    CHECK(read_image("").ptx.empty());
}

TEST_CASE("images: in memory they are as long as their headers say, and a wrapper leads to them") {
    const std::string fatbin = bytes_of("record/ring.zstd.fatbin");
    const std::string longer = fatbin + "what follows";
    CHECK(image_at(longer.data()) == fatbin);
    struct Wrapper {
        uint32_t magic, version;
        const void* data;
        const void* name;
    };
    const Wrapper wrapper{0x466243B1, 1, longer.data(), nullptr};
    CHECK(image_at(&wrapper) == fatbin);
    const char* const ptx = ".version 9.0\n";
    CHECK(image_at(ptx) == ptx);
}

// Whatever is cut off or changed: no PTX, or an error that says so, and nothing is read past the end.
TEST_CASE("images: broken ones are told") {
    for (const char* name : {"record/ring.none.fatbin", "record/ring.lz4.fatbin", "record/ring.zstd.fatbin"}) {
        const std::string whole = bytes_of(name);
        for (size_t length = 0; length < whole.size(); length += 7) CHECK(read_image(whole.substr(0, length)).ptx.empty());
        size_t told = 0;
        for (size_t at = 96; at < whole.size(); at += 5) {
            std::string changed = whole;
            changed[at] = static_cast<char>(changed[at] ^ 0x5a);
            const Image image = read_image(changed);
            REQUIRE(image.ptx.size() == 1);
            try {
                unpack(image.ptx.front());
            } catch (const std::runtime_error&) {
                ++told;
            }
        }
        if (std::string(name).find("none") == std::string::npos) CHECK(told > 0);
    }
    CHECK_THROWS_AS(unpack_lz4(std::string("\x10", 1), 1), std::runtime_error);  // a literal that is not there
    CHECK_THROWS_AS(unpack_lz4(std::string("\x10"
                                           "a"
                                           "\x02\x00",
                                           4),
                               5),
                    std::runtime_error);  // a copy of what was never written
    CHECK(unpack_lz4(std::string("\x11"
                                 "a"
                                 "\x01\x00\x00",
                                 5),
                     6) == "aaaaaa");
    PackedPtx large;
    large.bytes = most_ptx_bytes + 1;
    CHECK_THROWS_AS(unpack(large), std::runtime_error);
}

TEST_CASE("images: the latest PTX that the device can run") {
    std::vector<PackedPtx> all(3);
    all[0].architecture = 80;
    all[1].architecture = 90;
    all[2].architecture = 100;
    CHECK(chosen(all, 90) == &all[1]);
    CHECK(chosen(all, 89) == &all[0]);
    CHECK(chosen(all, 120) == &all[2]);
    CHECK(chosen(all, 75) == nullptr);
    CHECK(chosen({}, 90) == nullptr);
}

TEST_CASE("parameters: where they lie, as PTX declares them") {
    const std::string ptx = R"(
.visible .entry other(
	.param .u64 other_param_0
)
.visible .entry k(
	.param .u32 k_param_0,
	.param .u64 .ptr .global .align 16 k_param_1,
	.param .u8 k_param_2,
	.param .align 4 .b8 k_param_3[12],
	.param .align 64 .b8 k_param_4[128]
)
.maxntid 128
{
}
.entry none
{
}
.entry empty()
{
})";
    using Places = std::vector<ParameterPlace>;
    CHECK(parameters_of(ptx, "k").value() == Places{{0, 4}, {8, 8}, {16, 1}, {20, 12}, {64, 128}});
    CHECK(parameters_of(ptx, "other").value() == Places{{0, 8}});
    CHECK(parameters_of(ptx, "none").value().empty());
    CHECK(parameters_of(ptx, "empty").value().empty());
    CHECK_FALSE(parameters_of(ptx, "oth").has_value());
    CHECK(parameters_of(bytes_of("kernel/cuda/ring.ptx"), "ring").value() == Places{{0, 8}, {8, 8}, {16, 4}});
}
