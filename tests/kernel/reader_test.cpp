// The reader of PTX files: what nvcc writes and what people write between its lines (src/kernel/module.h).
#include <doctest/doctest.h>

#include <chrono>

#include "read.h"

using namespace litmus;
using namespace litmus::kernel;
using namespace litmus::kernel::testing;

namespace {

const Statement& only_statement(const Module& module) {
    REQUIRE(module.functions.size() == 1);
    REQUIRE(module.functions[0].code.size() == 1);
    return module.functions[0].code[0];
}

std::string words_of(const Statement& statement) {
    std::string text;
    for (const std::string& word : statement.words) text += (text.empty() ? "" : ".") + word;
    return text;
}

std::string register_of(const Module& module, const Argument& argument) {
    REQUIRE(argument.kind == Argument::Kind::reg);
    return module.functions[0].registers[static_cast<size_t>(argument.reg)].name;
}

}  // namespace

TEST_CASE("a file has so many instructions, and no more") {
    std::string functions;
    for (size_t f = 0; f < 16; ++f) {
        functions += ".func f" + std::to_string(f) + "()\n{\n";
        for (size_t i = 0; i < (size_t{1} << 16); ++i) functions += "ret;\n";
        functions += "}\n";
    }
    CHECK(module_of(functions).functions.size() == 16);
    CHECK(has(refusal([&] { module_of(functions + ".func g()\n{\nret;\n}\n"); }), "more than 1048576 instructions"));
}

TEST_CASE("reading ends with its budget") {
    std::string variables;
    for (size_t i = 0; i < 100000; ++i) variables += ".global .u32 g" + std::to_string(i) + ";\n";
    const SourcePtr source = make_source("k.ptx", prologue + variables);
    CHECK_THROWS_AS(read_module(source, Budget(1e-9)), OverBudget);
    CHECK_THROWS_AS(read_module(source, Budget(0, 1)), OverBudget);
    CHECK(read_module(source, Budget(60, 1000)).variables.size() == 100000);
}

TEST_CASE("version, target and files") {
    const Module module = module_of(".file 1 \"/src/k.cu\"\n.file 2 \"/usr/include/x.h\", 1700000000, 77\n");
    CHECK(module.ptx == 90);
    CHECK(module.target == "sm_90a");
    CHECK(module.files.at(1) == "/src/k.cu");
    CHECK(module.files.at(2) == "/usr/include/x.h");
}

TEST_CASE("a kernel with its parameters and what it asks of its launch") {
    const Module module = module_of(R"(
.weak .entry k(
    .param .u64 .ptr .global .align 16 k_param_0,
    .param .align 8 .b8 k_param_1[24],
    .param .f32 k_param_2
)
.maxntid 128, 2
.minnctapersm 2
.explicitcluster
.reqnctapercluster 2, 1, 1
{ ret; }
.entry fixed() .reqntid 64 .maxnreg 32 .pragma "nounroll"; { ret; }
)");
    const Function& k = module.functions[0];
    CHECK(k.entry);
    REQUIRE(k.parameters.size() == 3);
    CHECK(k.parameters[0].bytes == 8);
    CHECK(k.parameters[1].bytes == 24);
    CHECK(k.parameters[1].align == 8);
    CHECK(k.parameters[2].type == "f32");
    CHECK(k.most_block == std::array<uint32_t, 3>{128, 2, 1});
    CHECK(k.explicit_cluster);
    CHECK(k.cluster == std::array<uint32_t, 3>{2, 1, 1});
    CHECK(k.block[0] == 0);
    CHECK(module.functions[1].block == std::array<uint32_t, 3>{64, 1, 1});
}

TEST_CASE("functions with results, declarations before definitions") {
    const Module module = module_of(R"(
.extern .func (.param .b32 func_retval0) vprintf(.param .b64 a, .param .b64 b);
.func (.param .b32 r) f(.param .b32 x);
.extern .func __assertfail (.param .b64 a) .noreturn;
.func (.param .b32 r) f(.param .b32 x) { .reg .b32 %r<2>; ld.param.b32 %r1, [x]; st.param.b32 [r+0], %r1; ret; }
)");
    REQUIRE(module.functions.size() == 3);
    CHECK(!module.functions[0].body);
    CHECK(module.functions[1].name == "f");
    CHECK(module.functions[1].body);
    CHECK(module.functions[1].results.size() == 1);
    CHECK(module.functions[1].code.size() == 3);
    CHECK(module.functions[1].code[1].arguments[0].elements[0].name == "r");
}

