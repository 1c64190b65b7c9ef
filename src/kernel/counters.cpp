// One walk over all threads.
#include "kernel/counters.h"

#include <algorithm>
#include <string>

#include "ptx/traits.h"

namespace litmus::kernel {

std::vector<bool> happens_once(const Trace& trace) {
    const size_t count = trace.body.size();
    std::map<std::string, size_t> labels;
    for (size_t i = 0; i < count; ++i)
        for (const std::string& label : trace.body[i].labels) labels[label] = i;
    for (const std::string& label : trace.end_labels) labels[label] = count;
    std::vector<bool> once(count, true);
    for (size_t i = 0; i < count; ++i) {
        const Instruction& instruction = trace.body[i];
        if (instruction.guard) once[i] = false;
        if (kind(instruction.op) == Traits::Kind::exit) std::fill(once.begin() + static_cast<std::ptrdiff_t>(i), once.end(), false);
        if (kind(instruction.op) != Traits::Kind::branch) continue;
        const size_t target = labels.at(instruction.at(Role::label).name);
        for (size_t k = std::min(i, target); k < std::max(i, target); ++k) once[k] = false;
    }
    return once;
}

namespace {

uint64_t arrivals_of(const Instruction& instruction) {
    if (kind(instruction.op) == Traits::Kind::copy_arrive) return instruction.has("noinc") ? 1 : 0;  // without: one more is expected first
    return kind(instruction.op) == Traits::Kind::mbarrier_arrival ? number(instruction, Role::count, 1) : 0;
}

class Collector {
public:
    Collector(const Traces& traces, const Memory& memory, const Choice& choice, const Granules& granules)
        : traces_(traces), memory_(memory), choice_(choice), granules_(granules) {
        for (size_t t = 0; t < traces.threads.size(); ++t) {
            const std::vector<bool> once = happens_once(traces.threads[t]);
            for (size_t i = 0; i < once.size(); ++i) add({t, i}, once[i]);
        }
    }
    std::map<ObjectKey, Counter> take() { return std::move(counters_); }

private:
    void add(Counter::At at, bool once) {
        const Trace& trace = traces_.threads[at.thread];
        const Instruction& instruction = trace.body[at.instruction];
        if (!instruction.find(Role::mbarrier)) return;
        const std::vector<Touch> touches = memory_.touches(instruction, trace.seat);
        for (const Touch& touch : touches) {
            if (!touch.mbarrier) continue;
            Counter& counter = counters_[{touch.object, touch.offset, touch.block}];
            if (instruction.op == Op::mbarrier_init) {
                counter.inits.push_back(at);
                continue;
            }
            const bool counts = kind(instruction.op) != Traits::Kind::mbarrier_wait && kind(instruction.op) != Traits::Kind::mbarrier_life;
            counter.uncertain = counter.uncertain || (counts && !once);
            counter.drops = counter.drops || instruction.op == Op::mbarrier_arrive_drop;
            if (const uint64_t arrivals = arrivals_of(instruction)) counter.arrivals[at.thread] += arrivals;
            if (instruction.find(Role::tx_count) && instruction.op != Op::mbarrier_complete_tx) {
                const uint64_t bytes = number(instruction, Role::tx_count);
                counter.expects[at.thread].push_back({at, bytes, bytes});
            }
            complete(counter, at, touches, touch.block);
        }
    }

    // The bytes that an operation brings to the object in this block.
    void complete(Counter& counter, Counter::At at, const std::vector<Touch>& touches, int block) {
        const Instruction& instruction = traces_.threads[at.thread].body[at.instruction];
        const bool chosen = choice_.has(at.thread);
        uint64_t all = 0, kept = 0;
        if (instruction.op == Op::mbarrier_complete_tx) {
            all = kept = number(instruction, Role::tx_count);
        } else {
            const auto data = std::find_if(touches.begin(), touches.end(), [&](const Touch& touch) {
                return !touch.mbarrier && touch.writes && (touch.block == block || touch.block < 0);
            });
            if (data == touches.end()) return;
            all = kept = data->bytes;
            if (is_bulk(instruction) && chosen) {
                kept = granules_.kept_bytes(*data);
                counter.copies.push_back(*data);
            }
        }
        counter.completes[at.thread].push_back({at, all, chosen ? kept : 0});
    }

    const Traces& traces_;
    const Memory& memory_;
    const Choice& choice_;
    const Granules& granules_;
    std::map<ObjectKey, Counter> counters_;
};

}  // namespace

std::map<ObjectKey, Counter> counters(const Traces& traces, const Memory& memory, const Choice& choice, const Granules& granules) {
    return Collector(traces, memory, choice, granules).take();
}

}  // namespace litmus::kernel
