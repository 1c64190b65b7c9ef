// The reader of cubins: files made by hand, files of ptxas where it is, and files that are spoilt.
#include "sass/cubin.h"

#include <doctest/doctest.h>

#include <random>

#include "sass/assembler.h"
#include "sass/ptxas.h"
#include "tiny_cubin.h"

using namespace litmus::sass;

namespace {

std::string failure_of(const std::string& file) {
    try {
        read_cubin(file);
    } catch (const BadCubin& error) {
        return error.what();
    }
    return "";
}

const char* const ptx = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry one(.param .u64 at)
{
    .reg .b64 %a;
    .reg .b32 %v;
    ld.param.u64 %a, [at];
    ld.relaxed.gpu.global.u32 %v, [%a];  // a comment
    st.relaxed.gpu.global.u32 [%a+4], %v;
    ret;
}
.visible .entry two(.param .u64 at)
{
    .reg .b64 %a;
    ld.param.u64 %a, [at];
    st.relaxed.gpu.global.u32 [%a], 1;
    ret;
}
)";

}  // namespace

TEST_CASE("lines, functions and rows of a file made by hand") {
    const Cubin cubin = read_cubin(tiny_cubin({"first", "", "third"}, {{3, 0x981}, {1, 0x986}, {700, 0x918}}));
    CHECK(cubin.lines == std::vector<std::string>{"first", "", "third"});
    REQUIRE(cubin.functions.size() == 1);
    CHECK(cubin.functions[0].name == "f");
    CHECK(cubin.functions[0].code.size() == 48);
    CHECK(cubin.functions[0].rows == std::vector<Row>{{0, 3}, {16, 1}, {32, 700}});
    CHECK(&function_named(cubin, "f") == &cubin.functions[0]);
    CHECK_THROWS_AS(function_named(cubin, "g"), BadCubin);
}

TEST_CASE("what is no cubin with line information is refused with the reason") {
    CHECK(failure_of("") == "it is no ELF file of 64 bits");
    CHECK(failure_of(std::string(200, 'x')) == "it is no ELF file of 64 bits");
    std::string other = tiny_cubin({}, {});
    other[18] = 62;
    CHECK(failure_of(other) == "it is no code for a GPU of NVIDIA");
    std::string plain = tiny_cubin({"a"}, {{1, 0x981}});
    plain.replace(plain.find(".nv_debug_line_sass"), 9, ".xx_debug");
    CHECK(failure_of(plain) == "it was assembled without line information (ptxas -lineinfo)");
    std::string newer = tiny_cubin({"a"}, {{1, 0x981}});
    newer[newer.find(line_program({{1, 0x981}})) + 4] = 5;
    CHECK(failure_of(newer) == "its lines are of DWARF 5, not 2");
}

TEST_CASE("a file that is cut short or has a wrong byte is read or refused, never more") {
    const std::string good = tiny_cubin({"ld.weak.global.u32 %r0, [x];", "st"}, {{1, 0x981}, {2, 0x986}, {1, 0x918}});
    CHECK(failure_of(good).empty());
    for (size_t size = 0; size < good.size(); ++size) CHECK(!failure_of(good.substr(0, size)).empty());
    for (size_t at = 0; at < good.size(); ++at)
        for (const int byte : {0x00, 0x01, 0x7f, 0x80, 0xff}) {
            std::string spoilt = good;
            spoilt[at] = static_cast<char>(byte);
            failure_of(spoilt);
        }
    std::mt19937 random(7);
    for (int round = 0; round < 20000; ++round) {
        std::string spoilt = good;
        for (int n = 0; n < 4; ++n) spoilt[random() % spoilt.size()] = static_cast<char>(random());
        failure_of(spoilt);
    }
}

TEST_CASE("what ptxas writes") {
    const auto assembler = assembler_or_skip();
    if (!assembler) return;
    CHECK(assembler->name.rfind("ptxas ", 0) == 0);
    const Cubin cubin = read_cubin(assemble(*assembler, ptx, "sm_90"));
    REQUIRE(cubin.lines.size() >= 18);
    CHECK(cubin.lines[9].find("st.relaxed.gpu.global.u32 [%a+4], %v;") != std::string::npos);
    CHECK(cubin.functions.size() == 2);
    const auto has_line = [&](const char* function, uint32_t line) {
        for (const Row& row : function_named(cubin, function).rows)
            if (row.line == line) return true;
        return false;
    };
    CHECK(has_line("one", 9));
    CHECK(has_line("one", 10));
    CHECK(!has_line("one", 17));
    CHECK(has_line("two", 17));
    CHECK_THROWS_WITH_AS(assemble(*assembler, "nonsense", "sm_90"), doctest::Contains("refuses it"), std::runtime_error);
}

TEST_CASE("an assembler that is not there, or is something else") {
    CHECK(!find_assembler("/nowhere/ptxas"));
    CHECK(!find_assembler("/tmp"));
    CHECK(!find_assembler("/bin/true"));
}
