// Each hardware thread takes an instance, then the one a whole grid further. litmus_init writes initial values, a store for each
// element; litmus_tally counts outcomes in a hash table.
#include "gpu/emit/walk.h"

#include <algorithm>
#include <string>

#include "gpu/emit/emit.h"
#include "gpu/emit/kernel.h"
#include "gpu/emit/thread_text.h"
#include "language/tensor.h"

namespace litmus::gpu {

namespace {

void begin_walk(PtxText& text) {
    text.line("mov.u32 $instance, %ctaid.x;");
    text.line("mov.u32 $step, %ntid.x;");
    text.line("mov.u32 $thread, %tid.x;");
    text.line("mad.lo.u32 $instance, $instance, $step, $thread;");
    text.line("mov.u32 $thread, %nctaid.x;");
    text.line("mul.lo.u32 $step, $step, $thread;");
    text.line("setp.ge.u32 $go, $instance, $instances;");
    text.line("@$go bra $done;");
    text.label("$next");
    text.line("mul.lo.u32 $spread, $instance, $scatter;");
}

void end_walk(PtxText& text) {
    text.line("add.u32 $instance, $instance, $step;");
    text.line("setp.lt.u32 $go, $instance, $instances;");
    text.line("@$go bra $next;");
    text.label("$done");
    text.line("ret;");
}

constexpr const char* walk_registers = ".reg .b32 $instance, $instances, $step, $thread, $mask, $stride, $scatter, $shift, $spread, $slot;";

}  // namespace

void write_init(const Test& test, const Plan& plan, PtxText& text) {
    text.comment("Initial values in global memory.");
    write_signature("litmus_init", test, text);
    text.line("{");
    text.open();
    text.line(".reg .pred $go;");
    text.line(walk_registers);
    text.line(".reg .b64 $memory, $memory2, $meeting, $pitch, $at, $array, $value;");
    load_parameters(text, {"memory", "memory2", "meeting", "pitch", "instances", "stride", "mask", "scatter", "shift"});
    write_regions(plan, false, text);
    begin_walk(text);
    if (plan.gpus > 1) {
        text.line("mad.wide.u32 $at, $instance, 4, $meeting;");
        text.line("st.global.u32 [$at], 0;", "nobody has come");
    }
    for (size_t l = 0; l < test.locations.size(); ++l) {
        const Location& location = test.locations[l];
        if (plan.region[l] < 0 || !location.alias_of.empty()) continue;
        text.comment(location.name);
        emit_slot_address(text, plan.region[l], "$at", "$region");
        if (location.is_tensor_map) {
            const int array = location_index(test, find_tensor_map(test, location.name)->array);
            emit_slot_address(text, plan.region[static_cast<size_t>(array)], "$array", "$region");
            make_tensor_map(test, location, "global", "$at", "$array", text);
            text.line("fence.proxy.tensormap::generic.release.sys;");
            continue;
        }
        for (int e = 0; e < location.count; ++e) {
            const uint64_t value = static_cast<size_t>(e) < location.init.size() ? location.init[static_cast<size_t>(e)] : 0;
            const int width = bits(location.type);
            text.line("st.global" + store_type(location.type) + " [$at" + (e > 0 ? "+" + std::to_string(e * width / 8) : "") + "], " +
                      literal(width == 64 ? Type::b64 : Type::b32, truncate(value, width)) + ";");
        }
    }
    end_walk(text);
    text.close();
    text.line("}");
    text.line();
}

// ---- litmus_tally: a hash table of outcomes ------------------------------------------------------------

namespace {

// Loads word w into $v<w>.
void load_word(const Test& test, const Plan& plan, size_t w, PtxText& text) {
    const Word& word = plan.words[w];
    const std::string target = "$v" + std::to_string(w);
    if (word.kind != Word::Kind::global) {
        text.line("mad.lo.u64 $at, $row, " + std::to_string(w) + ", $column;", word.name);
        text.line("ld.global.u64 " + target + ", [$at];");
        return;
    }
    const auto l = static_cast<size_t>(word.location);
    const int width = bits(test.locations[l].type);
    text.comment(word.name);
    emit_slot_address(text, plan.region[l], "$at", "$region");
    text.line("ld.global.u" + std::to_string(width) + " " + target + ", [$at+" + std::to_string(word.element * width / 8) + "];");
}

void write_key(const Plan& plan, PtxText& text) {
    text.comment("the outcome's key: a hash of its words, 2 or more; " + std::to_string(timeout_key) + " for a time-out");
    text.line("mov.b64 $key, 0x2545f4914f6cdd1d;");
    for (size_t w = 0; w < plan.words.size(); ++w) {
        if (!plan.words[w].shown) continue;
        text.line("xor.b64 $key, $key, $v" + std::to_string(w) + ";");
        text.line("mul.lo.u64 $key, $key, 0x9e3779b97f4a7c15U;");
        text.line("shr.u64 $mixed, $key, 29;");
        text.line("xor.b64 $key, $key, $mixed;");
    }
    text.line("or.b64 $key, $key, 2;");
    for (size_t w = 0; w < plan.words.size(); ++w) {
        if (plan.words[w].kind != Word::Kind::timeout) continue;
        text.line("setp.ne.u64 $go, $v" + std::to_string(w) + ", 0;", plan.words[w].name);
        text.line("selp.b64 $key, " + std::to_string(timeout_key) + ", $key, $go;");
    }
}

// The lanes of a warp that have the same outcome count as one, then the entry is found by linear probing.
void write_count(const Plan& plan, PtxText& text, int entry_bytes) {
    text.line("match.any.sync.b64 $peers, $key, 0xffffffff;", "lanes with the same outcome: the first counts them all");
    text.line("mov.u32 $below, %lanemask_lt;");
    text.line("and.b32 $below, $below, $peers;");
    text.line("setp.ne.u32 $go, $below, 0;");
    text.line("@$go bra $counted;");
    text.line("popc.b32 $below, $peers;");
    text.line("cvt.u64.u32 $count, $below;");
    text.line("cvt.u32.u64 $entry, $key;");
    text.line("shr.u32 $entry, $entry, 8;");
    text.line("mov.u32 $tries, 0;");
    text.label("$probe");
    text.line("and.b32 $entry, $entry, " + std::to_string(histogram_entries - 1) + ";");
    text.line("mad.wide.u32 $at, $entry, " + std::to_string(entry_bytes) + ", $histogram;");
    text.line("ld.relaxed.gpu.global.u64 $mixed, [$at];");
    text.line("setp.eq.u64 $go, $mixed, $key;");
    text.line("@$go bra $found;");
    text.line("setp.ne.u64 $go, $mixed, 0;");
    text.line("@$go bra $taken;");
    text.line("atom.relaxed.gpu.global.cas.b64 $mixed, [$at], 0, $key;");
    text.line("setp.eq.u64 $go, $mixed, 0;");
    text.line("@$go bra $claimed;");
    text.line("setp.eq.u64 $go, $mixed, $key;");
    text.line("@$go bra $found;");
    text.label("$taken");
    text.line("add.u32 $entry, $entry, 1;");
    text.line("add.u32 $tries, $tries, 1;");
    text.line("setp.lt.u32 $go, $tries, " + std::to_string(histogram_entries) + ";");
    text.line("@$go bra $probe;");
    text.line("red.relaxed.gpu.global.add.u64 [$histogram+" + std::to_string(histogram_entries * static_cast<unsigned>(entry_bytes)) +
                  "], $count;",
              "no entry left");
    text.line("bra $counted;");
    text.label("$claimed");
    int shown = 0;
    for (size_t w = 0; w < plan.words.size(); ++w)
        if (plan.words[w].shown)
            text.line("st.global.u64 [$at+" + std::to_string(16 + 8 * shown++) + "], $v" + std::to_string(w) + ";", plan.words[w].name);
    text.label("$found");
    text.line("red.relaxed.gpu.global.add.u64 [$at+8], $count;");
    text.label("$counted");
    text.line("bar.warp.sync 0xffffffff;");
}

}  // namespace

void write_tally(const Test& test, const Plan& plan, PtxText& text) {
    const auto counts = [](const Word& w) { return w.shown || w.kind == Word::Kind::timeout; };
    const int shown = static_cast<int>(std::count_if(plan.words.begin(), plan.words.end(), [](const Word& w) { return w.shown; }));
    text.comment("Counts the instances by outcome.");
    write_signature("litmus_tally", test, text);
    text.line("{");
    text.open();
    text.line(".reg .pred $go;");
    text.line(walk_registers);
    text.line(".reg .b32 $peers, $below, $entry, $tries;");
    text.line(".reg .b64 $memory, $memory2, $pitch, $results, $histogram, $row, $column, $at, $key, $mixed, $count;");
    if (!plan.words.empty()) text.line(".reg .b64 $v<" + std::to_string(plan.words.size()) + ">;", "the words");
    load_parameters(text, {"memory", "memory2", "pitch", "results", "histogram", "instances", "stride", "mask", "scatter", "shift"});
    write_regions(plan, false, text);
    text.line("mul.wide.u32 $row, $instances, 8;");
    begin_walk(text);
    text.line("mad.wide.u32 $column, $instance, 8, $results;");
    for (size_t w = 0; w < plan.words.size(); ++w)
        if (counts(plan.words[w])) load_word(test, plan, w, text);
    write_key(plan, text);
    write_count(plan, text, 16 + 8 * shown);
    end_walk(text);
    text.close();
    text.line("}");
}

}  // namespace litmus::gpu
