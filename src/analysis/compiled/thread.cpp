// A load or a store without code is told from its neighbours: one that is wider than it was written, and reaches as far, does the access of
// both; else a load has the value of the last access to the same bytes before it, and a store was dropped.
#include "analysis/compiled/thread.h"

#include <algorithm>

#include "language/origin.h"
#include "language/syntax/native/print.h"
#include "ptx/traits.h"
#include "sass/code.h"

namespace litmus::compiled {

namespace {

bool in_shared_memory(const Test& test, const Instruction& instruction) {
    const Operand* address = instruction.find(Role::address);
    if (address == nullptr || address->indirect) return true;  // it may be
    const Location* location = find_location(test, address->name);
    return location == nullptr || location->space == Space::shared;
}

// No cache holds shared memory, of whatever CTA.
bool surely_in_shared_memory(const Test& test, const Instruction& instruction) {
    if (instruction.has("shared::cta") || instruction.has("shared::cluster")) return true;
    const Operand* address = instruction.find(Role::address);
    const Location* location = address == nullptr ? nullptr : find_location(test, address->name);
    return location != nullptr && location->space == Space::shared;
}

sass::Acquires acquires(const Test& test, const Instruction& instruction) {
    using Kind = Traits::Kind;
    using How = sass::Acquires::How;
    const Sem sem = semantics(instruction);
    const bool acquiring = sem == Sem::acquire || sem == Sem::acq_rel || sem == Sem::sc;
    const bool wide = acquiring && scope(instruction) != Scope::cta && scope(instruction) != Scope::none;
    const auto when = [&](bool so, How how) { return sass::Acquires{so ? how : How::no, in_shared_memory(test, instruction), wide}; };
    switch (kind(instruction.op)) {
        case Kind::load:
        case Kind::atomic:
        case Kind::mbarrier_wait:
            return when(acquiring, How::when_read);
        case Kind::fence:
            return when(acquiring, How::at_end);
        case Kind::proxy_fence:
            return when(true, How::at_end);
        default:
            return when(traits(instruction.op).waits, How::at_end);
    }
}

bool is_read(const Instruction& i) {
    return i.op == Op::ld || i.op == Op::ld_nc;
}

// The bytes that `inner` accesses are among those of [offset, offset + bytes) of the same base.
bool holds(const Footprint& outer, int64_t offset, int64_t bytes, const Footprint& inner) {
    return outer.base == inner.base && inner.offset >= offset && inner.offset + inner.bytes() <= offset + bytes;
}

class Finder {
public:
    Finder(const Test& test, const ThreadCode& code) : body_(test.threads[code.thread].body), code_(code) {}

    Change gone(const sass::Gone& gone) const {
        const size_t instruction = code_.instructions[gone.instruction];
        Change change{Change::Kind::dropped, code_.thread, instruction, {}};
        const std::optional<Footprint> own = footprint(body_[instruction]);
        if (!own) return change;
        for (size_t k = 0; k < code_.instructions.size(); ++k)
            if (does_both(k, instruction, *own)) return {Change::Kind::merged, code_.thread, instruction, code_.instructions[k]};
        if (is_read(body_[instruction])) change.other = source(instruction, *own);
        return change;
    }

private:
    // Whether the access of the k-th instruction is wider than it is written and has the other's bytes, too. A wide access is aligned.
    bool does_both(size_t k, size_t gone, const Footprint& own) const {
        const Instruction& wide = body_[code_.instructions[k]];
        const std::optional<Footprint> written = footprint(wide);
        if (!written || is_read(wide) != is_read(body_[gone]) || code_.order.places[k].empty()) return false;
        const int64_t bytes = code_.order.bits[k] / 8;
        if (bytes <= written->bytes()) return false;
        return holds(*written, written->offset / bytes * bytes, bytes, own);
    }

    // The last access before it to all of its bytes, unless one to some of them stands between; else the first load behind it.
    std::optional<size_t> source(size_t instruction, const Footprint& own) const {
        for (size_t i = instruction; i-- > 0;) {
            const std::optional<Footprint> other = footprint(body_[i]);
            if (!other || other->base != own.base || other->offset >= own.offset + own.bytes() ||
                own.offset >= other->offset + other->bytes())
                continue;
            if (!holds(*other, other->offset, other->bytes(), own)) return std::nullopt;
            return i;
        }
        for (size_t i = instruction + 1; i < body_.size(); ++i) {
            const std::optional<Footprint> other = footprint(body_[i]);
            if (other && is_read(body_[i]) && holds(*other, other->offset, other->bytes(), own)) return i;
        }
        return std::nullopt;
    }

