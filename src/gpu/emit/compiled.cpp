// Threads by their lines, and their instructions in words.
#include "gpu/emit/compiled.h"

#include "language/syntax/native/print.h"

namespace litmus::gpu {

namespace {

ThreadOrder order_of(size_t thread, const std::vector<PtxText::Mark>& marks, const sass::Cubin& cubin, const sass::Function& function) {
    ThreadOrder result;
    result.thread = thread;
    std::vector<uint32_t> lines;
    for (const PtxText::Mark& mark : marks) {
        if (mark.thread != thread) continue;
        lines.push_back(mark.line);
        result.instructions.push_back(mark.instruction);
    }
    result.order = sass::order_of(cubin, function, lines);
    return result;
}

void add(const Test& test, const ThreadOrder& known, Compiled& compiled) {
    const Thread& thread = test.threads[known.thread];
    const auto words = [&](size_t i) { return print(thread.body[known.instructions[i]]); };
    for (const sass::Moved& m : known.order.moved) compiled.moved.push_back({thread.name, words(m.later), words(m.earlier)});
    for (const sass::Gone& g : known.order.gone) compiled.gone.push_back({thread.name, words(g.instruction), g.into ? words(*g.into) : ""});
}

}  // namespace

std::vector<std::string> lines_of(const Compiled& compiled) {
    std::vector<std::string> lines;
    for (const MovedInstruction& m : compiled.moved)
        lines.push_back(m.thread + ": `" + m.instruction + "` is issued before `" + m.past + "`");
    for (const GoneInstruction& g : compiled.gone)
        lines.push_back(g.thread + ": `" + g.instruction + "` is " + (g.into.empty() ? "dropped" : "merged into `" + g.into + "`"));
    return lines;
}

std::string target_of(const Plan& plan, std::optional<int> device_sm) {
    return "sm_" + std::to_string(plan.specific || !device_sm ? plan.sm : *device_sm) + (plan.specific ? "a" : "");
}

Assembled assemble(const Test& test, const Emitted& emitted, const sass::Assembler& assembler, const std::string& target) {
    Assembled result;
    result.compiled.compiler = assembler.name;
    result.cubin = sass::assemble(assembler, emitted.ptx, target);
    const sass::Cubin cubin = sass::read_cubin(result.cubin);
    for (size_t thread = 0; thread < test.threads.size(); ++thread) {
        const sass::Function& function = sass::function_named(cubin, kernel_of_thread(emitted.plan, thread));
        result.threads.push_back(order_of(thread, emitted.lines, cubin, function));
        add(test, result.threads.back(), result.compiled);
    }
    return result;
}

}  // namespace litmus::gpu
