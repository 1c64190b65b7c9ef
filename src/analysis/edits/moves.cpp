// What synchronizes, moved to another place of its thread: across instructions that are executed whenever it is.
#include <algorithm>

#include "analysis/edits/edits.h"
#include "ptx/traits.h"

namespace litmus {

namespace {

using InstructionKind = Traits::Kind;

// What it means that an instruction stands at the wrong place; nothing for those that are not moved: data accesses, what computes, and the
// fences of tcgen05 and wgmma, of which a second one costs as little and leaves the first where it is. Where one of these is at the wrong
// place, so is what it is moved past.
std::optional<Fault> fault_of_move(const Instruction& instruction) {
    switch (kind(instruction.op)) {
        case InstructionKind::fence:
            return Fault::fence_misplaced;
        case InstructionKind::proxy_fence:
            return Fault::proxy_fence_misplaced;
        case InstructionKind::cta_barrier:
        case InstructionKind::quorum:
        case InstructionKind::warp_barrier:
        case InstructionKind::cluster_barrier:
            return Fault::barrier_misplaced;
        case InstructionKind::bulk_commit:
        case InstructionKind::bulk_wait:
        case InstructionKind::copy_commit:
        case InstructionKind::copy_wait:
        case InstructionKind::mbarrier_wait:
        case InstructionKind::mma_commit:
        case InstructionKind::mma_wait:
        case InstructionKind::tcgen_wait:
            return Fault::wait_misplaced;
        case InstructionKind::mbarrier_count:
            return Fault::expectation_misplaced;
        case InstructionKind::copy_arrive:
        case InstructionKind::tcgen_commit:
        case InstructionKind::mbarrier_arrival:
            return Fault::arrival_misplaced;
        default:
            return std::nullopt;
    }
}

// Whether control may come or go between this instruction and the one before it.
bool at_block_start(const std::vector<Instruction>& body, int i) {
    if (i == 0 || i == static_cast<int>(body.size())) return true;
    const InstructionKind before = kind(body[static_cast<size_t>(i) - 1].op);
    return !body[static_cast<size_t>(i)].labels.empty() || before == InstructionKind::branch || before == InstructionKind::exit;
}

}  // namespace

void add_moves(EditList& list) {
    for (int t = 0; t < static_cast<int>(list.test.threads.size()); ++t) {
        const std::vector<Instruction>& body = list.test.threads[static_cast<size_t>(t)].body;
        for (int i = 0; i < static_cast<int>(body.size()); ++i) {
            const Instruction& instruction = body[static_cast<size_t>(i)];
            const std::optional<Fault> fault = fault_of_move(instruction);
            if (!fault || !instruction.labels.empty()) continue;
            int first = i, last = i + 1;
            while (!at_block_start(body, first)) --first;
            while (last < static_cast<int>(body.size()) && !at_block_start(body, last)) ++last;
            for (int gap = first; gap <= last; ++gap) {
                if (list.full()) return;
                if (gap == i || gap == i + 1 || (gap == first && !body[static_cast<size_t>(gap)].labels.empty())) continue;
                if (gap == last && last < static_cast<int>(body.size()) && !body[static_cast<size_t>(last)].labels.empty()) continue;
                Edit edit{*fault, {t, i}, "", move(list.test, {t, i}, {t, gap}), price::of(instruction)};
                const bool up = gap < i;
                const ProgramPoint beside{t, up ? gap : gap - 1};
                edit.what = std::string("move it ") + (up ? "before " : "after ") + text_beside(list.test, beside);
                edit.only_orders = false;
                list.edits.push_back(std::move(edit));
            }
        }
    }
}

}  // namespace litmus
