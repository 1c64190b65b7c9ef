// Options to the engine, its answer to the report.
#include "tool/weaken.h"

#include <unistd.h>

#include "analysis/weaken/text.h"
#include "analysis/weaken/weaken.h"
#include "tool/each_test.h"

namespace litmus {

int weaken_tests(const Options& options, Output& out) {
    const TextStyle style{use_colour(STDOUT_FILENO), options.times, output_width()};
    return each_test(options, out, [&](const Input& input, Asking& asking) {
        const double start = now();
        const Weakening found = weaken(
            *input.test, asking.family, asking.readings, asking.solver,
            {.all_state = options.all_state, .unroll = options.unroll, .max_outcomes = options.max_outcomes, .budget = asking.budget});
        WeakenReport report = make_report(input.file, *input.test, found);
        report.model = asking.family.by_default().name;
        report.seconds = options.times ? now() - start : 0;
        std::optional<std::string> best;
        if (!found.texts.empty()) best = found.texts.front();
        const bool json = options.format == Options::Format::json;
        return Said{json ? weaken_json(report) + "\n" : weaken_text(report, style), found.partial ? 3 : 0, best};
    });
}

}  // namespace litmus