TEST_CASE("instructions: words, guards, places") {
    const Module module = kernel_of("@!%p1 mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r1+-8], 0x1fU;");
    const Statement& wait = only_statement(module);
    CHECK(words_of(wait) == "mbarrier.try_wait.parity.shared::cta.b64");
    CHECK(wait.guard_negated);
    CHECK(module.functions[0].registers[static_cast<size_t>(wait.guard)].name == "%p1");
    REQUIRE(wait.arguments.size() == 3);
    CHECK(wait.arguments[1].kind == Argument::Kind::address);
    CHECK(wait.arguments[1].offset == -8);
    CHECK(register_of(module, wait.arguments[1].elements[0]) == "%r1");
    CHECK(wait.arguments[2].bits == 31);
    const std::string& text = module.source->text;
    CHECK(text.substr(wait.span.begin, wait.span.end - wait.span.begin) ==
          "@!%p1 mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r1+-8], 0x1fU;");
}

TEST_CASE("operands of every kind") {
    const auto argument = [](const std::string& instruction, size_t place) {
        return only_statement(kernel_of(instruction)).arguments.at(place);
    };
    CHECK(argument("mov.u32 %r1, %cluster_ctarank;", 1).name == "%cluster_ctarank");
    CHECK(argument("mov.u32 %r1, %tid.x;", 1).name == "%tid.x");
    CHECK(argument("mov.u32 %r1, %tid.x;", 1).kind == Argument::Kind::special);
    CHECK(argument("mov.u32 %r1, -1;", 1).bits == ~uint64_t{0});
    CHECK(argument("mov.u32 %r1, WARP_SZ;", 1).bits == 32);
    CHECK(argument("mov.u32 %r1, (1 << 4) | 3;", 1).bits == 19);
    CHECK(argument("mov.u32 %r1, 017;", 1).bits == 15);
    CHECK(argument("mov.f32 %r1, 0f3F800000;", 1).bits == 0x3f800000);
    CHECK(argument("mov.f32 %r1, 1.5;", 1).bits == 0x3fc00000);
    CHECK(argument("mov.f64 %rd1, -1.5;", 1).bits == 0xbff8000000000000);
    CHECK(argument("mov.f64 %rd1, 0d3FF0000000000000;", 1).is_float);
    CHECK(argument("ld.v2.u32 {%r1, _}, [%rd1];", 0).elements.at(1).kind == Argument::Kind::sink);
    CHECK(argument("elect.sync _|%p1, -1;", 0).elements.at(0).kind == Argument::Kind::sink);
    CHECK(argument("setp.lt.s32 %p1|%p2, %r1, 0;", 0).kind == Argument::Kind::pair);
    CHECK(argument("selp.u32 %r1, 1, 0, !%p2;", 3).negated);
    CHECK(argument("ld.param.u64 %rd1, [k_param_0];", 1).elements.at(0).kind == Argument::Kind::symbol);
    CHECK(argument("ld.param.u32 %r1, [k_param_1+2];", 1).offset == 2);
    CHECK(argument("ld.global.u32 %r1, [4096];", 1).elements.at(0).bits == 4096);
    const Argument tensor =
        argument("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r0], [%rd1, {%r1, 3}], [%r2];", 1);
    REQUIRE(tensor.elements.size() == 2);
    CHECK(tensor.elements[1].kind == Argument::Kind::vector);
    CHECK(tensor.elements[1].elements.at(1).bits == 3);
    CHECK(words_of(only_statement(kernel_of("ld.global.u32 %r1, [%rd1].unified;"))) == "ld.global.u32.unified");
}

