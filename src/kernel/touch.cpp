// Reads from an instruction and its traits what it touches.
#include "kernel/touch.h"

#include <algorithm>
#include <stdexcept>

#include "ptx/table.h"
#include "ptx/traits.h"

namespace litmus::kernel {

namespace {

constexpr uint64_t mbarrier_bytes = 8;  // ISA 9.7.13.15.1
constexpr uint32_t answer_bytes = 16;   // ISA 9.7.13.17

}  // namespace

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

std::vector<Touch> Memory::touches(const Instruction& instruction, const Seat& seat) const {
    using Kind = Traits::Kind;
    const Kind what = kind(instruction.op);
    const bool copies = what == Kind::bulk || what == Kind::copy;
    const bool reduces = instruction.op == Op::bulk_reduce || instruction.op == Op::multimem_bulk_reduce;
    const auto element = [&] { return static_cast<uint32_t>(bits(data_type(instruction)) / 8); };
    std::vector<Touch> result;
    for (const Operand& operand : instruction.operands) {
        if (operand.kind != Operand::Kind::address) continue;
        Touch touch = place(operand, seat);
        if (operand.role == Role::mbarrier) {
            touch.mbarrier = touch.reads = touch.writes = touch.atomic = true;
            touch.bytes = touch.width = mbarrier_bytes;
        } else if (copies) {
            touch.bytes = number(instruction, Role::size);
            touch.width = reduces ? element() : 0;
            touch.writes = operand.role == Role::copy_to;
            touch.atomic = reduces && touch.writes;
            touch.reads = !touch.writes || touch.atomic;
        } else if (what == Kind::cancellation) {
            touch.bytes = answer_bytes;
            touch.width = answer_bytes / 2;
            touch.writes = true;
        } else {
            touch.width = element();
            touch.bytes = touch.width * static_cast<uint64_t>(vector_width(instruction));
            touch.atomic = what == Kind::atomic || instruction.op == Op::red_async || instruction.op == Op::multimem_reduce_async;
            touch.reads = what == Kind::load || touch.atomic;
            touch.writes = what != Kind::load;
        }
        if (const auto& targets = objects_[touch.object].points_to; !targets.empty()) {
            for (const size_t target : targets) {
                touch.object = target;
                result.push_back(touch);
            }
            continue;
        }
        const bool everywhere = instruction.has("multicast::cluster") && operand.role != Role::copy_from;
        if (!everywhere) {
            result.push_back(touch);
            continue;
        }
        const std::vector<int>& blocks = blocks_of(seat.cluster);
        const uint64_t mask = number(instruction, Role::cta_mask);
        for (size_t rank = 0; rank < blocks.size() && rank < 16; ++rank) {
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
