// Launches of one stream: what each leaves is what the next one finds.
#include <doctest/doctest.h>

#include "kernel/arguments.h"
#include "kernel/kernel_table.h"
#include "kernel/read.h"
#include "sweep/orders.h"

using namespace litmus;

namespace {

std::string no_file(const std::string&) {
    return {};
}

// What is said of each launch, " | " between them; conditions behind "where", and "not written" with the first name.
std::string text_of(const std::vector<sweep::Streamed>& all) {
    std::string text;
    for (const sweep::Streamed& one : all) {
        if (&one != &all.front()) text += " | ";
        for (const sweep::Finding& finding : one.swept.findings)
            text += finding.text + (finding.schedule.is_contrary() ? " (backwards); " : "; ");
        for (const std::string& condition : one.swept.conditions) text += "where " + condition + "; ";
        for (const sweep::Part& part : one.unwritten) text += "not written: " + part.object + " from " + std::to_string(part.begin) + "; ";
    }
    return text;
}

// Launches of a kernel of this body, with an array of four words in %rd1; `change` makes each one what it is.
std::string stream_says(
    const std::string& body, size_t times, const std::string& grid = "1", const std::string& block = "1",
    const std::function<void(kernel::Launch&, size_t)>& change = [](kernel::Launch&, size_t) {}) {
    const kernel::Module module = kernel::testing::module_of(
        ".global .u32 count;\n.visible .entry k(.param .u64 k_param_0)\n{\n.shared .align 8 .b8 s[64];\n.reg .pred %p<10>;\n"
        ".reg .b32 %r<10>;\n.reg .b64 %rd<10>;\nld.param.u64 %rd1, [k_param_0];\nmov.u32 %r1, %ctaid.x;\n" +
        body + "\nret;\n}\n");
    kernel::LaunchTexts texts;
    texts.grid = grid;
    texts.block = block;
    texts.arguments = {"x=u32[4]"};
    std::vector<kernel::Launch> launches(times, kernel::launch_of(module, texts, no_file));
    std::vector<sweep::Started> started;
    for (size_t n = 0; n < times; ++n) {
        change(launches[n], n);
        started.push_back({&module, &launches[n], n > 0 ? std::optional<size_t>(0) : std::nullopt});
    }
    return text_of(sweep::sweep_stream(started));
}

// A kernel of tests/sweep/cuda, launched so often as its table says.
std::string said_of(const std::string& name, const std::string& macro, size_t times) {
    const std::filesystem::path folder = std::filesystem::path(LITMUS_SOURCE_DIR) / "tests" / "sweep" / "cuda";
    for (const KernelEntry& kernel : kernel_table(folder)) {
        if (kernel.name != name) continue;
        const kernel::Module module =
            kernel::read_module(read_source((folder / (name + (macro.empty() ? "" : "." + macro) + ".ptx")).string()));
        const kernel::Launch launch = kernel::launch_of(module, launch_texts(kernel.launch), no_file);
        std::vector<sweep::Started> started(times, {&module, &launch, 0});
        started.front().repeats.reset();
        return text_of(sweep::sweep_stream(started));
    }
    return "no such kernel";
}

bool shows(const std::string& text, const std::string& part) {
    return kernel::testing::has(text, part);
}

// Behind the first launch.
std::string second(const std::string& text) {
    return text.substr(std::min(text.find(" | "), text.size()));
}

const std::string trapped = "a trap is reached: an assertion does not hold, or the kernel gives up";
const std::string trap_unless_zero = "ld.global.u32 %r2, [%rd1];\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 trap;\n";

}  // namespace

TEST_CASE("a barrier of the grid whose counter is not given back") {
    for (const std::string macro : {"", "ONCE", "EXACT"}) {
        CHECK(!shows(said_of("grid_barrier", macro, 1), "race"));
        CHECK(!shows(said_of("grid_barrier", macro, 1), "for ever"));
    }
    CHECK(!shows(said_of("grid_barrier", "", 3), "race"));
    const std::string once = said_of("grid_barrier", "ONCE", 2), exact = said_of("grid_barrier", "EXACT", 2);
    CHECK(shows(second(once), "race on `part`"));
    CHECK(shows(second(exact), "for ever"));
}

TEST_CASE("a ticket that is not given back leaves nobody to write the result") {
    CHECK(!shows(said_of("split", "", 2), "not written"));
    CHECK(shows(second(said_of("split", "SPENT", 2)), "not written: out from 0"));
}