TEST_CASE("a symbol with an offset, of shared memory without a size") {
    const Module module = module_of(".extern .shared .align 16 .b8 smem[];\n.entry k() { .reg .b32 %r<2>; mov.u32 %r1, smem+8; }");
    CHECK(module.variables[0].bytes == 0);
    CHECK(!module.variables[0].external);
    const Argument& symbol = module.functions[0].code[0].arguments[1];
    CHECK(symbol.kind == Argument::Kind::symbol);
    CHECK(symbol.name == "smem");
    CHECK(symbol.offset == 8);
}

TEST_CASE("variables with initialisers") {
    const Module module = module_of(R"(
.global .align 4 .u32 g = 5;
.const .align 4 .b8 tab[8] = {0, 0, 128, 63};
.global .align 8 .u64 pointers[2] = {generic(g)+4, tab};
.global .align 1 .b8 split[2] = {0xFF(g), 0xFF00(g)};
.global .f32 reals[2] = {1.0, 0f40000000};
.global .s16 matrix[2][2] = {{1, -2}, {3, 4}};
.global .v2 .u32 pair;
.global .b8 text[] = "ab";
.extern .global .u32 elsewhere;
)");
    const auto& variables = module.variables;
    CHECK(variables[0].init == std::vector<uint8_t>{5, 0, 0, 0});
    CHECK(variables[1].space == StateSpace::constant);
    CHECK(variables[1].bytes == 8);
    CHECK(variables[1].init.size() == 4);
    REQUIRE(variables[2].relocations.size() == 2);
    CHECK(variables[2].relocations[0].is_generic);
    CHECK(variables[2].relocations[0].symbol == "g");
    CHECK(variables[2].relocations[0].offset == 4);
    CHECK(variables[2].relocations[1].at == 8);
    CHECK(!variables[2].relocations[1].is_generic);
    CHECK(variables[3].relocations[1].from == 1);
    CHECK(variables[3].relocations[1].bytes == 1);
    CHECK(variables[4].init == std::vector<uint8_t>{0, 0, 128, 63, 0, 0, 0, 64});
    CHECK(variables[5].init == std::vector<uint8_t>{1, 0, 254, 255, 3, 0, 4, 0});
    CHECK(variables[6].bytes == 8);
    CHECK(variables[6].align == 8);
    CHECK(variables[7].bytes == 2);
    CHECK(variables[8].external);
}

TEST_CASE("a variable that was announced is the one that is defined") {
    const Module module = module_of(".extern .global .u32 x[4];\n.global .u32 x[4] = {1, 2};\n");
    REQUIRE(module.variables.size() == 1);
    CHECK(!module.variables[0].external);
    CHECK(module.variables[0].init.size() == 8);
}

// Inline assembly: each block has its own registers and labels, and the labels around it.
TEST_CASE("names of blocks are told apart") {
    const Module module = kernel_of(R"(
{ .reg .pred P; .reg .b32 %r<3>;
WAIT: mov.u32 %r2, 1; @P bra WAIT; bra.uni OUT; }
{ .reg .pred P;
WAIT: @P bra WAIT; mov.u32 %r2, 2; }
OUT: ret;)");
    const Function& k = module.functions[0];
    REQUIRE(k.code.size() == 6);
    CHECK(k.code[1].guard != k.code[3].guard);
    const std::string first = k.code[1].arguments[0].name, second = k.code[3].arguments[0].name;
    CHECK(first != second);
    CHECK(k.labels.at(first) == 0);
    CHECK(k.labels.at(second) == 3);
    CHECK(k.labels.at(k.code[2].arguments[0].name) == 5);
    CHECK(register_of(module, k.code[0].arguments[0]) != register_of(module, k.code[4].arguments[0]));
    for (size_t i = 0; i < k.registers.size(); ++i)
        for (size_t j = 0; j < i; ++j) CHECK(k.registers[i].name != k.registers[j].name);
}

