// Which elements of a bulk operation become events.
//
// A bulk operation touches many elements, and one that nothing else touches and no condition mentions behaves like any other
// such element. Only these become events: the first of an operation, those that are named somewhere, and those that meet
// one of these through another bulk operation. The set is found once, before threads are executed: it begins with the bytes
// that instructions and conditions name, and grows along the copies, in both directions, until nothing is added. An address in
// a register may be that of any element of a location whose address the thread takes.
#include "event/bulk_elements.h"

#include <algorithm>
#include <utility>

#include "ptx/matrix.h"
#include "ptx/traits.h"
#include "test/layout.h"
#include "test/tensor.h"

namespace litmus {

namespace {

// Whether some instruction of the thread takes an address of data from a register.
bool goes_through_registers(const Thread& thread) {
    return std::any_of(thread.body.begin(), thread.body.end(), [](const Instruction& i) {
        if (kind(i.op) == Traits::Kind::map_write || kind(i.op) == Traits::Kind::proxy_fence) return false;  // a tensor map's
        return std::any_of(i.operands.begin(), i.operands.end(), [](const Operand& o) { return o.indirect; });
    });
}

}  // namespace

KeptElements::KeptElements(const Test& test, const std::vector<Placement>& ctas) : test_(test), ctas_(ctas) {
    for (const Thread& thread : test.threads)
        for (const Instruction& instruction : thread.body) keep_named(thread, instruction);
    if (test.filter) keep_mentioned(*test.filter);
    if (test.claim.kind != Claim::Kind::none) keep_mentioned(test.claim.condition);
    follow_links();
}

bool KeptElements::contains(int location, int64_t first, int64_t bytes) const {
    const std::vector<int> all = physical_locations(location);
    return std::any_of(all.begin(), all.end(), [&](int physical) {
        const auto from = bytes_.lower_bound({physical, first});
        return from != bytes_.end() && *from < std::pair(physical, first + bytes);
    });
}

void KeptElements::keep(int location, int64_t first, int64_t bytes) {
    for (const int physical : physical_locations(location))
        for (int64_t byte = first; byte < first + bytes; ++byte) bytes_.insert({physical, byte});
}

// Those that a multimem address points to; of any other location the one that it is, or is an alias of.
std::vector<int> KeptElements::physical_locations(int location) const {
    const Location& declared = test_.locations[static_cast<size_t>(location)];
    if (declared.points_to.empty()) return {physical_location(test_, location)};
    std::vector<int> all;
    for (const std::string& name : declared.points_to) all.push_back(location_index(test_, name));
    return all;
}

int KeptElements::element_size(int location) const {
    return bits(test_.locations[static_cast<size_t>(location)].type) / 8;
}

void KeptElements::keep_whole(int location) {
    keep(location, 0, int64_t{element_size(location)} * test_.locations[static_cast<size_t>(location)].count);
}

// What an instruction names. A copy whose operands and size stand in the text names only its first element.
void KeptElements::keep_named(const Thread& thread, const Instruction& i) {
    if (kind(i.op) == Traits::Kind::tensor) return keep_box(thread, i);
    const bool direct = is_copy(i.op) && !i.at(Role::copy_to).indirect && !i.at(Role::copy_from).indirect;
    if (direct && i.at(Role::size).kind == Operand::Kind::immediate) {
        link(thread, i);
        return;
    }
    if (i.find(Role::matrix) && (has_exact_result(i) || kind(i.op) == Traits::Kind::tcgen)) keep_product(i);
    for (const Operand& o : i.operands) {
        const int location = location_index(test_, o.name);
        if (location < 0 || o.indirect) continue;
        if ((o.kind == Operand::Kind::symbol && goes_through_registers(thread)) || is_copy(i.op)) keep_whole(location);
        if (o.kind == Operand::Kind::address)
            keep(location, o.offset, std::max<int64_t>(element_size(location), vector_width(i) * bits(data_type(i)) / 8));
    }
    if (is_copy(i.op) && i.find(Role::cta_mask) && !i.at(Role::copy_to).indirect)
        for (const auto& [to, offset] : destinations(thread, i)) keep_whole(to);
}

// The value of a product is that of the rows and columns of which the first lane has elements (warpgroup.cpp). Those elements that no copy
// writes and no instruction names have their initial values.
void KeptElements::keep_product(const Instruction& i) {
    const bool first_element = kind(i.op) == Traits::Kind::tcgen;  // of tensor memory no other is known
    const int64_t columns = first_element ? 1 : matrix_shape(i).n;
    for (size_t nth = 0; const Operand* matrix = i.find(Role::matrix, nth); ++nth) {
        const int location = location_index(test_, matrix->name);
        if (matrix->indirect || !is_copied_to(location)) continue;
        for (int64_t row = 0; row < (nth == 0 && !first_element ? 9 : columns); ++row) {
            const bool is_first_lanes = nth == 0 ? row % 8 == 0 : row % 8 < 2;
            for (int64_t byte = 0; byte < matrix_row_bytes && is_first_lanes; ++byte)
                keep(location, matrix->offset + matrix_offset(row, byte), 1);
        }
    }
}

bool KeptElements::is_copied_to(int location) const {
    const auto writes_it = [&](const Instruction& i) {
        const Operand* to = is_copy(i.op) ? i.find(Role::copy_to) : nullptr;
        return to != nullptr && !to->indirect &&
               physical_location(test_, location_index(test_, to->name)) == physical_location(test_, location);
    };
    return std::any_of(test_.threads.begin(), test_.threads.end(),
                       [&](const Thread& thread) { return std::any_of(thread.body.begin(), thread.body.end(), writes_it); });
}

void KeptElements::keep_mentioned(const Condition& condition) {
    for (const Condition& part : condition.operands) keep_mentioned(part);
    if (condition.kind != Condition::Kind::atom) return;
    for (const Term* term : {&condition.left, &condition.right}) {
        if (term->kind != Term::Kind::location) continue;
        const int location = location_index(test_, term->name);
        keep(location, int64_t{term->element} * element_size(location), element_size(location));
    }
}

void KeptElements::link(const Thread& thread, const Instruction& copy) {
    const Operand& source = copy.at(Role::copy_from);
    const int from = location_index(test_, source.name);
    for (const auto& [to, offset] : destinations(thread, copy)) {
        const int64_t step = traits(copy.op).reduces ? bits(data_type(copy)) / 8 : element_size(to);
        const auto count = static_cast<int64_t>(copy.at(Role::size).value) / step;
        links_.push_back({to, from, offset, source.offset, step, count});
        keep(to, offset, step);
    }
}

// A tensor copy: where all stands in the text, its elements are linked one by one, and it names the first.
void KeptElements::keep_box(const Thread& thread, const Instruction& i) {
    const Operand &box = i.at(Role::tensor), *to = i.find(Role::copy_to);
    const Operand& shared = to ? *to : i.at(Role::copy_from);
    const TensorMap& map = *find_tensor_map(test_, box.name);
    const std::vector<int> arrays = possible_arrays(test_, map);
    const auto place = written_place(i);
    if (!place || shared.indirect)
        for (const int array : arrays) keep_whole(array);
    if (shared.indirect) return;
    const auto places =
        to ? destinations(thread, i) : std::vector<std::pair<int, int64_t>>{{location_index(test_, shared.name), shared.offset}};
    if (!place) {
        for (const auto& [location, offset] : places) keep_whole(location);
        return;
    }
    for (const int array : arrays) link_box(i, elements_at(map, tensor_mode(i), *place), array, places);
}

// The elements of a box of this array, and the places in shared memory where it begins.
void KeptElements::link_box(const Instruction& i, const std::vector<std::optional<int64_t>>& elements, int array,
                            const std::vector<std::pair<int, int64_t>>& places) {
    const bool to = i.find(Role::copy_to) != nullptr;
    const int64_t step = element_size(array);
    bool first = true;
    for (size_t k = 0; k < elements.size(); ++k) {
        if (!elements[k] && !to) continue;
        const int64_t in_box = static_cast<int64_t>(k) * step, in_array = elements[k].value_or(0) * step;
        if (std::exchange(first, false))
            for (const auto& [location, offset] : places) keep(location, offset + in_box, step);
        for (const auto& [location, offset] : places) {
            if (!elements[k]) continue;
            if (to)
                links_.push_back({location, array, offset + in_box, in_array, step, 1});
            else
                links_.push_back({array, location, in_array, offset + in_box, step, 1});
        }
    }
}

// The destinations of a copy: where the operand says or, of a multicast, at the same offset in every CTA of the cluster.
std::vector<std::pair<int, int64_t>> KeptElements::destinations(const Thread& thread, const Instruction& copy) const {
    const Operand& to = copy.at(Role::copy_to);
    const int location = location_index(test_, to.name);
    std::vector<std::pair<int, int64_t>> result{{location, to.offset}};
    if (!copy.find(Role::cta_mask)) return result;
    const Location& here = test_.locations[static_cast<size_t>(location)];
    const int64_t offset = shared_offset(test_, here, to.cta >= 0 ? to.cta : here.cta.value_or(thread.at.cta)) + to.offset;
    for (const Placement& cta : ctas_) {
        if (cta.gpu != thread.at.gpu || cta.cluster != thread.at.cluster) continue;
        if (const auto there = shared_place(test_, cta.cta, offset))
            result.emplace_back(location_index(test_, there->location->name), there->offset);
    }
    return result;
}

void KeptElements::follow_links() {
    for (bool changed = true; changed;) {
        changed = false;
        for (const Link& l : links_) {
            for (int64_t k = 0; k < l.count; ++k) {
                const int64_t to = l.to_offset + k * l.step, from = l.from_offset + k * l.step;
                if (contains(l.to, to, l.step) == contains(l.from, from, l.step)) continue;
                keep(l.to, to, l.step);
                keep(l.from, from, l.step);
                changed = true;
            }
        }
    }
}

}  // namespace litmus
