// Static rules of asynchronous operations, mbarrier objects and redux.sync.
//
// Sizes, counts and masks are checked where their values are known, places where the addresses are.
#include <optional>

#include "language/aligned.h"
#include "language/layout.h"
#include "language/rule_subject.h"
#include "language/tensor.h"
#include "ptx/effects.h"
#include "ptx/matrix.h"
#include "ptx/traits.h"

namespace litmus::rules {
namespace {

constexpr uint64_t bulk_unit = 16;  // bytes; ISA 9.7.9.25.4.1
constexpr size_t most_ctas = 16;    // bits of a multicast mask

bool is_wait(Op op) {
    return kind(op) == Traits::Kind::mbarrier_wait;
}

class Async {
public:
    explicit Async(Subject& subject) : s_(subject), instruction_(subject.instruction()) {}

    void run() {
        check_mbarrier();
        check_one_of_warp();
        check_same_of_warpgroup();
        if (s_.in(Role::tensor) && !check_tensor_place(s_)) return;
        using Kind = Traits::Kind;
        switch (kind(instruction_.op)) {
            case Kind::mbarrier_arrival:
                return check_state_destination();
            case Kind::mbarrier_wait:
                return check_wait();
            case Kind::mbarrier_query:
                return check_pending_count();
            case Kind::from_registers:
                return check_remote_write();
            case Kind::bulk:
                return check_bulk();
            case Kind::tensor:
                return check_tensor_copy();
            case Kind::copy:
                return check_async_copy();
            case Kind::mma:
                return check_matrices();
            case Kind::tcgen:
            case Kind::tcgen_life:
                return check_tensor();
            case Kind::tcgen_commit:
                check_one_group();
                return check_multicast({}, 0);
            case Kind::fill:
            case Kind::cancellation:
                return check_filled();
            case Kind::load:
            case Kind::store:
            case Kind::warp_matrix:
            case Kind::warp_reduction:
            case Kind::atomic:
            case Kind::fence:
            case Kind::proxy_fence:
            case Kind::map_write:
            case Kind::cta_barrier:
            case Kind::quorum:
            case Kind::warp_barrier:
            case Kind::cluster_barrier:
            case Kind::arithmetic:
            case Kind::cancellation_query:
            case Kind::hint:
            case Kind::grid_trigger:
            case Kind::grid_wait:
            case Kind::branch:
            case Kind::exit:
            case Kind::bulk_commit:
            case Kind::bulk_wait:
            case Kind::copy_commit:
            case Kind::copy_wait:
            case Kind::copy_arrive:
            case Kind::mbarrier_life:
            case Kind::mbarrier_count:
            case Kind::mma_fence:
            case Kind::mma_commit:
            case Kind::mma_wait:
            case Kind::tcgen_wait:
            case Kind::tcgen_fence:
                return;
        }
    }

private:
    using Part = Subject::Part;

    // Whose shared memory an address points into.
    static std::optional<int> owner(const Part& address) { return address.is_shared() ? std::optional(address.known.cta) : std::nullopt; }

    // ---- mbarrier operands (ISA 9.7.13.15.1, 9.7.13.15.8) ----------------------------------------------

    void check_mbarrier() {
        const Part mbar = s_.in(Role::mbarrier);
        if (!mbar.has_place()) return;
        const Location& location = mbar.location();
        const int64_t offset = mbar.known.offset;
        if (!location.is_mbarrier)
            return s_.report(mbar, in_ticks(location.name) + " is no mbarrier object (ISA 9.7.13.15.1)",
                             "declare it: .shared." + cta_name(location.cta.value_or(s_.here().cta)) + " .mbarrier " + location.name + ";");
        if (offset % s_.alignment(mbar) != 0 || offset < 0 || offset >= static_cast<int64_t>(mbarrier_bytes) * location.count)
            return s_.report(
                mbar,
                "there is no mbarrier object at byte " + std::to_string(offset) + " of " + in_ticks(location.name) + " (ISA 9.7.13.15.1)",
                "they are 8 bytes apart, and " + in_ticks(location.name) + " has " + std::to_string(location.count));
        if (!check_supported(mbar)) return;
        // the state spaces of a copy are those of its data
        if (is_copy(instruction_.op)) {
            s_.check_reach(mbar, {});
        } else {
            const std::string_view space = named_space(instruction_, Role::mbarrier);
            if (s_.check_reach(mbar, space)) s_.check_window(mbar, space);
        }
    }

