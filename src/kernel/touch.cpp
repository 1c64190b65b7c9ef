// Puts the effects of an instruction (ptx/effects.h) where its operands lead.
#include "kernel/touch.h"

#include <algorithm>
#include <stdexcept>

#include "ptx/effects.h"
#include "ptx/table.h"
#include "ptx/traits.h"

namespace litmus::kernel {

Memory::Memory(const Traces& traces) : objects_(traces.objects) {
    for (size_t i = 0; i < objects_.size(); ++i) by_name_[objects_[i].name] = i;
    for (const Trace& trace : traces.threads) {
        std::vector<int>& blocks = clusters_[trace.seat.cluster];
        const int block = static_cast<int>(trace.seat.block);
        if (std::find(blocks.begin(), blocks.end(), block) == blocks.end()) blocks.push_back(block);
    }
    // ranks count x fastest, as the linear number of a block does (ISA 10, %cluster_ctarank)
    for (auto& [cluster, blocks] : clusters_) std::sort(blocks.begin(), blocks.end());
}

Touch Memory::place(const Operand& address, const Seat& seat) const {
    const auto found = by_name_.find(address.name);
    if (found == by_name_.end() || address.indirect) throw std::logic_error("touch: no object " + address.name);
    Touch touch;
    touch.object = found->second;
    touch.offset = static_cast<uint64_t>(address.offset);
    touch.role = address.role;
    if (objects_[touch.object].space == Space::shared) touch.block = address.cta >= 0 ? address.cta : static_cast<int>(seat.block);
    return touch;
}

// Operations on an mbarrier object are taken for updates of it, whatever they do: no two of them race.
std::vector<Touch> Memory::touches(const Instruction& instruction, const Seat& seat) const {
    std::vector<Touch> result;
    for (const Operand& operand : instruction.operands) {
        if (operand.kind != Operand::Kind::address) continue;
        const std::vector<MemoryEffect> effects = memory_effects(instruction, operand.role);
        if (effects.empty()) continue;
        const MemoryEffect& effect = effects.front();
        Touch touch = place(operand, seat);
        touch.mbarrier = effect.object == MemoryEffect::Object::mbarrier;
        touch.reads = effect.reads || touch.mbarrier;
        touch.writes = effect.writes || touch.mbarrier;
        touch.atomic = effect.atomic || touch.mbarrier;
        touch.bytes = effect.size != Role::none ? number(instruction, effect.size) : effect.bytes;
        touch.width = effect.width;
        if (const auto& targets = objects_[touch.object].points_to; !targets.empty()) {
            for (const size_t target : targets) {
                touch.object = target;
                result.push_back(touch);
            }
            continue;
        }
        if (!effect.everywhere) {
            result.push_back(touch);
            continue;
        }
        const std::vector<int>& blocks = blocks_of(seat.cluster);
        const uint64_t mask = number(instruction, Role::cta_mask, UINT64_MAX);
        for (size_t rank = 0; rank < blocks.size() && rank < 64; ++rank) {
            touch.block = blocks[rank];
            if (mask >> rank & 1) result.push_back(touch);
        }
    }
    return result;
}

bool is_bulk(const Instruction& instruction) {
    return kind(instruction.op) == Traits::Kind::bulk;
}

uint64_t number(const Instruction& instruction, Role role, uint64_t otherwise) {
    const Operand* operand = instruction.find(role);
    if (!operand) return otherwise;
    if (operand->kind != Operand::Kind::immediate)
        throw std::logic_error("touch: a register where `" + spelling(instruction) + "` has a number");
    return operand->value;
}

}  // namespace litmus::kernel
