// Cuts objects, and puts new addresses into instructions.
#include "kernel/carve.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "kernel/elements.h"
#include "kernel/roles.h"
#include "kernel/scale.h"
#include "language/test.h"
#include "ptx/traits.h"

namespace litmus::kernel {

namespace {

// "0, 4..7, 31"
std::string ranges(const std::vector<uint64_t>& numbers) {
    std::string text;
    for (size_t i = 0; i < numbers.size();) {
        size_t last = i;
        while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
        text += (text.empty() ? "" : ", ") + std::to_string(numbers[i]);
        if (last > i) text += (last == i + 1 ? ", " : "..") + std::to_string(numbers[last]);
        i = last + 1;
    }
    return text;
}

class Carver {
public:
    Carver(const Module& module, const Traces& traces, const Memory& memory, std::vector<Trace> threads, const Granules& granules)
        : traces_(traces), memory_(memory), granules_(granules), scaled_(std::move(threads)), elements_(module, memory, scaled_, granules) {
        for (const Trace& trace : scaled_)
            for (const Instruction& instruction : trace.body) note_registers(instruction);
        for (const bool points : {false, true})  // what a multimem address points to comes before it
            for (size_t object = 0; object < memory.object_count(); ++object)
                if (points != memory.object(object).points_to.empty()) cut(object);
        say_met();
        say_never_written();
        result_.threads = scaled_;
        for (Trace& trace : result_.threads)
            for (size_t i = 0; i < trace.body.size(); ++i) place(module, trace, i);
    }
    Carved take() { return std::move(result_); }

private:
    // ---- locations -----------------------------------------------------------------------------------------

    void note_registers(const Instruction& instruction) {
        const auto note = [this](const auto& self, const Operand& operand) -> void {
            if (operand.kind == Operand::Kind::reg) taken_.insert(operand.name);
            for (const Operand& element : operand.elements) self(self, element);
        };
        for (const Operand& operand : instruction.operands) note(note, operand);
    }
    std::string fresh_name(std::string name) {
        while (!taken_.insert(name).second) name += "_";
        return name;
    }

    void cut(size_t object) {
        std::map<uint32_t, std::vector<uint64_t>> by_width;  // to the offsets of elements
        for (const auto& [offset, element] : elements_.of(object)) {
            if (element.mbarrier)
                mbarrier(object, offset);
            else
                by_width[element.width].push_back(offset);
        }
        for (const auto& [width, offsets] : by_width) array(object, width, offsets, by_width.size() > 1);
    }

    void mbarrier(size_t object, uint64_t offset) {
        CarvedPiece piece;
        piece.object = object;
        piece.width = 8;
        piece.granule = 8;
        piece.granules = {offset};
        piece.location.name = fresh_name(mbarrier_name(memory_.object(object), offset));
        piece.location.space = memory_.object(object).space;
        piece.location.is_mbarrier = true;
        piece.location.type = Type::b64;
        piece.location.init = {0};
        result_.pieces.push_back(std::move(piece));
    }

    void array(size_t index, uint32_t width, const std::vector<uint64_t>& offsets, bool several) {
        const Object& object = memory_.object(index);
        CarvedPiece piece;
        piece.object = index;
        piece.width = width;
        piece.granule = std::max<uint64_t>(elements_.granule(index), width);
        for (const uint64_t offset : offsets) {
            const uint64_t begin = offset - offset % piece.granule;
            if (piece.granules.empty() || piece.granules.back() != begin) piece.granules.push_back(begin);
        }
        Location& location = piece.location;
        location.name = fresh_name(object.name + (several ? "_" + std::to_string(8 * width) : ""));
        location.space = object.space;
        location.wide = width == 16;
        location.type = location.wide ? Type::b64 : type_of(index, width);
        location.array = object.bytes.size() != width;
        const uint32_t part = location.wide ? width / 2 : width;
        location.count = static_cast<int>(piece.granules.size() * piece.granule / part);
        for (const uint64_t begin : piece.granules)
            for (uint64_t at = begin; at < begin + piece.granule; at += part) location.init.push_back(initial(object, at, part));
        piece.kept = kept_text(object, piece);
        for (const CarvedPiece& other : result_.pieces)
            if (std::count(object.points_to.begin(), object.points_to.end(), other.object) > 0 && other.width == width)
                location.points_to.push_back(other.location.name);
        result_.pieces.push_back(std::move(piece));
    }

