// The static rules of asynchronous operations and mbarrier objects (semantics.md section 9).
//
// Each function checks one instruction; what its operands hold in registers is left to the event builder. Sizes and
// counts are checked where they are written as numbers, places where they are written as names.
#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "syntax/dsl_rules.h"
#include "test/layout.h"

namespace litmus::dsl {
namespace {

constexpr uint64_t max_count = (1u << 20) - 1;  // ISA 9.7.13.15.2
constexpr uint64_t bulk_unit = 16;              // bytes; ISA 9.7.9.25.4.1
constexpr int64_t mbarrier_bytes = 8;           // ISA 9.7.13.15.1
constexpr size_t most_ctas = 16;                // bits of a multicast mask

std::string quoted(std::string_view text) {
    return "`" + std::string(text) + "`";
}

std::string cta_name(int cta) {
    return "cta" + std::to_string(cta);
}

std::string isa(const Form& form) {
    return " (ISA " + form.section + ")";
}

bool is_number(const Operand& operand) {
    return operand.kind == Operand::Kind::immediate;
}

// A number in the 32 bits that the instruction reads.
uint64_t number(const Operand& operand) {
    return truncate(operand.value, 32);
}

bool is_wait(Op op) {
    return op == Op::mbarrier_test_wait || op == Op::mbarrier_try_wait;
}

bool is_arrival(Op op) {
    return op == Op::mbarrier_arrive || op == Op::mbarrier_arrive_drop;
}

// The operand that the box calls this, if the instruction has it.
const Operand* operand_named(const Instruction& instruction, const Form& form, std::string_view name) {
    for (size_t i = 0; i < instruction.operands.size(); ++i) {
        const Shape* shape = shape_of(form, instruction, i);
        if (shape && shape->name == name) return &instruction.operands[i];
    }
    return nullptr;
}

// The n-th state space that the text names: of a copy first the destination's, then the source's.
std::string_view space_word(const Instruction& instruction, size_t n) {
    for (const std::string& qualifier : instruction.qualifiers)
        if ((qualifier == "global" || qualifier.rfind("shared", 0) == 0) && n-- == 0) return qualifier;
    return {};
}

class Async {
public:
    Async(Rules& rules, const Thread& thread, const Instruction& instruction, const Form& form)
        : rules_(rules), thread_(thread), instruction_(instruction), form_(form) {}

    void run() {
        check_mbarrier();
        check_counts();
        switch (instruction_.op) {
            case Op::mbarrier_arrive:
            case Op::mbarrier_arrive_drop:
                return check_state_destination();
            case Op::mbarrier_test_wait:
            case Op::mbarrier_try_wait:
                return check_wait();
            case Op::mbarrier_pending_count:
                return check_pending_count();
            case Op::red_async:
            case Op::st_async:
                return check_remote_write();
            case Op::bulk_reduce:
            case Op::bulk_copy:
                return check_bulk();
            case Op::async_copy:
                return check_async_copy();
            case Op::redux_sync:
                return check_mask();
            default:
                return;
        }
    }

private:
    const Operand* operand(std::string_view name) const { return operand_named(instruction_, form_, name); }

    // The location that an address names; null when it is in a register.
    const Location* location_of(const Operand* address) const {
        return address && !address->indirect ? find_location(rules_.test, address->name) : nullptr;
    }

    std::optional<int> owner(const Operand* address) const {
        const Location* location = location_of(address);
        if (!location || location->space != Space::shared) return std::nullopt;
        return Rules::owner(thread_, *address, *location);
    }

    // ---- mbarrier operands (ISA 9.7.13.15.1, 9.7.13.15.8) ----------------------------------------------