    const std::vector<Instruction>& body_;
    const ThreadCode& code_;
};

}  // namespace

std::optional<Footprint> footprint(const Instruction& instruction) {
    if (!is_read(instruction) && instruction.op != Op::st) return std::nullopt;
    const Operand& address = instruction.at(Role::address);
    Footprint result;
    result.base = (address.indirect ? "%" : "") + address.name + (address.cta >= 0 ? "@" + std::to_string(address.cta) : "");
    result.offset = address.offset;
    result.element = bits(data_type(instruction)) / 8;
    result.elements = vector_width(instruction);
    return result;
}

ThreadCode read_thread(const Test& test, size_t thread, const std::vector<gpu::PtxText::Mark>& marks, const sass::Cubin& cubin,
                       const sass::Function& function) {
    ThreadCode code;
    code.thread = thread;
    std::vector<uint32_t> lines;
    std::vector<sass::Acquires> acquiring;
    for (const gpu::PtxText::Mark& mark : marks) {
        if (mark.thread != thread) continue;
        lines.push_back(mark.line);
        code.instructions.push_back(mark.instruction);
        acquiring.push_back(acquires(test, test.threads[thread].body[mark.instruction]));
    }
    code.order = sass::order_of(cubin, function, lines);
    code.unwaited = sass::unwaited(function, code.order, acquiring);
    for (uint64_t at = 0; at + sass::instruction_bytes <= function.code.size(); at += sass::instruction_bytes) {
        code.cost.instructions += sass::effect_at(function.code, at) != sass::Effect::empty;
        code.cost.loads += sass::is_load(function.code, at);
        code.cost.barriers += sass::is_fence(function.code, at) || sass::forgets_caches(function.code, at);
    }
    return code;
}

Cost cost_of(const std::vector<ThreadCode>& codes) {
    Cost sum;
    for (const ThreadCode& code : codes) {
        sum.instructions += code.cost.instructions;
        sum.loads += code.cost.loads;
        sum.barriers += code.cost.barriers;
    }
    return sum;
}

std::vector<Change> changes_of(const Test& test, const ThreadCode& code) {
    const Finder finder(test, code);
    std::vector<Change> changes;
    for (const sass::Gone& gone : code.order.gone) changes.push_back(finder.gone(gone));
    for (const sass::Moved& m : code.order.moved)
        changes.push_back({Change::Kind::moved, code.thread, code.instructions[m.later], code.instructions[m.earlier]});
    for (const sass::Unwaited& u : code.unwaited) {
        const Instruction& access = test.threads[code.thread].body[code.instructions[u.access]];
        if (u.stale && surely_in_shared_memory(test, access)) continue;
        changes.push_back({u.stale ? Change::Kind::stale : Change::Kind::unwaited, code.thread, code.instructions[u.access],
                           code.instructions[u.acquire]});
    }
    return changes;
}

std::string_view name(Change::Kind kind) {
    switch (kind) {
        case Change::Kind::moved:
            return "moved";
        case Change::Kind::unwaited:
            return "unwaited";
        case Change::Kind::stale:
            return "stale";
        case Change::Kind::dropped:
            return "dropped";
        case Change::Kind::merged:
            return "merged";
    }
    return {};
}

std::string in_words(const Test& test, const Change& change) {
    const Thread& thread = test.threads[change.thread];
    const auto words = [&](size_t i) {
        const std::string place = short_text(origin_of(test, thread.body[i]));
        return "`" + print(thread.body[i]) + "`" + (place.empty() ? "" : " (" + place + ")");
    };
    const std::string head = thread.name + ": " + words(change.instruction) + " is ";
    const std::string other = change.other ? words(*change.other) : std::string();
    switch (change.kind) {
        case Change::Kind::moved:
            return head + "issued before " + other;
        case Change::Kind::unwaited:
            return head + "issued before the result of " + other + " is waited for";
        case Change::Kind::stale:
            return head + "not after the CCTL by which " + other + " makes caches forget";
        case Change::Kind::dropped:
            return head + "dropped" + (other.empty() ? "" : ": it gets the value of " + other);
        case Change::Kind::merged:
            return head + "merged into " + other;
    }
    return {};
}

}  // namespace litmus::compiled