    // What an object of another CTA does not support.
    bool check_supported(const Part& mbar) {
        const int cta = mbar.known.cta;
        if (cta == s_.here().cta || s_.owner(mbar) != OwnerDemand::Owner::own) return true;
        const std::string where = in_ticks(mbar.location().name) + " lies in the shared memory of " + cta_name(cta);
        if (is_wait(instruction_.op)) {
            s_.report(mbar, where + ": only the threads of that CTA wait on it (ISA 9.7.13.15.8)",
                      "wait on an object of " + cta_name(s_.here().cta) + ", to which the other CTA arrives by `.shared::cluster`");
            return false;
        }
        const std::string what = instruction_.has("noComplete") ? s_.form().mnemonic + ".noComplete" : s_.form().mnemonic;
        s_.report(mbar, where + ": " + in_ticks(what) + " is for the threads of that CTA (ISA 9.7.13.15.8)",
                  "let a thread of " + cta_name(cta) + " do it");
        return false;
    }

    // A state comes back from objects of the executing CTA only.
    void check_state_destination() {
        const auto cta = owner(s_.in(Role::mbarrier));
        const Part state = s_.in(Role::result);
        if (!cta || *cta == s_.here().cta || state.text->kind == Operand::Kind::sink) return;
        if (!named_space(instruction_, Role::mbarrier).empty() || instruction_.has("noComplete")) return;  // refused with its place
        s_.report(state, "an arrival at an object of " + cta_name(*cta) + " returns no state to " + cta_name(s_.here().cta) + s_.isa(),
                  "write `_` in its place");
    }

    // ---- what a warp executes as one -------------------------------------------------------------------

    // "All threads in the warp must execute the same instruction" (`.aligned`), which then happens once. One thread of a test stands for
    // its warp there (model/semantics.md section 2): of two it would happen twice. Barriers and exchanges are of each lane.
    void check_one_of_warp() {
        const Traits::Kind what = kind(instruction_.op);
        const bool changes = what == Traits::Kind::mma || what == Traits::Kind::tcgen || what == Traits::Kind::tcgen_life ||
                             what == Traits::Kind::map_write;  // others may happen twice
        if (!changes || !is_executed_once(instruction_) || !s_.here().warp_named) return;
        for (const Thread& other : s_.test().threads) {
            if (&other == &s_.thread()) return;  // the first of the two may have it
            if (!other.at.warp_named || !same_cta(other.at, s_.here()) || other.at.warp != s_.here().warp) continue;
            for (const Instruction& i : other.body)
                if (i.op == instruction_.op)
                    return s_.report(instruction_.span,
                                     in_ticks(other.name) + ", of the same warp, has " + in_ticks(s_.form().mnemonic) +
                                         " too: all threads of a warp execute it as one, and one thread stands for its warp" + s_.isa(),
                                     "leave it to one of the two; `bar.warp.sync` orders what other lanes do before and after");
        }
    }