    void check_mbarrier() {
        const Operand* mbar = operand("[mbar]");
        const Location* location = location_of(mbar);
        if (!location) return;
        if (!location->is_mbarrier)
            return rules_.report(
                mbar->span, quoted(location->name) + " is no mbarrier object (ISA 9.7.13.15.1)",
                "declare it: .shared." + cta_name(location->cta.value_or(thread_.at.cta)) + " .mbarrier " + location->name + ";");
        if (mbar->offset % mbarrier_bytes != 0 || mbar->offset < 0 || mbar->offset >= mbarrier_bytes * location->count)
            return rules_.report(mbar->span,
                                 "there is no mbarrier object at byte " + std::to_string(mbar->offset) + " of " + quoted(location->name) +
                                     " (ISA 9.7.13.15.1)",
                                 "they are 8 bytes apart, and " + quoted(location->name) + " has " + std::to_string(location->count));
        if (!rules_.check_instance(mbar->span, mbar->cta, *location)) return;
        if (!check_supported(*mbar, *location)) return;
        // the state spaces of a copy are those of its data
        const std::string_view space = is_copy(instruction_.op) ? std::string_view() : space_word(instruction_, 0);
        rules_.check_reach(thread_, *mbar, *location, space);
    }

    // What an object of another CTA does not support.
    bool check_supported(const Operand& mbar, const Location& location) {
        const int cta = Rules::owner(thread_, mbar, location);
        if (cta == thread_.at.cta) return true;
        const std::string where = quoted(location.name) + " lies in the shared memory of " + cta_name(cta);
        if (is_wait(instruction_.op)) {
            rules_.report(mbar.span, where + ": only the threads of that CTA wait on it (ISA 9.7.13.15.8)",
                          "wait on an object of " + cta_name(thread_.at.cta) + ", to which the other CTA arrives by `.shared::cluster`");
            return false;
        }
        const bool own_only = instruction_.op == Op::mbarrier_init || instruction_.op == Op::mbarrier_inval ||
                              instruction_.op == Op::async_arrive || instruction_.has("noComplete");
        if (!own_only) return true;
        const std::string what = instruction_.has("noComplete") ? form_.mnemonic + ".noComplete" : form_.mnemonic;
        rules_.report(mbar.span, where + ": " + quoted(what) + " is for the threads of that CTA (ISA 9.7.13.15.8)",
                      "let a thread of " + cta_name(cta) + " do it");
        return false;
    }

    // A state comes back from objects of the executing CTA only.
    void check_state_destination() {
        const Operand* mbar = operand("[mbar]");
        const auto cta = owner(mbar);
        if (!cta || *cta == thread_.at.cta || instruction_.operands[0].kind == Operand::Kind::sink) return;
        if (!space_word(instruction_, 0).empty() || instruction_.has("noComplete")) return;  // refused with its place
        rules_.report(instruction_.operands[0].span,
                      "an arrival at an object of " + cta_name(*cta) + " returns no state to " + cta_name(thread_.at.cta) + isa(form_),
                      "write `_` in its place");
    }

    // ---- counts (ISA 9.7.13.15.2) ----------------------------------------------------------------------

    void check_counts() {
        if (const Operand* count = operand("count"); count && is_number(*count)) {
            const std::string what = instruction_.op == Op::mbarrier_init ? "the number of expected arrivals" : "the number of arrivals";
            if (number(*count) < 1 || number(*count) > max_count)
                rules_.report(count->span, what + " is from 1 to 1048575 (ISA 9.7.13.15.2)");
        }
        if (const Operand* bytes = operand("txCount"); bytes && is_number(*bytes) && number(*bytes) > max_count)
            rules_.report(bytes->span, "a tx-count is at most 1048575 (ISA 9.7.13.15.2)");
    }

    // ---- waits (ISA 9.7.13.15.16) ----------------------------------------------------------------------

