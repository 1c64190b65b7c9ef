// Launches that were judged, as text, as JSON, and as cases for other tools.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/kernel/judge.h"
#include "print/cases.h"
#include "print/columns.h"

namespace litmus {

// "right in every order of this launch", "wrong: 2 findings", "open: ...".
std::string claim_line(const std::vector<KernelLaunch>& launches, const KernelJudgement& judgement);

// The word of a claim: "right".
const char* name(KernelClaim claim);

// The claim first, then what is open and what would close it, then each launch. `advice` is what is said below a test of a few threads.
std::string judgement_text(const std::vector<KernelLaunch>& launches, const KernelJudgement& judgement, const TextStyle& style,
                           const std::string& advice);

// The file of a test that was asked for, and what became of it.
struct TestFile {
    std::string path;
    bool is_written = false;
    std::string said;  // of a test that is written, may be empty; else why there is none
};

// One line without its end; src/schemas/kernel.json says what is in it.
std::string judgement_json(const std::vector<KernelLaunch>& launches, const KernelJudgement& judgement,
                           const std::optional<TestFile>& test = {});

// A case for each launch that was run, and one for the test of a few threads.
std::vector<Case> judgement_cases(const std::vector<KernelLaunch>& launches, const KernelJudgement& judgement);
const std::vector<Rule>& judgement_rules();

// 0 right, 1 wrong, 3 open.
int exit_status(KernelClaim claim);

}  // namespace litmus