    // "All threads in the warpgroup must execute the same" (`.aligned`, 9.7.15.5): warps that a test places in one warpgroup have the same
    // wgmma.mma_async, one after the other, where they have any. A thread that is alone in its warpgroup stands for all of it.
    void check_same_of_warpgroup() {
        if (instruction_.op != Op::wgmma_mma) return;
        const std::vector<const Instruction*> mine = multiplications(s_.thread());
        const auto n = static_cast<size_t>(std::find(mine.begin(), mine.end(), &instruction_) - mine.begin());
        for (const Thread& other : s_.test().threads) {
            if (&other == &s_.thread()) return;  // the first of the two is what the others are compared with
            if (!same_warpgroup(other.at, s_.here()) || other.at.warp == s_.here().warp) continue;
            const std::vector<const Instruction*> theirs = multiplications(other);
            if (theirs.empty()) continue;
            const bool is_last = n + 1 == mine.size();
            if (n < theirs.size() && are_alike(*theirs[n], instruction_) && (!is_last || mine.size() == theirs.size())) continue;
            return s_.report(instruction_.span,
                             in_ticks(other.name) + ", of the same warpgroup, does not execute the same " + in_ticks(s_.form().mnemonic) +
                                 ", of the same matrices: all threads of a warpgroup do" + s_.isa(),
                             "give both threads the same operations, or place them in different warpgroups: `.warp0` and `.warp4`");
        }
    }
    // One instruction, of the same matrices: "the contents of a matrix descriptor must be same across all the warps" (9.7.15.5.2).
    static bool are_alike(const Instruction& a, const Instruction& b) {
        if (spelling(a) != spelling(b)) return false;
        for (size_t nth = 0; const Operand* matrix = a.find(Role::matrix, nth); ++nth) {
            const Operand* other = b.find(Role::matrix, nth);
            if (other == nullptr || matrix->name != other->name || matrix->offset != other->offset || matrix->indirect != other->indirect)
                return false;
        }
        return true;
    }
    static std::vector<const Instruction*> multiplications(const Thread& thread) {
        std::vector<const Instruction*> found;
        for (const Instruction& i : thread.body)
            if (i.op == Op::wgmma_mma) found.push_back(&i);
        return found;
    }

    // ---- waits (ISA 9.7.13.15.16) ----------------------------------------------------------------------

    void check_wait() {
        const Part state = s_.in(Role::state);
        if (state.has_number())
            s_.report(state, "a state is what `mbarrier.arrive` returned, not a number" + s_.isa(),
                      "to wait for the phase of a parity, write `.parity`");
    }

    void check_pending_count() {
        const Part state = s_.in(Role::state);
        if (state.has_number()) s_.report(state, "a state is what `mbarrier.arrive.noComplete` returned, not a number" + s_.isa());
    }

    // ---- red.async, st.async (ISA 9.7.13.7, 9.7.9.12) --------------------------------------------------

    void check_remote_write() {
        const Part mbar = s_.in(Role::mbarrier), a = s_.in(Role::address);
        if (!mbar) return;  // with release semantics: to global memory
        const auto destination = owner(a), signal = owner(mbar);
        if (s_.owner(mbar) == OwnerDemand::Owner::of_data && destination && signal && *destination != *signal)
            s_.report(mbar,
                      in_ticks(a.location().name) + " lies in " + cta_name(*destination) + " and " + in_ticks(mbar.location().name) +
                          " in " + cta_name(*signal) + ": both must lie in one CTA" + s_.isa(),
                      "use an mbarrier object of " + cta_name(*destination));
        if (s_.owner(a) == OwnerDemand::Owner::another && destination == s_.here().cta)
            s_.report(a,
                      in_ticks(a.location().name) + " lies in the executing CTA, " + cta_name(s_.here().cta) +
                          ": `red.async` reduces in another one" + s_.isa(),
                      elsewhere(a, "in the executing CTA, write `red`"));
        if (instruction_.op == Op::st_async && s_.whole_test() && s_.cluster().size() < 2)
            s_.report(instruction_.span, "`st.async` needs a cluster of more than one CTA" + s_.isa(),
                      "place another thread or location of the test in another CTA of cluster " + std::to_string(s_.here().cluster));
    }

    // How to name another CTA's instance of a location that has several.
    std::string elsewhere(const Part& address, const std::string& otherwise) const {
        if (address.location().cta) return otherwise;
        for (const int cta : s_.cluster())
            if (cta != s_.here().cta) return "name the instance: `" + address.location().name + "@" + cta_name(cta) + "`";
        return otherwise;
    }

    // ---- copies (ISA 9.7.9.25) -------------------------------------------------------------------------