    void check_wait() {
        if (const Operand* parity = operand("phaseParity")) {
            if (is_number(*parity) && number(*parity) > 1)
                rules_.report(parity->span, "the parity of a phase is 0 or 1" + isa(form_),
                              "phase n has parity n mod 2: write " + std::to_string(number(*parity) % 2));
            else if (parity->kind == Operand::Kind::reg && written_only_by(parity->name, is_arrival))
                rules_.report(parity->span, quoted(parity->name) + " holds a state, not a parity" + isa(form_), "leave out `.parity`");
        }
        const Operand* state = operand("state");
        if (state && is_number(*state))
            rules_.report(state->span, "a state is what `mbarrier.arrive` returned, not a number" + isa(form_),
                          "to wait for the phase of a parity, write `.parity`");
        const Operand* mbar = operand("[mbar]");
        if (state && state->kind == Operand::Kind::reg && mbar && !mbar->indirect && arrived_elsewhere(state->name, *mbar))
            rules_.report(state->span, quoted(state->name) + " is the state of another object than " + quoted(mbar->name) + isa(form_));
    }

    void check_pending_count() {
        const Operand& state = instruction_.operands.back();
        if (is_number(state))
            return rules_.report(state.span, "a state is what `mbarrier.arrive.noComplete` returned, not a number" + isa(form_));
        const auto other_arrival = [](const Instruction& i) { return is_arrival(i.op) && !i.has("noComplete"); };
        if (written_only_by(state.name, other_arrival))
            rules_.report(state.span, quoted(state.name) + " is the state of an arrival that may complete the phase" + isa(form_),
                          "write `.noComplete` there");
    }

    template <typename Visit>
    void each_writer(const std::string& reg, Visit visit) const {
        for (const Instruction& other : thread_.body) {
            if (!written_type(other) || other.operands.empty()) continue;
            const Operand& target = other.operands[0];
            const auto names = [&](const Operand& o) { return o.kind == Operand::Kind::reg && o.name == reg; };
            if (names(target) || std::any_of(target.elements.begin(), target.elements.end(), names)) visit(other);
        }
    }

    // Something in the thread writes the register, and all that does is of this kind.
    template <typename Kind>
    bool written_only_by(const std::string& reg, Kind kind) const {
        bool some = false, all = true;
        each_writer(reg, [&](const Instruction& writer) {
            some = true;
            if constexpr (std::is_invocable_v<Kind, Op>)
                all = all && kind(writer.op);
            else
                all = all && kind(writer);
        });
        return some && all && rules_.complete;
    }

    // All that writes the register arrives at another object, by name.
    bool arrived_elsewhere(const std::string& reg, const Operand& mbar) const {
        return written_only_by(reg, [&](const Instruction& writer) {
            if (!is_arrival(writer.op) || writer.operands.size() < 2 || writer.operands[1].indirect) return false;
            const Operand& other = writer.operands[1];
            return other.name != mbar.name || other.offset != mbar.offset;
        });
    }

    // ---- red.async, st.async (ISA 9.7.13.7, 9.7.9.12) --------------------------------------------------

    void check_remote_write() {
        const Operand* mbar = operand("[mbar]");
        if (!mbar) return;  // with release semantics: to global memory
        const Operand& a = instruction_.operands[0];
        const auto destination = owner(&a), signal = owner(mbar);
        if (destination && signal && *destination != *signal)
            rules_.report(mbar->span,
                          quoted(a.name) + " lies in " + cta_name(*destination) + " and " + quoted(mbar->name) + " in " +
                              cta_name(*signal) + ": both must lie in one CTA" + isa(form_),
                          "use an mbarrier object of " + cta_name(*destination));
        if (instruction_.op == Op::red_async && destination == thread_.at.cta)
            rules_.report(a.span,
                          quoted(a.name) + " lies in the executing CTA, " + cta_name(thread_.at.cta) +
                              ": `red.async` reduces in another one" + isa(form_),
                          elsewhere(a, "in the executing CTA, write `red`"));
        if (instruction_.op == Op::st_async && rules_.complete && rules_.cluster_of(thread_).size() < 2)
            rules_.report(instruction_.span, "`st.async` needs a cluster of more than one CTA" + isa(form_),
                          "place another thread or location of the test in another CTA of cluster " + std::to_string(thread_.at.cluster));
    }

