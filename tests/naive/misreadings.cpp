// Each is one number that is read wrongly, wherever it stands in the test.
#include "misreadings.h"

#include <algorithm>

#include "ptx/table.h"

namespace litmus::naive {
namespace {

// Calls `change` for every instruction; whether one call returned true.
template <typename Change>
bool anywhere(Test& test, Change change) {
    bool changed = false;
    for (Thread& thread : test.threads)
        for (Instruction& i : thread.body) changed = change(i) || changed;
    return changed;
}

Operand* operand(Instruction& i, Role role) {
    const auto found = std::find_if(i.operands.begin(), i.operands.end(), [role](const Operand& o) { return o.role == role; });
    return found == i.operands.end() || found->kind != Operand::Kind::immediate ? nullptr : &*found;
}

// Where the array has room for it.
bool one_row_more(Test& test) {
    bool changed = false;
    for (TensorMap& map : test.tensor_maps) {
        int elements = 1;
        for (const int d : map.dim) elements *= d;
        const int row = elements / map.dim.back();
        if (elements + row > find_location(test, map.array)->count) continue;
        ++map.dim.back();
        changed = true;
    }
    return changed;
}

bool coordinates_reversed(Test& test) {
    return anywhere(test, [](Instruction& i) {
        bool changed = false;
        for (Operand& o : i.operands) {
            if (o.kind != Operand::Kind::tensor || o.elements.size() < 2) continue;
            std::reverse(o.elements.begin(), o.elements.end());
            changed = true;
        }
        return changed;
    });
}

bool first_coordinate_one_more(Test& test) {
    return anywhere(test, [](Instruction& i) {
        for (Operand& o : i.operands) {
            if (o.kind != Operand::Kind::tensor || o.elements.front().kind != Operand::Kind::immediate) continue;
            ++o.elements.front().value;
            return true;
        }
        return false;
    });
}

// As if the operations of the test completed so many fewer: that many more are expected.
bool fewer_bytes_complete(Test& test) {
    const bool copies = anywhere(test, [](Instruction& i) { return i.op == Op::tensor_copy && i.find(Role::mbarrier) != nullptr; });
    return copies && anywhere(test, [](Instruction& i) {
               Operand* const bytes = operand(i, Role::tx_count);
               if (bytes) bytes->value += 8;
               return bytes != nullptr;
           });
}

bool multicast_to_one(Test& test) {
    return anywhere(test, [](Instruction& i) {
        Operand* const mask = operand(i, Role::cta_mask);
        if (!mask || (mask->value & (mask->value - 1)) == 0) return false;
        mask->value &= ~(mask->value - 1);
        return true;
    });
}

bool accumulator_ignored(Test& test) {
    return anywhere(test, [](Instruction& i) {
        Operand* const adds = i.op == Op::tcgen_mma ? operand(i, Role::scale_d) : nullptr;
        if (!adds || adds->value == 0) return false;
        adds->value = 0;
        return true;
    });
}

bool half_filled(Test& test) {
    return anywhere(test, [](Instruction& i) {
        Operand* const size = i.op == Op::st_bulk ? operand(i, Role::size) : nullptr;
        if (size) size->value /= 2;
        return size != nullptr;
    });
}

bool packed_the_other_way(Test& test) {
    return anywhere(test, [](Instruction& i) {
        bool changed = false;
        for (Operand& o : i.operands) {
            if (i.op != Op::mov || o.elements.empty() || is_wide(o)) continue;
            std::reverse(o.elements.begin(), o.elements.end());
            changed = true;
        }
        return changed;
    });
}

// As if one half of an access of 128 bits were an access of its own: a vector of the two.
bool stored_by_halves(Test& test) {
    return anywhere(test, [](Instruction& i) {
        if (i.op != Op::st || data_type(i) != Type::b128) return false;
        i.qualifiers.back() = "v2";
        i.qualifiers.emplace_back("b64");
        i.operands.back().name.clear();
        bind(i);
        return true;
    });
}

}  // namespace

const std::vector<Misreading>& misreadings() {
    static const std::vector<Misreading> all = {
        {"a tensor ends one row later", one_row_more},
        {"the coordinates of a box from the last to the first", coordinates_reversed},
        {"a box begins one element further on", first_coordinate_one_more},
        {"a tensor copy completes 8 bytes fewer", fewer_bytes_complete},
        {"a multicast reaches one CTA", multicast_to_one},
        {"a multiplication does not add to its accumulator", accumulator_ignored},
        {"st.bulk fills half of its bytes", half_filled},
        {"mov packs the last register first", packed_the_other_way},
        {"a store of 128 bits is two of 64", stored_by_halves},
    };
    return all;
}

}  // namespace litmus::naive
