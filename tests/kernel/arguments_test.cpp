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

    CHECK_HAS(why_not(by_value(), {"{s32[8],s32:1}", "1"}), "these members take 16 bytes, and `p0` has 40");
    CHECK_HAS(why_not(by_value(), {"3", "1"}), "is a struct of 40 bytes");
    CHECK_HAS(why_not(by_value(), {"@8", "1"}), "the file has 8 bytes");
    CHECK_HAS(why_not(by_value(), {"u32[4]", "1"}), "takes 40 bytes, and the address of an array 8");
    CHECK_HAS(why_not(pipeline(), {"a=u32[4]", "ptrs(aa)", "0"}), "no array is called `aa`");
    CHECK_HAS(why_not(pipeline(), {"a=u32[4]", "a=u32[4]", "0"}), "two arrays are called `a`");
}

TEST_CASE("numbers must be values of the parameter") {
    CHECK_HAS(why_not(pipeline(), {"u8[1]", "u8[1]", "4294967296"}), "`4294967296` does not fit into `p2`, whose type is s32");
    const std::string fraction = why_not(pipeline(), {"u8[1]", "u8[1]", "n=1.5"});
    CHECK_HAS(fraction, "`1.5` is no whole number, and `p2` is one, of type s32");
    CHECK_HAS(fraction, "give a whole number, as in n=1;");
    CHECK_HAS(why_not(pipeline(), {"u8[1]", "u8[1]", "n="}), "expected a number");
    CHECK_HAS(why_not(pipeline(), {"u8[1]", "u8[1]", ""}), "expected a number");
    CHECK_HAS(why_not(pipeline(), {"u8[1]", "u8[1]", "=3"}), "a name before `=`");
    CHECK_HAS(why_not(pipeline(), {"u8[1]"}), "`k` has 3 parameters, and 1 argument is given");
    // what the compiler names is called as people call it
    const Module mangled = module_of(".entry _Z3addPi(.param .u64 _Z3addPi_param_0, .param .u32 _Z3addPi_param_1) { ret; }");
    CHECK_HAS(why_not(mangled, {"u8[1]"}), "`add` has 2 parameters, and 1 argument is given");
    CHECK_HAS(why_not(mangled, {"u8[1]"}), "one --arg for each of p0 (8 bytes), p1 (4 bytes)");
}

TEST_CASE("a number is no address of an array") {
    const Module module = module_of(
        ".entry k(.param .u64 in, .param .u64 n) {\n.reg .b64 %rd<8>;\n.reg .b32 %r<2>;\nld.param.u64 %rd1, [in];\nld.param.u64 %rd2, "
        "[n];\ncvta.to.global.u64 %rd3, %rd1;\nadd.s64 %rd4, %rd3, %rd2;\nld.global.s32 %r1, [%rd4];\nret;\n}");
    const std::string why = why_not(module, {"in=192", "n=8"});
    CHECK_HAS(why, "`192` is a number, and `in` is the address of an array");
    CHECK_HAS(why, "for an array of so many elements: in=s32[192]");
    // a null pointer is one, and so is a number that is added to an address
    CHECK(launch(module, {"in=0", "n=8"}).arguments.size() == 2);
    CHECK(launch(module, {"in=s32[4]", "n=8"}).arguments.size() == 2);
    // of two numbers that are added nothing says which one is the address
    const Module either = module_of(
        ".entry k(.param .u64 a, .param .u64 b) {\n.reg .b64 %rd<8>;\n.reg .b32 %r<2>;\nld.param.u64 %rd1, [a];\nld.param.u64 %rd2, "
        "[b];\nadd.s64 %rd4, %rd1, %rd2;\nld.s32 %r1, [%rd4];\nret;\n}");
    CHECK(launch(either, {"a=s32[4]", "b=8"}).arguments.size() == 2);
    CHECK(launch(either, {"a=8", "b=s32[4]"}).arguments.size() == 2);
}