TEST_CASE("calls, with the memory of their parameters") {
    const Module module = module_of(R"(
.func (.param .b32 r) f(.param .b32 x) { ret; }
.entry k() {
.reg .b32 %r<4>; .reg .b64 %rd<2>;
{ .param .b32 param0; st.param.b32 [param0+0], %r1; .param .b32 retval0;
call.uni (retval0), f, (param0); ld.param.b32 %r2, [retval0+0]; }
{ .param .b32 param0; .param .b32 retval0;
prototype_1 : .callprototype (.param .b32 _) _ (.param .b32 _);
call (retval0), %rd1, (param0), prototype_1; }
call f;
})");
    const Function& k = module.functions[1];
    REQUIRE(k.variables.size() == 4);
    const Statement& direct = k.code[1];
    REQUIRE(direct.arguments.size() == 3);
    CHECK(direct.arguments[0].kind == Argument::Kind::list);
    CHECK(direct.arguments[1].kind == Argument::Kind::label);
    CHECK(direct.arguments[1].name == "f");
    CHECK(direct.arguments[2].elements.at(0).name == k.variables[0].name);
    const Statement& indirect = k.code[3];
    CHECK(indirect.arguments[1].kind == Argument::Kind::reg);
    CHECK(indirect.arguments[2].elements.at(0).name == k.variables[2].name);
    CHECK(k.variables[0].name != k.variables[2].name);
    CHECK(k.code[4].arguments[0].name == "f");
}

TEST_CASE("indexed branches") {
    const Module module = kernel_of("ts: .branchtargets A, B;\nbrx.idx %r1, ts;\nA: ret;\nB: exit;");
    const Function& k = module.functions[0];
    const std::string list = k.code[0].arguments[1].name;
    REQUIRE(k.targets.count(list) == 1);
    CHECK(k.targets.at(list) == std::vector<std::string>{"A", "B"});
    CHECK(k.labels.at("B") == 2);
}

// 11.5.1: the line that was inlined, then where.
TEST_CASE("CUDA lines through inlined calls") {
    const Module module = kernel_of(R"(
.loc 1 39 7
.loc 4 21 13, function_name $L__info_string2, inlined_at 1 39 7
.loc 5 42 3, function_name $L__info_string3+4, inlined_at 4 21 13
mov.u32 %r1, 0;
.loc 1 40 7
mov.u32 %r1, 1;)");
    const auto& code = module.functions[0].code;
    REQUIRE(code[0].origin.size() == 3);
    CHECK(code[0].origin[0] == Line{5, 42, 3});
    CHECK(code[0].origin[1] == Line{4, 21, 13});
    CHECK(code[0].origin[2] == Line{1, 39, 7});
    CHECK(code[1].origin == Origin{Line{1, 40, 7}});
}

TEST_CASE("what is left out: comments, sections, pragmas, lines of preprocessors") {
    const Module module = module_of(R"(
# 1 "k.cu"
/* .entry not this */ // nor this
.entry k() { .pragma "nounroll"; { } ; ret; /* in
between */ }
@@DWARF .byte 0
.section .debug_str { $L__info_string0: .b8 95,90,0
.b64 $L__info_string0 }
)");
    REQUIRE(module.functions.size() == 1);
    CHECK(module.functions[0].code.size() == 1);
}

TEST_CASE("errors have a place, what was expected, and what to do") {
    const auto said = [](const std::string& body) { return refusal([&] { kernel_of(body); }); };
    CHECK(has(said("mov.u32 %r1, 1"), "k.ptx:10:1: error: expected `;` after the instruction, found `}`"));
    CHECK(has(said("mov.u32 %r1, 1\nret;"), "k.ptx:10:1: error: expected `;` after the instruction, found `ret`"));
    CHECK(has(said("mov.u32 %r10, 1;"), "k.ptx:9:9: error: no register `%r10` is declared here"));
    CHECK(has(said("mov.u32 %r1, nix;"), "nothing is declared under the name `nix`"));
    CHECK(has(said("bra NIX;"), "there is no label `NIX`"));
    CHECK(has(said("{ L: ret; } bra L;"), "labels of blocks in braces are known only inside them"));
    CHECK(has(said("L: ret; L: ret;"), "this label stands twice"));
    CHECK(has(said(".reg .b32 x; .reg .b32 x;"), "this name is declared twice"));
    CHECK(has(said("mov.u32 %r1, 1 / 0;"), "division by zero"));
    CHECK(has(said("mov.f32 %r1, 0f3F;"), "`0f` has 8 hexadecimal digits"));
    CHECK(has(said("mov.u32 %r1, 0x1ffffffffffffffff;"), "more than 64 bits"));
    CHECK(has(said("mov.u32 %r1, \xc3\xa4;"), "this character has no place in PTX"));
    CHECK(has(said("/* open"), "this comment has no end"));
    CHECK(has(said(".shared .align 3 .b8 x[4];"), "an alignment is a power of two"));
    CHECK(has(said(".shared .b8 x[2] = {1, 2, 3};"), "more values than elements"));
}

