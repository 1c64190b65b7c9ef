// Marks units, and follows copies until nothing is added.
#include "kernel/granules.h"

#include <algorithm>

namespace litmus::kernel {

namespace {

// Whether both sides begin at a unit and end at one: others break a static rule, and stay whole.
bool is_even(const Touch& touch) {
    return touch.offset % unit_bytes == 0 && touch.bytes % unit_bytes == 0;
}

}  // namespace

Granules::Granules(const Traces& traces, const Memory& memory, const std::vector<size_t>& threads) {
    for (const size_t t : threads) {
        const Trace& trace = traces.threads[t];
        for (const Instruction& instruction : trace.body) {
            const std::vector<Touch> touches = memory.touches(instruction, trace.seat);
            if (!is_bulk(instruction)) {
                for (const Touch& touch : touches)
                    if (!touch.mbarrier) keep(touch);
                continue;
            }
            for (const Touch& to : touches)
                for (const Touch& from : touches)
                    if (to.role == Role::copy_to && from.role == Role::copy_from) copies_.push_back({to, from});
        }
    }
    close();
    for (const Copy& copy : copies_)
        if (copy.to.bytes > 0 && kept_bytes(copy.to) == 0) {
            Touch first = copy.from;
            first.bytes = std::min(first.bytes, unit_bytes);
            keep(first);
            close();
        }
}

bool Granules::keep(const Touch& touch) {
    bool fresh = false;
    for (uint64_t unit = touch.offset / unit_bytes; unit * unit_bytes < touch.offset + touch.bytes; ++unit)
        fresh = units_.insert({touch.object, unit}).second || fresh;
    return fresh;
}

void Granules::close() {
    for (bool changed = true; changed;) {
        changed = false;
        for (const Copy& copy : copies_) {
            if (!is_even(copy.to) || !is_even(copy.from)) {
                const bool to = keep(copy.to), from = keep(copy.from);
                changed = changed || to || from;
                continue;
            }
            const uint64_t to = copy.to.offset / unit_bytes, from = copy.from.offset / unit_bytes;
            for (uint64_t i = 0; i < copy.to.bytes / unit_bytes; ++i) {
                const Unit target = {copy.to.object, to + i}, source = {copy.from.object, from + i};
                if (units_.count(target) == units_.count(source)) continue;
                units_.insert(target);
                units_.insert(source);
                changed = true;
            }
        }
    }
}

uint64_t Granules::kept_bytes(const Touch& touch) const {
    if (!is_even(touch)) return touch.bytes;
    const Unit begin = {touch.object, touch.offset / unit_bytes}, end = {touch.object, (touch.offset + touch.bytes) / unit_bytes};
    return unit_bytes * static_cast<uint64_t>(std::distance(units_.lower_bound(begin), units_.lower_bound(end)));
}

void Granules::keep_whole(const Touch& touch) {
    keep(touch);
    close();
}

}  // namespace litmus::kernel
