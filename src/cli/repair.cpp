#include "cli/repair.h"

#include "cli/inputs.h"
#include "repair/diff.h"
#include "repair/repair.h"

namespace litmus {

int repair_tests(const Options& options, Output& out) {
    ModelFamily family(options.model, options.variants);
    const std::vector<Input> inputs = parse_inputs(read_inputs(options.inputs, options.timeout).files);
    const std::vector<std::string> on = options.reading.empty() ? readings_of(family.by_default(), Reading::Base::default_)
                                                                : resolve_readings(family.by_default(), options.reading);
    for (const Input& input : inputs) {
        if (input.failure) throw Failure(*input.failure);
        Solver solver(Solver::usually, options.solvers == Options::Solvers::cadical ? Engine::cadical : Engine::z3);
        const double start = now();
        const Repairs repairs = repair(*input.test, family, on, solver,
                                       {.max_edits = options.max_edits,
                                        .all = options.all,
                                        .strict = options.strict,
                                        .unroll = options.unroll,
                                        .budget = Budget(options.timeout, options.memory)});
        out.put(input.test->name + ": " + std::to_string(repairs.repairs.size()) + " repairs, status " +
                std::to_string(static_cast<int>(repairs.status)) + ", " + std::to_string(repairs.edits.size()) + " edits, asked " +
                std::to_string(repairs.asked) + ", carried " + std::to_string(repairs.carried) + ", " + std::to_string(now() - start) +
                " s\n");
        for (const Repair& r : repairs.repairs) {
            out.put("  price " + std::to_string(r.price) + "\n");
            for (const size_t e : r.edits) {
                const Edit& edit = repairs.edits[e];
                const auto& thread = input.test->threads[static_cast<size_t>(edit.place.thread)];
                const auto i = static_cast<size_t>(edit.place.instruction);
                const int line = i < thread.body.size() ? position(*input.test->source, thread.body[i].span.begin).line : 0;
                out.put("    " + std::string(row(edit.fault).name) + ": " + thread.name + " line " + std::to_string(line) + ": " +
                        edit.what + "\n");
            }
            if (options.strict) out.put(unified_diff(input.file, input.test->source->text, r.text));
        }
    }
    return 0;
}

}  // namespace litmus
