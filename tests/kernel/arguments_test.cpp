// From the texts of a command line to a launch (src/kernel/arguments.h).
#include "kernel/arguments.h"

#include <doctest/doctest.h>

#include <cstring>

#include "kernel/source_name.h"
#include "read.h"

using namespace litmus;
using namespace litmus::kernel;
using namespace litmus::kernel::testing;

namespace {

const Module& pipeline() {
    static const Module module = module_of(R"(
.entry k(.param .u64 k_param_0, .param .u64 k_param_1, .param .s32 k_param_2) .maxntid 64 { ret; })");
    return module;
}

const Module& by_value() {
    static const Module module = module_of(R"(
.entry k(.param .align 8 .b8 k_param_0[40], .param .f32 k_param_1) .reqntid 32 .explicitcluster .reqnctapercluster 2 { ret; })");
    return module;
}

// A file of so many bytes, "8", or one that does not exist.
std::string file(const std::string& path) {
    if (path == "none") throw Failure(nullptr, {}, "cannot read 'none'");
    std::string bytes(std::stoul(path), '\0');
    for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i);
    return bytes;
}

Launch launch(const Module& module, const std::vector<std::string>& arguments, LaunchTexts texts = {.grid = "2", .block = "32"}) {
    texts.arguments = arguments;
    return launch_of(module, texts, file);
}

uint64_t number(const std::vector<uint8_t>& bytes, size_t at, size_t count) {
    uint64_t value = 0;
    std::memcpy(&value, bytes.data() + at, count);
    return value;
}

std::string why_not(const Module& module, const std::vector<std::string>& arguments,
                    const LaunchTexts& texts = {.grid = "2", .block = "32"}) {
    return refusal([&] { launch(module, arguments, texts); });
}

#define CHECK_HAS(text, part)                        \
    do {                                             \
        const std::string said = (text);             \
        INFO(said);                                  \
        CHECK(said.find(part) != std::string::npos); \
    } while (false)

}  // namespace

TEST_CASE("arrays and numbers, in the order of the parameters") {
    const Launch l = launch(pipeline(), {"in=s32[4]:iota", "out=u16[3]:-1", "-5"});
    CHECK(l.entry == "k");
    REQUIRE(l.arrays.size() == 2);
    CHECK(l.arrays[0].name == "in");
    CHECK(l.arrays[0].type == Type::s32);
    CHECK(number(l.arrays[0].bytes, 12, 4) == 3);
    CHECK(l.arrays[1].bytes == std::vector<uint8_t>(6, 0xff));
    REQUIRE(l.arguments.size() == 3);
    CHECK(l.arguments[1].pointers.at(0).array == 1);
    CHECK(l.arguments[1].bytes.size() == 8);
    CHECK(number(l.arguments[2].bytes, 0, 4) == 0xfffffffb);
    CHECK(l.arguments[0].text == "in=s32[4]:iota");
}

TEST_CASE("by the names of parameters, in any order") {
    const Launch l = launch(pipeline(), {"k_param_2=7", "k_param_1=u8[2]", "k_param_0=f32[2]:iota"});
    CHECK(number(l.arguments[2].bytes, 0, 4) == 7);
    CHECK(l.arrays[l.arguments[0].pointers.at(0).array].name == "k_param_0");
    CHECK(number(l.arrays[1].bytes, 4, 4) == 0x3f800000);
    CHECK_HAS(why_not(pipeline(), {"k_param_2=7", "k_param_1=u8[2]", "in=f32[2]"}), "other arguments are given by the names of parameters");
    CHECK_HAS(why_not(pipeline(), {"k_param_2=7", "k_param_2=7", "k_param_1=u8[1]"}), "given twice");
}

