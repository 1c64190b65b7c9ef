// Renames and renumbers each launch behind the first.
#include "kernel/joined.h"

#include <map>
#include <set>
#include <string>
#include <utility>

#include "kernel/residual.h"
#include "ptx/table.h"

namespace litmus::kernel {

namespace {

Instruction non_coherent(const Instruction& load) {
    const int width = vector_width(load);
    return *make("ld.global.nc." + (width > 1 ? "v" + std::to_string(width) + "." : "") + std::string(name(data_type(load))),
                 load.operands);
}

uint32_t numbered(int grid, uint32_t number) {
    return static_cast<uint32_t>(in_grid(grid, static_cast<int>(number)));
}

// A thread of that grid, with its objects called as `names` says.
Trace placed(Trace trace, int grid, const std::map<std::string, std::string>& names) {
    trace.seat.block = numbered(grid, trace.seat.block);
    trace.seat.cluster = numbered(grid, trace.seat.cluster);
    for (const size_t i : trace.non_coherent) trace.body[i] = non_coherent(trace.body[i]);
    for (Instruction& instruction : trace.body)
        for (Operand& operand : instruction.operands) {
            if (operand.kind != Operand::Kind::address && operand.kind != Operand::Kind::symbol) continue;
            if (const auto name = names.find(operand.name); name != names.end()) operand.name = name->second;
            if (operand.cta >= 0) operand.cta = in_grid(grid, operand.cta);
        }
    return trace;
}

}  // namespace

Traces as_one(std::vector<Traces> launches, size_t common) {
    Traces all;
    std::set<std::string> taken;  // names of objects
    for (size_t l = 0; l < launches.size(); ++l) {
        Traces& launch = launches[l];
        std::map<std::string, std::string> names;
        for (size_t o = l == 0 ? 0 : common; o < launch.objects.size(); ++o) {
            Object object = std::move(launch.objects[o]);
            const std::string own = object.name;
            for (size_t n = 2; !taken.insert(object.name).second; ++n) object.name = own + "_" + std::to_string(n);
            names.emplace(own, object.name);
            all.objects.push_back(std::move(object));
        }
        for (Trace& trace : launch.threads) all.threads.push_back(placed(std::move(trace), static_cast<int>(l), names));
        all.synchronization.statements += launch.synchronization.statements;
        all.synchronization.reached += launch.synchronization.reached;
        if (all.synchronization.missed.empty()) all.synchronization.missed = launch.synchronization.missed;
        all.left_out.merge(launch.left_out);
    }
    return all;
}

}  // namespace litmus::kernel
