// Static rules of plain accesses and of barriers; those of asynchronous operations stand in static_rules_async.cpp.
//
// Each rule stands beside the ISA section it comes from.
#include "language/static_rules.h"

#include <algorithm>
#include <array>
#include <utility>

#include "language/rule_subject.h"
#include "ptx/matrix.h"
#include "ptx/traits.h"

namespace litmus {
namespace rules {

std::string in_ticks(std::string_view text) {
    return "`" + std::string(text) + "`";
}

Subject::Part Subject::in(Role role, size_t nth) const {
    for (size_t i = 0; i < instruction().operands.size(); ++i)
        if (instruction().operands[i].role == role && nth-- == 0) return {&instruction().operands[i], known_.operands[i]};
    return {};
}

std::vector<Subject::Part> Subject::parts() const {
    std::vector<Part> all;
    for (size_t i = 0; i < instruction().operands.size(); ++i) all.push_back({&instruction().operands[i], known_.operands[i]});
    return all;
}

bool Subject::reaches(Space space) const {
    bool names_global = false, names_shared = false;
    for (const Slot& slot : form().slots)
        for (const Alternative& alternative : slot.alternatives) {
            names_global = names_global || alternative.word == "global";
            names_shared = names_shared || alternative.word.starts_with("shared");
        }
    return names_global == names_shared || (space == Space::global ? names_global : names_shared);
}

int64_t Subject::alignment(const Part& address) const {
    const AlignmentDemand asked = alignment_demand(instruction(), address.text->role);
    const Part size = asked.to != Role::none ? in(asked.to) : Part();
    return static_cast<int64_t>(std::max(asked.bytes, size.has_number() ? size.number() : 1));
}

void Subject::report(const Part& at, std::string message, std::string hint) {
    report(at.text->span, std::move(message), std::move(hint));
}

void Subject::report(Span at, std::string message, std::string hint) {
    found_.push_back({Diagnostic::Level::error, known_.test.source, at, std::move(message), std::move(hint)});
}

void Subject::report_unmodelled(const Part& at, std::string message, std::string hint) {
    report(at, std::move(message), std::move(hint));
    ++unmodelled_;
}

std::vector<int> Subject::cluster() const {
    std::vector<int> members;
    for (const auto& [cta, place] : ctas_of(test()))
        if (same_cluster(place, here())) members.push_back(cta);
    return members;
}

bool Subject::check_reach(const Part& address, std::string_view space) {
    const int cta = address.known.cta;
    if (cta == here().cta) return true;
    const std::string where = in_ticks(address.location().name) + " lies in the shared memory of " + cta_name(cta);
    if (space == "shared" || space == "shared::cta") {
        report(address, where + ", and `." + std::string(space) + "` reaches that of " + cta_name(here().cta) + " only (ISA 5.1.7)",
               "write `.shared::cluster`");
        return false;
    }
    const auto ctas = ctas_of(test());
    const auto place = ctas.find(cta);
    if (place != ctas.end() && !same_cluster(place->second, here())) {
        report(address, where + ", which is not in the cluster of thread `" + thread().name + "` (ISA 5.1.7)");
        return false;
    }
    return true;
}

bool Subject::check_window(const Part& address, std::string_view space) {
    if (!address.is_shared() || !address.text->indirect || space.empty() == address.known.generic) return true;
    if (address.known.generic)
        report(address, in_ticks(address.text->name) + " holds a generic address, and the instruction names the state space (ISA 6.4.1.1)",
               "leave out `." + std::string(space) + "`, or convert the address with `cvta.to.shared`");
    else
        report(address,
               in_ticks(address.text->name) +
                   " holds an address in the window of shared memory; without a state space it is read as generic (ISA 6.4.1.1, 9.7.9.3)",
               "write `.shared::cta` or `.shared::cluster`");
    return false;
}

bool Subject::check_named_space(const Part& address, std::string_view space) {
    const bool shared = address.is_shared();
    if (shared && space == "global") {
        report(address, in_ticks(address.location().name) + " lies in shared memory, and the instruction says `.global`",
               "write `.shared::cta` or `.shared::cluster`");
        return false;
    }
    if (!shared && !space.empty() && space != "global") {
        report(address,
               in_ticks(address.location().name) + " lies in global memory, and the instruction says `." + std::string(space) + "`",
               "write `.global`");
        return false;
    }
    return true;
}

namespace {

constexpr uint64_t most_threads = 1024;  // of a CTA

// ---- numbers (ptx/demands.h) ------------------------------------------------------------------------------

std::string hint_of(const Subject& s, const Subject::Part& number, const NumberDemand& demand) {
    switch (number.text->role) {
        case Role::parity:
            return "phase n has parity n mod 2: write " + std::to_string(number.number() % 2);
        case Role::threads:
            return "a litmus thread stands for its whole warp";
        case Role::source_size:
            return "what it leaves out is filled with zeros";
        case Role::size: {
            const uint64_t unit = demand.multiple;
            return kind(s.instruction().op) == Traits::Kind::bulk ? "the next is " + std::to_string((number.number() / unit + 1) * unit)
                                                                  : "";
        }
        default:
            return {};
    }
}

void check_numbers(Subject& s) {
    for (const Subject::Part& part : s.parts()) {
        if (!part.has_number()) continue;
        for (const NumberDemand& demand : number_demands(s.instruction(), part.text->role)) {
            const Subject::Part limit = demand.at_most != Role::none ? s.in(demand.at_most) : Subject::Part();
            if (demand.admits(part.number()) && (!limit.has_number() || part.number() <= limit.number())) continue;
            const std::string most = limit.has_number() ? ", " + std::to_string(limit.number()) : "";
            s.report(part, demand.says() + most + citation(demand.section, s.instruction()), hint_of(s, part, demand));
        }
    }
}

// ---- accesses ---------------------------------------------------------------------------------------------

// Surface, texture and constant addresses are of their own instructions (ISA 8.6).
bool check_proxy(Subject& s, const Subject::Part& address) {
    const Location& location = address.location();
    const Proxy used = s.instruction().op == Op::ld_nc ? Proxy::generic : proxy(s.instruction());  // it takes any global address
    if (used == location.proxy) return true;
    if (location.proxy == Proxy::generic)
        s.report(address, in_ticks(location.name) + " is no " + std::string(name(used)) + " address",
                 "declare one: .global ." + std::string(name(location.type)) + " s alias " + std::string(name(used)) + " " + location.name +
                     ";");
    else
        s.report(address, in_ticks(location.name) + " is a " + std::string(name(location.proxy)) + " address, which " +
                              in_ticks(s.instruction().mnemonic) + " does not access");
    return false;
}

// The state space that the text names: "global", "shared", "shared::cta", "shared::cluster" or none.
std::string_view named_space(const Instruction& instruction) {
    for (const std::string_view space : {"global", "shared", "shared::cta", "shared::cluster"})
        if (instruction.has(space)) return space;
    return {};
}

bool check_space(Subject& s, const Subject::Part& address) {
    const std::string_view space = named_space(s.instruction());
    const bool shared = address.is_shared();
    if (!s.reaches(address.location().space)) {
        const std::string here = shared ? "shared" : "global", there = shared ? "global" : "shared";
        const bool has_other_form = s.instruction().op == Op::red_async || s.instruction().op == Op::st_async;
        const std::string other = shared ? "weak or relaxed, and with an mbarrier object" : "`.release`, and without an mbarrier object";
        s.report(
            address,
            in_ticks(address.location().name) + " lies in " + here + " memory, and this form reaches " + there + " memory only" + s.isa(),
            has_other_form ? "the form for " + here + " memory is " + other : "");
        return false;
    }
    return s.check_named_space(address, space) && (!shared || s.check_reach(address, space)) && s.check_window(address, space);
}

// The one partial overlap that has a meaning: a wider scalar load of what vector or packed operations wrote, element by
// element (ISA 8.2.4, 8.2.5; model/semantics.md section 3). That nothing else writes them is for the builder of events to see.
bool is_wide_load(const Instruction& instruction, const Location& location) {
    return (instruction.op == Op::ld || instruction.op == Op::ld_nc) && vector_width(instruction) == 1 && location.count > 1 &&
           bits(data_type(instruction)) > bits(location.type);
}

// Elements of 128 bits are accessed as a whole, or as a vector of two words. 128 bits of other elements are loaded where they are an answer
// of clusterlaunchcontrol.try_cancel, which lies in shared memory.
bool fits(const Instruction& instruction, const Location& location) {
    const Type type = data_type(instruction);
    if (location.wide) return type == Type::b128 || (bits(type) == bits(location.type) && vector_width(instruction) == 2);
    if (type == Type::b128 && (instruction.op != Op::ld || location.space != Space::shared)) return false;
    return bits(type) == bits(location.type) || bits(lane_type(type)) == bits(location.type) || is_wide_load(instruction, location);
}

void check_size(Subject& s, const Subject::Part& address) {
    const Location& location = address.location();
    const Type type = data_type(s.instruction());
    const int64_t offset = address.known.offset;
    const int64_t element = bits(location.type) / 8, size = vector_width(s.instruction()) * bits(type) / 8;
    if (!fits(s.instruction(), location)) {
        const std::string message = "a `." + std::string(name(type)) + "` access to " + in_ticks(location.name) +
                                    ", whose elements are `." + std::string(element_type(location)) +
                                    "`: partial overlaps are outside the memory model (ISA 8.7.2)";
        const std::string hint = "access it with " + std::to_string(8 * element_bytes(location)) + " bits" +
                                 (location.wide        ? ", or as a vector of its two halves, `.v2.b64`"
                                  : type == Type::b128 ? ", or declare it as `.b128`"
                                                       : "");
        const bool is_access = offset >= 0 && offset + size <= element * location.count && offset % size == 0;
        return is_access ? s.report_unmodelled(address, message, hint) : s.report(address, message, hint);
    }
    if (offset % element != 0)
        return s.report(address,
                        "offset " + std::to_string(offset) + " is not at an element of " + in_ticks(location.name) + " (ISA 8.7.2)",
                        "elements are " + std::to_string(element) + " bytes apart");
    if (offset < 0 || offset + size > element * location.count)
        return s.report(address, "the access ends outside " + in_ticks(location.name) + ", which has " +
                                     std::to_string(element * location.count) + " bytes");
    if (offset % s.alignment(address) != 0)
        s.report(address, "an access of " + std::to_string(size) + " bytes is aligned to its size (ISA 6.4.1)",
                 "offset " + std::to_string(offset) + " is not a multiple");
}

// A row of a matrix (ISA 9.7.14.5.15): 16 bytes, aligned to them, in the own CTA. A lane that gives no row may have any address.
void check_row(Subject& s, const Subject::Part& address) {
    const Location& location = address.location();
    const int64_t offset = address.known.offset, end = location.count * (bits(location.type) / 8);
    if (address.known.cta != s.here().cta)
        return s.report(address, in_ticks(location.name) + " lies in the shared memory of " + cta_name(address.known.cta) +
                                     ", and a matrix lies in that of the own CTA" + s.isa());
    if (offset < 0 || offset + row_of_lane_bytes > end)
        return s.report(address, "a row of a matrix has 16 bytes, and ends outside " + in_ticks(location.name) + ", which has " +
                                     std::to_string(end) + " bytes" + s.isa());
    if (offset % s.alignment(address) != 0)
        s.report(address, "a row of a matrix is aligned to its 16 bytes" + s.isa(),
                 "offset " + std::to_string(offset) + " is not a multiple");
}

// Only multimem operations are valid on multimem addresses, and those on no others (ISA 8.2.3, 9.7.9.14).
bool check_multimem(Subject& s, const Subject::Part& address) {
    const bool points = !address.location().points_to.empty(), wants = is_multimem(s.instruction().op);
    if (points == wants) return true;
    if (points)
        s.report(address, in_ticks(address.location().name) + " is a multimem address, which only multimem operations access (ISA 8.2.3)");
    else
        s.report(address, in_ticks(address.location().name) + " is no multimem address" + s.isa(),
                 "declare one: .multimem m = " + address.location().name + ", ...;");
    return false;
}

void check_access(Subject& s, const Subject::Part& address) {
    if (!check_multimem(s, address)) return;
    if (address.location().is_tensor)
        return s.report(address, in_ticks(address.location().name) + " is tensor memory, which only tcgen05 accesses (ISA 9.7.16.1)");
    if (address.location().is_mbarrier)
        return s.report(address,
                        in_ticks(address.location().name) + " is an mbarrier object; only mbarrier instructions use it (ISA 9.7.13.15)");
    if (address.location().is_tensor_map)
        return s.report_unmodelled(address,
                                   in_ticks(address.location().name) +
                                       " is a tensor map, which `tensormap.replace` and `tensormap.cp_fenceproxy` write: other accesses to "
                                       "it are not modelled");
    if (!check_proxy(s, address) || !check_space(s, address)) return;
    kind(s.instruction().op) == Traits::Kind::warp_matrix ? check_row(s, address) : check_size(s, address);
}

// ---- barriers (ISA 9.7.13.1, 9.7.13.2) -----------------------------------------------------------------------

// A barrier of more threads than a CTA has is never complete.
void check_barrier(Subject& s) {
    const Subject::Part count = s.in(Role::threads);
    if (count.has_number() && count.number() > most_threads) s.report(count, "a CTA has at most 1024 threads");
}

// The executing lane is in the mask, at bar.warp.sync and where the lanes of a warp exchange values.
void check_mask(Subject& s) {
    const Subject::Part mask = s.in(Role::member_mask);
    if (mask.has_number() && (mask.number() >> s.here().lane & 1) == 0)
        s.report(mask, "the mask leaves out lane " + std::to_string(s.here().lane) + ", which executes this" + s.isa(),
                 "bit k is lane k; a thread that names no lane is lane 0");
}

// ---- hints (ISA 9.7.19, 9.7.9.25.4.3) --------------------------------------------------------------------------

void check_hint(Subject& s) {
    const Subject::Part number = s.in(Role::source), from = s.in(Role::copy_from);
    const std::string& mnemonic = s.instruction().mnemonic;
    constexpr uint64_t fewest = 24, most = 256, step = 8, events = 16;
    if (mnemonic == "setmaxnreg" && (number.number() < fewest || number.number() > most || number.number() % step != 0))
        s.report(number, "a number of registers is a multiple of 8, from 24 to 256" + s.isa());
    // in each architecture's own target, and in none that all of a family share (ISA 9.7.19.5)
    if (const auto target = s.test().target; mnemonic == "setmaxnreg" && target && !s.test().target_specific)
        s.report(s.instruction().span,
                 "`setmaxnreg` needs a target of one architecture, and the target is sm_" + std::to_string(*target) + s.isa(),
                 "write `target sm_" + std::to_string(std::max(*target, 90)) + "a`");
    if (mnemonic == "pmevent" && !s.instruction().has("mask") && number.number() >= events)
        s.report(number, "the events are those from 0 to 15" + s.isa());
    if (from.has_place() && from.known.offset % s.alignment(from) != 0)
        s.report(from, "the address is not aligned to " + std::to_string(s.alignment(from)) + " bytes" + s.isa());
}

}  // namespace
}  // namespace rules

namespace {

rules::Subject checked(const KnownInstruction& known) {
    rules::Subject subject(known);
    const auto address = subject.in(Role::address);  // those of copies and mbarrier objects have rules of their own
    const bool has_no_row =
        kind(known.instruction.op) == Traits::Kind::warp_matrix && subject.here().lane >= lanes_with_rows(known.instruction);
    const bool accesses = kind(known.instruction.op) != Traits::Kind::hint && !has_no_row;
    if (address.has_place() && accesses && !rules::names_map(subject)) rules::check_access(subject, address);
    rules::check_numbers(subject);
    rules::check_barrier(subject);
    rules::check_mask(subject);
    if (kind(known.instruction.op) == Traits::Kind::hint) rules::check_hint(subject);
    rules::check_maps(subject);
    rules::check_async(subject);
    return subject;
}

}  // namespace

std::vector<Diagnostic> broken_rules(const KnownInstruction& known) {
    return checked(known).take();
}

bool is_unmodelled(const KnownInstruction& known) {
    return checked(known).is_unmodelled();
}

}  // namespace litmus
