// What is said of a sweep: as text, as JSON, and as cases for other tools.
#pragma once

#include <string>
#include <vector>

#include "analysis/sweep/verdict.h"
#include "print/cases.h"

namespace litmus {

// A finding is a paragraph: what it is, who, and what the model says. Ends in a newline.
std::string sweep_text(const kernel::Module& module, const SweptKernel& kernel);

// "two orders of the threads": in which it was run.
std::string orders_text(const SweptKernel& kernel);

// Parts of it. A place is "thread 0 of block 0 at ring.cu:38: mbarrier.init.shared.b64". Advice is one sentence, which says whether it was
// tried, or is empty. The last one is about waits that are too narrow.
std::string text_of(const kernel::Module& module, const sweep::Place& place);
std::string text_of(const Advised& advised);
std::string narrow_message(const SweptKernel& kernel);

// One line without its end; src/schemas/kernel.json says what is in it. `file`: the PTX; `entry`: the kernel.
std::string sweep_json(const kernel::Module& module, const std::string& file, const std::string& entry, const SweptKernel& kernel);

// Each finding at its CUDA line, the others of its places beside it; at the PTX where there is no line.
Case sweep_case(const kernel::Module& module, const std::string& file, const std::string& entry, const SweptKernel& kernel);
const std::vector<Rule>& sweep_rules();

}  // namespace litmus