    // As declared where that fits, else as the first access says.
    Type type_of(size_t index, uint32_t width) const {
        const Object& object = memory_.object(index);
        const auto fits = [width](Type type) { return bits(type) == static_cast<int>(8 * width); };
        if (object.typed && fits(object.type)) return object.type;
        for (const auto& [offset, element] : elements_.of(index))
            if (element.instruction && !element.mbarrier && fits(data_type(*element.instruction))) return data_type(*element.instruction);
        switch (width) {
            case 1:
                return Type::u8;
            case 2:
                return Type::u16;
            case 8:
                return Type::u64;
            default:
                return Type::u32;
        }
    }

    static uint64_t initial(const Object& object, uint64_t at, uint32_t width) {
        uint64_t value = 0;
        for (uint32_t i = 0; i < width && i < 8; ++i)
            if (at + i < object.bytes.size()) value |= static_cast<uint64_t>(object.bytes[at + i]) << (8 * i);
        return value;
    }

    static std::string kept_text(const Object& object, const CarvedPiece& piece) {
        std::vector<uint64_t> kept;
        for (const uint64_t begin : piece.granules)
            for (uint64_t at = begin; at < begin + piece.granule; at += piece.width) kept.push_back(at / piece.width);
        if (!piece.location.array || kept.size() * piece.width >= object.bytes.size()) return {};
        const std::string all = std::to_string(object.bytes.size() / piece.width);
        return piece.location.name + " is of " + object.name + "[" + all + "] the elements " + ranges(kept);
    }

    // Which elements several of the threads touch, and which threads: without any, the test would prove nothing.
    void say_met() {
        std::map<std::tuple<size_t, int, uint64_t>, std::set<size_t>> users;
        for (size_t t = 0; t < scaled_.size(); ++t)
            for (const Instruction& instruction : scaled_[t].body)
                for (const Touch& touch : memory_.touches(instruction, scaled_[t].seat)) {
                    if (touch.mbarrier) continue;
                    const auto& elements = elements_.of(touch.object);
                    for (auto e = elements.lower_bound(touch.offset); e != elements.end() && e->first < touch.offset + touch.bytes; ++e)
                        users[{touch.object, touch.block, e->first}].insert(t);
                }
        std::map<std::tuple<size_t, int, std::set<size_t>>, std::vector<uint64_t>> met;  // numbers of elements
        for (const auto& [place, threads] : users) {
            const auto& [object, block, offset] = place;
            if (threads.size() > 1) met[{object, block, threads}].push_back(offset / elements_.of(object).at(offset).width);
        }
        for (const auto& [what, numbers] : met) {
            const auto& [object, block, threads] = what;
            std::string who;
            for (const size_t t : threads) who += (who.empty() ? "" : ", ") + thread_name(traces_, scaled_[t].seat);
            result_.lines.push_back(memory_.object(object).name + (block >= 0 ? "@" + cta_name(block) : "") + "[" + ranges(numbers) +
                                    "] is touched by " + who);
        }
        result_.shared = !met.empty();
    }

