// Numbering of cells and addresses; see memory.h.
#include "memory.h"

#include <algorithm>
#include <set>

#include "language/layout.h"
#include "ptx/traits.h"

namespace litmus::naive {

Memory::Memory(const Test& test) : test_(test) {
    const auto add_cta = [this](Placement at) {
        at.warp = at.lane = 0;
        at.warp_named = false;
        if (std::find(ctas_.begin(), ctas_.end(), at) == ctas_.end()) ctas_.push_back(at);
    };
    for (const Thread& t : test.threads) add_cta(t.at);
    const auto numbered = [this](int number) {
        return std::find_if(ctas_.begin(), ctas_.end(), [number](const Placement& c) { return c.cta == number; });
    };
    for (const Location& l : test.locations) {
        if (l.space != Space::shared || !l.cta || numbered(*l.cta) != ctas_.end()) continue;
        Placement at;
        at.cluster = in_grid(grid_of(*l.cta), 0);
        at.cta = *l.cta;
        add_cta(at);
    }
    for (int l = 0; l < static_cast<int>(test.locations.size()); ++l) {
        const Location& declared = test.locations[static_cast<size_t>(l)];
        if (declared.space == Space::global) {
            add_cells(l, -1);
        } else if (declared.cta) {
            add_cells(l, static_cast<int>(numbered(*declared.cta) - ctas_.begin()));
        } else {
            for (int c = 0; c < static_cast<int>(ctas_.size()); ++c) add_cells(l, c);
        }
    }
}

int Memory::cta_of(const Placement& at) const {
    for (size_t c = 0; c < ctas_.size(); ++c)
        if (ctas_[c].gpu == at.gpu && ctas_[c].cluster == at.cluster && ctas_[c].cta == at.cta) return static_cast<int>(c);
    throw std::logic_error("a thread without a CTA");
}

// Whether some operation accesses halves of the location's packed elements, one by one: through one of its addresses, or through that of
// another location that one multimem address points to as well.
bool Memory::is_split(int location) const {
    if (lanes(test_.locations[static_cast<size_t>(location)].type) == 1) return false;
    std::set<std::string> names{test_.locations[static_cast<size_t>(location)].name};
    for (size_t turn = 0; turn < test_.locations.size(); ++turn)
        for (const Location& l : test_.locations) {
            std::set<std::string> together(l.points_to.begin(), l.points_to.end());
            together.insert(l.name);
            if (!l.alias_of.empty()) together.insert(l.alias_of);
            for (const std::string& name : together)
                if (names.count(name) > 0) {
                    names.insert(together.begin(), together.end());
                    break;
                }
        }
    for (const Thread& thread : test_.threads)
        for (const Instruction& i : thread.body) {
            const Type type = lane_type(data_type(i));
            const bool of_halves = kind(i.op) == Traits::Kind::atomic || i.op == Op::bulk_reduce || is_multimem(i.op);
            if (!of_halves || (type != Type::f16 && type != Type::bf16)) continue;
            for (const Operand& o : i.operands)
                if (o.kind == Operand::Kind::address && (o.indirect || names.count(o.name) > 0)) return true;
        }
    return false;
}

void Memory::add_cells(int location, int instance) {
    const Location& declared = test_.locations[static_cast<size_t>(location)];
    slots_.push_back({location, instance});
    const int parts = is_split(location) ? 2 : 1;
    for (int part = 0; part < parts * declared.count; ++part) {
        const int element = part / parts, address = static_cast<int>(numbers_.size());
        numbers_[{location, instance, part}] = address;
        if (!declared.alias_of.empty() || !declared.points_to.empty()) continue;
        Cell c;
        c.location = location;
        c.instance = instance;
        c.element = element;
        c.type = declared.type;
        if (parts > 1) {
            c.lane = part % parts;
            c.type = lane_type(declared.type);
        }
        c.is_mbarrier = declared.is_mbarrier;
        c.is_tensor_map = declared.is_tensor_map;
        c.name = declared.name;
        if (declared.space == Space::shared && !declared.cta) c.name += "@" + cta_name(ctas_[static_cast<size_t>(instance)].cta);
        c.name += element_suffix(declared, element);
        const int cell = static_cast<int>(cells_.size());
        cells_.push_back(c);
        own_address_.push_back(address);
        const uint64_t init = static_cast<size_t>(element) < declared.init.size() ? declared.init[static_cast<size_t>(element)] : 0;
        if (declared.is_mbarrier) {
            ObjectState state;
            state.cell = cell;
            if (const auto count = declared.arrivals) state.counts = {1, 0, *count, *count, 0};
            initial_.push_back(number_of(state));
        } else if (declared.is_tensor_map) {
            initial_.push_back(address_of(array_of(declared.name), -1));
        } else {
            initial_.push_back(parts == 1 ? init : init >> (16 * c.lane) & 0xffff);
        }
    }
}

Operand Memory::array_of(const std::string& map) const {
    Operand operand;
    operand.kind = Operand::Kind::address;
    for (const TensorMap& known : test_.tensor_maps)
        if (known.name == map) operand.name = known.array;
    return operand;
}

uint64_t Memory::address_of(const Operand& operand, int cta) const {
    const int location = location_index(test_, operand.name);
    if (location < 0) throw Unsupported("unknown location " + operand.name);
    const Location& declared = test_.locations[static_cast<size_t>(location)];
    int instance = -1;
    if (declared.space == Space::shared) {
        instance = cta;
        const std::optional<int> number = declared.cta ? declared.cta : operand.cta >= 0 ? std::optional(operand.cta) : std::nullopt;
        for (size_t c = 0; number && c < ctas_.size(); ++c)
            if (ctas_[c].cta == *number) instance = static_cast<int>(c);
    }
    for (size_t s = 0; s < slots_.size(); ++s)
        if (slots_[s].location == location && slots_[s].instance == instance)
            return first_address + s * slot_size + static_cast<uint64_t>(operand.offset);
    throw std::logic_error("a location without an address: " + operand.name);
}

const Memory::Slot& Memory::slot(uint64_t address) const {
    const uint64_t index = (address - first_address) / slot_size;
    if (address < first_address || index >= slots_.size()) throw Unsupported("no address of a location");
    return slots_[index];
}

// `part` counts elements, or halves where these are two cells.
int Memory::cell_of(int location, int instance, int part) const {
    const int physical = physical_location(test_, location);
    for (size_t c = 0; c < cells_.size(); ++c) {
        const Cell& cell = cells_[c];
        const int number = cell.lane < 0 ? cell.element : 2 * cell.element + cell.lane;
        if (cell.location == physical && cell.instance == instance && number == part) return static_cast<int>(c);
    }
    throw Unsupported("an address outside " + test_.locations[static_cast<size_t>(location)].name);
}

std::vector<MemoryPlace> Memory::all_at(uint64_t address, Type type) const {
    const Slot& s = slot(address);
    const Location& named = test_.locations[static_cast<size_t>(s.location)];
    if (named.points_to.empty()) return {at(address, type)};
    std::vector<MemoryPlace> places;
    const uint64_t offset = (address - first_address) % slot_size;
    for (const std::string& name : named.points_to) {
        Operand operand;
        operand.kind = Operand::Kind::address;
        operand.name = name;
        places.push_back(at(address_of(operand, 0) + offset, type));
        const Cell& cell = cells_[static_cast<size_t>(places.back().cell)];
        const int location = location_index(test_, name);
        // an address of its own for each, above those of the few locations of a small test
        places.back().address = ((s.location + 1) * 1024 + location) * 1024 + 2 * cell.element + std::max(cell.lane, 0);
    }
    return places;
}

bool Memory::is_inside(uint64_t address) const {
    const Location& location = test_.locations[static_cast<size_t>(slot(address).location)];
    return (address - first_address) % slot_size < static_cast<uint64_t>(location.count * bits(location.type) / 8);
}

bool Memory::holds(uint64_t address, uint64_t bytes, uint64_t alignment) const {
    const uint64_t number = (address - first_address) / slot_size, offset = (address - first_address) % slot_size;
    if (address < first_address || number >= slots_.size()) return false;
    const Location& location = test_.locations[static_cast<size_t>(slots_[number].location)];
    return offset % alignment == 0 && offset + bytes <= static_cast<uint64_t>(location.count * bits(location.type) / 8);
}

const Cell& Memory::cell_at(uint64_t address) const {
    const Slot& s = slot(address);
    const std::vector<std::string>& names = test_.locations[static_cast<size_t>(s.location)].points_to;
    return cells_[static_cast<size_t>(cell_of(names.empty() ? s.location : location_index(test_, names[0]), s.instance, 0))];
}

MemoryPlace Memory::at(uint64_t address, Type type) const {
    const Slot& s = slot(address);
    const uint64_t offset = (address - first_address) % slot_size;
    const Cell& first = cell_at(address);
    const auto size = static_cast<uint64_t>(bits(first.type) / 8);
    if (bits(type) != bits(first.type) || offset % size != 0) throw Unsupported("an access that overlaps elements in part");
    const int part = static_cast<int>(offset / size);
    const Location& named = test_.locations[static_cast<size_t>(s.location)];
    if (named.proxy != Proxy::generic) throw Unsupported("surfaces, textures and constants");
    return {cell_of(s.location, s.instance, part), numbers_.at({s.location, s.instance, part}), Proxy::generic};
}

uint64_t Memory::counterpart(uint64_t address, int cta) const {
    const Slot& s = slot(address);
    const auto inside = static_cast<int64_t>((address - first_address) % slot_size);
    const int64_t offset =
        shared_offset(test_, test_.locations[static_cast<size_t>(s.location)], ctas_[static_cast<size_t>(s.instance)].cta) + inside;
    const auto there = shared_place(test_, ctas_[static_cast<size_t>(cta)].cta, offset);
    if (!there) throw Unsupported("a multicast to where nothing lies");
    Operand operand;
    operand.kind = Operand::Kind::address;
    operand.name = there->location->name;
    operand.offset = there->offset;
    return address_of(operand, cta);
}

std::optional<uint64_t> Memory::tensor_counterpart(uint64_t address, int cta) const {
    const int location = slot(address).location;
    for (size_t s = 0; s < slots_.size(); ++s)
        if (slots_[s].location == location && slots_[s].instance == cta) return first_address + s * slot_size;
    return std::nullopt;
}

uint64_t Memory::number_of(const ObjectState& state) {
    const auto found = std::find(states_.begin(), states_.end(), state);
    if (found != states_.end()) return static_cast<uint64_t>(found - states_.begin());
    states_.push_back(state);
    return states_.size() - 1;
}

std::optional<ObjectState> Memory::state_of_token(uint64_t value) const {
    const uint64_t number = value & ~mask;
    if ((value & mask) != token_mark || number >= states_.size()) return std::nullopt;
    return states_[number];
}

}  // namespace litmus::naive
