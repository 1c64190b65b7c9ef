// The demands of instructions on their operands (ptx/demands.h), asked of what a lane has in its registers.
//
// Every number that an instruction needs and every place that it names comes through here, so that no instruction can forget to ask.
#include <algorithm>
#include <bit>

#include "ptx/table.h"
#include "sweep/machine.h"

namespace litmus::sweep {

using kernel::Argument;

void Machine::ask_number(const Warp& warp, uint32_t lane, const Step& step, const Argument& argument, uint64_t number) {
    const Demands* const demands = step.demands_of(argument);
    if (demands == nullptr) return;
    const uint64_t given = truncate(number, 32);  // what the instruction reads
    for (const NumberDemand& demand : demands->numbers) {
        const Argument* const limit = demand.at_most != Role::none ? step.find(demand.at_most) : nullptr;
        const Value most = limit != nullptr ? read(warp, lane, *limit) : Value();
        if (demand.admits(given) && (!most || given <= truncate(*most, 32))) continue;
        account_.find(Breach::out_of_range,
                      {demand.says() + ", and this is " + std::to_string(given) + citation(demand.section, *step.form)},
                      {place(thread(warp, lane), step)});
    }
    const Role role = demands->role;
    const std::string fault = role == Role::descriptor ? fault_of_shape(*step.form, given) : "";
    if (!fault.empty()) account_.find(Breach::out_of_range, {fault}, {place(thread(warp, lane), step)});
    if (role == Role::cta_mask && given >> task_.geometry.cluster_size() != 0)
        account_.find(Breach::out_of_range,
                      {"bit " + std::to_string(std::bit_width(given) - 1) + " of the multicast mask names no block: the cluster has " +
                       std::to_string(task_.geometry.cluster_size()) + citation({}, *step.form)},
                      {place(thread(warp, lane), step)});
}

void Machine::ask_coordinates(const Warp& warp, uint32_t lane, const Step& step, const Tensor& map, const std::vector<int64_t>& corner) {
    const auto say = [&](const std::string& what) { account_.find(Breach::out_of_range, {what}, {place(thread(warp, lane), step)}); };
    if (needs_coordinates_inside(*step.form) && std::any_of(corner.begin(), corner.end(), [](int64_t at) { return at < 0; }))
        say("a copy to global memory has no negative coordinate" + citation("9.7.9.27.1.1", *step.form));
    const Operator op = operation(*step.form);
    if (traits(step.form->op).reduces && !has_tensor_reduction(op, map.type))
        say("there is no reduction `." + std::string(litmus::name(op)) + "` of a tensor of `." + std::string(litmus::name(map.type)) + "`" +
            citation({}, *step.form));
}

// An object begins at a multiple of what its accesses ask for, as far as anybody knows: an offset that is one is aligned.
void Machine::ask_place(const Warp& warp, uint32_t lane, const Step& step, const Argument& argument, const Spot& spot, uint64_t address) {
    const Demands* const demands = step.demands_of(argument);
    if (demands == nullptr) return;
    const AlignmentDemand& asked = demands->alignment;
    const Argument* const size = asked.to != Role::none ? step.find(asked.to) : nullptr;
    const uint64_t bytes = std::max(asked.bytes, size != nullptr ? *read(warp, lane, *size) : 1);
    if (spot.offset % bytes != 0 && address % bytes != 0)
        account_.find(Breach::misaligned,
                      {"byte " + std::to_string(spot.offset) + " of `" + task_.layout.objects()[instances_[spot.number].object].name + "`",
                       std::to_string(bytes), step.form ? citation(asked.section, *step.form) : " (ISA 6.4.1)"},
                      {place(thread(warp, lane), step)});
    if (spot.shared && demands->owner.owner != OwnerDemand::Owner::any) ask_owner(warp, lane, step, demands->owner, spot);
}

void Machine::ask_owner(const Warp& warp, uint32_t lane, const Step& step, const OwnerDemand& demand, const Spot& spot) {
    using Owner = OwnerDemand::Owner;
    const auto say = [&](Breach breach, Filling with) {
        with.push_back(citation(demand.section, *step.form));
        account_.find(breach, with, {place(thread(warp, lane), step)});
    };
    const std::string name = "`" + step.form->row.form->mnemonic + "`";
    switch (demand.owner) {
        case Owner::any:
            return;
        case Owner::own:
        case Owner::own_window:
            if (spot.block == warp.block) return;
            return say(Breach::foreign_block, {std::to_string(spot.block), name, std::to_string(warp.block)});
        case Owner::another:
            if (spot.block != warp.block) return;
            return say(Breach::own_block, {name});
        case Owner::of_data:
        case Owner::of_pair: {
            const Role data = step.find(Role::address) != nullptr ? Role::address : Role::copy_to;
            const Argument* const named = step.find(data);
            if (named == nullptr) return;
            const Spot there = spot_of(warp, lane, step, step.space(data), address(warp, lane, step, *named));
            if (!there.shared || there.block == spot.block) return;
            if (demand.owner == Owner::of_pair && tensors_.peer_of(there.block) == spot.block) return;
            return say(Breach::object_elsewhere, {std::to_string(spot.block), std::to_string(there.block)});
        }
    }
}

// A hint has no effect, and its operands are looked at for these rules alone. Where its address leads does not matter.
void Machine::ask_hint(const Warp& warp, uint32_t lane, const Step& step) {
    for (const Argument& argument : step.statement->arguments) {
        const Demands* const demands = step.demands_of(argument);
        if (demands == nullptr) continue;
        if (argument.kind == Argument::Kind::address && !argument.elements.empty()) {
            const Value begin = read(warp, lane, argument.elements[0]);
            const AlignmentDemand& asked = demands->alignment;
            if (begin && (*begin + static_cast<uint64_t>(argument.offset)) % asked.bytes != 0)
                account_.find(Breach::misaligned, {"the address", std::to_string(asked.bytes), citation(asked.section, *step.form)},
                              {place(thread(warp, lane), step)});
        } else if (const Value number = read(warp, lane, argument)) {
            ask_number(warp, lane, step, argument, *number);
        }
    }
}

}  // namespace litmus::sweep