    // Shared memory that is read and that no thread of the launch ever writes. (What is read too early races with what writes it.)
    void say_never_written() {
        std::vector<Touch> writes;
        for (const Trace& trace : traces_.threads)
            for (const Instruction& instruction : trace.body)
                for (const Touch& touch : memory_.touches(instruction, trace.seat))
                    if (touch.writes && touch.block >= 0) writes.push_back(touch);
        std::map<std::pair<size_t, int>, std::set<uint64_t>> found;  // numbers of elements
        for (const Trace& trace : scaled_)
            for (const Instruction& instruction : trace.body)
                for (Touch touch : memory_.touches(instruction, trace.seat)) {
                    if (!touch.reads || touch.atomic || touch.block < 0) continue;
                    const auto& elements = elements_.of(touch.object);
                    for (auto e = elements.lower_bound(touch.offset); e != elements.end() && e->first < touch.offset + touch.bytes; ++e) {
                        Touch element = touch;
                        element.offset = e->first;
                        element.bytes = e->second.width;
                        const bool written =
                            std::any_of(writes.begin(), writes.end(), [&](const Touch& w) { return w.same_cells(element); });
                        if (!written) found[{touch.object, touch.block}].insert(e->first / e->second.width);
                    }
                }
        for (const auto& [place, numbers] : found)
            result_.lines.push_back(memory_.object(place.first).name + "@" + cta_name(place.second) + "[" +
                                    ranges({numbers.begin(), numbers.end()}) + "] is read, and no thread of the launch writes it");
    }

    // ---- instructions --------------------------------------------------------------------------------------

    void place(const Module& module, Trace& trace, size_t number) {
        Instruction& instruction = trace.body[number];
        const Seat& seat = trace.seat;
        const bool bulk = is_bulk(instruction);
        if (bulk && instruction.find(Role::size)) {
            for (const Touch& touch : memory_.touches(instruction, seat))
                if (touch.role == Role::copy_to) instruction.at(Role::size).value = granules_.kept_bytes(touch);
        }
        for (Operand& operand : instruction.operands) {
            if (operand.kind != Operand::Kind::address && operand.kind != Operand::Kind::symbol) continue;
            const Touch touch = memory_.place(operand, seat);
            const auto found = placed(touch);
            if (!found)
                throw Failure(module.source, statement_span(module, trace.statements[number]),
                              "`" + spelling(instruction) + "` accesses no bytes here, so that a test has no place for its operand",
                              "the size of a copy is at least 16 (ISA 9.7.9.25.4.1)");
            const auto [piece, offset] = *found;
            operand.name = piece->location.name;
            operand.offset = static_cast<int64_t>(offset);
            operand.cta = touch.block >= 0 && touch.block != static_cast<int>(seat.block) ? touch.block : -1;
        }
    }

    // Where the first kept byte at or after this one has gone; none: there is no such byte.
    std::optional<std::pair<const CarvedPiece*, uint64_t>> placed(const Touch& touch) const {
        const auto* element = elements_.at(touch.object, touch.offset);
        const auto& elements = elements_.of(touch.object);
        if (!element) {
            const auto next = elements.lower_bound(touch.offset);
            if (next == elements.end()) return std::nullopt;
            element = &*next;
        }
        const uint64_t offset = std::max(touch.offset, element->first);
        for (const CarvedPiece& piece : result_.pieces) {
            if (piece.object != touch.object || piece.width != element->second.width) continue;
            if (piece.location.is_mbarrier != element->second.mbarrier) continue;
            const uint64_t begin = piece.location.is_mbarrier ? element->first : offset - offset % piece.granule;
            const auto found = std::lower_bound(piece.granules.begin(), piece.granules.end(), begin);
            if (found == piece.granules.end() || *found != begin) continue;
            return std::pair(&piece, static_cast<uint64_t>(found - piece.granules.begin()) * piece.granule + (offset - begin));
        }
        throw std::logic_error("carve: an element without a location");
    }

    const Traces& traces_;
    const Memory& memory_;
    const Granules& granules_;
    std::vector<Trace> scaled_;
    const Elements elements_;
    std::set<std::string> taken_;
    Carved result_;
};

}  // namespace

Carved carve(const Module& module, const Traces& traces, const Memory& memory, std::vector<Trace> threads, const Granules& granules) {
    return Carver(module, traces, memory, std::move(threads), granules).take();
}

}  // namespace litmus::kernel