    // One side of a copy: its location lies where the text says, and is no mbarrier object.
    bool check_side(const Part& address, size_t side) {
        if (!address.has_place()) return true;
        const Location& location = address.location();
        const std::string_view space = named_space(instruction_, side == 0 ? Role::copy_to : Role::copy_from);
        const std::string what = side == 0 ? "the destination" : "the source";
        if (location.is_tensor)
            s_.report(address, in_ticks(location.name) + " is tensor memory, which only tcgen05 accesses (ISA 9.7.16.1)");
        else if (location.is_mbarrier)
            s_.report(address, in_ticks(location.name) + " is an mbarrier object; only mbarrier instructions use it (ISA 9.7.13.15)");
        else if (location.is_tensor_map)
            s_.report_unmodelled(address, in_ticks(location.name) +
                                              " is a tensor map, which only `tensormap.cp_fenceproxy` copies: others are not modelled");
        else if (side == 1 && !location.points_to.empty())
            s_.report(address, in_ticks(location.name) + " is a multimem address, which only multimem operations access (ISA 8.2.3)");
        else if (location.proxy != Proxy::generic)
            s_.report(address, in_ticks(location.name) + " is a " + std::string(name(location.proxy)) + " address, which " +
                                   in_ticks(s_.form().mnemonic) + " does not access");
        else if ((location.space == Space::shared) != (space != "global"))
            s_.report(address,
                      in_ticks(location.name) + " lies in " + (space == "global" ? "shared" : "global") + " memory, and " + what +
                          " is said to be in `." + std::string(space) + "`" + s_.isa(),
                      "the first state space is the destination's, the second the source's");
        else
            return space == "global" || check_copy_reach(address, space, what);
        return false;
    }

    bool check_copy_reach(const Part& address, std::string_view space, const std::string& what) {
        const int cta = address.known.cta;
        if (s_.owner(address) != OwnerDemand::Owner::own_window || cta == s_.here().cta) return s_.check_reach(address, space);
        const bool may_name_cluster = (instruction_.op == Op::bulk_copy || instruction_.op == Op::tensor_copy) && what == "the destination";
        s_.report(address,
                  in_ticks(address.location().name) + " lies in " + cta_name(cta) + ", and " + what + " in `." + std::string(space) +
                      "` is memory of the executing CTA, " + cta_name(s_.here().cta) + s_.isa(),
                  may_name_cluster ? "write `.shared::cluster`" : "let a thread of " + cta_name(cta) + " do it");
        return false;
    }

    // [address, address + bytes) lies in its location, at elements of it.
    void check_range(const Part& address, uint64_t bytes) {
        if (!address.has_place()) return;
        const Location& location = address.location();
        const int64_t offset = address.known.offset, element = bits(location.type) / 8, size = element * location.count,
                      alignment = s_.alignment(address);
        if (offset % alignment != 0)
            s_.report(address,
                      "byte " + std::to_string(offset) + " of " + in_ticks(location.name) + " is not aligned to " +
                          std::to_string(alignment) + " bytes" + s_.isa(),
                      location.array ? "arrays begin at a multiple of " + std::to_string(array_alignment(s_.test()))
                                     : "declare an array, which begins at a multiple of 16");
        else if (offset < 0 || offset + static_cast<int64_t>(bytes) > size)
            s_.report(address,
                      std::to_string(bytes) + " bytes from byte " + std::to_string(offset) + " end outside " + in_ticks(location.name) +
                          ", which has " + std::to_string(size) + s_.isa(),
                      location.array ? "" : "declare an array: a copy is of at least " + std::to_string(bytes) + " bytes");
        else if (bytes % static_cast<uint64_t>(element) != 0)
            s_.report_unmodelled(address, std::to_string(bytes) + " bytes are no whole elements of " + in_ticks(location.name) +
                                              ": partial overlaps are outside the memory model (ISA 8.7.2)");
    }

    // What one side writes as an element the other reads as one.
    void check_same_elements(const Part& destination, const Part& source) {
        if (!destination.has_place() || !source.has_place()) return;
        const Location &to = destination.location(), &from = source.location();
        if (bits(to.type) != bits(from.type))
            s_.report_unmodelled(destination,
                                 in_ticks(to.name) + " has elements of " + std::to_string(bits(to.type)) + " bits and " +
                                     in_ticks(from.name) + " of " + std::to_string(bits(from.type)) +
                                     ": partial overlaps are outside the memory model (ISA 8.7.2)",
                                 "declare both with elements of one size");
    }

