// Registers that keep their values: which ones, and not which values.
#include "sweep/fixed.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "kernel/arguments.h"
#include "kernel/read.h"
#include "sweep/code.h"

using namespace litmus;

namespace {

// Which of the registers %r1 to %r9 hold the same whenever they are read.
std::string fixed(const std::string& text, const std::string& outside = "") {
    kernel::LaunchTexts texts;
    texts.grid = texts.block = "1";
    texts.arguments = {"x=u32[16]"};
    const kernel::Module module = kernel::testing::module_of(
        outside + ".visible .entry k(.param .u64 p)\n{\n.reg .pred %p<10>;\n.reg .b32 %r<10>;\n.reg .b64 %rd<10>;\n" + text +
        "END:\nret;\n}\n");
    const kernel::Launch launch = kernel::launch_of(module, texts, [](const std::string&) { return std::string(); });
    const auto decoded = sweep::decoded(module, launch, {});
    const auto& registers = decoded->linked->code.registers;
    std::string result;
    for (size_t n = 0; n < registers.size(); ++n)
        if (decoded->fixed[n] && registers[n].name.rfind("%r", 0) == 0 && registers[n].name.size() == 3)
            result += registers[n].name.substr(2);
    std::sort(result.begin(), result.end());
    return result;
}

}  // namespace

TEST_CASE("registers that hold the same whenever they are read") {
    CHECK(fixed("mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, 7;\nmad.lo.u32 %r3, %r1, 4, %r2;\nld.param.u32 %r4, [p];\n") == "1234");
    // whatever the order of the text
    CHECK(fixed("bra FIRST;\nLAST:\nadd.u32 %r3, %r2, 1;\nbra END;\nFIRST:\nadd.u32 %r2, %r1, 1;\nbra LAST;\nmov.u32 %r1, 7;\n") == "123");
    // what is written twice, what counts, and what depends on either
    CHECK(fixed("mov.u32 %r1, 1;\nmov.u32 %r1, 1;\nadd.u32 %r2, %r2, 1;\nadd.u32 %r3, %r1, 1;\nadd.u32 %r4, %r2, 1;\n").empty());
    // a guard
    CHECK(fixed("ld.param.u64 %rd1, [p];\nld.global.u32 %r1, [%rd1];\nsetp.eq.u32 %p1, %r1, 0;\nmov.u32 %r2, 0;\n@%p1 mov.u32 %r3, 1;\n"
                "setp.eq.u32 %p2, %r2, 0;\n@%p2 mov.u32 %r4, 1;\n") == "24");
    // memory, whatever the address
    CHECK(fixed("mov.u64 %rd1, 0;\nld.global.u32 %r1, [%rd1];\natom.global.add.u32 %r2, [%rd1], 1;\n").empty());
    // time, and the lanes that are there
    CHECK(fixed("mov.u32 %r1, %clock;\nactivemask.b32 %r2;\n").empty());
    // the carry of an addition is a register, too
    CHECK(fixed("add.cc.u32 %r1, 1, 2;\naddc.u32 %r2, 1, 2;\n") == "12");
    CHECK(fixed("add.cc.u32 %r1, 1, 2;\nadd.cc.u32 %r2, 3, 4;\naddc.u32 %r3, 1, 2;\n") == "12");
    // what a function is given
    const std::string function = ".func f(.param .u32 given)\n{\n.reg .b32 %s<3>;\nld.param.u32 %s1, [given];\nret;\n}\n";
    CHECK(fixed("{\n.param .b32 one;\nst.param.b32 [one], 1;\ncall f, (one);\n}\nmov.u32 %r1, 1;\nld.param.u32 %r2, [p];\n", function) ==
          "1");
}
