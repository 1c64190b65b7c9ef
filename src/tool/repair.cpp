// Options to the engine, its answer to the report.
#include "tool/repair.h"

#include <unistd.h>

#include "analysis/repair/repair.h"
#include "analysis/repair/text.h"
#include "tool/each_test.h"
#include "tool/subject.h"
#include "tool/workarounds.h"

namespace litmus {

int repair_tests(const Options& options, Output& out) {
    if (options.compiled.wanted) return work_around(options, out);
    const TextStyle style{use_colour(STDOUT_FILENO), options.times, output_width()};
    return each_test(options, out, [&](const Input& input, Asking& asking) {
        const double start = now();
        const Test test = options.asked.empty() ? *input.test : with_outcome(*input.test, "~exists", options.asked);
        const Repairs repairs = repair(test, asking.family, asking.readings, asking.solver,
                                       {.max_edits = options.max_edits,
                                        .all = options.all,
                                        .strict = options.strict,
                                        .unroll = options.unroll,
                                        .budget = asking.budget});
        RepairReport report = make_report(input.file, *input.test, repairs);
        report.model = asking.family.by_default().name;
        report.max_edits = options.max_edits;
        report.all = options.all;
        report.seconds = options.times ? now() - start : 0;
        const bool json = options.format == Options::Format::json;
        return Said{json ? repair_json(report) + "\n" : repair_text(report, style), exit_status(report), report.best};
    });
}

}  // namespace litmus
