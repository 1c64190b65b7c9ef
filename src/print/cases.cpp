// The list of formats for other tools. Each has a file that knows it; what the command line offers comes from here.
#include "print/cases.h"

#include <array>
#include <stdexcept>

namespace litmus {

std::unique_ptr<CaseWriter> junit_writer(const CaseRun& run);
std::unique_ptr<CaseWriter> sarif_writer(const CaseRun& run);
std::unique_ptr<CaseWriter> github_writer(const CaseRun& run);

std::span<const CaseFormat> case_formats() {
    static constexpr std::array formats = {
        CaseFormat{"junit", "JUnit XML", junit_writer},
        CaseFormat{"sarif", "SARIF 2.1.0", sarif_writer},
        CaseFormat{"github", "annotations of GitHub's runners", github_writer},
    };
    return formats;
}

std::unique_ptr<CaseWriter> case_writer(std::string_view format, const CaseRun& run) {
    for (const CaseFormat& each : case_formats())
        if (each.name == format) return each.writer(run);
    throw std::logic_error("no format `" + std::string(format) + "`");
}

}  // namespace litmus
