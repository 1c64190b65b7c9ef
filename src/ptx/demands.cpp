// The rows of the rules. Each says of which instructions it is, and of the operand in which role.
#include "ptx/demands.h"

#include <algorithm>
#include <array>
#include <bit>

#include "ptx/effects.h"
#include "ptx/matrix.h"
#include "ptx/table.h"
#include "ptx/traits.h"

namespace litmus {

namespace {

using Kind = Traits::Kind;
using Owner = OwnerDemand::Owner;

constexpr uint64_t bulk_unit = 16;          // bytes; ISA 9.7.9.25.4.1
constexpr uint64_t tensor_alignment = 128;  // bytes: of the shared memory side (CUDA Programming Guide, tensor memory access)
constexpr uint64_t line_bytes = 128;        // of discard.L2 (9.7.9.17)

struct NumberRow {
    bool (*concerns)(const Instruction& instruction);
    Role role;
    NumberDemand demand;
};

bool each(const Instruction& /*instruction*/) {
    return true;
}
template <Op op>
bool is(const Instruction& instruction) {
    return instruction.op == op;
}
bool is_bulk(const Instruction& i) {
    return kind(i.op) == Kind::bulk;
}
bool is_hint(const Instruction& i) {
    return kind(i.op) == Kind::hint;
}
bool is_arrival(const Instruction& i) {
    return i.op != Op::mbarrier_init;
}
bool is_of_first_layout(const Instruction& i) {
    return i.has("layout::v1");
}
bool is_tensor_memory(const Instruction& i) {
    return kind(i.op) == Kind::tcgen || kind(i.op) == Kind::tcgen_life;
}

// clang-format off
constexpr auto number_rows = std::to_array<NumberRow>({
    {is<Op::mbarrier_init>, Role::count,
     {.least = 1, .most = (1 << 20) - 1, .what = "the number of expected arrivals", .section = "9.7.13.15.2"}},
    {is_arrival, Role::count, {.least = 1, .most = (1 << 20) - 1, .what = "the number of arrivals", .section = "9.7.13.15.2"}},
    {is_of_first_layout, Role::count,
     {.most = (1 << 9) - 1, .what = "the count of arrivals of an object of layout v1", .section = "PTX 9.3, mbarrier.init"}},
    {each, Role::tx_count, {.most = (1 << 20) - 1, .what = "a tx-count", .section = "9.7.13.15.2"}},
    {each, Role::parity, {.most = 1, .what = "the parity of a phase"}},
    {each, Role::barrier, {.most = 15, .what = "the number of a barrier", .section = "9.7.13.1"}},
    {each, Role::threads, {.least = 32, .multiple = 32, .what = "a thread count", .section = "9.7.13.1"}},
    {is_bulk, Role::size, {.multiple = bulk_unit, .what = "the size of a bulk operation"}},
    {is_hint, Role::size, {.multiple = bulk_unit, .what = "the size"}},
    {is<Op::async_copy>, Role::source_size, {.at_most = Role::size, .what = "the size of the source"}},
    {each, Role::cta_mask, {.least = 1, .what = "a multicast mask"}},
    {is<Op::st_bulk>, Role::size, {.multiple = 8, .what = "the size"}},
    {is<Op::st_bulk>, Role::initial, {.most = 0, .what = "the value of `initval`"}},
    {is<Op::discard>, Role::size, {.least = line_bytes, .most = line_bytes, .what = "the size"}},
    {is_tensor_memory, Role::columns, {.least = 32, .most = 512, .power_of_two = true, .what = "a number of columns"}},
    {is_tensor_memory, Role::exponent, {.most = 15, .what = "`scale-input-d`"}},
});
// clang-format on

}  // namespace

bool NumberDemand::admits(uint64_t number) const {
    return number >= least && number <= most && number % multiple == 0 && (!power_of_two || std::has_single_bit(number));
}

std::string NumberDemand::says() const {
    const auto text = [](uint64_t number) { return std::to_string(number); };
    const std::string is = std::string(what) + " is ";
    if (at_most != Role::none) return is + "at most that of the copy";
    if (power_of_two) {
        std::string all = text(least);
        for (uint64_t number = 2 * least; number <= most; number *= 2) all += (2 * number > most ? " or " : ", ") + text(number);
        return is + all;
    }
    if (multiple > 1) return is + (least > 0 ? "a positive multiple of " : "a multiple of ") + text(multiple);
    if (least == most) return is + text(least);
    if (most == UINT32_MAX) return is + (least == 1 ? "not 0" : "at least " + text(least));
    if (least + 1 == most) return is + text(least) + " or " + text(most);
    return is + (least == 0 ? "at most " + text(most) : "from " + text(least) + " to " + text(most));
}

std::vector<NumberDemand> number_demands(const Instruction& instruction, Role role) {
    std::vector<NumberDemand> demands;
    for (const NumberRow& row : number_rows)
        if (row.role == role && row.concerns(instruction)) demands.push_back(row.demand);
    return demands;
}

AlignmentDemand alignment_demand(const Instruction& instruction, Role role) {
    if (role == Role::mbarrier) return {mbarrier_bytes, Role::none, "9.7.13.15.1"};
    const bool copies = role == Role::copy_to || role == Role::copy_from;
    switch (kind(instruction.op)) {
        case Kind::load:
        case Kind::store:
        case Kind::atomic:
        case Kind::from_registers:
            if (role != Role::address) return {};
            return {access_bytes(instruction), Role::none, "6.4.1"};
        case Kind::warp_matrix:
            return {role == Role::address ? static_cast<uint64_t>(row_of_lane_bytes) : 1};
        case Kind::copy:
            return {1, copies ? Role::size : Role::none};
        case Kind::bulk:
        case Kind::hint:  // cp.async.bulk.prefetch
            return {copies ? bulk_unit : 1};
        case Kind::tensor:
            return {copies ? tensor_alignment : 1};
        case Kind::fill:
            return {!copies ? 1 : instruction.op == Op::st_bulk ? 8 : line_bytes};
        case Kind::cancellation:
            return {copies ? answer_bytes : 1};
        default:
            return {};
    }
}

NamedSpaces named_spaces(const std::vector<std::string>& words) {
    NamedSpaces spaces{};
    size_t n = 0;
    for (const std::string& word : words) {
        const bool is_space = word == "global" || word == "local" || word == "const" || word.starts_with("param") || word == "shared" ||
                              word.starts_with("shared::");
        if (is_space && n < spaces.size()) spaces[n++] = word;
    }
    return spaces;
}

std::string_view space_of(const NamedSpaces& spaces, Role role) {
    if (spaces[1].empty()) return spaces[0];
    const bool is_second = role == Role::copy_from || (role == Role::mbarrier && spaces[0] == "global");
    return spaces[is_second ? 1 : 0];
}

std::string_view named_space(const Instruction& instruction, Role role) {
    return space_of(named_spaces(instruction.qualifiers), role);
}

OwnerDemand owner_demand(const Instruction& instruction, Role role) {
    const Kind what = kind(instruction.op);
    const bool in_copy = is_copy(instruction.op);
    if (role == Role::mbarrier) {
        if (what == Kind::from_registers) return {Owner::of_data};
        if (instruction.op == Op::tensor_copy) return {cta_group(instruction) == 2 ? Owner::of_pair : Owner::of_data};
        const bool own_only =
            what == Kind::mbarrier_wait || what == Kind::mbarrier_life || what == Kind::copy_arrive || instruction.has("noComplete");
        if (own_only) return {Owner::own, "9.7.13.15.8"};
        if (in_copy) return {};  // the state spaces of a copy are those of its data
    }
    if (role == Role::address && instruction.op == Op::red_async && !instruction.has("release")) return {Owner::another};
    if (role == Role::address && what == Kind::warp_matrix) return {Owner::own};
    if (role == Role::copy_to && instruction.op == Op::bulk_copy && named_space(instruction, Role::copy_from) != "global" &&
        named_space(instruction, Role::copy_to) != "global")
        return {Owner::another};
    if (role != Role::mbarrier && role != Role::address && role != Role::copy_to && role != Role::copy_from) return {};
    const std::string_view space = named_space(instruction, role);
    if (space != "shared" && space != "shared::cta") return {};
    return {Owner::own_window, in_copy ? "" : "5.1.7"};
}

bool needs_coordinates_inside(const Instruction& instruction) {
    return kind(instruction.op) == Kind::tensor && instruction.has("bulk_group");
}

bool has_tensor_reduction(Operator operation, Type element) {
    const bool logic = operation == Operator::and_ || operation == Operator::or_ || operation == Operator::xor_,
               step = operation == Operator::inc || operation == Operator::dec;
    const bool word = bits(element) == 32 && !is_float(element), wide = bits(element) == 64 && !is_float(element);
    const bool half = element == Type::f16 || element == Type::bf16;
    if (step) return word && !is_signed(element);
    if (logic) return word || wide;
    if (operation == Operator::add) return word || (wide && !is_signed(element)) || half || element == Type::f32;
    return word || wide || half;
}

std::string fault_of_shape(const Instruction& instruction, uint64_t descriptor) {
    const MatrixShape shape = described_shape(descriptor);
    const int ctas = cta_group(instruction), most = 128 * ctas;
    const bool one_warp_reads = is_weight_stationary(instruction), scaled = instruction.has("block_scale");
    const bool fits = one_warp_reads ? shape.m == 32 || shape.m == 64 || shape.m == 128
                      : scaled       ? shape.m == 128 || shape.m == most
                                     : shape.m == most / 2 || shape.m == most;
    const std::string rows = one_warp_reads        ? "32, 64 or 128"
                             : scaled && ctas == 1 ? std::to_string(most)
                             : scaled              ? "128 or " + std::to_string(most)
                                                   : std::to_string(most / 2) + " or " + std::to_string(most);
    constexpr std::string_view section = "9.7.16.2.1";
    if (!fits)
        return "this instruction descriptor has M = " + std::to_string(shape.m) + ", which is " + rows + citation(section, instruction);
    if (shape.n == 0 || shape.n > 256)
        return "this instruction descriptor has N = " + std::to_string(shape.n) + ", which is from 8 to 256" +
               citation(section, instruction);
    return {};
}

std::string citation(std::string_view section, const Instruction& instruction) {
    const std::string_view shown = section.empty() ? std::string_view(instruction.row.form->section) : section;
    const bool of_isa = shown[0] >= '0' && shown[0] <= '9';
    return " (" + std::string(of_isa ? "ISA " : "") + std::string(shown) + ")";
}

bool needs_whole_warp(const Instruction& instruction) {
    switch (kind(instruction.op)) {
        case Kind::warp_matrix:
        case Kind::tcgen_life:
            return true;
        default:
            if (instruction.op == Op::warp_mma) return instruction.mnemonic != "movmatrix";
            return instruction.op == Op::tcgen_load || instruction.op == Op::tcgen_store;
    }
}

}  // namespace litmus
