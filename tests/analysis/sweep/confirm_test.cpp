// Races that the sweep finds in the tables of kernels are races, or undefined behaviour, by the model.
#include "analysis/sweep/confirm.h"

#include <doctest/doctest.h>

#include <iostream>
#include <map>

#include "kernel/arguments.h"
#include "kernel/kernel_table.h"

using namespace litmus;

TEST_CASE("the model confirms what the sweep finds") {
    ModelFamily family("ptx", {});
    Solver solver(Solver::usually, faster);
    size_t confirmed = 0;
    std::map<std::string, size_t> unknown;
    for (const std::filesystem::path& folder : {kernel_folder(), std::filesystem::path(LITMUS_SOURCE_DIR) / "tests" / "sweep" / "cuda"})
        for (const KernelEntry& kernel : kernel_table(folder))
            for (const KernelRow& row : kernel.rows) {
                CAPTURE(kernel.ptx(row));
                try {
                    const kernel::Module module = kernel::read_module(read_source((folder / kernel.ptx(row)).string()));
                    const kernel::Launch launch =
                        kernel::launch_of(module, launch_texts(kernel.launch), [](const std::string&) { return std::string(); });
                    const sweep::Options how;
                    const sweep::Swept swept = sweep::sweep(module, launch, how);
                    for (const sweep::Finding& finding : swept.findings) {
                        if (finding.kind != sweep::Kind::race) continue;
                        CAPTURE(finding.text);
                        const Confirmation answer = confirm(module, launch, how, finding, family, {}, solver);
                        CAPTURE(answer.evidence.text);
                        CHECK(answer.answer != Confirmation::Answer::no);
                        if (answer.answer == Confirmation::Answer::yes)
                            ++confirmed;
                        else
                            ++unknown[answer.why];
                    }
                } catch (const Failure&) {  // what the sweep refuses (tests/sweep)
                }
            }
    std::cout << confirmed << " confirmed\n";
    for (const auto& [why, n] : unknown) std::cout << n << " not asked: " << why << "\n";
    CHECK(confirmed > 20);
}