    void check_bulk() {
        const Part destination = s_.in(Role::copy_to), source = s_.in(Role::copy_from), size = s_.in(Role::size);
        if (destination.has_place() && destination.location().points_to.empty() == is_multimem(instruction_.op))
            return s_.report(destination, in_ticks(destination.location().name) + " is " + (is_multimem(instruction_.op) ? "no" : "a") +
                                              " multimem address" + s_.isa());
        const bool to_good = check_side(destination, 0), from_good = check_side(source, 1);
        const uint64_t bytes = size.has_number() ? size.number() : bulk_unit;  // at least, when it is not known
        if (bytes == 0) return s_.report(size, "a bulk operation of no bytes is not modelled", "the smallest has 16");
        if (bytes % bulk_unit != 0) return;  // said
        if (!to_good || !from_good) return;
        check_range(destination, bytes);
        check_range(source, bytes);
        if (traits(instruction_.op).reduces)
            for (const Part& side : {destination, source}) check_element_type(side);
        else
            check_same_elements(destination, source);
        if (instruction_.has("multicast::cluster"))
            check_multicast(destination, bytes);
        else
            check_places(destination);
    }

    void check_element_type(const Part& address) {
        if (!address.has_place()) return;
        const Location& location = address.location();
        const Type type = data_type(instruction_);
        if (bits(location.type) != bits(type))
            s_.report_unmodelled(address,
                                 "a `." + std::string(name(type)) + "` reduction of " + in_ticks(location.name) +
                                     ", whose elements are `." + std::string(name(location.type)) +
                                     "`: partial overlaps are outside the memory model (ISA 8.7.2)",
                                 "declare it with elements of " + std::to_string(bits(type)) + " bits");
    }

    void check_places(const Part& destination) {
        if (s_.owner(destination) == OwnerDemand::Owner::another && owner(destination) == s_.here().cta)
            s_.report(destination,
                      in_ticks(destination.location().name) +
                          " lies in the executing CTA: a copy from `.shared::cta` to `.shared::cluster` goes to another one" + s_.isa(),
                      elsewhere(destination, "within one CTA, copy with `ld` and `st`"));
    }

    // Every CTA of the mask has, at the offsets of destination and object in their own CTA, an array and an object.
    void check_multicast(const Part& destination, uint64_t bytes) {
        const Part mask = s_.in(Role::cta_mask), mbar = s_.in(Role::mbarrier);
        if (!mask.has_number()) return;
        const uint64_t ctas = mask.number();
        const std::vector<int> cluster = s_.cluster();
        for (size_t k = 0; k < most_ctas; ++k) {
            if ((ctas >> k & 1) == 0) continue;
            if (k < cluster.size()) {
                check_multicast_place(mask, destination, cluster[k], bytes);
                const auto signalled = signalled_cta(cluster[k], mbar);
                if (!signalled)
                    return s_.report(mask,
                                     "bit " + std::to_string(k) + " of the multicast mask is " + cta_name(cluster[k]) +
                                         ", whose pair has no CTA with an object like " + in_ticks(mbar.location().name) + s_.isa(),
                                     "a pair of CTAs is that of ranks 2n and 2n+1: add a thread of the other one");
                check_multicast_place(mask, mbar, *signalled, mbarrier_bytes);
            } else if (s_.whole_test()) {
                return s_.report(mask,
                                 "bit " + std::to_string(k) + " of the multicast mask names no CTA: the cluster has " +
                                     std::to_string(cluster.size()) + s_.isa(),
                                 "bit k is the k-th CTA of the cluster, from 0");
            }
        }
    }

    // Where a destination is signalled: in its own CTA or, by a tensor copy with `.cta_group::2`, in that of its pair whose rank is as even
    // or odd as that of the mbarrier object's CTA (ISA 9.7.9.27.1.2).
    std::optional<int> signalled_cta(int destination, const Part& mbar) const {
        const bool pair = instruction_.op == Op::tensor_copy && cta_group(instruction_) == 2;
        if (!pair || !owner(mbar) || rank(destination) % 2 == rank(*owner(mbar)) % 2) return destination;
        return peer(destination);
    }

