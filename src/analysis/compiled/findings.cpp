// Findings in the order of the settings, then by their fate.
#include "analysis/compiled/findings.h"

#include <algorithm>

#include "language/syntax/foreign/convert.h"

namespace litmus::compiled {

AllMade make_all(const Test& test, const std::vector<Assembled>& assembled) {
    AllMade all;
    for (const Assembled& one : assembled) {
        if (!one.refused.empty()) {
            all.refused.emplace_back(one.setting, one.refused);
            continue;
        }
        all.costs.emplace_back(one.setting, cost_of(one.codes));
        CompiledTest compiled = compiled_test(test, one.codes);
        const auto same = std::find_if(all.made.begin(), all.made.end(), [&](const Made& made) {
            return made.compiled.changes == compiled.changes && made.compiled.unknown == compiled.unknown;
        });
        if (same != all.made.end())
            same->settings.push_back(one.setting);
        else
            all.made.push_back({{one.setting}, std::move(compiled)});
    }
    return all;
}

AllMade make_all(const Test& test, const Settings& settings) {
    return make_all(test, assemble(test, settings));
}

Fate Report::fate() const {
    if (findings.empty()) return Fate::unknown;
    return left_out.empty() ? findings.front().ruling.fate : std::max(findings.front().ruling.fate, Fate::unknown);
}

Report report_on(const std::string& file, const Test& test, const Settings& settings, ModelFamily& family, Solver& solver, int unroll,
                 const Budget& budget) {
    const Test native = to_native(test);
    return report_on(file, native, make_all(native, settings), family, solver, unroll, budget);
}

Report report_on(const std::string& file, const Test& test, AllMade all, ModelFamily& family, Solver& solver, int unroll,
                 const Budget& budget) {
    Report report;
    report.file = file;
    report.test = test;
    Judge judge(report.test, family, solver, unroll, budget);
    report.race_free = judge.race_free();
    report.undefined = judge.undefined();
    report.readings = judge.readings();
    report.costs = std::move(all.costs);
    report.refused = std::move(all.refused);
    for (Made& made : all.made) {
        Ruling ruling = judge.rule_on(made.compiled);
        report.findings.push_back({std::move(made.settings), std::move(made.compiled), std::move(ruling)});
    }
    std::stable_sort(report.findings.begin(), report.findings.end(),
                     [](const Finding& a, const Finding& b) { return a.ruling.fate > b.ruling.fate; });
    return report;
}

}  // namespace litmus::compiled
