// Each test is assembled in all settings, and what became of it is printed.
#include "tool/compiled.h"

#include "analysis/compiled/report.h"
#include "language/syntax/native/print.h"
#include "tool/assembling.h"
#include "tool/compiled_campaign.h"
#include "tool/each_test.h"

namespace litmus {

namespace {

using namespace compiled;

std::string compiled_texts(const Report& result) {
    std::string text;
    for (const Finding& finding : result.findings)
        if (finding.compiled.test && !finding.compiled.changes.empty()) text += print(*finding.compiled.test) + "\n";
    return text;
}

}  // namespace

int compiled_tests(const Options& options, Output& out) {
    const Settings settings = settings_of(options.compiled);
    if (options.compiled.is_campaign()) {
        if (!options.inputs.empty())
            throw Failure(nullptr, {}, "--random, --triples and --waits make threads of their own, and tests are named",
                          "leave one of them out");
        if (options.format == Options::Format::json)
            throw Failure(nullptr, {}, "--random, --triples and --waits write their findings for people",
                          "leave out --format json; -o DIR keeps the programs");
        return compiled_campaign(options, settings, out);
    }
    return each_test(options, out, [&](const Input& input, Asking& asking) {
        const Report result = report_on(input.file, *input.test, settings, asking.family, asking.solver, options.unroll, asking.budget);
        const int status = exit_status(result.fate());
        if (options.format == Options::Format::json) return Said{to_json(result) + "\n", status, {}};
        return Said{options.compiled.print_test ? compiled_texts(result) : to_text(result, options.compiled.all), status, {}};
    });
}

}  // namespace litmus