    void check_multicast_place(const Part& mask, const Part& address, int cta, uint64_t bytes) {
        if (!owner(address) || address.known.offset < 0) return;
        const Location& location = address.location();
        const int64_t at = shared_offset(s_.test(), location, address.known.cta) + address.known.offset;
        const auto place = shared_place(s_.test(), cta, at);
        const std::string what = "byte " + std::to_string(at) + " of the shared memory of " + cta_name(cta);
        const std::string hint = "declare it without a CTA, `.shared " +
                                 (location.is_mbarrier ? ".mbarrier " : "." + std::string(name(location.type)) + " ") + location.name +
                                 (location.array ? "[" + std::to_string(location.count) + "]" : "") + ";`, for one instance in each";
        if (!place || place->location->is_mbarrier != location.is_mbarrier)
            return s_.report(mask,
                             "the multicast goes to " + what + " too, where there is no " +
                                 (location.is_mbarrier ? "mbarrier object" : "array") + " like " + in_ticks(location.name) + s_.isa(),
                             hint);
        const int64_t size = bits(place->location->type) / 8 * place->location->count;
        if (bits(place->location->type) != bits(location.type) || place->offset + static_cast<int64_t>(bytes) > size)
            s_.report(mask,
                      "the multicast goes to " + what + " too, where " + in_ticks(place->location->name) +
                          " has other elements or ends earlier than " + in_ticks(location.name) + s_.isa(),
                      hint);
    }

    // ---- tensor copies (ISA 9.7.9.27.1) ----------------------------------------------------------------

    // The side in shared memory has room for all that is copied, wherever it lies in the tensor.
    void check_tensor_copy() {
        const Part tensor = s_.in(Role::tensor), destination = s_.in(Role::copy_to), source = s_.in(Role::copy_from);
        const Part& side = destination ? destination : source;
        const Location& array = tensor_array(s_.test(), *find_tensor_map(s_.test(), tensor.text->name));
        if (!check_side(side, destination ? 0 : 1) || !side.has_place()) return;
        const auto bytes = static_cast<uint64_t>(tensor_bytes(s_.test(), instruction_));
        if (bits(side.location().type) != bits(array.type))
            return s_.report_unmodelled(side,
                                        in_ticks(side.location().name) + " has elements of " + std::to_string(bits(side.location().type)) +
                                            " bits and " + in_ticks(array.name) + " of " + std::to_string(bits(array.type)) +
                                            ": partial overlaps are outside the memory model (ISA 8.7.2)",
                                        "declare both with elements of one size");
        check_range(side, bytes);
        if (!destination) return;
        if (check_signalled(destination, s_.in(Role::mbarrier)) && instruction_.has("multicast::cluster"))
            check_multicast(destination, bytes);
    }

    // The mbarrier object is in the CTA of the destination or, of `.cta_group::2`, in the other CTA of its pair (ISA 9.7.9.27.1.2).
    bool check_signalled(const Part& destination, const Part& mbar) {
        if (!owner(mbar) || !owner(destination) || owner(mbar) == owner(destination)) return true;
        const bool pair = s_.owner(mbar) == OwnerDemand::Owner::of_pair;
        if (pair && peer(*owner(destination)) == owner(mbar)) return true;
        s_.report(mbar,
                  in_ticks(destination.location().name) + " lies in " + cta_name(*owner(destination)) + " and " +
                      in_ticks(mbar.location().name) + " in " + cta_name(*owner(mbar)) + ": both must lie in one " +
                      (pair ? "pair of CTAs" : "CTA") + s_.isa(),
                  "use an mbarrier object of " + cta_name(*owner(destination)));
        return false;
    }

    void check_async_copy() {
        const Part destination = s_.in(Role::copy_to), source = s_.in(Role::copy_from), size = s_.in(Role::size),
                   read = s_.in(Role::source_size);
        const bool to_good = check_side(destination, 0), from_good = check_side(source, 1);
        const uint64_t bytes = *size.known.value;  // a number, by its form
        if (bytes != 4 && bytes != 8 && bytes != 16)
            return s_.report(size, "`cp.async` copies 4, 8 or 16 bytes" + s_.isa(), "for more, write several, or `cp.async.bulk`");
        if (instruction_.has("cg") && bytes != 16)
            return s_.report(size, "`cp.async.cg` copies 16 bytes" + s_.isa(), "write `.ca` for 4 and 8");
        if (!to_good || !from_good) return;
        check_range(destination, bytes);
        check_range(source, bytes);
        check_same_elements(destination, source);
        if (read.has_number() && source.has_place() && read.number() % (static_cast<uint64_t>(bits(source.location().type)) / 8) != 0)
            s_.report_unmodelled(read, std::to_string(read.number()) + " bytes are no whole elements of " +
                                           in_ticks(source.location().name) +
                                           ": partial overlaps are outside the memory model (ISA 8.7.2)");
    }

