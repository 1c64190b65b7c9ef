// The CTAs, cells and addresses of a draft.
#include "event/places.h"

#include <algorithm>

#include "language/tensor.h"
#include "ptx/mbarrier.h"
#include "ptx/traits.h"

namespace litmus {

namespace {

constexpr uint64_t slot_bytes = uint64_t{1} << 20;  // from one address that is a value to the next
constexpr uint64_t most_slots = (uint64_t{1} << 32) / slot_bytes;
constexpr uint64_t cta_slots = 16;  // of one CTA's shared memory: its rank begins at bit 24

}  // namespace

Places::Places(const Test& test, Draft& draft, ExprPool& exprs) : test_(test), draft_(draft), exprs_(exprs) {
    for (const Thread& thread : test.threads) cta_index(thread.at);
    for (const Location& location : test.locations) {
        if (location.space == Space::shared && location.cta) shared_cta(*location.cta);
    }
    for (size_t l = 0; l < test.locations.size(); ++l) {
        const Location& location = test.locations[l];
        if (!location.alias_of.empty() || location.is_mbarrier || location.array || !location.points_to.empty()) continue;
        if (location.space == Space::shared && !location.cta) continue;
        const int instance = location.space == Space::shared ? shared_cta(*location.cta) : -1;
        for (int half = 0; half < (location.wide ? 2 : 1); ++half) cell(static_cast<int>(l), instance, half);
    }
}

void Places::fail(const Span& span, std::string message, std::string hint) const {
    throw Failure(test_.source, span, std::move(message), std::move(hint));
}

int Places::cta_index(const Placement& at) {
    for (size_t i = 0; i < draft_.ctas.size(); ++i) {
        if (same_cta(draft_.ctas[i], at)) return static_cast<int>(i);
    }
    Placement c = at;
    c.warp = c.lane = 0;
    c.warp_named = false;
    draft_.ctas.push_back(c);
    return static_cast<int>(draft_.ctas.size()) - 1;
}

int Places::shared_cta(int number) {
    for (size_t i = 0; i < draft_.ctas.size(); ++i) {
        if (draft_.ctas[i].cta == number) return static_cast<int>(i);
    }
    Placement at;
    at.cluster = in_grid(grid_of(number), 0);
    at.cta = number;
    return cta_index(at);
}

int Places::instance_of(const Location& location, int named_cta, const Placement& here) {
    if (location.space != Space::shared) return -1;
    if (location.cta) return shared_cta(*location.cta);
    return named_cta >= 0 ? shared_cta(named_cta) : cta_index(here);
}

std::set<int> Places::accessed_together(int location) const {
    std::set<int> found{location};
    for (size_t before = 0; before != found.size();) {
        before = found.size();
        for (size_t m = 0; m < test_.locations.size(); ++m) {
            std::set<int> all{static_cast<int>(m)};
            for (const std::string& name : test_.locations[m].points_to) all.insert(location_index(test_, name));
            if (all.size() > 1 && std::any_of(all.begin(), all.end(), [&](int one) { return found.count(one) != 0; })) found.merge(all);
        }
    }
    return found;
}

bool Places::is_split(int location) const {
    const Type type = test_.locations[static_cast<size_t>(location)].type;
    if (lanes(type) == 1) return false;
    const std::set<int> alike = accessed_together(location);
    const auto reaches = [&](const Instruction& i) {
        const bool elements = traits(i.op).reduces || is_multimem(i.op);
        if (!elements || !is_float(data_type(i)) || bits(lane_type(data_type(i))) != bits(lane_type(type))) return false;
        return std::any_of(i.operands.begin(), i.operands.end(), [&](const Operand& o) {
            if (o.kind != Operand::Kind::address) return false;
            const int named = o.indirect ? -1 : location_index(test_, o.name);
            return o.indirect || (named >= 0 && alike.count(physical_location(test_, named)) != 0);  // a register may hold any address
        });
    };
    const auto& threads = test_.threads;
    return std::any_of(threads.begin(), threads.end(),
                       [&](const Thread& thread) { return std::any_of(thread.body.begin(), thread.body.end(), reaches); });
}

Type Places::cell_type(int location) const {
    const Type type = test_.locations[static_cast<size_t>(location)].type;
    return is_split(location) ? lane_type(type) : type;
}

int Places::cell(int location, int instance, int index) {
    const auto key = std::tuple(location, instance, index);
    const auto found = draft_.cell_ids.find(key);
    if (found != draft_.cell_ids.end()) return found->second;
    const Location& declared = test_.locations[static_cast<size_t>(location)];
    Cell c;
    c.location = location;
    c.instance = instance;
    c.type = cell_type(location);
    const int parts = bits(declared.type) / bits(c.type);
    const int element = index / parts;
    c.element = element;
    if (parts > 1) c.lane = index % parts;
    c.is_mbarrier = declared.is_mbarrier;
    c.is_tensor_map = declared.is_tensor_map;
    c.name = declared.name;
    if (declared.space == Space::shared && !declared.cta) c.name += "@" + cta_name(draft_.ctas[static_cast<size_t>(instance)].cta);
    c.name += element_suffix(declared, element);
    if (c.lane >= 0) c.name += c.lane == 0 ? ".lo" : ".hi";
    if (declared.is_tensor && element > 0) c.name += ", lanes " + std::to_string(32 * element) + " to " + std::to_string(32 * element + 31);
    if (declared.arrivals.value_or(0) > most_count)
        fail(declared.span,
             "the count of the mbarrier object `" + declared.name + "` is above " + std::to_string(most_count) + ": not modelled");
    const int id = static_cast<int>(draft_.cells.size());
    draft_.cells.push_back(c);
    draft_.cell_ids[key] = id;

    Event init;
    init.kind = Event::Kind::init;
    init.cell = id;
    init.address = address_id(location, instance, index);
    init.type = c.type;
    init.value = exprs_.constant(initial_value(declared, c), bits(c.type));
    draft_.events.push_back(init);
    return id;
}

uint64_t Places::initial_value(const Location& declared, const Cell& cell) const {
    if (declared.is_tensor_map) return static_cast<uint64_t>(location_index(test_, find_tensor_map(test_, declared.name)->array));
    if (declared.arrivals) return pack(MbarrierState{1, 0, *declared.arrivals, *declared.arrivals, 0});  // initialised before the test
    const auto element = static_cast<size_t>(cell.element);
    const uint64_t whole = element < declared.init.size() ? declared.init[element] : 0;
    return whole >> (std::max(cell.lane, 0) * bits(cell.type));
}

int Places::address_id(int location, int instance, int element) {
    return draft_.address_ids.try_emplace(std::tuple(location, instance, element), static_cast<int>(draft_.address_ids.size()))
        .first->second;
}

Places::MemoryPlace Places::place(int location, int instance, uint64_t offset, Type access, const Span& span) {
    // a non-generic alias is another way to the virtual address it names; a generic one is an address of its own
    const auto& all = test_.locations;
    int virtual_ = location;
    Proxy proxy = all[static_cast<size_t>(location)].proxy;
    if (proxy != Proxy::generic) virtual_ = location_index(test_, all[static_cast<size_t>(location)].alias_of);
    const int physical = physical_location(test_, virtual_);
    const Location& declared = all[static_cast<size_t>(physical)];
    const Type scalar = cell_type(physical);
    const uint64_t size = static_cast<uint64_t>(bits(scalar)) / 8;
    if (bits(access) > bits(scalar) && scalar != declared.type) {
        fail(span,
             "this " + std::to_string(bits(access) / 8) + "-byte access overlaps both halves of " + declared.name +
                 ", which packed operations of this test access one by one (PTX ISA 9.7.13.5)",
             "accesses overlap completely or not at all (PTX ISA 8.7.2), but for loads: reduce it as ." + std::string(name(declared.type)) +
                 ", or load or store it");
    }
    if (offset % size != 0 || bits(access) != bits(scalar)) {
        fail(span,
             "this " + std::to_string(bits(access) / 8) + "-byte access overlaps only part of the ." + std::string(name(declared.type)) +
                 " elements of " + declared.name,
             "accesses overlap completely or not at all (PTX ISA 8.7.2): access it as ." + std::string(name(declared.type)));
    }
    const uint64_t index = offset / size;
    if (index >= static_cast<uint64_t>(declared.count * bits(declared.type) / bits(scalar)))
        fail(span, "this address is outside " + declared.name);
    MemoryPlace result;
    result.cell = cell(physical, instance, static_cast<int>(index));
    result.address = address_id(virtual_, instance, static_cast<int>(index));
    result.proxy = proxy;
    return result;
}

std::vector<Places::MemoryPlace> Places::all_places(int location, int instance, uint64_t offset, Type access, const Span& span) {
    const Location& declared = test_.locations[static_cast<size_t>(location)];
    if (declared.points_to.empty()) return {place(location, instance, offset, access, span)};
    std::vector<MemoryPlace> result;
    for (const std::string& name : declared.points_to) {
        const int nth = static_cast<int>(result.size()), one = location_index(test_, name);
        result.push_back(place(one, -1, offset, access, span));
        const auto size = static_cast<uint64_t>(bits(cell_type(one)) / 8);
        result.back().address = address_id(location, nth, static_cast<int>(offset / size));
    }
    return result;
}

uint64_t Places::address_value(int location, int instance, const Span& span) {
    const uint64_t slot = slot_of(location, instance, span);
    draft_.slots.emplace(slot, std::pair(location, instance));
    // arithmetic may lead from one CTA to another
    for (size_t c = 0; instance >= 0 && !test_.locations[static_cast<size_t>(location)].cta && c < draft_.ctas.size(); ++c)
        draft_.slots.emplace(slot_of(location, static_cast<int>(c), span), std::pair(location, static_cast<int>(c)));
    return slot * slot_bytes;
}

// What a CTA has too many of lies behind all CTAs, and so does global memory behind all shared memory.
uint64_t Places::slot_of(int location, int instance, const Span& span) const {
    const uint64_t window = cta_slots - 1, nth = static_cast<uint64_t>(location) / window,
                   inside = static_cast<uint64_t>(location) % window;
    const uint64_t windows = cta_slots * ctas_with_pairs();
    const uint64_t slot = instance < 0 ? windows * (test_.locations.size() / window + 1) + nth * window + inside
                                       : windows * nth + cta_slots * number_with_pairs(instance) + 1 + inside;
    if (slot >= most_slots) fail(span, "this test has too many CTAs and locations for its addresses to be numbers of 32 bits");
    return slot;
}

uint64_t Places::number_with_pairs(int cta) const {
    const auto& ctas = draft_.ctas;
    const Placement& here = ctas[static_cast<size_t>(cta)];
    const auto rank_in = [&](const Placement& at) {
        return std::count_if(ctas.begin(), ctas.end(), [&](const Placement& c) { return same_cluster(c, at) && c.cta < at.cta; });
    };
    // of each cluster before this one, as many as it has, and one more where that is odd
    uint64_t before = 0;
    for (const Placement& c : ctas) {
        if (same_cluster(c, here) || std::tuple(c.gpu, c.cluster) > std::tuple(here.gpu, here.cluster)) continue;
        before += rank_in(c) % 2 == 0 ? 2 : 0;
    }
    return before + static_cast<uint64_t>(rank_in(here));
}

uint64_t Places::ctas_with_pairs() const {
    uint64_t result = 0;
    for (size_t c = 0; c < draft_.ctas.size(); ++c) result = std::max(result, (number_with_pairs(static_cast<int>(c)) | 1) + 1);
    return result;
}

std::optional<std::pair<int, int>> Places::location_at(uint64_t address) const {
    const uint64_t slot = ((address & ~generic_bit) + slot_bytes / 2) / slot_bytes;
    const auto found = draft_.slots.find(slot);
    if (found == draft_.slots.end()) return std::nullopt;
    return found->second;
}

}  // namespace litmus