    // How to name another CTA's instance of a location that has several.
    std::string elsewhere(const Operand& address, const std::string& otherwise) const {
        const Location* location = location_of(&address);
        if (!location || location->cta) return otherwise;
        for (const int cta : rules_.cluster_of(thread_))
            if (cta != thread_.at.cta) return "name the instance: `" + location->name + "@" + cta_name(cta) + "`";
        return otherwise;
    }

    // ---- copies (ISA 9.7.9.25) -------------------------------------------------------------------------

    // One side of a copy: its location lies where the text says, and is no mbarrier object.
    bool check_side(const Operand& address, size_t side) {
        const Location* location = location_of(&address);
        if (!location) return true;
        const std::string_view space = space_word(instruction_, side);
        const std::string what = side == 0 ? "the destination" : "the source";
        if (location->is_mbarrier)
            rules_.report(address.span,
                          quoted(location->name) + " is an mbarrier object; only mbarrier instructions use it (ISA 9.7.13.15.1)");
        else if (location->proxy != Proxy::generic)
            rules_.report(address.span, quoted(location->name) + " is a " + std::string(name(location->proxy)) + " address, which " +
                                            quoted(form_.mnemonic) + " does not access");
        else if ((location->space == Space::shared) != (space != "global"))
            rules_.report(address.span,
                          quoted(location->name) + " lies in " + (space == "global" ? "shared" : "global") + " memory, and " + what +
                              " is said to be in `." + std::string(space) + "`" + isa(form_),
                          "the first state space is the destination's, the second the source's");
        else
            return rules_.check_instance(address.span, address.cta, *location) &&
                   (space == "global" || check_copy_reach(address, *location, space, what));
        return false;
    }

    bool check_copy_reach(const Operand& address, const Location& location, std::string_view space, const std::string& what) {
        const int cta = Rules::owner(thread_, address, location);
        if (space == "shared::cluster" || cta == thread_.at.cta) return rules_.check_reach(thread_, address, location, space);
        const bool may_name_cluster = instruction_.op == Op::bulk_copy && what == "the destination";
        rules_.report(address.span,
                      quoted(location.name) + " lies in " + cta_name(cta) + ", and " + what + " in `." + std::string(space) +
                          "` is memory of the executing CTA, " + cta_name(thread_.at.cta) + isa(form_),
                      may_name_cluster ? "write `.shared::cluster`" : "let a thread of " + cta_name(cta) + " do it");
        return false;
    }

    // [address, address + bytes) lies in its location, at elements of it.
    void check_range(const Operand& address, uint64_t bytes, uint64_t alignment) {
        const Location* location = location_of(&address);
        if (!location) return;
        const int64_t element = bits(location->type) / 8, size = element * location->count;
        if (address.offset % static_cast<int64_t>(alignment) != 0)
            rules_.report(address.span,
                          "byte " + std::to_string(address.offset) + " of " + quoted(location->name) + " is not aligned to " +
                              std::to_string(alignment) + " bytes" + isa(form_),
                          location->array ? "arrays begin at a multiple of 16" : "declare an array, which begins at a multiple of 16");
        else if (address.offset < 0 || address.offset + static_cast<int64_t>(bytes) > size)
            rules_.report(address.span,
                          std::to_string(bytes) + " bytes from byte " + std::to_string(address.offset) + " end outside " +
                              quoted(location->name) + ", which has " + std::to_string(size) + isa(form_),
                          location->array ? "" : "declare an array: a copy is of at least " + std::to_string(bytes) + " bytes");
        else if (bytes % static_cast<uint64_t>(element) != 0)
            rules_.report(address.span, std::to_string(bytes) + " bytes are no whole elements of " + quoted(location->name) +
                                            ": partial overlaps are outside the memory model (ISA 8.7.2)");
    }