    // ---- wgmma.mma_async (ISA 9.7.15.5) ----------------------------------------------------------------

    void check_matrices() {
        size_t matrices = 0;
        for (; const Part matrix = s_.in(Role::matrix, matrices); ++matrices) check_matrix(matrix);
        for (size_t n = 0; const Part scale = s_.in(Role::scale, n); ++n)
            if (scale.has_number() && scale.number() != 1 && static_cast<int32_t>(scale.number()) != -1)
                s_.report(scale, "the scale of a matrix is 1 or -1" + s_.isa());
        size_t transposes = 0;
        for (; const Part transpose = s_.in(Role::transpose, transposes); ++transposes)
            if (transpose.has_number() && transpose.number() > 1)
                s_.report(transpose, "whether a matrix is transposed is 0 or 1" + s_.isa());
        if (transposes > 0 && transposes != matrices)
            s_.report(instruction_.span, "each matrix in shared memory has an operand that says whether it is transposed: " +
                                             std::to_string(matrices) + ", not " + std::to_string(transposes) + s_.isa());
    }

    // A matrix descriptor holds an address in the executing CTA's shared memory, in units of 16 bytes (ISA 9.7.15.5.1.2.2).
    void check_matrix(const Part& matrix) {
        if (!matrix.has_place()) return;
        const Location& location = matrix.location();
        if (is_opaque(location) || location.space != Space::shared || location.proxy != Proxy::generic)
            return s_.report(matrix, in_ticks(location.name) + " is no array in shared memory, where matrices lie" + s_.isa());
        if (!s_.check_reach(matrix, "shared::cta")) return;
        const int64_t size = int64_t{bits(location.type)} / 8 * location.count;
        if (matrix.known.offset % static_cast<int64_t>(bulk_unit) != 0)
            s_.report(matrix, "byte " + std::to_string(matrix.known.offset) + " of " + in_ticks(location.name) +
                                  " is not aligned to 16 bytes, as a matrix descriptor needs it (ISA 9.7.15.5.1.2.2)");
        else if (matrix.known.offset < 0 || matrix.known.offset >= size)
            s_.report(matrix, "the matrix begins outside " + in_ticks(location.name) + ", which has " + std::to_string(size) + " bytes");
    }

    // ---- tensor memory (ISA 9.7.16) ----------------------------------------------------------------------

    // A part of tensor memory, as a whole.
    void check_part(const Part& place) {
        if (!place.has_place()) return;
        if (!place.location().is_tensor)
            s_.report(place, in_ticks(place.location().name) + " is no tensor memory" + s_.isa(),
                      "declare it: .tmem " + place.location().name + ";");
        else if (place.known.offset != 0)
            s_.report(place, "a part of tensor memory is accessed as a whole here", "declare one for each part");
        else if (place.known.cta != s_.here().cta)
            s_.report(place, in_ticks(place.location().name) + " is tensor memory of " + cta_name(place.known.cta) + ", and " +
                                 in_ticks(s_.thread().name) + " runs in " + cta_name(s_.here().cta) + s_.isa());
    }

    void check_tensor() {
        for (const Role role : {Role::tensor_memory, Role::scales, Role::metadata})
            for (size_t n = 0; const Part place = s_.in(role, n); ++n) check_part(place);
        for (size_t n = 0; const Part matrix = s_.in(Role::matrix, n); ++n) {
            const bool in_tensor_memory = matrix.has_place() && matrix.location().is_tensor;
            if (!in_tensor_memory) check_matrix(matrix);
            if (in_tensor_memory && (instruction_.op != Op::tcgen_mma || n > 0))
                s_.report(matrix, "this matrix lies in shared memory" + s_.isa());
        }
        check_shape(s_.in(Role::descriptor));
        if (cta_group(instruction_) == 2 && !peer(s_.here().cta))
            s_.report(instruction_.span, "`.cta_group::2` needs the CTA of the other rank in its pair (ISA 9.7.16.5)",
                      "add a thread of it");
        check_one_group();
        if (instruction_.op == Op::tcgen_alloc) check_permit();
    }

