// Where advice puts something, in words and in the PTX.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analysis/edits/mends.h"
#include "analysis/sweep/advice.h"
#include "kernel/module.h"
#include "sweep/sweep.h"

namespace litmus {

// "ring.cu:42"; an instruction where no line is known.
std::string advised_line(const kernel::Module& module, const sweep::Place& place);

// Where those part that pass a statement by, and where they meet again: the branches over it, and the statements that these lead to. A few,
// the nearest first.
struct Detour {
    std::vector<const kernel::Statement*> forks, joins;
};
Detour around(const kernel::Module& module, const kernel::Statement* statement);

// Whether each way of their function to the later statement leads by the earlier one, so that no other threads come to the later one.
bool leads_by(const kernel::Module& module, const kernel::Statement* earlier, const kernel::Statement* later);

// The function that a statement is of, and its number there; none: it is of no function of the module.
struct InCode {
    const kernel::Function* function = nullptr;
    size_t number = 0;
};
InCode in_code(const kernel::Module& module, const kernel::Statement* statement);

// Its text in the PTX; without a guard.
std::string spelled(const kernel::Module& module, const kernel::Statement& statement);

// Behind a wait that a loop repeats: the branch back.
const kernel::Statement* end_of_loop(const kernel::Module& module, const kernel::Statement* wait);

// Statements whose name has all of these words.
std::vector<const kernel::Statement*> statements_with(const kernel::Module& module, const std::vector<std::string>& words);

// It and all others of its CUDA line that are spelled alike, as an unrolled loop has them. They are of the same call, or of all calls at
// which the function of the line was inlined.
std::vector<const kernel::Statement*> alike(const kernel::Module& module, const kernel::Statement& statement, bool in_all_calls = false);

// The part of an origin that a CUDA line is told by: without the calls that its function was inlined at.
kernel::Origin without_calls(const kernel::Module& module, const kernel::Origin& origin);

// The change at all calls that the functions of its lines were inlined at, as an edit of a CUDA line is one. Its PTX must not name
// registers. None: there is one call.
std::optional<Remedy> in_every_call(const kernel::Module& module, const Remedy& remedy);

// The statement goes to another place, in each call at which both lines were inlined.
std::vector<PtxEdit> moved(const kernel::Module& module, const kernel::Statement& statement, const kernel::Statement& to,
                           PtxEdit::Where where);

// Where lines are changed at several calls, the text names no call.
void leave_out_calls(const kernel::Module& module, Remedy& remedy);

// The statement with another argument.
std::string with_argument(const kernel::Module& module, const kernel::Statement& statement, size_t argument, const std::string& text);

// A barrier by `ptx`, called `name`, at each place where it may come between two accesses: at them, and where those part or meet who pass
// them by. `why` says of a place before one of them, or behind it, why a barrier there helps; null: the advice says it.
using WhyThere = std::function<std::string(const kernel::Statement* access, PtxEdit::Where where)>;
std::vector<Remedy> meetings(const kernel::Module& module, const sweep::Place& first, const sweep::Place& second, const std::string& name,
                             const std::string& ptx, const WhyThere& why = {});

// A barrier of the block between two accesses that stand in the two branches of one condition. The compiler puts them there where one
// thread writes what all read behind: the others read in a branch of their own. In CUDA one `__syncthreads()` stands between the two lines;
// here it is one in each branch, which do not name one instruction and so are not `.aligned`. Empty: the accesses do not stand so, or the
// line of neither goes on behind the branches, which then are those of the source.
std::vector<Remedy> meetings_in_branches(const kernel::Module& module, const sweep::Place& first, const sweep::Place& second);

// Whether the edit stands within a CUDA line: at a statement of it, with one of these accesses on the other
// side. The first copy of a line tells, where an unrolled loop has several.
bool splits_line(const kernel::Module& module, const std::vector<const kernel::Statement*>& accesses, const PtxEdit& edit);

// Barriers that threads of their block pass by, moved to where all come by.
std::vector<Remedy> moved_barriers(const SweptModule& kernel);

// A barrier that counts a few warps less, where it says how many threads it is for.
std::vector<Remedy> smaller_counts(const kernel::Module& module, const kernel::Statement& barrier);

// A branch over the statement goes, so that all do what it passes by. Each remedy takes one branch, the nearest first.
std::vector<Remedy> without_branches(const SweptModule& kernel, const kernel::Statement* statement);

// Statements where threads end.
std::vector<const kernel::Statement*> exits(const kernel::Module& module);

// What threads meet by: in CUDA's words, and as PTX.
namespace meeting {
inline const std::string of_block(mends::barrier_of_block.cuda);
inline const std::string of_cluster(mends::barrier_of_cluster.cuda);
inline const std::string ptx_of_block = ptx_of(mends::barrier_of_block);
inline const std::string ptx_of_cluster = ptx_of(mends::barrier_of_cluster);
}  // namespace meeting

}  // namespace litmus