TEST_CASE("a branch that could not be read has no label to resolve") {
    CHECK(has(refusal([&] { kernel_of("st.global.v2.u32 [%rd1], {%r1};"); }), "`.v2` names 2 elements, and here are 1"));
    CHECK(has(refusal([&] { kernel_of("ld.global.v2.u32 {%r1, %r1, %r1, %r1}, [%rd1];"); }), "`.v2` names 2 elements, and here are 4"));
    CHECK(has(refusal([&] { kernel_of("bra nix nix;\nret;\n@%p1 bra ALSO;"); }), "expected `;` after the instruction"));
    CHECK(has(refusal([&] { kernel_of("brx.idx %r1, ts, , ;\nmov.u32 %r1, 0;"); }), "expected an operand"));
}

TEST_CASE("an error does not hide the next one, and twenty are enough") {
    std::string body;
    for (int i = 0; i < 3; ++i) body += "mov.u32 %r1, nix;\n{ mov.u32 {%r1, %r2}, , 4; }\n";
    const std::string text = refusal([&] { kernel_of(body); });
    size_t errors = 0;
    for (size_t at = 0; (at = text.find("error:", at)) != std::string::npos; ++at) ++errors;
    CHECK(errors == 6);
    for (int i = 0; i < 100; ++i) body += "mov.u32 %r1, nix;\n";
    try {
        kernel_of(body);
        FAIL("not refused");
    } catch (const Failure& failure) {
        CHECK(failure.diagnostics().size() == 20);
    }
}

TEST_CASE("what is no PTX is refused with what would make PTX of it, and not quoted") {
    const auto said = [](const std::string& text) { return refusal([&] { read_module(make_source("f", text)); }); };
    CHECK(has(said("\x7f"
                   "ELF\x02"),
              "cuobjdump -ptx"));
    CHECK(has(said("#include <x>\n__global__ void k() {}\n"), "nvcc -std=c++17 -ptx"));
    CHECK(has(said("test \"mp\"\n"), "litmus check"));
    CHECK(has(said(""), "empty"));
    CHECK(has(said(std::string("a\0b", 3)), "binary"));
    CHECK(has(said("password: secret\n"), "secret") == false);
    CHECK(has(said(".target sm_90\n.entry k() { ret; }"), "no `.version`"));
    CHECK(has(said(".version 9.0 .target sm_90 .address_size 32"), "addresses have 64 bits"));
}

TEST_CASE("nesting is bounded, and time grows with the text alone") {
    CHECK(has(refusal([&] { kernel_of(std::string(1000, '{')); }), "blocks nest too deeply"));
    CHECK(has(refusal([&] { kernel_of("mov.u32 %r1, " + std::string(100000, '(')); }), "nests too deeply"));
    CHECK(has(refusal([&] { kernel_of("mov.u32 " + std::string(100000, '{')); }), "nest too deeply"));
    CHECK(has(refusal([&] { module_of(".global .b8 x[4] = " + std::string(100000, '{')); }), "nests too deeply"));
    const Module ranges = kernel_of(".reg .b32 %q<2000000000>; mov.u32 %q1999999999, 0;");
    CHECK(ranges.functions[0].registers.size() == 1);

    std::string body;
    constexpr size_t blocks = 20000;
    for (size_t i = 0; i < blocks; ++i)
        body += "{ .reg .pred P; .param .b32 param0;\n.loc 1 1 1, function_name f, inlined_at 1 1 1\nL: @P bra L; }\n";
    const auto start = std::chrono::steady_clock::now();
    const Module module = kernel_of(body);
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(5));
    CHECK(module.functions[0].code.size() == blocks);
    CHECK(module.functions[0].code.back().origin.size() <= 32);
}