    // What one side writes as an element the other reads as one.
    void check_same_elements(const Operand& destination, const Operand& source) {
        const Location* to = location_of(&destination);
        const Location* from = location_of(&source);
        if (to && from && bits(to->type) != bits(from->type))
            rules_.report(destination.span,
                          quoted(to->name) + " has elements of " + std::to_string(bits(to->type)) + " bits and " + quoted(from->name) +
                              " of " + std::to_string(bits(from->type)) + ": partial overlaps are outside the memory model (ISA 8.7.2)",
                          "declare both with elements of one size");
    }

    void check_bulk() {
        const Operand& destination = instruction_.operands[0];
        const Operand& source = instruction_.operands[1];
        const bool to_good = check_side(destination, 0), from_good = check_side(source, 1);
        const Operand& size = instruction_.operands[2];
        uint64_t bytes = bulk_unit;  // at least, when the size is in a register
        if (is_number(size)) {
            bytes = number(size);
            if (bytes == 0 || bytes % bulk_unit != 0)
                return rules_.report(size.span, "the size of a bulk operation is a multiple of 16 bytes" + isa(form_),
                                     "the next is " + std::to_string((bytes / bulk_unit + 1) * bulk_unit));
        }
        if (!to_good || !from_good) return;
        check_range(destination, bytes, bulk_unit);
        check_range(source, bytes, bulk_unit);
        if (instruction_.op == Op::bulk_reduce)
            for (const Operand* side : {&destination, &source}) check_element_type(*side);
        else
            check_same_elements(destination, source);
        if (instruction_.has("multicast::cluster"))
            check_multicast(destination, bytes);
        else
            check_places(destination, source);
    }

    void check_element_type(const Operand& address) {
        const Location* location = location_of(&address);
        const Type type = data_type(instruction_);
        if (location && bits(location->type) != bits(type))
            rules_.report(address.span,
                          "a `." + std::string(name(type)) + "` reduction of " + quoted(location->name) + ", whose elements are `." +
                              std::string(name(location->type)) + "`: partial overlaps are outside the memory model (ISA 8.7.2)",
                          "declare it with elements of " + std::to_string(bits(type)) + " bits");
    }

    void check_places(const Operand& destination, const Operand& source) {
        const auto to = owner(&destination), from = owner(&source);
        if (instruction_.op == Op::bulk_copy && to && from && *to == thread_.at.cta)
            rules_.report(destination.span,
                          quoted(destination.name) +
                              " lies in the executing CTA: a copy from `.shared::cta` to `.shared::cluster` goes to "
                              "another one" +
                              isa(form_),
                          elsewhere(destination, "within one CTA, copy with `ld` and `st`"));
    }

    // Every CTA of the mask has, at the offsets of destination and object in their own CTA, an array and an object.
    void check_multicast(const Operand& destination, uint64_t bytes) {
        const Operand* mask = operand("ctaMask");
        const Operand* mbar = operand("[mbar]");
        if (!mask || !is_number(*mask)) return;
        const std::vector<int> cluster = rules_.cluster_of(thread_);
        if (mask->value == 0) return rules_.report(mask->span, "a multicast mask of 0 names no CTA" + isa(form_));
        for (size_t k = 0; k < most_ctas; ++k) {
            if ((mask->value >> k & 1) == 0) continue;
            if (k < cluster.size()) {
                check_multicast_place(*mask, destination, cluster[k], bytes);
                check_multicast_place(*mask, *mbar, cluster[k], static_cast<uint64_t>(mbarrier_bytes));
            } else if (rules_.complete) {
                return rules_.report(mask->span,
                                     "bit " + std::to_string(k) + " of the multicast mask names no CTA: the cluster has " +
                                         std::to_string(cluster.size()) + isa(form_),
                                     "bit k is the k-th CTA of the cluster, from 0");
            }
        }
    }

