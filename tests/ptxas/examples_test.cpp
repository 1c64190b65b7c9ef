// The examples of the five instruction pages (red, red.async, cp.reduce.async.bulk, st.async, redux.sync; ISA 9.1):
// each parses, or differences.txt says why not.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <map>
#include <sstream>

#include "assembler.h"
#include "base/source.h"
#include "differences.h"
#include "language/syntax/native/dsl.h"

using namespace litmus;
using namespace litmus::ptxas;

namespace {

struct Example {
    const char* page;
    const char* text;
    const char* locations;  // DSL declarations
    const char* registers;  // read by it, as type:name
};

constexpr std::array examples = {
    Example{"9.7.13.6", "red.global.add.s32  [a],1;", ".global .s32 a = 0;", ""},
    Example{"9.7.13.6", "red.shared::cluster.max.u32  [x+4],0;", ".shared.cta0 .u32 x[4];", ""},
    Example{"9.7.13.6", "@p  red.global.and.b32  [p],my_val;", ".global .b32 p;", "b32:my_val"},
    Example{"9.7.13.6", "red.global.sys.add.u32 [a], 1;", ".global .u32 a;", ""},
    Example{"9.7.13.6", "red.global.acquire.sys.add.u32 [gbl], 1;", ".global .u32 gbl;", ""},
    Example{"9.7.13.6", "red.add.noftz.f16x2 [a], b;", ".global .f16x2 a;", "b32:b"},
    Example{"9.7.13.6", "red.add.noftz.bf16   [a], hb;", ".global .bf16 a;", "b16:hb"},
    Example{"9.7.13.6", "red.add.noftz.bf16x2 [b], bb;", ".global .bf16x2 b;", "b32:bb"},
    Example{"9.7.13.6", "red.global.cluster.relaxed.add.u32 [a], 1;", ".global .u32 a;", ""},
    Example{"9.7.13.6", "red.shared::cta.min.u32  [x+4],0;", ".shared.cta0 .u32 x[4];", ""},
    Example{"9.7.13.6", "red.global.and.L2::cache_hint.b32 [a], 1, cache-policy;", ".global .b32 a;", "b64:policy"},
    Example{"9.7.13.6", "red.global.v8.f16.add.noftz  [gbl], {%h0, %h1, %h2, %h3, %h4, %h5, %h6, %h7};", ".global .f16 gbl[8];",
            "b16:h0 b16:h1 b16:h2 b16:h3 b16:h4 b16:h5 b16:h6 b16:h7"},
    Example{"9.7.13.6", "red.global.v8.bf16.min.noftz [gbl], {%h0, %h1, %h2, %h3, %h4, %h5, %h6, %h7};", ".global .bf16 gbl[8];",
            "b16:h0 b16:h1 b16:h2 b16:h3 b16:h4 b16:h5 b16:h6 b16:h7"},
    Example{"9.7.13.6", "red.global.v2.f16.add.noftz [gbl], {%h0, %h1};", ".global .f16 gbl[2];", "b16:h0 b16:h1"},
    Example{"9.7.13.6", "red.global.v2.bf16.add.noftz [gbl], {%h0, %h1};", ".global .bf16 gbl[2];", "b16:h0 b16:h1"},
    Example{"9.7.13.6", "red.global.v4.f16x2.max.noftz [gbl], {%h0, %h1, %h2, %h3};", ".global .f16x2 gbl[4];",
            "b32:h0 b32:h1 b32:h2 b32:h3"},
    Example{"9.7.13.6", "red.global.v4.f32.add  [gbl], {%f0, %f1, %f2, %f3};", ".global .f32 gbl[4];", "f32:f0 f32:f1 f32:f2 f32:f3"},
    Example{"9.7.13.6", "red.global.v2.f16x2.max.noftz {%bd0, %bd1}, [g], {%b0, %b1};", ".global .f16x2 g[2];",
            "b32:b0 b32:b1 b32:bd0 b32:bd1"},
    Example{"9.7.13.6", "red.global.v2.bf16x2.add.noftz {%bd0, %bd1}, [g], {%b0, %b1};", ".global .bf16x2 g[2];",
            "b32:b0 b32:b1 b32:bd0 b32:bd1"},
    Example{"9.7.13.6", "red.global.v2.f32.add  {%f0, %f1}, [g], {%f0, %f1};", ".global .f32 g[2];", "f32:f0 f32:f1"},
    Example{"9.7.13.7", "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.min.u32 [addr], b, [mbar_addr];",
            ".shared.cta1 .u32 addr; .shared.cta1 .mbarrier mbar_addr = 1;", "b32:b"},
    Example{"9.7.13.7", "red.async.release.sys.global.add.u32 [addr], b;", ".global .u32 addr;", "b32:b"},
    Example{"9.7.9.25.4.2",
            "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u64 [dstMem], [srcMem], size, [mbar];",
            ".shared.cta1 .u64 dstMem[4]; .shared.cta0 .u64 srcMem[4]; .shared.cta1 .mbarrier mbar = 1;", "b32:size"},
    Example{"9.7.9.25.4.2",
            "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.min.s32 [dstMem], [srcMem], size, [mbar];",
            ".shared.cta1 .s32 dstMem[4]; .shared.cta0 .s32 srcMem[4]; .shared.cta1 .mbarrier mbar = 1;", "b32:size"},
    Example{"9.7.9.25.4.2", "cp.reduce.async.bulk.global.shared::cta.bulk_group.min.f16 [dstMem], [srcMem], size;",
            ".global .f16 dstMem[8]; .shared.cta0 .f16 srcMem[8];", "b32:size"},
    Example{"9.7.9.25.4.2", "cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.xor.s32 [dstMem], [srcMem], size, policy;",
            ".global .s32 dstMem[4]; .shared.cta0 .s32 srcMem[4];", "b32:size b64:policy"},
    Example{"9.7.9.25.4.2", "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16 [dstMem], [srcMem], size;",
            ".global .f16 dstMem[8]; .shared.cta0 .f16 srcMem[8];", "b32:size"},
    Example{"9.7.13.12", "redux.sync.add.s32 dst, src, 0xff;", "", "b32:src"},
    Example{"9.7.13.12", "redux.sync.xor.b32 dst, src, mask;", "", "b32:src b32:mask"},
    Example{"9.7.13.12", "redux.sync.min.abs.NaN.f32 dst, src, mask;", "", "b32:src b32:mask"},
    Example{"9.7.9.12", "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [addr], b, [mbar_addr];",
            ".shared.cta1 .u32 addr; .shared.cta1 .mbarrier mbar_addr = 1;", "b32:b"},
    Example{"9.7.9.12", "st.async.sys.release.global.u32 [addr], b;", ".global .u32 addr;", "b32:b"},
};

// The example with names that can be declared: the page's `p` is a predicate and an address, and its `cache-policy` no name.
std::string declarable(std::string text) {
    if (text[0] == '@') text.replace(1, 1, "q");
    const size_t policy = text.find("cache-policy");
    return policy == std::string::npos ? text : text.replace(policy, 12, "policy");
}

std::vector<std::pair<std::string, std::string>> typed_registers(const Example& example) {
    std::vector<std::pair<std::string, std::string>> found;
    std::istringstream registers(example.registers);
    for (std::string item; registers >> item;) found.emplace_back(item.substr(0, item.find(':')), item.substr(item.find(':') + 1));
    return found;
}

// As a test of two CTAs: "" when it is read, else the message.
std::string reading(const Example& example) {
    std::string text = "test \"example\"\n" + std::string(example.locations) + "\nthread P1 @ cta1 { }\nthread P0 @ cta0 {\n";
    for (const auto& [type, name] : typed_registers(example)) text += "mov." + type + " " + name + ", 0;\n";
    if (example.text[0] == '@') text += "setp.eq.u32 q, 0, 0;\n";
    try {
        parse_dsl(make_source("example", text + declarable(example.text) + "\n}\nexists (true)\n"));
        return "";
    } catch (const Failure& failure) {
        return failure.diagnostics().empty() ? "refused" : failure.diagnostics()[0].message;
    }
}

// What the assembler says of it.
std::string assembling(const Assembler& assembler, const Example& example) {
    std::string registers = ".reg .pred q;\n.reg .b32 dst;\n";
    for (const auto& [type, name] : typed_registers(example)) registers += ".reg ." + type + " %" + name + ", " + name + ";\n";
    static const std::regex declaration(R"((\w+)(\[\d+\])?( = \d+)?;)");
    const std::string locations = example.locations;
    for (std::sregex_iterator at(locations.begin(), locations.end(), declaration), end; at != end; ++at)
        registers += ".reg .b64 " + (*at)[1].str() + ";\n";
    return assemble(assembler, 90, "sm_100a", registers, {declarable(example.text)})[0];
}

const Difference* exclusion(const Differences& differences, const Example& example) {
    const auto found = std::find_if(differences.classes.begin(), differences.classes.end(), [&](const Difference& difference) {
        return difference.example && std::regex_match(example.text, difference.forms);
    });
    return found == differences.classes.end() ? nullptr : &*found;
}

}  // namespace

TEST_CASE("every example of the five pages parses, or is listed") {
    const Differences differences = known_differences();
    const auto assembler = usable_assembler(differences.release);
    std::map<const Difference*, int> used;
    for (const Example& example : examples) {
        const std::string message = reading(example);
        const Difference* excluded = exclusion(differences, example);
        const std::string text = std::string(example.page) + ": " + example.text;
        CHECK_MESSAGE(message.empty() == !excluded, text << " the table: " << message);
        if (assembler) {
            const std::string other = assembling(*assembler, example);
            const bool expected = excluded ? other.find(excluded->assembler) != std::string::npos : other.empty();
            CHECK_MESSAGE(expected, text << " the assembler: " << other);
        }
        ++used[excluded];
    }
    // the page of `red` makes a cache policy first, by an instruction of another page
    CHECK(reading({"9.7.13.6", "createpolicy.range.L2::evict_last.b64 policy, [ptr], 256, 512;", "", ""}) ==
          "`createpolicy.range.L2::evict_last.b64` is known PTX (ISA 9.7.9.18) but not modelled yet");
    for (const Difference& difference : differences.classes)
        if (difference.example) CHECK_MESSAGE(used[&difference] > 0, "no such example: " << difference.title);
}
