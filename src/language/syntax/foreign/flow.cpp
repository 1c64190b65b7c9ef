// Searches over the graph of instructions. A guarded instruction may be passed over, so its register may stay unwritten.
#include "language/syntax/foreign/flow.h"

#include <algorithm>
#include <map>

#include "language/syntax/foreign/instructions.h"

namespace litmus {

Flow control_flow(const Thread& thread) {
    std::map<std::string, size_t> places;
    for (const std::string& label : thread.end_labels) places[label] = thread.body.size();
    for (size_t i = 0; i < thread.body.size(); ++i) {
        for (const std::string& label : thread.body[i].labels) places[label] = i;
    }
    Flow flow(thread.body.size());
    for (size_t i = 0; i < thread.body.size(); ++i) {
        const Instruction& instruction = thread.body[i];
        const bool jumps = instruction.op == Op::bra;
        const bool leaves = instruction.op == Op::exit;
        const bool always = !instruction.guard && instruction.mnemonic != "beq" && instruction.mnemonic != "bne";
        if (jumps) {
            const auto place = places.find(instruction.at(Role::label).name);
            if (place != places.end()) flow[i].push_back(place->second);
        }
        if (leaves) flow[i].push_back(thread.body.size());
        if (!(jumps || leaves) || !always) flow[i].push_back(i + 1);
    }
    return flow;
}

namespace {

// Whether a path from one of `start` ends at `goal` without passing `avoided`.
bool reaches(const Flow& flow, std::vector<size_t> start, size_t goal, size_t avoided) {
    std::vector<bool> seen(flow.size() + 1);
    while (!start.empty()) {
        const size_t at = start.back();
        start.pop_back();
        if (at == goal) return true;
        if (seen[at] || at == avoided || at == flow.size()) continue;
        seen[at] = true;
        start.insert(start.end(), flow[at].begin(), flow[at].end());
    }
    return false;
}

}  // namespace

bool executes_once(const Thread& thread, const Flow& flow, size_t i) {
    const size_t nowhere = flow.size() + 1;
    return !thread.body[i].guard && !reaches(flow, {0}, flow.size(), i) && !reaches(flow, flow[i], i, nowhere);
}

bool reads_initial(const Thread& thread, const Flow& flow, const std::string& reg, bool at_end) {
    std::vector<size_t> work{0};
    std::vector<bool> seen(flow.size() + 1);
    while (!work.empty()) {
        const size_t at = work.back();
        work.pop_back();
        if (seen[at]) continue;
        seen[at] = true;
        if (at == flow.size()) {
            if (at_end) return true;
            continue;
        }
        const Instruction& instruction = thread.body[at];
        const std::vector<std::string> reads = foreign::read_registers(instruction);
        if (std::find(reads.begin(), reads.end(), reg) != reads.end()) return true;
        if (foreign::written_register(instruction) != reg || instruction.guard) work.insert(work.end(), flow[at].begin(), flow[at].end());
    }
    return false;
}

}  // namespace litmus
