// Each test is assembled in all settings; those under which the same became of it are one finding, which the model is asked about once.
#include "cli/compiled.h"

#include <algorithm>
#include <cstdlib>

#include "base/visible.h"
#include "cli/compiled_campaign.h"
#include "cli/each_test.h"
#include "compiled/assemble.h"
#include "compiled/judge.h"
#include "compiled/report.h"
#include "syntax/foreign/convert.h"
#include "syntax/native/print.h"

namespace litmus {

namespace {

using namespace compiled;

std::vector<sass::Assembler> assemblers_of(const std::vector<std::string>& paths) {
    std::vector<sass::Assembler> found;
    for (const std::string& path : paths.empty() ? std::vector<std::string>{""} : paths) {
        const std::optional<sass::Assembler> one = sass::find_assembler(path);
        if (one) {
            found.push_back(*one);
            continue;
        }
        if (!path.empty()) throw Failure(nullptr, {}, "'" + path + "' is no ptxas", "it must be a file that answers to --version");
        const char* folders = std::getenv("PATH");
        throw Failure(nullptr, {},
                      "there is no ptxas in /usr/local/cuda/bin or on the PATH: " + std::string(folders ? folders : "which is empty"),
                      "install the CUDA toolkit, or name the assembler with --ptxas");
    }
    return found;
}

Settings settings_of(const CompiledOptions& options) {
    Settings settings{assemblers_of(options.assemblers), options.levels, options.targets, {}, false};
    for (const std::string& word : options.bodies)
        for (const gpu::Body body : gpu::bodies)
            if (gpu::name(body) == word) settings.bodies.push_back(body);
    settings.harness = std::find(options.bodies.begin(), options.bodies.end(), "harness") != options.bodies.end();
    return settings;
}

Report result_of(const Input& input, const Settings& settings, Asking& asking, int unroll) {
    Report result;
    result.file = input.file;
    result.test = to_native(*input.test);
    Judge judge(result.test, asking.family, asking.solver, unroll, asking.budget);
    result.race_free = judge.race_free();
    result.undefined = judge.undefined();
    result.readings = judge.readings();
    for (const Assembled& one : assemble(result.test, settings)) {
        if (!one.refused.empty()) {
            result.refused.emplace_back(one.setting, one.refused);
            continue;
        }
        CompiledTest made = compiled_test(result.test, one.codes);
        const auto same = std::find_if(result.findings.begin(), result.findings.end(), [&](const Finding& finding) {
            return finding.compiled.changes == made.changes && finding.compiled.unknown == made.unknown;
        });
        if (same != result.findings.end()) {
            same->settings.push_back(one.setting);
            continue;
        }
        Ruling ruling = judge.rule_on(made);
        result.findings.push_back({{one.setting}, std::move(made), std::move(ruling)});
    }
    std::stable_sort(result.findings.begin(), result.findings.end(),
                     [](const Finding& a, const Finding& b) { return a.ruling.fate > b.ruling.fate; });
    return result;
}

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
        const Report result = result_of(input, settings, asking, options.unroll);
        const int status = exit_status(result.fate());
        if (options.format == Options::Format::json) return Said{to_json(result) + "\n", status, {}};
        return Said{options.compiled.print_test ? compiled_texts(result) : to_text(result, options.compiled.all), status, {}};
    });
}

}  // namespace litmus