    // "It is illegal for a CTA to perform tcgen05.alloc after a tcgen05.relinquish_alloc_permit": looked at in one thread (ISA 9.7.16.7.1).
    void check_permit() {
        for (const Instruction& i : s_.thread().body) {
            if (&i == &instruction_ || kind(i.op) == Traits::Kind::branch) return;  // what a branch leads over is not told
            if (i.op == Op::tcgen_relinquish && !i.guard)
                return s_.report(instruction_.span, "the CTA has given up its right to allocate tensor memory" + s_.isa(),
                                 "put `tcgen05.relinquish_alloc_permit` after the last `tcgen05.alloc`");
        }
    }

    void check_shape(const Part& descriptor) {
        const std::string fault = descriptor.has_number() ? fault_of_shape(instruction_, descriptor.number()) : "";
        if (!fault.empty()) s_.report(descriptor, fault, "M >> 4 stands in bits 24 to 28, N >> 3 in bits 17 to 22");
    }

    size_t rank(int cta) const {
        const std::vector<int> ctas = s_.cluster();
        return static_cast<size_t>(std::find(ctas.begin(), ctas.end(), cta) - ctas.begin());
    }

    // The other CTA of the pair, whose rank differs in the last bit (ISA 9.7.16.5); none where the cluster ends before it.
    std::optional<int> peer(int cta) const {
        const std::vector<int> ctas = s_.cluster();
        const size_t other = rank(cta) ^ 1;
        return other < ctas.size() ? std::optional(ctas[other]) : std::nullopt;
    }

    // "All tcgen05 instructions within a kernel must specify the same value for the .cta_group qualifier."
    void check_one_group() {
        for (const Thread& thread : s_.test().threads)
            for (const Instruction& i : thread.body) {
                const bool grouped = traits(i.op).family == Traits::Family::tcgen && i.has("cta_group::1");
                if (grouped && instruction_.has("cta_group::2"))
                    return s_.report(instruction_.span,
                                     "another instruction of this test has `.cta_group::1`: all have the same" + s_.isa());
            }
    }

    // ---- st.bulk, discard, clusterlaunchcontrol.try_cancel (ISA 9.7.9.13, 9.7.9.17, 9.7.13.17) -----------

    // Data of the executing CTA, or in global memory, as the box of the form says; the whole range lies in it. Its alignment is that of the
    // offset: an array in shared memory begins at a multiple of 16, one in global memory at a multiple of 128 (litmus/language.md,
    // "Declarations").
    void check_filled() {
        const Part to = s_.in(Role::copy_to), size = s_.in(Role::size);
        if (!to.has_place()) return;
        const Location& location = to.location();
        const int64_t all = int64_t{bits(location.type)} / 8 * location.count, alignment = s_.alignment(to);
        const MemoryEffect effect = memory_effects(instruction_, Role::copy_to).front();
        const int64_t bytes = size.has_number()           ? static_cast<int64_t>(size.number())
                              : effect.size == Role::none ? static_cast<int64_t>(effect.bytes)
                                                          : alignment;  // a register says how many: at least so many
        const bool plain = !is_opaque(location) && location.points_to.empty() && location.proxy == Proxy::generic;
        if (!plain || !s_.reaches(location.space))
            return s_.report(to, in_ticks(location.name) + " is no array in " + (s_.reaches(Space::shared) ? "shared" : "global") +
                                     " memory" + s_.isa());
        if (to.is_shared() && !s_.check_reach(to, "shared::cta")) return;
        if (to.known.offset < 0 || to.known.offset + bytes > all)
            s_.report(to, std::to_string(bytes) + " bytes from byte " + std::to_string(to.known.offset) + " do not lie in " +
                              in_ticks(location.name) + ", which has " + std::to_string(all) + s_.isa());
        else if (to.known.offset % alignment != 0)
            s_.report(to, "this address is not aligned to " + std::to_string(alignment) + " bytes" + s_.isa());
    }

    Subject& s_;
    const Instruction& instruction_;
};

}  // namespace

void check_async(Subject& subject) {
    Async(subject).run();
}

}  // namespace litmus::rules