TEST_CASE("multimem addresses") {
    const Module three = module_of(".visible .entry k(.param .u64 p0, .param .u64 p1, .param .u64 p2)\n{\nret;\n}\n");
    const Launch l = launch(three, {"x=u32[4]:iota", "y=u32[4]", "m=multimem(x,y)"});
    REQUIRE(l.arrays.size() == 3);
    CHECK(l.arrays[2].name == "m");
    CHECK(l.arrays[2].points_to == std::vector<size_t>{0, 1});
    CHECK(l.arrays[2].bytes.size() == 16);
    CHECK(l.arguments[2].pointers.at(0).array == 2);
    CHECK_HAS(why_not(three, {"x=u32[4]", "y=u32[8]", "m=multimem(x,y)"}), "the arrays of one multimem address have one size");
    CHECK_HAS(why_not(three, {"x=u32[4]", "y=u32[4]", "m=multimem(x,x)"}), "points to distinct arrays");
    CHECK_HAS(why_not(three, {"x=u32[4]", "m=multimem(x)", "n=multimem(m)"}), "points to distinct arrays");
    CHECK_HAS(why_not(three, {"x=u32[4]", "y=u32[4]", "m=multimem(x,z)"}), "no array is called `z`");
    CHECK_HAS(why_not(three, {"x=u32[4]", "y=u32[4]", "m=multimem(x,y"}), "after the names");
    CHECK_HAS(why_not(pipeline(), {"x=u32[4]", "y=u32[4]", "n=multimem(x,y)"}), "takes 4 bytes, and an address 8");
    const Module one = module_of(".visible .entry k(.param .align 8 .b8 p0[24])\n{\nret;\n}\n");
    const Launch in_struct = launch(one, {"s={x=u32[4],y=u32[4],m=multimem(x,y)}"});
    CHECK(in_struct.arrays[2].points_to == std::vector<size_t>{0, 1});
    CHECK(in_struct.arguments[0].pointers.at(2).array == 2);
}

TEST_CASE("arrays from files, and what their elements can be") {
    CHECK(launch(pipeline(), {"s32[2]:@8", "u16[]:@6", "0"}).arrays[1].bytes.size() == 6);
    CHECK(number(launch(pipeline(), {"f64[1]:1.5", "f16[2]:1.0", "0x10"}).arrays[1].bytes, 2, 2) == 0x3c00);
    CHECK(launch(pipeline(), {"u32", "b128[2]:1", "1 + 1"}).arrays[1].bytes.size() == 32);
    CHECK_HAS(why_not(pipeline(), {"s32[2]:@9", "u8[1]", "0"}), "the file has 9 bytes, and the array takes 8");
    CHECK_HAS(why_not(pipeline(), {"s32[2]:@none", "u8[1]", "0"}), "cannot read 'none'");
    CHECK_HAS(why_not(pipeline(), {"s32[2]:@", "u8[1]", "0"}), "expected the name of a file");
    CHECK_HAS(why_not(pipeline(), {"s32[]", "u8[1]", "0"}), "expected a number of elements");
    CHECK_HAS(why_not(pipeline(), {"s32[0]", "u8[1]", "0"}), "one element at least");
    CHECK_HAS(why_not(pipeline(), {"u8[2]:256", "u8[1]", "0"}), "does not fit into an element of type u8");
    CHECK_HAS(why_not(pipeline(), {"pred[2]", "u8[1]", "0"}), "no elements of this type");
    CHECK_HAS(why_not(pipeline(), {"u8[60000000]", "u8[60000000]", "0"}), "64 MiB");
    CHECK_HAS(why_not(pipeline(), {"in=u8[1]:iotaa", "u8[1]", "0"}), "--arg:1:10: error: expected `iota`, a number, or @FILE");
    CHECK_HAS(why_not(pipeline(), {"in=u8[1] x", "u8[1]", "0"}), "expected nothing more, found `x`");
}

