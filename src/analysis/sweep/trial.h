// A trial: the kernel is changed in its PTX, and swept again.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/sweep/advice.h"
#include "kernel/launch.h"
#include "sweep/sweep.h"

namespace litmus {

// The PTX with these changes.
SourcePtr changed(const kernel::Module& module, const std::vector<PtxEdit>& edits);

// What tells findings of two modules apart: the kind, and the CUDA lines.
using FindingKey = std::pair<sweep::Kind, std::vector<kernel::Origin>>;
FindingKey key_of(const sweep::Finding& finding);

struct SweptChange {
    std::set<FindingKey> left;  // what is found then, of what was found before
    kernel::Module module;      // with the changes
};

// Trials of changes of one launch, in the memory that `how` has; `before` is what was found without a change. All have to outlive it.
class KernelTrials {
public:
    KernelTrials(const kernel::Module& module, const kernel::Launch& launch, const sweep::Options& how, const sweep::Swept& before)
        : module_(module), launch_(launch), how_(how), before_(before) {}

    // The kernel with these changes. None: the change is no remedy. Its PTX cannot be read, or not be swept. Or the finding is still there,
    // or something has come at other lines. In a kernel without lines all has to be gone.
    //
    // The kernel also has to do its work as before. Its threads have to end, and all of a block to come to a barrier. No less
    // of global memory is to be written. Where a thread waited for a phase, somebody has to arrive in that phase.
    //
    // There may be another thing wrong with the two lines of a race, which are said once. The first finding that spoils it ends the sweep.
    // Throws OverBudget.
    std::optional<SweptChange> tried(const std::vector<PtxEdit>& edits, const sweep::Finding& finding);

private:
    const kernel::Module& module_;
    const kernel::Launch& launch_;
    const sweep::Options& how_;
    const sweep::Swept& before_;
};

// The finding as one of the changed module, where the accesses of a race are still there: what the model is asked about.
std::optional<sweep::Finding> carried(const sweep::Finding& finding, const kernel::Module& module, const kernel::Module& changed,
                                      const std::vector<PtxEdit>& edits);

}  // namespace litmus
