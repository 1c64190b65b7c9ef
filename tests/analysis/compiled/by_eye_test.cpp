// The reader against eyes: programs whose code was read by eye (by_eye.txt), and their code permuted, dropped and merged by hand.
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "analysis/compiled/thread.h"
#include "gpu/emit/bare.h"
#include "language/syntax/native/dsl.h"
#include "sass/code.h"
#include "sass/cubin.h"
#include "sass/ptxas.h"

using namespace litmus;
using namespace litmus::compiled;

namespace {

struct Listing {
    std::string name, target;
    int level = 3;
    std::string body;
    std::vector<std::string> changes;  // "2 dropped 0"
};

std::vector<Listing> listings() {
    std::ifstream in(LITMUS_SOURCE_DIR "/tests/analysis/compiled/by_eye.txt");
    std::vector<Listing> all;
    for (std::string line; std::getline(in, line);) {
        std::istringstream words(line);
        std::string first;
        words >> first;
        if (first.empty() || first == "#" || first == "sass") continue;
        if (first == "=") {
            Listing& one = all.emplace_back();
            words >> one.target >> one.level >> std::ws;
            std::getline(words, one.name);
        } else if (first == "->") {
            all.back().changes.push_back(line.substr(3));
        } else {
            all.back().body += line + "\n";
        }
    }
    return all;
}

Test test_of(const Listing& program) {
    return parse_dsl(make_source("t.litmus", R"(test "t"
.global .u32 x = 0;
.global .u32 y = 0;
.global .u32 g[4] = 0;
.shared.cta0 .u32 f = 0;
.shared.cta0 .f32 fl = 0;
.shared.cta0 .u32 s[4] = 0;
.shared.cta0 .u64 d[2] = 0;
.shared.cta0 .mbarrier bar = 1;
thread P0 @ cta0 {
)" + program.body + "}\nexists (true)\n"));
}

// What ptxas made of a program, to be spoiled and read again.
struct Code {
    Test test;
    std::vector<gpu::PtxText::Mark> lines;
    sass::Cubin cubin;
    sass::Function function;

    ThreadCode read() const { return read_thread(test, 0, lines, cubin, function); }
    std::vector<std::string> changes() const {
        std::vector<std::string> list;
        for (const Change& change : changes_of(test, read()))
            list.push_back(std::to_string(change.instruction) + " " + std::string(name(change.kind)) +
                           (change.other ? " " + std::to_string(*change.other) : ""));
        return list;
    }
    bool tells(const std::string& change) const {
        const std::vector<std::string> all = changes();
        return std::find(all.begin(), all.end(), change) != all.end();
    }

    uint32_t line_at(uint64_t address) const {
        uint32_t line = 0;
        for (const sass::Row& row : function.rows)
            if (row.address <= address) line = row.line;
        return line;
    }
    // Each instruction gets a row of its own, as an address and a line.
    std::vector<uint32_t> all_lines() const {
        std::vector<uint32_t> lines_of_code;
        for (uint64_t at = 0; at < function.code.size(); at += sass::instruction_bytes) lines_of_code.push_back(line_at(at));
        return lines_of_code;
    }
    void set_lines(const std::vector<uint32_t>& lines_of_code) {
        function.rows.clear();
        for (size_t i = 0; i < lines_of_code.size(); ++i) function.rows.push_back({i * sass::instruction_bytes, lines_of_code[i]});
    }
    void swap(uint64_t a, uint64_t b) {
        std::vector<uint32_t> lines_of_code = all_lines();
        std::swap(lines_of_code[a / sass::instruction_bytes], lines_of_code[b / sass::instruction_bytes]);
        set_lines(lines_of_code);
        for (uint64_t i = 0; i < sass::instruction_bytes; ++i) std::swap(function.code[a + i], function.code[b + i]);
    }
    void drop(uint64_t at) {  // MOV
        function.code[at] = '\x02';
        function.code[at + 1] = '\x72';
    }
    void widen(uint64_t at) { function.code[at + 9] = static_cast<char>((function.code[at + 9] & ~0x0e) | 5 << 1); }
};

Code code_of(const Listing& program, const sass::Assembler& assembler) {
    Code code{test_of(program), {}, {}, {}};
    const gpu::BareModule module = gpu::emit_bare({{&code.test, 0, gpu::Body::plain}}, program.target);
    code.lines = module.entries[0].lines;
    code.cubin = sass::read_cubin(sass::assemble(assembler, module.ptx, program.target, program.level));
    code.function = sass::function_named(code.cubin, module.entries[0].name);
    return code;
}

}  // namespace

TEST_CASE("what was read by eye is what is read") {
    const std::vector<Listing> all = listings();
    CHECK(all.size() >= 40);
    const auto assembler = assembler_or_skip("ptxas 13.0");
    if (!assembler) return;
    for (const Listing& program : all) {
        const Code code = code_of(program, *assembler);
        CHECK_MESSAGE(code.changes() == program.changes, program.name);
        CHECK_MESSAGE(code.read().order.strays.empty(), program.name);
    }
}

TEST_CASE("code that is permuted, dropped and merged by hand is told") {
    const auto assembler = assembler_or_skip("ptxas 13.0");
    if (!assembler) return;
    size_t permuted = 0, dropped = 0, merged = 0;
    for (const Listing& program : listings()) {
        const Code whole = code_of(program, *assembler);
        const ThreadCode read = whole.read();
        // A second half has no line, so that nobody could tell which of the two is gone.
        const bool halves = program.name == "two words in shared memory that are no neighbours";
        const auto is_single = [&](size_t k) { return read.order.places[k].size() == 1 && read.order.bits[k] > 0 && !halves; };
        for (size_t k = 0; k < read.instructions.size(); ++k) {
            if (!is_single(k)) continue;
            const std::string own = std::to_string(read.instructions[k]);
            Code without = whole;
            without.drop(read.order.places[k].front());
            const std::vector<std::string> changes = without.changes();
            CHECK_MESSAGE(
                std::any_of(changes.begin(), changes.end(), [&](const std::string& c) { return c.rfind(own + " dropped", 0) == 0; }),
                program.name);
            ++dropped;
            for (size_t next = k + 1; next < read.instructions.size(); ++next) {
                if (!is_single(next) || read.order.places[k].front() > read.order.places[next].front()) continue;
                const std::string other = std::to_string(read.instructions[next]);
                Code turned = whole;
                turned.swap(read.order.places[k].front(), read.order.places[next].front());
                CHECK_MESSAGE(turned.tells(other + " moved " + own), program.name);
                ++permuted;
                const auto first = footprint(whole.test.threads[0].body[read.instructions[k]]);
                const auto second = footprint(whole.test.threads[0].body[read.instructions[next]]);
                const bool beside = first && second && first->base == second->base && first->bytes() == 4 && first->offset % 8 == 0 &&
                                    second->offset == first->offset + 4 && second->bytes() == 4;
                if (!beside) continue;
                Code wide = whole;
                wide.drop(read.order.places[next].front());
                wide.widen(read.order.places[k].front());
                CHECK_MESSAGE(wide.tells(other + " merged " + own), program.name);
                ++merged;
            }
        }
    }
    CHECK(permuted >= 15);
    CHECK(dropped >= 40);
    CHECK(merged >= 1);
}