    void check_multicast_place(const Operand& mask, const Operand& address, int cta, uint64_t bytes) {
        const Location* location = location_of(&address);
        const auto from = owner(&address);
        if (!location || !from || address.offset < 0) return;
        const int64_t at = shared_offset(rules_.test, *location, *from) + address.offset;
        const auto place = shared_place(rules_.test, cta, at);
        const std::string what = "byte " + std::to_string(at) + " of the shared memory of " + cta_name(cta);
        const std::string hint = "declare it without a CTA, `.shared " +
                                 (location->is_mbarrier ? ".mbarrier " : "." + std::string(name(location->type)) + " ") + location->name +
                                 (location->array ? "[" + std::to_string(location->count) + "]" : "") + ";`, for one instance in each";
        if (!place || place->location->is_mbarrier != location->is_mbarrier ||
            (location->is_mbarrier && place->offset % mbarrier_bytes != 0))
            return rules_.report(mask.span,
                                 "the multicast goes to " + what + " too, where there is no " +
                                     (location->is_mbarrier ? "mbarrier object" : "array") + " like " + quoted(location->name) + isa(form_),
                                 hint);
        const int64_t size = bits(place->location->type) / 8 * place->location->count;
        if (bits(place->location->type) != bits(location->type) || place->offset + static_cast<int64_t>(bytes) > size)
            rules_.report(mask.span,
                          "the multicast goes to " + what + " too, where " + quoted(place->location->name) +
                              " has other elements or ends earlier than " + quoted(location->name) + isa(form_),
                          hint);
    }

    void check_async_copy() {
        const Operand& destination = instruction_.operands[0];
        const Operand& source = instruction_.operands[1];
        const Operand& size = instruction_.operands[2];
        const bool to_good = check_side(destination, 0), from_good = check_side(source, 1);
        const uint64_t bytes = size.value;
        if (bytes != 4 && bytes != 8 && bytes != 16)
            return rules_.report(size.span, "`cp.async` copies 4, 8 or 16 bytes" + isa(form_),
                                 "for more, write several, or `cp.async.bulk`");
        if (cached_globally_only() && bytes != 16)
            return rules_.report(size.span, "`cp.async.cg` copies 16 bytes" + isa(form_), "write `.ca` for 4 and 8");
        if (const Operand* read = operand("src-size"); read && is_number(*read) && number(*read) > bytes)
            rules_.report(read->span, "the size of the source is at most that of the copy, " + std::to_string(bytes) + isa(form_),
                          "what it leaves out is filled with zeros");
        if (!to_good || !from_good) return;
        check_range(destination, bytes, bytes);
        check_range(source, bytes, bytes);
        check_same_elements(destination, source);
        const Operand* read = operand("src-size");
        if (const Location* from = location_of(&source);
            read && from && is_number(*read) && number(*read) % (static_cast<uint64_t>(bits(from->type)) / 8) != 0)
            rules_.report(read->span, std::to_string(number(*read)) + " bytes are no whole elements of " + quoted(from->name) +
                                          ": partial overlaps are outside the memory model (ISA 8.7.2)");
    }

    bool cached_globally_only() const { return instruction_.has("cg"); }

    // ---- redux.sync (ISA 9.7.13.12) --------------------------------------------------------------------

    void check_mask() {
        const Operand* mask = operand("membermask");
        if (mask && is_number(*mask) && (number(*mask) >> thread_.at.lane & 1) == 0)
            rules_.report(mask->span, "the mask leaves out lane " + std::to_string(thread_.at.lane) + ", which executes this" + isa(form_),
                          "bit k is lane k; a thread that names no lane is lane 0");
    }

    Rules& rules_;
    const Thread& thread_;
    const Instruction& instruction_;
    const Form& form_;
};

}  // namespace

bool is_async_operand(const Instruction& instruction, const Form& form, const Operand& operand) {
    if (is_copy(instruction.op)) return true;
    const auto position = static_cast<size_t>(&operand - instruction.operands.data());
    const Shape* shape = shape_of(form, instruction, position);
    return shape && shape->role == Shape::Role::mbarrier;
}

void check_async(Rules& rules, const Thread& thread, const Instruction& instruction, const Form& form) {
    Async(rules, thread, instruction, form).run();
}

}  // namespace litmus::dsl