TEST_CASE("a bracket that is not closed is named") {
    for (const auto& [argument, bracket] : {std::pair("s32[192", "]"), std::pair("in=s32[192", "]"), std::pair("ptrs(a", ")"),
                                            std::pair("tensor(u16[64,64", "]"), std::pair("tensor(u16[64,64],box=64,64", ")")}) {
        const std::string why = why_not(pipeline(), {argument, "a=u8[1]", "1"});
        CHECK_HAS(why, "a bracket is open where the argument ends");
        CHECK_HAS(why, std::string("put `") + bracket + "` after the ");
    }
    CHECK_HAS(why_not(by_value(), {"{u8[1]", "1"}), "put `}` after the members");
    CHECK_HAS(why_not(pipeline(), {"s32[", "u8[1]", "1"}), "expected a number of elements, found the end of the argument");
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
    CHECK_HAS(why_not(pipeline(), three, {.grid = "1000000", .block = "64"}), "are run");
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

TEST_CASE("a tensor map is a member of a struct, where its alignment allows") {
    const Module aligned = module_of(".entry k(.param .align 64 .b8 p[192], .param .align 128 .b8 q[384]) { ret; }");
    const Launch l = launch(aligned, {"p={a=tensor(u16[64,64],box=8,64),s32:3}", "q={u64[4],tensor(u8[256],box=16),s32:5}"});
    CHECK(l.arguments[0].bytes.size() == 192);
    CHECK(number(l.arguments[0].bytes, 128, 4) == 3);
    REQUIRE(l.arguments[0].maps.size() == 1);
    CHECK(l.arguments[0].maps[0].at == 0);
    CHECK(l.arguments[0].maps[0].box == std::vector<uint64_t>{64, 8});
    CHECK(l.arrays.at(l.arguments[0].maps[0].array).name == "a");
    REQUIRE(l.arguments[1].maps.size() == 1);
    CHECK(l.arguments[1].maps[0].at == 128);
    CHECK(l.arrays.at(l.arguments[1].maps[0].array).name == "q_1");
    CHECK(number(l.arguments[1].bytes, 256, 4) == 5);
    // where the alignment of the whole is that of another member
    CHECK(launch(aligned, {"{[64]=tensor(u16[64],box=64)}", "{s32:1,[64]=tensor(u16[64],box=64)}"}).arguments[1].maps.at(0).at == 64);
    CHECK_HAS(why_not(aligned, {"tensor(u16[64],box=64)", "{}"}), "in a struct it stands in braces: {tensor(u16[64],box=64),s32:1}");
    CHECK_HAS(why_not(aligned, {"{[32]=tensor(u16[64],box=64)}", "{}"}), "such a member begins at a multiple of 64 bytes");
    CHECK_HAS(why_not(aligned, {"{tensor(u16[64,64],box=64),s32:3}", "{}"}), "the tensor has 2 dimensions, and its box 1");
}

TEST_CASE("a member of a struct may have its byte; what no member says is zero then") {
    const Launch l = launch(by_value(), {"{[8]=a=u32[1],[20]=s32:7}", "1"});
    CHECK(l.arguments[0].bytes.size() == 40);
    CHECK(l.arguments[0].pointers.at(0).at == 8);
    CHECK(number(l.arguments[0].bytes, 20, 4) == 7);
    CHECK(number(l.arguments[0].bytes, 16, 4) == 0);
    CHECK(launch(by_value(), {"{}", "1"}).arguments[0].bytes == std::vector<uint8_t>(40));
    CHECK_HAS(why_not(by_value(), {"{s32:1}", "1"}), "[64]=s32:3 is a member at byte 64");
    CHECK_HAS(why_not(by_value(), {"{u64:1,[4]=s32:1}", "1"}), "the members before this one take 8 bytes");
    CHECK_HAS(why_not(by_value(), {"{[2]=s32:1}", "1"}), "such a member begins at a multiple of 4 bytes");
    CHECK_HAS(why_not(by_value(), {"{[2]=u32[1]}", "1"}), "such a member begins at a multiple of 8 bytes");
    CHECK_HAS(why_not(by_value(), {"{[40]=s32:1}", "1"}), "these members take 48 bytes");
    CHECK_HAS(why_not(by_value(), {"{[99999]=s32:1}", "1"}), "the byte at which the member begins");
    CHECK_HAS(why_not(by_value(), {"{[4]s32:1}", "1"}), "after the byte at which the member begins");
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
    CHECK_HAS(refusal([&] { entry_named(two, "othr"); }), "did you mean `other`?");
    const Module one = module_of(".entry _Z6reducePKiPii() { ret; }");
    CHECK_HAS(refusal([&] { entry_named(one, "redcue"); }), "did you mean `reduce`?");
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
    const Module shortened = module_of(
        ".entry _ZN1n6detail4scanINS_5stateIiEES3_EEvT_T0_() { ret; }\n.entry _ZN1n6detail4scanINS_5stateIfEES3_EEvT_T0_() { ret; }\n"
        ".entry _ZN1n6detail4initINS_5stateIiEEEEvT_() { ret; }\n.entry _ZN1n4initIXplLi1ELi2EEEEvv() { ret; }");
    CHECK(entry_named(shortened, "detail::init").name == "_ZN1n6detail4initINS_5stateIiEEEEvT_");
    CHECK(entry_named(shortened, "n::init").name == "_ZN1n4initIXplLi1ELi2EEEEvv");
    CHECK(entry_named(shortened, "scan<n::state<float>,*").name == "_ZN1n6detail4scanINS_5stateIfEES3_EEvT_T0_");
    CHECK_HAS(refusal([&] { entry_named(shortened, "scan"); }),
              "of 1 `n::detail::scan<n::state<int>, n::state<int>>`, 2 `n::detail::scan<n::state<float>, n::state<float>>`");
    CHECK_HAS(refusal([&] { entry_named(shortened, "init"); }), "of 3 `n::detail::init<n::state<int>>`, 4 `n::init<...>`");
    std::string many;
    for (int i = 0; i < 14; ++i) many += ".entry _Z1kILi" + std::to_string(i) + "EEvv() { ret; }\n";
    CHECK_HAS(refusal([&] { entry_named(module_of(many), "k"); }), "10 `k<9>`, and 4 more");
    // a name may be long; its number stands before it
    const std::string word = "999" + std::string(999, 'a');
    const Module two_long = module_of(".entry _Z1kI" + word + "Evv() { ret; }\n.entry _Z1kI" + word + "iEvv() { ret; }");
    const std::string listed = refusal([&] { entry_named(two_long, "k"); });
    CHECK_HAS(listed, "aaa...`, 2 `k<aaa");
    CHECK(listed.size() < 1100);
}

// As nvcc mangles them; c++filt says the same, but for the form of numbers and of pointers to functions.
TEST_CASE("names with parts that stand for others before") {
    CHECK(source_name("_ZN1n6detail4scan4scanINS1_6policyIiiEENS_5stateIiLb1EEES6_jEEvT_T0_T1_T2_") ==
          "n::detail::scan::scan<n::detail::scan::policy<int, int>, n::state<int, true>, n::state<int, true>, unsigned int>");
    CHECK(
        source_name("_ZN1n5threeINS_3tupIJifNS1_IJPKiRVfEEEEEENS_36_GLOBAL__N__bb87cd4a_4_a_cu_ce7b46da4anonENS_5outer5inner4deepISA_EEEEv"
                    "T_T0_T1_") ==
        "n::three<n::tup<int, float, n::tup<int const*, float volatile&>>, n::(anonymous namespace)::anon, "
        "n::outer::inner::deep<n::outer>>");
    CHECK(
        source_name("_ZN1n5threeIN4cuda3std3__45tupleIJidEEENS_3tupIJA4_iRA5_iDn6__half13__nv_bfloat16EEENS6_IJNS6_IJEEENS6_IJSD_EEENS6_IJ"
                    "SE_EEEEEEEEvT_T0_T1_") ==
        "n::three<cuda::std::__4::tuple<int, double>, n::tup<int[4], int[5]&, decltype(nullptr), __half, __nv_bfloat16>, n::tup<n::tup<>, "
        "n::tup<n::tup<>>, n::tup<n::tup<n::tup<>>>>>");
    CHECK(source_name("_ZN1n3runIZ4mainEUliE0_EEvT_Pi") == "n::run<main::{lambda(int)#2}>");
    CHECK(source_name("_ZN1n3ptrIXadL_ZNS_1gEiEEEEvPi") == "n::ptr<&n::g>");
    CHECK(source_name("_ZN1n3litILNS_1EE1ELNS_1FE1EEEvv") == "n::lit<(n::E)1, (n::F)1>");
    CHECK(source_name("_Z1kISt4pairIiSaIiEES1_SsEvv") == "k<std::pair<int, std::allocator<int>>, std::allocator<int>, std::string>");
}

TEST_CASE("names as in the source") {
    CHECK(source_name("_Z9MatrixMulILi16EEvPfS0_S0_ii") == "MatrixMul<16>");
    CHECK(source_name("_ZN1n12_GLOBAL__N_11kIJPKfbELb1ELin3EEEvv") == "n::(anonymous namespace)::k<float const*, bool, true, -3>");
    CHECK(source_name("_ZN1n1kI6__halfNS_1sEEEvv") == "n::k<__half, n::s>");  // S_ stands for a name before
    CHECK(source_name("_ZL3bar") == "bar");
    CHECK(source_name("_ZZ9MatrixMulILi16EEvPfS0_S0_iiE2As") == "As");
    CHECK(source_name("_ZZ6ticketE4last_0") == "last");
    CHECK(source_name("_ZZN1n1wEPiE4tile__10_") == "tile");
    CHECK(source_name("k") == "k");
    for (const char* broken : {"_Z", "_ZN", "_ZN1", "_Z99999999999k", "_ZZ1k", "_ZNS_1kE", "_ZNS0_", "_ZNS", "_ZZ1kE9x"})
        CHECK(source_name(broken) == broken);
    // arguments of a template that are not understood: an expression, the end of the text, what is too deep
    for (const std::string& some : {std::string("_Z1kIXplLi1ELi2EEEvv"), std::string("_Z1kI"), std::string("_Z1kILi"),
                                    "_Z1kI" + std::string(100000, 'P') + "fEvv", std::string("_Z1kIS9_Evv")})
        CHECK(source_name(some) == "k<...>");
    // each part stands twice for the one before: more letters than there is memory for
    const auto doubled = [](size_t times) {
        const std::string digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
        std::string name = "_Z1kI1a";
        for (size_t i = 0; i < times; ++i) {
            const std::string before = "S" + (i < 18 ? "" : digits.substr(2 * i / 36, 1)) + digits.substr(2 * i % 36, 1) + "_";
            name += "St1pI" + before + before + "E";
        }
        return source_name(name + "Evv");
    };
    CHECK(doubled(2) == "k<a, std::p<a, a>, std::p<std::p<a, a>, std::p<a, a>>>");
    CHECK(doubled(60) == "k<...>");
    CHECK(last_part("n::sum<a::b>") == "sum<a::b>");
    CHECK(last_part(without_arguments("n::sum<...>")) == "sum");
    CHECK(without_arguments("n::sum<a::b<3>>") == "n::sum");
}
