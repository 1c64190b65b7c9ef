// Accesses first, vectors of two words next, which may lie over elements of 128 bits, wider loads over all of them, then copies from what
// has elements to what has none.
#include "kernel/elements.h"

#include <algorithm>

#include "ptx/table.h"
#include "ptx/traits.h"

namespace litmus::kernel {

namespace {

constexpr uint32_t half_bytes = 8;   // of an element of 128 bits
constexpr uint32_t plain_width = 4;  // of what is copied and never looked at

bool is_copying(const Instruction& instruction) {
    return kind(instruction.op) == Traits::Kind::bulk || kind(instruction.op) == Traits::Kind::copy;
}

// What may lie over smaller elements: a scalar load, but not of 128 bits.
bool is_wide_load(const Instruction& instruction) {
    return instruction.op == Op::ld && vector_width(instruction) == 1 && data_type(instruction) != Type::b128;
}

// What may lie over an element of 128 bits: a vector of its two words.
bool is_pair(const Touch& touch) {
    return touch.width == half_bytes && touch.bytes == 2 * half_bytes && touch.offset % touch.bytes == 0;
}

// Whether its scalars are smaller than the element: a packed type has two (ISA 8.2.5).
bool is_packed(const ElementSize& element) {
    return element.instruction != nullptr && lanes(data_type(*element.instruction)) > 1;
}

// Whether it is one access of the whole element, which may not lie over the halves of a packed one. Loads, stores and copies may
// (model/semantics.md, section 3).
bool is_undivided(const ElementSize& element) {
    if (element.instruction == nullptr || is_packed(element)) return false;
    const Traits::Kind what = kind(element.instruction->op);
    return what == Traits::Kind::atomic || what == Traits::Kind::from_registers;
}

}  // namespace

Elements::Elements(const Module& module, const Memory& memory, const std::vector<Trace>& threads, const Granules& granules)
    : module_(module) {
    for (size_t object = 0; object < memory.object_count(); ++object) {
        granules_[object] = 1;
        elements_[object];
    }
    for (const Trace& trace : threads) note_answers(trace, memory);
    for (const Trace& trace : threads) collect(trace, memory, granules);
    std::stable_sort(wide_.begin(), wide_.end(), [](const auto& a, const auto& b) { return a.first.width < b.first.width; });
    for (const auto& [touch, element] : pairs_) put_pair(touch, element);
    for (const auto& [touch, element] : wide_) put_wide_load(touch, element);
    follow_copies(memory);
    make_alike(memory);
}

void Elements::note_answers(const Trace& trace, const Memory& memory) {
    for (const Instruction& instruction : trace.body)
        if (instruction.op == Op::try_cancel)
            for (const Touch& touch : memory.touches(instruction, trace.seat))
                if (!touch.mbarrier) answers_.insert({touch.object, touch.offset});
}

void Elements::collect(const Trace& trace, const Memory& memory, const Granules& granules) {
    for (size_t i = 0; i < trace.body.size(); ++i) {
        const Instruction& instruction = trace.body[i];
        const std::vector<Touch> touches = memory.touches(instruction, trace.seat);
        for (const Operand& operand : instruction.operands) {
            if (operand.kind != Operand::Kind::address) continue;
            const size_t object = memory.place(operand, trace.seat).object;
            if (!memory.object(object).points_to.empty()) multimem_.insert(object);
        }
        const Origin& origin = trace.origins[i];
        if (is_copying(instruction)) collect_copy(trace, i, touches, granules);
        for (Touch touch : touches) {
            if (!touch.mbarrier && is_copying(instruction)) continue;
            const bool of_answer = !touch.mbarrier && answers_.contains({touch.object, touch.offset});
            if (of_answer) touch.width = half_bytes;
            const ElementSize element{touch.width, touch.mbarrier, &instruction, &origin, trace.statements[i]};
            if (!touch.mbarrier) granules_[touch.object] = std::max(granules_[touch.object], touch.bytes);
            if (is_wide_load(instruction))
                wide_.emplace_back(touch, element);
            else if (is_pair(touch) && !of_answer)
                pairs_.emplace_back(touch, element);
            else
                put_each(touch, element);
        }
    }
}

void Elements::collect_copy(const Trace& trace, size_t at, const std::vector<Touch>& touches, const Granules& granules) {
    const Instruction& copy = trace.body[at];
    const Origin& origin = trace.origins[at];
    const bool bulk = is_bulk(copy);
    for (const Touch& to : touches)
        for (const Touch& from : touches) {
            if (to.role != Role::copy_to || from.role != Role::copy_from) continue;
            for (const Touch* side : {&to, &from})
                granules_[side->object] = std::max(granules_[side->object], bulk ? unit_bytes : side->bytes);
            const uint64_t step = bulk ? unit_bytes : std::max<uint64_t>(to.bytes, 1);
            for (uint64_t in = 0; in < to.bytes; in += step) {
                Touch unit = to;
                unit.offset += in;
                unit.bytes = step;
                if (bulk && granules.kept_bytes(unit) == 0) continue;
                copies_.push_back({{to.object, to.offset + in, step}, {from.object, from.offset + in, step}, &origin});
                if (to.width == 0) continue;  // a reduction says what it reduces
                for (uint64_t e = 0; e < step; e += to.width) {
                    put(to.object, to.offset + in + e, {to.width, false, &copy, &origin, trace.statements[at]});
                    put(from.object, from.offset + in + e, {from.width, false, &copy, &origin, trace.statements[at]});
                }
            }
        }
}

void Elements::put(size_t object, uint64_t offset, ElementSize element) {
    auto& elements = elements_[object];
    for (uint64_t byte = offset; byte < offset + element.width; ++byte) {
        const auto* other = at(object, byte);
        if (!other) continue;
        if (other->first == offset && other->second.width == element.width && other->second.mbarrier == element.mbarrier) {
            ElementSize& told = elements.at(offset);
            if ((is_packed(told) && is_undivided(element)) || (is_undivided(told) && is_packed(element)))
                mixed("accesses of mixed sizes", told, element);
            if (is_packed(element) || is_undivided(element)) told = element;
            return;
        }
        if (other->second.mbarrier) return;  // an access to an mbarrier object breaks a static rule, which says so
        if (!element.mbarrier) mixed("accesses of mixed sizes", other->second, element);
        elements.erase(other->first);
    }
    elements.emplace(offset, element);
}

void Elements::put_each(const Touch& touch, const ElementSize& element) {
    for (uint64_t at = touch.offset - touch.offset % touch.width; at < touch.offset + touch.bytes; at += touch.width)
        put(touch.object, at, element);
}

void Elements::put_pair(const Touch& touch, const ElementSize& element) {
    if (width_in({touch.object, touch.offset, touch.bytes}) != touch.bytes) put_each(touch, element);
}

void Elements::put_wide_load(const Touch& touch, const ElementSize& element) {
    const uint64_t begin = touch.offset - touch.offset % touch.width;
    const uint32_t width = width_in({touch.object, begin, touch.width});
    if (width == 0 || width >= touch.width) return put(touch.object, begin, element);
    fill({touch.object, begin, touch.width}, width);
}

void Elements::fill(const Range& range, uint32_t width) {
    for (uint64_t at = range.offset - range.offset % width; at < range.offset + range.bytes; at += width)
        put(range.object, at, {width, false, nullptr, nullptr});
}

uint32_t Elements::width_in(const Range& range) const {
    for (uint64_t byte = range.offset; byte < range.offset + range.bytes; ++byte)
        if (const auto* element = at(range.object, byte); element && !element->second.mbarrier) return element->second.width;
    return 0;
}

// The size of elements that the destination has at other places, or the source: a copy that nobody looks at then needs no array of its own.
uint32_t Elements::width_elsewhere(const Copy& copy) const {
    for (const Range* side : {&copy.to, &copy.from})
        for (const auto& [offset, element] : of(side->object)) {
            const auto fits = [width = element.width](const Range& range) { return (range.offset | range.bytes) % width == 0; };
            if (!element.mbarrier && fits(copy.to) && fits(copy.from)) return element.width;
        }
    return 0;
}

void Elements::follow_copies(const Memory& memory) {
    std::vector<bool> done(copies_.size(), false);
    for (size_t left = copies_.size(); left > 0;) {
        bool changed = false;
        for (size_t i = 0; i < copies_.size(); ++i) {
            const uint32_t to = width_in(copies_[i].to), from = width_in(copies_[i].from);
            if (done[i] || (to == 0 && from == 0)) continue;
            fill(copies_[i].to, to ? to : from);
            fill(copies_[i].from, to ? to : from);
            done[i] = changed = true;
            --left;
        }
        if (changed || left == 0) continue;
        const Copy& copy = copies_[static_cast<size_t>(std::find(done.begin(), done.end(), false) - done.begin())];
        const Object &to = memory.object(copy.to.object), &from = memory.object(copy.from.object);
        const Object& told = to.typed ? to : from;
        const uint32_t declared = told.typed && !told.bytes.empty() ? static_cast<uint32_t>(bits(told.type) / 8) : plain_width;
        const uint32_t elsewhere = width_elsewhere(copy);
        fill(copy.to, elsewhere ? elsewhere : declared);
    }
}

// A multimem address, and all that it points to, have the same elements. Of these some may be accessed by one address alone.
void Elements::make_alike(const Memory& memory) {
    for (size_t round = 0; round < multimem_.size(); ++round)  // an object may have several addresses
        for (const size_t address : multimem_) {
            for (const size_t object : memory.object(address).points_to) {
                for (const auto& [offset, element] : of(object)) put(address, offset, element);
                granules_[address] = std::max(granules_[address], granules_[object]);
            }
            for (const size_t object : memory.object(address).points_to) {
                elements_[object] = elements_[address];
                granules_[object] = granules_[address];
            }
        }
}

const std::map<uint64_t, ElementSize>& Elements::of(size_t object) const {
    return elements_.at(object);
}

const std::pair<const uint64_t, ElementSize>* Elements::at(size_t object, uint64_t offset) const {
    const auto& elements = of(object);
    auto after = elements.upper_bound(offset);
    if (after == elements.begin()) return nullptr;
    --after;
    return offset < after->first + after->second.width ? &*after : nullptr;
}

void Elements::mixed(const std::string& what, const ElementSize& one, const ElementSize& other) const {
    const auto text = [&](const ElementSize& element) {
        const std::string line = element.origin ? text_of(module_, shown_line(module_, *element.origin)) : "";
        const uint32_t halves = is_packed(element) ? 2 : 1;
        return std::to_string(element.width / halves) + " bytes by " +
               (element.instruction ? "`" + spelling(*element.instruction) + "`" : "a copy") + (line.empty() ? "" : " at " + line);
    };
    const auto place = other.statement ? other.statement : one.statement;
    throw Failure(module_.source, place ? statement_span(module_, *place) : Span{},
                  what + " to one place: " + text(one) + " and " + text(other) + " (ISA 8.7.2)",
                  "partial overlaps are outside the memory model; access it with one size, or choose other threads with --threads");
}

}  // namespace litmus::kernel