TEST_CASE("arrays and variables of the module go on, and nothing races between launches") {
    const std::string count = "ld.global.u32 %r2, [count];\nadd.u32 %r3, %r2, 1;\nst.global.u32 [count], %r3;\n";
    CHECK(stream_says(count, 3) == " |  | ");
    const std::string index = "mul.wide.u32 %rd2, %r2, 4;\nadd.u64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3+8], 1;\n";
    const std::string refusal = kernel::testing::refusal([&] { stream_says(count + index, 3); });
    CHECK(shows(refusal, "launch 3: "));
    CHECK(shows(refusal, "x[4]"));
    CHECK(stream_says(trap_unless_zero + "st.global.u32 [%rd1], 1;", 2) == " | " + trapped + "; ");
    // another thread each time
    CHECK(stream_says("mov.u32 %r4, %tid.x;\nld.global.u32 %r2, [%rd1+4];\nsetp.ne.u32 %p1, %r4, %r2;\n@%p1 bra END;\n"
                      "st.global.u32 [%rd1], 1;\nEND:\nbar.sync 0;\n@%p1 bra OVER;\nst.global.u32 [%rd1+4], 1;\nOVER:\n",
                      2, "1", "64") == " | ");
}

TEST_CASE("a cluster that has not started is over before the next launch, whose own have not started, either") {
    const auto counted_to = [](const std::string& number) {
        return stream_says("ld.global.u32 %r2, [%rd1];\nsetp.eq.u32 %p1, %r2, " + number + ";\n@%p1 trap;\nred.global.add.u32 [%rd1], 1;\n",
                           2, "2", "1", [](kernel::Launch& launch, size_t) { launch.unlaunched = 1; });
    };
    CHECK(shows(second(counted_to("2")), trapped));
    CHECK(shows(second(counted_to("3")), trapped));
    CHECK(!shows(counted_to("4"), trapped));
}

TEST_CASE("what is not computed, and what depends on the order, stays so") {
    const std::string decides = "ld.global.u32 %r2, [%rd1];\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 fence.acq_rel.gpu;\n";
    const std::string unknown = stream_says(decides + "ld.shared.u32 %r4, [s];\nst.global.u32 [%rd1], %r4;\n", 2);
    CHECK(!shows(unknown.substr(0, unknown.find(" | ")), "not computed"));
    CHECK(shows(second(unknown), "where a value that is not computed decides"));
    // each block keeps its ticket, and looks at it in the next launch
    const std::string own =
        "mul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd3, %rd1, %rd2;\nld.global.u32 %r2, [%rd3+4];\n"
        "setp.eq.u32 %p1, %r2, 0;\n@%p1 fence.acq_rel.gpu;\n";
    const std::string tickets = stream_says(own + "atom.global.add.u32 %r4, [%rd1], 1;\nst.global.u32 [%rd3+4], %r4;\n", 2, "2");
    CHECK(tickets.substr(0, tickets.find(" | ")).empty());
    CHECK(shows(second(tickets), "where what `atom.global.add.u32` in an earlier launch finds depends on the order, and decides"));
    // a trap that only the ticket of the contrary order leads to
    const std::string only_one =
        "ld.global.u32 %r2, [%rd3+4];\nsetp.eq.u32 %p1, %r1, 0;\nsetp.eq.u32 %p2, %r2, 1;\nand.pred %p3, %p1, %p2;\n"
        "@%p3 trap;\natom.global.add.u32 %r4, [%rd1], 1;\nst.global.u32 [%rd3+4], %r4;\n";
    CHECK(
        shows(second(stream_says("mul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd3, %rd1, %rd2;\n" + only_one, 2, "2")), trapped + " (backwards)"));
}

TEST_CASE("what was recorded when a launch began is so") {
    const auto recorded = [](uint64_t begin) {
        return stream_says(trap_unless_zero + "st.global.u32 [%rd1], 1;", 2, "1", "1", [&](kernel::Launch& launch, size_t n) {
            if (n == 1) launch.arrays[0].recorded = {{begin, 4}};
        });
    };
    CHECK(recorded(0) == " | ");
    CHECK(recorded(4) == " | " + trapped + "; ");
}

TEST_CASE("behind a launch that does not end nothing is swept") {
    CHECK(stream_says("LOOP:\nld.relaxed.gpu.global.u32 %r2, [%rd1];\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra LOOP;\n", 3).find(" | ") ==
          std::string::npos);
}

TEST_CASE("what a launch does not write again, as far as it is the first of its object") {
    const std::string first = "ld.global.u32 %r2, [%rd1];\nsetp.eq.u32 %p1, %r2, 0;\nst.global.u32 [%rd1], 1;\n";
    CHECK(stream_says(first, 2) == " | ");
    CHECK(stream_says(first + "@%p1 st.global.u32 [%rd1+8], 1;\n@!%p1 ret;\nst.global.u32 [%rd1+12], 1;\nst.global.u32 [count], 1;\n", 2) ==
          " | not written: x from 8; not written: count from 0; ");
}
