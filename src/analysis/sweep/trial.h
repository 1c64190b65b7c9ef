// A trial: the kernel is changed in its PTX, and swept again.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/sweep/advice.h"
#include "kernel/launch.h"
#include "sweep/evidence.h"
#include "sweep/sweep.h"

namespace litmus {

// The PTX with these instructions put in.
SourcePtr changed(const kernel::Module& module, const std::vector<Insertion>& insertions);

// What tells findings of two modules apart: the kind, and the CUDA lines.
using FindingKey = std::pair<sweep::Kind, std::vector<kernel::Origin>>;
FindingKey key_of(const sweep::Finding& finding);

// The kernel with these instructions, swept in the memory that `how` has: what is found then, of what was `before`. None: it cannot be
// read, or not be swept, or it does not mend the finding: that is still there, or something has come at other lines. There may be another
// thing wrong with the two lines of a race, which are said once. Of a kernel without lines all has to be gone. The first finding that
// spoils it ends the sweep. Throws OverBudget.
std::optional<std::set<FindingKey>> tried(const kernel::Module& module, const kernel::Launch& launch, const sweep::Options& how,
                                          const std::vector<Insertion>& insertions, const sweep::Finding& finding,
                                          const sweep::Swept& before);

// The test with them put in. None: they are not all fences. What else there is may need threads that the test does not have.
std::optional<Test> test_with(const sweep::Evidence& evidence, const std::vector<Insertion>& insertions);

}  // namespace litmus
