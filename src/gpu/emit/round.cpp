// One thread of each CTA writes and reads the CTA's shared memory; barriers of the whole cluster keep that apart from the test
// (emit.cpp says why nothing inside the test is ordered by it). What a test leaves undone is made up for at the end: barriers that
// an exited warp would have counted at, asynchronous operations that nobody waits for, mbarrier objects that stay valid.
#include "gpu/emit/round.h"

#include <algorithm>
#include <map>
#include <vector>

#include "gpu/emit/kernel.h"
#include "gpu/emit/thread_text.h"
#include "language/tensor.h"
#include "ptx/effects.h"
#include "ptx/traits.h"

namespace litmus::gpu {

namespace {

bool has_mbarriers(const Test& test) {
    return std::any_of(test.locations.begin(), test.locations.end(), [](const Location& l) { return l.is_mbarrier; });
}

// Runs `write` for the thread that speaks for CTA `c`; `past` is a label of its own.
template <typename Write>
void for_cta(const Plan& plan, const PlannedCta& cta, const std::string& past, PtxText& text, Write write) {
    const std::string label = "$" + past + std::to_string(cta.number);
    text.line("setp.ne.u32 $go, $corner, " + std::to_string(cta.unit * plan.cluster + cta.rank) + ";", "cta" + std::to_string(cta.number));
    text.line("@$go bra " + label + ";");
    text.open();
    write();
    text.close();
    text.label(label);
}

bool lives_in(const Location& l, const PlannedCta& cta) {
    return l.space == Space::shared && l.alias_of.empty() && (!l.cta || *l.cta == cta.number);
}

bool has_locations(const Test& test, const PlannedCta& cta) {
    return std::any_of(test.locations.begin(), test.locations.end(), [&](const Location& l) { return lives_in(l, cta); });
}

void initialise_location(const Location& l, int offset, PtxText& text) {
    const auto at = [&](int bytes) { return "[$shared+" + std::to_string(offset + bytes) + "]"; };
    if (l.is_mbarrier) {
        for (int e = 0; l.arrivals && e < l.count; ++e)
            text.line("mbarrier.init.shared::cta.b64 " + at(8 * e) + ", " + std::to_string(*l.arrivals) + ";", e == 0 ? l.name : "");
        return;
    }
    const int width = bits(l.type);
    for (int e = 0; e < l.count; ++e) {
        const uint64_t value = static_cast<size_t>(e) < l.init.size() ? truncate(l.init[static_cast<size_t>(e)], width) : 0;
        text.line(
            "st.shared" + store_type(l.type) + " " + at(e * width / 8) + ", " + literal(width == 64 ? Type::b64 : Type::b32, value) + ";",
            e == 0 ? l.name : "");
    }
}

// What a round left in shared memory is often just what the next round should write. So something else is put there: 0xaa... and 0x55... in
// turn.
void write_alternating(const Test& test, const Plan& plan, const PlannedCta& cta, PtxText& text) {
    const std::string past = "$alternated" + std::to_string(cta.number);
    text.line("@!$alternating bra " + past + ";");
    text.line("and.b32 $read, $round, 1;");
    text.line("setp.ne.u32 $go, $read, 0;");
    text.line("selp.b64 $value, 0x5555555555555555, 0xaaaaaaaaaaaaaaaaU, $go;");
    for (size_t l = 0; l < test.locations.size(); ++l) {
        const Location& location = test.locations[l];
        if (!lives_in(location, cta) || is_opaque(location)) continue;
        const int bytes = bits(location.type) / 8;
        for (int e = 0; e < location.count; ++e)
            text.line("st.volatile.shared" + store_type(location.type) + " [$shared+" + std::to_string(plan.offset[l] + e * bytes) +
                      "], $value;");
    }
    text.label(past);
}

void make_shared_map(const Test& test, const Plan& plan, size_t map, PtxText& text) {
    const Location& location = test.locations[map];
    const int array = location_index(test, find_tensor_map(test, location.name)->array);
    emit_slot_address(text, plan.region[static_cast<size_t>(array)], "$at", "$region");
    text.line("mov.u32 $line, $shared+" + std::to_string(plan.offset[map]) + ";");
    make_tensor_map(test, location, "shared::cta", "$line", "$at", text);
}

// litmus_init has made the maps in global memory; another kernel may have left others of these places in a cache of the SM.
void acquire_maps(const Test& test, const Plan& plan, PtxText& text) {
    for (size_t l = 0; l < test.locations.size(); ++l) {
        if (!test.locations[l].is_tensor_map || plan.region[l] < 0) continue;
        emit_slot_address(text, plan.region[l], "$at", "$region");
        text.line("fence.proxy.tensormap::generic.acquire.sys [$at], 128;", test.locations[l].name);
    }
}

void cluster_barrier(PtxText& text, const std::string& why) {
    text.line("barrier.cluster.arrive;", why);
    text.line("barrier.cluster.wait;");
}

}  // namespace

void write_entry(const Test& test, const Plan& plan, PtxText& text) {
    if (plan.shared_bytes > 0) {
        text.comment("one thread of each CTA writes the initial values of its shared memory");
        text.line("setp.ne.u32 $go, $thread, 0;");
        text.line("@$go bra $initialised;");
        for (const PlannedCta& cta : plan.ctas) {
            if (!has_locations(test, cta)) continue;
            for_cta(plan, cta, "init", text, [&] {
                write_alternating(test, plan, cta, text);
                for (size_t l = 0; l < test.locations.size(); ++l) {
                    if (!lives_in(test.locations[l], cta)) continue;
                    if (test.locations[l].is_tensor_map)
                        make_shared_map(test, plan, l, text);
                    else
                        initialise_location(test.locations[l], plan.offset[l], text);
                }
            });
        }
        if (has_mbarriers(test)) text.line("fence.mbarrier_init.release.cluster;");
        if (any_instruction(test, [](const Instruction& i) { return is_asynchronous(i.op); })) text.line("fence.proxy.async;");
        text.label("$initialised");
    }
    acquire_maps(test, plan, text);
    text.line("bar.warp.sync 0xffffffff;");
    cluster_barrier(text, "entry");
}

namespace {

// Each warp that takes part in fewer uncounted barriers than others makes up for them at its end: a thread that is over
// counts as arrived (ISA 9.7.13.1, 9.7.13.3), and its warp lives on here.
struct BarrierUses {
    std::map<uint64_t, int> uncounted;  // bar.sync, bar.red without a count, by barrier number
    int cluster = 0;                    // barrier.cluster.arrive
};

BarrierUses uses_of(const Thread& thread) {
    BarrierUses uses;
    for (const Instruction& i : thread.body) {
        const bool comes = i.op == Op::bar_sync || i.op == Op::bar_red;
        if (comes && !i.find(Role::threads)) ++uses.uncounted[i.at(Role::barrier).value];
        if (i.op == Op::cluster_arrive) ++uses.cluster;
    }
    return uses;
}

void write_missing_uses(const Test& test, const Plan& plan, PtxText& text) {
    std::map<int, BarrierUses> by_corner;  // the most in a CTA
    std::map<int, int> by_unit;            // the most in a cluster
    std::map<int, BarrierUses> own;        // by place
    for (size_t t = 0; t < test.threads.size(); ++t) {
        const BarrierUses uses = uses_of(test.threads[t]);
        const PlannedCta& cta = plan.ctas[static_cast<size_t>(plan.cta_of[t])];
        for (int warp = 0; warp < (runs_warpgroup(test.threads[t]) ? plan.turn : 1); ++warp) own[place_of_thread(plan, t) + warp] = uses;
        for (const auto& [id, count] : uses.uncounted) {
            int& most = by_corner[cta.unit * plan.cluster + cta.rank].uncounted[id];
            most = std::max(most, count);
        }
        by_unit[cta.unit] = std::max(by_unit[cta.unit], uses.cluster);
    }
    for (int place = 0; place < places(plan); ++place) {
        std::vector<std::string> lines;
        for (const auto& [id, most] : by_corner[place / plan.warps].uncounted)
            for (int n = own[place].uncounted[id]; n < most; ++n) lines.push_back("bar.sync " + std::to_string(id) + ";");
        for (int n = own[place].cluster; n < by_unit[place / plan.warps / plan.cluster]; ++n) {
            lines.emplace_back("barrier.cluster.arrive.relaxed;");
            lines.emplace_back("barrier.cluster.wait;");
        }
        if (lines.empty()) continue;
        const std::string past = "$missing" + std::to_string(place);
        text.line("setp.ne.u32 $go, $place, " + std::to_string(place) + ";", "its warp would have exited: it counts as arrived");
        text.line("@$go bra " + past + ";");
        for (const std::string& line : lines) text.line(line);
        text.label(past);
    }
}

// What the instructions of a test do with an mbarrier, counted as they stand: a loop multiplies all of it.
struct MbarrierUse {
    uint64_t completed = 0;        // bytes, by asynchronous operations
    uint64_t expected = 0;         // bytes
    std::map<int, int> announced;  // by thread: instructions that expect bytes
    std::map<int, int> awaited;    // by thread: waits
    bool asynchronous = false;
};

// Whether some asynchronous operation may still be on its way when all threads are over: more bytes complete than some
// wait can be for, or more phases have bytes than any thread waits for.
bool leaves(const MbarrierUse& use) {
    const auto most = [](const std::map<int, int>& by_thread) {
        int result = 0;
        for (const auto& [thread, count] : by_thread) result = std::max(result, count);
        return result;
    };
    return use.asynchronous && (use.completed > use.expected || most(use.announced) > most(use.awaited) || use.awaited.empty());
}

uint64_t bytes_completed(const Test& test, const Instruction& i) {
    if (i.find(Role::tensor)) return static_cast<uint64_t>(tensor_bytes(test, i));
    if (const Operand* size = i.find(Role::size)) return size->kind == Operand::Kind::immediate ? size->value : 0;
    return access_bytes(i);
}

bool leaves_operations(const Test& test) {
    std::map<std::string, MbarrierUse> uses;
    for (size_t t = 0; t < test.threads.size(); ++t)
        for (const Instruction& i : test.threads[t].body) {
            if (i.has("bulk_group") || i.op == Op::async_copy || i.op == Op::async_arrive) continue;
            for (const Operand& o : i.operands) {
                const Location* l = find_location(test, o.name);
                if (!l || !l->is_mbarrier) continue;
                MbarrierUse& use = uses[o.name];
                const Operand* expected = i.op == Op::mbarrier_complete_tx ? nullptr : i.find(Role::tx_count);
                if (is_asynchronous(i.op)) {
                    use.asynchronous = true;
                    use.completed += bytes_completed(test, i);
                }
                if (expected && expected->kind == Operand::Kind::immediate) use.expected += expected->value;
                if (expected) ++use.announced[static_cast<int>(t)];
                if (i.await) ++use.awaited[static_cast<int>(t)];
            }
        }
    return std::any_of(uses.begin(), uses.end(), [](const auto& entry) { return leaves(entry.second); });
}

void store_finals(const Test& test, const Plan& plan, size_t cta, PtxText& text) {
    for (size_t w = 0; w < plan.words.size(); ++w) {
        const Word& word = plan.words[w];
        if (word.kind != Word::Kind::shared || word.cta != static_cast<int>(cta)) continue;
        const auto l = static_cast<size_t>(word.location);
        const int width = bits(test.locations[l].type);
        text.line("mad.lo.u64 $at, $row, " + std::to_string(w) + ", $column;", word.name);
        text.line("ld.shared.u" + std::to_string(width) + " $value, [$shared+" + std::to_string(plan.offset[l] + word.element * width / 8) +
                  "];");
        text.line("st.global.u64 [$at], $value;");
    }
}

// The emitter invalidates what the test does not.
void invalidate(const Test& test, const Plan& plan, const PlannedCta& cta, PtxText& text) {
    for (size_t l = 0; l < test.locations.size(); ++l) {
        const Location& location = test.locations[l];
        if (!location.is_mbarrier || !lives_in(location, cta)) continue;
        const bool done = std::any_of(test.threads.begin(), test.threads.end(), [&](const Thread& t) {
            return std::any_of(t.body.begin(), t.body.end(), [&](const Instruction& i) {
                return i.op == Op::mbarrier_inval && i.at(Role::mbarrier).name == location.name;
            });
        });
        for (int e = 0; !done && e < location.count; ++e)
            text.line("mbarrier.inval.shared::cta.b64 [$shared+" + std::to_string(plan.offset[l] + 8 * e) + "];",
                      e == 0 ? location.name : "");
    }
}

}  // namespace

void pause(unsigned cycles, const std::string& why, PtxText& text) {
    const std::string label = "$pause" + std::to_string(cycles);
    text.line("mov.u32 $start, %clock;", why);
    text.label(label);
    text.line("mov.u32 $wait, %clock;");
    text.line("sub.u32 $wait, $wait, $start;");
    text.line("setp.lt.u32 $go, $wait, " + std::to_string(cycles) + ";");
    text.line("@$go bra " + label + ";");
}

void write_exit(const Test& test, const Plan& plan, PtxText& text) {
    text.line("bar.warp.sync 0xffffffff;");
    write_missing_uses(test, plan, text);
    if (leaves_operations(test)) pause(80000, "nobody waits for some asynchronous operation: let it end", text);
    cluster_barrier(text, "exit: nobody accesses this CTA's memory any more");
    if (plan.shared_bytes == 0) return;
    text.line("setp.ne.u32 $go, $thread, 0;");
    text.line("@$go bra $over;");
    for (size_t c = 0; c < plan.ctas.size(); ++c) {
        if (!has_locations(test, plan.ctas[c])) continue;
        for_cta(plan, plan.ctas[c], "exit", text, [&] {
            store_finals(test, plan, c, text);
            invalidate(test, plan, plan.ctas[c], text);
        });
    }
    text.label("$over");
    text.line("bar.warp.sync 0xffffffff;");
}

}  // namespace litmus::gpu