TEST_CASE("structs, tables of arrays, the same array twice") {
    const Launch l = launch(by_value(), {"job={s32[8]:iota,out=s32[2],s32[1],u32[1],s32:2}", "q=1.5"});
    CHECK(l.arrays.at(1).name == "out");
    CHECK(l.arrays.at(0).name == "job_0");
    REQUIRE(l.arguments[0].pointers.size() == 4);
    CHECK(l.arguments[0].pointers[3].at == 24);
    CHECK(number(l.arguments[0].bytes, 32, 4) == 2);
    CHECK(l.arguments[0].bytes.size() == 40);
    CHECK(number(l.arguments[1].bytes, 0, 4) == 0x3fc00000);
    const Launch padded = launch(by_value(), {"{a=u32[1], u8:1, b=u32[1], u16:2, f32:1.0, a}", "1"});
    CHECK(padded.arguments[0].pointers.at(1).at == 16);
    CHECK(number(padded.arguments[0].bytes, 24, 2) == 2);
    CHECK(padded.arguments[0].pointers.at(2).array == 0);
    CHECK(padded.arguments[0].pointers.at(2).at == 32);
    CHECK(launch(by_value(), {"s=@40", "1"}).arguments[0].bytes[39] == 39);

    const Launch table = launch(pipeline(), {"a=u32[4]", "tab=ptrs(a,a)", "0"});
    const Array& tab = table.arrays.at(table.arguments[1].pointers.at(0).array);
    CHECK(tab.name == "tab");
    CHECK(tab.pointers.at(1).at == 8);
    CHECK(tab.pointers.at(1).array == 0);
    CHECK(launch(pipeline(), {"a=u32[4]", "ptrs(a)", "0"}).arguments[1].pointers.at(0).array == 0);

    CHECK_HAS(why_not(by_value(), {"{s32[8],s32:1}", "1"}), "these members take 16 bytes, and `k_param_0` has 40");
    CHECK_HAS(why_not(by_value(), {"3", "1"}), "is a struct of 40 bytes");
    CHECK_HAS(why_not(by_value(), {"@8", "1"}), "the file has 8 bytes");
    CHECK_HAS(why_not(by_value(), {"u32[4]", "1"}), "takes 40 bytes, and the address of an array 8");
    CHECK_HAS(why_not(pipeline(), {"a=u32[4]", "ptrs(aa)", "0"}), "no array is called `aa`");
    CHECK_HAS(why_not(pipeline(), {"a=u32[4]", "a=u32[4]", "0"}), "two arrays are called `a`");
}

TEST_CASE("numbers must be values of the parameter") {
    CHECK_HAS(why_not(pipeline(), {"u8[1]", "u8[1]", "4294967296"}), "no value of `k_param_2`, whose type is s32");
    CHECK_HAS(why_not(pipeline(), {"u8[1]", "u8[1]", "1.5"}), "no value of");
    CHECK_HAS(why_not(pipeline(), {"u8[1]", "u8[1]", "n="}), "expected a number");
    CHECK_HAS(why_not(pipeline(), {"u8[1]", "u8[1]", ""}), "expected a number");
    CHECK_HAS(why_not(pipeline(), {"u8[1]", "u8[1]", "=3"}), "a name before `=`");
    CHECK_HAS(why_not(pipeline(), {"u8[1]"}), "`k` has 3 parameters, and 1 argument is given");
}

TEST_CASE("dimensions, as they are given and as the kernel asks for them") {
    const Launch l = launch(by_value(), {"@40", "1"}, {.grid = "4,3"});
    CHECK(l.grid == Dimensions{4, 3, 1});
    CHECK(l.block == Dimensions{32, 1, 1});
    CHECK(l.cluster == Dimensions{2, 1, 1});
    const std::vector<std::string> three = {"u8[1]", "u8[1]", "0"};
    CHECK_HAS(why_not(by_value(), {"@40", "1"}, {.grid = "3"}), "clusters of 2 blocks do not divide this grid");
    CHECK_HAS(why_not(by_value(), {"@40", "1"}, {.grid = "2", .block = "64"}),
              "the kernel asks for --block 32 (.reqntid), and 64 is given");
    CHECK(l.taken ==
          std::vector<std::string>{"--block 32, as the kernel says (.reqntid)", "--cluster 2, as the kernel says (.reqnctapercluster)"});
    const Launch most = launch(pipeline(), three, {.grid = "2"});
    CHECK(most.block == Dimensions{64, 1, 1});
    CHECK(most.taken == std::vector<std::string>{"--block 64, as the kernel says (.maxntid)"});
    CHECK(launch(pipeline(), three, {.grid = "2", .block = "32"}).taken.empty());
    CHECK_HAS(why_not(module_of(".entry k() { ret; }"), {}, {.grid = "2"}), "how many threads");
    CHECK_HAS(why_not(pipeline(), three, {.block = "2"}), "how many blocks");
    CHECK_HAS(why_not(pipeline(), three, {.grid = "2", .block = "65"}), "at most 64 threads (.maxntid)");
    CHECK_HAS(why_not(pipeline(), three, {.grid = "2", .block = "8,8,99"}), "at most 1024 threads");
    CHECK_HAS(why_not(pipeline(), three, {.grid = "1000000", .block = "64"}), "are evaluated");
    for (const char* wrong : {"0", "2,", "x", "1,2,3,4", "-1", "1 2", "99999999999"})
        CHECK_HAS(why_not(pipeline(), three, {.grid = wrong, .block = "32"}), "--grid:1:1: error: expected one to three numbers");
}

// Products of three numbers of 32 bits need not fit into 64.
TEST_CASE("dimensions whose product is beyond any number are refused") {
    const std::vector<std::string> three = {"u8[1]", "u8[1]", "0"};
    for (const char* grid : {"4194304,2097152,2097152", "4294967295,4294967295,4294967295", "65536,65536"})
        CHECK_HAS(why_not(pipeline(), three, {.grid = grid}), "these are more than a device takes");
    CHECK_HAS(why_not(pipeline(), three, {.grid = "1", .block = "4194304,2097152,2097152"}), "these are more than a device takes");
    CHECK_HAS(why_not(module_of(".entry k() .reqntid 1073741824, 1073741824, 16 { ret; }"), {}, {.grid = "1"}), "at most 1024 threads");
    CHECK_HAS(why_not(module_of(".entry k() .reqntid 32 .reqnctapercluster 1073741824, 1073741824, 16 { ret; }"), {}, {.grid = "1"}),
              "at most 16 blocks");
    CHECK_HAS(refusal([] { module_of(".entry k() .reqntid 32, 0, 1 { ret; }"); }), "expected a number of threads from 1 on");
    CHECK_HAS(refusal([] { module_of(".entry k() .reqnctapercluster 2, 0 { ret; }"); }), "expected a number of CTAs from 1 on");
}

TEST_CASE("a tensor map among the arguments has a shape that there is") {
    const Module module = module_of(".entry k(.param .align 64 .b8 m[128]) { ret; }");
    const auto refused = [&](const std::string& text) { return why_not(module, {"m=tensor(" + text + ")"}); };
    CHECK(refused("u16[128,64],box=64,64").empty());
    CHECK(refused("u16[1,1,1,1,1],box=1,1,1,1,1").empty());
    CHECK_HAS(refused("u16[1,1,1,1,1,1],box=1,1,1,1,1,1"), "the tensor has 6 dimensions, and 1 to 5 are possible");
    CHECK_HAS(refused("u16[1,1,1,1,1,1,1,1,1],box=1"), "the tensor has 9 dimensions");
    CHECK_HAS(refused("u16[128,64],box=64"), "the tensor has 2 dimensions, and its box 1");
    CHECK_HAS(refused("u16[128,64],box=0,64"), "is 0, and each is from 1 to 256");
    CHECK_HAS(refused("u16[128,512],box=64,512"), "length 1 of the box is 512");
    CHECK_HAS(refused("u16[0,64],box=1,64"), "size 2 is 0");
    CHECK_HAS(refused("u16[8192,8192],box=1,64"), "the arrays take more than 64 MiB together");
    CHECK_HAS(refused("u16[67108864,67108864,67108864],box=1,1,1"), "the tensor reaches beyond the last address");
}

TEST_CASE("arrays have so many bytes together, whatever they are part of") {
    const Module module = module_of(".entry k(.param .u64 a, .param .u64 b, .param .align 8 .b8 s[16]) { ret; }");
    CHECK_HAS(why_not(module, {"a=u8[67108864]", "b=u8[1]", "s={u8:1,u8:2}"}), "the arrays take more than 64 MiB together");
    CHECK_HAS(why_not(module, {"a=u8[17000000]", "b=u8[17000000]", "s={x=multimem(a,b),y=multimem(b,a)}"}),
              "the arrays take more than 64 MiB together");  // an address of several arrays takes as much as one of them
    CHECK(why_not(module, {"a=u8[17000000]", "b=u8[17000000]", "s={x=multimem(a,b),a}"}).empty());
}

TEST_CASE("the parameters of a kernel have so many bytes") {
    const auto refused = [](const std::string& version, int bytes) {
        return refusal([&] {
            read_module(make_source("k.ptx", ".version " + version +
                                                 "\n.target sm_90a\n.address_size 64\n.entry k(.param .u8 a, .param .align 4 .b8 b[" +
                                                 std::to_string(bytes) + "]) { ret; }"));
        });
    };
    CHECK(refused("9.0", 32760).empty());
    CHECK_HAS(refused("9.0", 32761), "the parameters of this kernel have 32765 bytes, and at most 32764 are possible (ISA 11.2.1)");
    CHECK(refused("8.0", 4348).empty());
    CHECK_HAS(refused("8.0", 4349), "at most 4352 are possible");
}

TEST_CASE("which kernel is meant") {
    const Module two = module_of(".entry _Z1kPi() { ret; }\n.entry _ZN2ns5otherEv() { ret; }\n.func f() { ret; }");
    CHECK(entry_named(two, "_Z1kPi").name == "_Z1kPi");
    CHECK(entry_named(two, "k").name == "_Z1kPi");
    CHECK(entry_named(two, "other").name == "_ZN2ns5otherEv");
    CHECK(entry_named(two, "ns::other").name == "_ZN2ns5otherEv");
    CHECK(entry_named(two, "2").name == "_ZN2ns5otherEv");
    CHECK(entry_named(two, "oth*").name == "_ZN2ns5otherEv");
    CHECK_HAS(refusal([&] { entry_named(two, ""); }), "say which, with --entry and its number or name: 1 `k`, 2 `ns::other`");
    CHECK_HAS(refusal([&] { entry_named(two, "_Z1kPj"); }), "did you mean `_Z1kPi`?");
    CHECK_HAS(refusal([&] { entry_named(two, "f"); }), "there is no kernel `f`");
    CHECK_HAS(refusal([&] { entry_named(two, "3"); }), "there is no kernel `3` in this file");
    const Module templates =
        module_of(".entry _ZN1n3sumILi16EfEEvPT0_() { ret; }\n.entry _ZN1n3sumILi32EfEEvPT0_() { ret; }\n.entry _ZN1m3sumEv() { ret; }");
    CHECK(entry_named(templates, "n::sum<32, float>").name == "_ZN1n3sumILi32EfEEvPT0_");
    CHECK(entry_named(templates, "sum<16,float>").name == "_ZN1n3sumILi16EfEEvPT0_");
    CHECK(entry_named(templates, "sum<32*").name == "_ZN1n3sumILi32EfEEvPT0_");
    CHECK(entry_named(templates, "m::sum").name == "_ZN1m3sumEv");
    const std::string unclear = refusal([&] { entry_named(templates, "n::sum"); });
    CHECK_HAS(unclear, "several kernels are called `n::sum`");
    CHECK_HAS(unclear, "of 1 `n::sum<16, float>`, 2 `n::sum<32, float>`");
    CHECK(unclear.find("m::sum") == std::string::npos);
    CHECK_HAS(refusal([&] { entry_named(module_of(".func f() { ret; }"), ""); }), "has no kernel");
}

TEST_CASE("names as in the source") {
    CHECK(source_name("_Z9MatrixMulILi16EEvPfS0_S0_ii") == "MatrixMul<16>");
    CHECK(source_name("_ZN1n12_GLOBAL__N_11kIJPKfbELb1ELin3EEEvv") == "n::(anonymous namespace)::k<float const*, bool, true, -3>");
    CHECK(source_name("_ZN1n1kI6__halfNS_1sEEEvv") == "_ZN1n1kI6__halfNS_1sEEEvv");  // S_ stands for a name before
    CHECK(source_name("_ZL3bar") == "bar");
    CHECK(source_name("_ZZ9MatrixMulILi16EEvPfS0_S0_iiE2As") == "As");
    CHECK(source_name("_ZZ6ticketE4last_0") == "last");
    CHECK(source_name("_ZZN1n1wEPiE4tile__10_") == "tile");
    CHECK(source_name("k") == "k");
    for (const char* broken : {"_Z", "_ZN", "_ZN1", "_Z99999999999k", "_ZZ1k", "_Z1kI", "_Z1kILi", "_ZZ1kE9x"})
        CHECK(source_name(broken) == broken);
    CHECK(source_name("_Z1kI" + std::string(100000, 'P') + "fEvv") != "k");  // too deep
    CHECK(last_part("n::sum<a::b>") == "sum<a::b>");
    CHECK(without_arguments("n::sum<a::b<3>>") == "n::sum");
}
