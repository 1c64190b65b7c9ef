// The builder of programs: what build.cpp, instructions.cpp, async.cpp and control.cpp share.
//
// Private to this folder; the face is build_program in program.h.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "event/barrier.h"
#include "event/program.h"
#include "ptx/mbarrier.h"
#include "test/static_rules.h"

namespace litmus {

// the reads something depends on, each with the condition under which the dependency exists
using Dependencies = std::map<size_t, ExprId>;

struct RegisterState {
    ExprId value = 0;
    bool sign = false;  // extends as a signed value when read at a wider type
    Dependencies reads;
    ExprId written = ExprPool::yes;  // when it has been written, given that this place is reached
};

struct State {
    ExprId guard = ExprPool::yes;
    std::map<std::string, RegisterState> registers;
    Dependencies control;   // of branches, and all of `blocking`
    Dependencies blocking;  // what the awaits, waits and barriers before have waited for
    Dependencies awaited;   // reads whose value something before has waited for, each with the reason: performed.cpp
};

// An address, count or size that no constant folding makes known.
struct UnknownOperand : Failure {
    using Failure::Failure;
};

class Builder {
public:
    Builder(const Test& test, const BuildOptions& options);

    Program build();

private:
    // ---- locations --------------------------------------------------------------------------

    int cta_index(const Placement& at);

    // The CTA that a declaration `.shared.ctaN` means; one without threads lives in cluster 0 of gpu 0.
    int shared_cta(int number);

    // Cells that instructions name directly, in the order of declaration; the rest is added when met.
    void declare_cells();

    // Whether the elements of a location are two cells each: packed ones that packed operations reach
    // (ISA 9.7.13.5: "atomicity is guaranteed separately for each of the individual scalar elements").
    bool is_split(int location) const;
    // The type of a location's cells: that of its elements, or of their lanes.
    Type cell_type(int location) const;

    // `index` counts cells from the start of the location.
    int cell(int location, int instance, int index);

    int address_id(int location, int instance, int element);

    int location_index(const std::string& name) const;

    // Addresses as values: each location (and instance of it) starts at its own multiple of 1 MiB, so
    // that address arithmetic near an array, which has at most 32 KiB, finds its way back; 32 bits hold them all, as
    // `mov.u32` of a shared address needs.
    static constexpr uint64_t slot_bytes = uint64_t{1} << 20;
    static constexpr size_t most_slots = (uint64_t{1} << 32) / slot_bytes;
    uint64_t address_value(int location, int instance);
    struct Slot {
        int location, instance;
    };
    const Slot* slot_of(uint64_t address) const;  // the nearest; null: none

    struct Place {
        int cell = -1;
        int address = -1;
        Proxy proxy = Proxy::generic;
    };

    [[noreturn]] void fail(const Span& span, std::string message, std::string hint = {}) const;

    int instance_of(const Location& location, int named_cta);

    Place place(int location, int instance, uint64_t offset, Type access, const Span& span);

    Place resolve(const Operand& operand, Type access, uint64_t extra, const State& state);

    // A location in an instance of it, and the offset into it, in bytes.
    struct Target {
        int location = -1;
        int instance = -1;
        uint64_t offset = 0;  // before the location: negative, in two's complement
    };
    Target target(const Operand& operand, const State& state);
    // The declaration that a location is an alias of, if it is one.
    int physical(int location) const;

    // ---- registers and values ---------------------------------------------------------------

    const Thread& thread() const { return program_.test->threads[static_cast<size_t>(thread_)]; }

    ExprId read_register(const State& state, const std::string& name, Type type);

    // When a register has been written, given that this place is reached.
    static ExprId written(const State& state, const std::string& name);

    static const Dependencies& register_reads(const State& state, const std::string& name);

    // A source operand: its value at `type`, its reads added to `reads`.
    ExprId value_of(const State& state, const Operand& operand, Type type, Dependencies& reads);

    void add_reads(Dependencies& to, const Dependencies& from);

    Dependencies under(const Dependencies& reads, ExprId condition);

    // Assigns a register under the instruction's guard `when` (relative to the path).
    void assign(State& state, const Operand& destination, Type type, ExprId value, Dependencies reads, ExprId when,
                const Dependencies& guard_reads);

    // A register has the widest type it is written at, the first of those.
    void note_register(const std::string& name, Type type);

    // ---- events -----------------------------------------------------------------------------

    size_t add_event(Event event);

    void depend(const char* relation, const Dependencies& reads, size_t event);
    void depend_control(const State& state, size_t event);  // ctrl and blocks
    void block(State& state, const Dependencies& reads);    // from now on everything waits for these

    // What one instruction brings to all of its events.
    struct Context {
        const Instruction& instruction;
        int index;
        ExprId guard;              // path and @p
        ExprId when;               // @p alone
        Dependencies guard_reads;  // of @p
        bool fails = false;        // an iteration of an await that fails
    };

    // What folding knows of an operand that is read; fails for an address that is none of a location.
    KnownOperand known_operand(const Operand& operand, const State& state);
    // Fails for an instruction whose registers hold what it does not allow (static_rules.cpp).
    void check_static_rules(const Context& c, const State& state);

    // Fails where a wide load reads what something else than a vector or packed operation may write.
    void check_wide_loads() const;

    Event event_of(const Context& c, Event::Kind kind);

    size_t memory_event(const Context& c, const State& state, Event::Kind kind, const Place& at, Type type, int element);

    void depend_address(const State& state, const Operand& operand, size_t event);

    // Everything waits for what is awaited and for what, of the operand it is compared with, can change whether the condition is met.
    void block(const Context& c, State& state, const Dependencies& awaited, const Dependencies& operand, ExprId met);

    static const Operand& element_of(const Operand& operand, int i);

    void expect(const Context& c, State& state, ExprId value, Type type, const Dependencies& reads);

    void await_that(const Context& c, ExprId met);

    void load(const Context& c, State& state);

    // One wider load may read what vector or packed operations wrote, element by element (model/semantics.md
    // section 3): the type of those elements. check_wide_loads sees that nothing else writes them.
    std::optional<Type> part_of_wide_load(const Operand& address, Type type, int width, const State& state);

    ExprId part_of(ExprId whole, Type type, int shift, int width);
    ExprId place_part(ExprId whole, ExprId part, Type type, int shift);

    void store(const Context& c, State& state);

    // atom and red: per element R then W, related by rmw; a failed cas has no W.
    void atomic(const Context& c, State& state);
    // One scalar of it; `old` is what it reads, `operands` are those of its element. Returns the read.
    size_t atomic_scalar(const Context& c, const State& state, const Place& at, Type type, int element, const std::vector<ExprId>& operands,
                         const Dependencies& data);

    static Event::Reach reach(const Instruction& fence);
    void fence(const Context& c, const State& state);

    void barrier(const Context& c, State& state);

    void redux(const Context& c, State& state, BarrierUse& use, Dependencies& reads);

    // bar.red.popc.u32 d, a{, b}, {!}c;  bar.red.{and,or}.pred p, a{, b}, {!}c;
    void bar_red(const Context& c, State& state, BarrierUse& use, Dependencies& reads);

    // ---- asynchronous operations, mbarriers, groups (async.cpp) --------------------------------

    uint64_t constant_operand(const State& state, const Operand& operand, const char* what);
    size_t issue(const Context& c, const State& state);
    size_t asynchronous_event(const Context& c, size_t issue, Event::Kind kind, const Place& at, Type type, int element);
    void inside(size_t from, size_t to);  // aio
    std::pair<size_t, size_t> asynchronous_reduction(const Context& c, size_t issue, const Place& at, Type type, int element,
                                                     ExprId operand, const Dependencies& data);
    struct Update {
        size_t read, write;
    };
    Update update(const Context& c, const State& state, const Place& at, const MbarrierStep& step, Sem sem, Scope scope,
                  std::optional<size_t> issue);
    ExprId field(ExprId state, Field field);
    void must_be_live(const Place& at, size_t read);
    void check_update(const Place& at, const MbarrierStep& step, size_t read);
    Place object(const Operand& operand, const State& state);
    void mbarrier(const Context& c, State& state);
    void wait(const Context& c, State& state, const Place& at, size_t argument);
    ExprId wait_for_token(const Place& at, size_t read, ExprId token);
    ExprId token(const Place& at, size_t read, bool no_complete);
    void check_pending_count(const Context& c, ExprId token);
    uint32_t next_life(int cell, const Span& span);
    void direct(const Context& c, State& state);
    size_t complete_on(const Context& c, const State& state, size_t start, const Place& at, int64_t bytes,
                       const std::vector<size_t>& before);
    size_t group_completion(const Context& c, size_t start, const std::vector<size_t>& before);
    std::vector<int> multicast_ctas(uint64_t mask);
    Operand counterpart(const Operand& operand, int cta) const;
    void bulk(const Context& c, State& state);
    bool waits_for_reads() const;
    void copy(const Context& c, State& state);
    void check_group(ExprId closed);
    void asynchronous_arrive(const Context& c, State& state);

    // The bulk or cp.async groups of one thread, in program order; positions are event numbers.
    struct GroupMember {
        size_t position;
        ExprId guard;
        size_t completion;
        std::optional<size_t> read_completion;
    };
    struct Groups {
        std::vector<GroupMember> members;
        std::vector<std::pair<size_t, ExprId>> commits;
    };
    void commit(const Context& c, Groups& groups);
    void wait_group(const Context& c, State& state, Groups& groups);
    void finish_groups(const Groups& groups, size_t wait, uint64_t pending, bool reads);

    Type element_type(const Operand& operand, const State& state);
    std::vector<int64_t> kept_elements(const Operand& to, const Operand& from, int64_t count, int64_t step, const State& state);
    // Bytes of a location, or of what it is an alias of, that must become events.
    void keep(int location, int64_t first, int64_t bytes);
    bool is_kept(int location, int64_t first, int64_t bytes) const;
    std::vector<std::pair<int, int64_t>> destinations(const Thread& thread, const Instruction& copy) const;
    void mark_elements();

    // ---- plain computation ------------------------------------------------------------------

    void compute(const Context& c, State& state);

    // Shift amounts are .u32 whatever the type; those above the width act as the width (9.7.8.8, 9.7.8.9).
    ExprId shift_amount(const State& state, const Operand& operand, Type type, Dependencies& reads);

    static std::optional<Type> source_type(const Instruction& i);

    // setp.<cmp>.type p{|q}, a, b;
    void set_predicate(const Context& c, State& state);

    // ---- control flow -----------------------------------------------------------------------

    State merge(State a, const State& b);

    Dependencies merge_reads(const Dependencies& x, ExprId x_guard, const Dependencies& y, ExprId y_guard);

    using Pending = std::map<size_t, State>;  // by instruction index; size of the body: the end

    void arrive(Pending& pending, size_t at, const State& state);

    size_t label_target(const Operand& operand) const;

    struct Region {
        size_t first, last;  // instruction indices, inclusive
    };

    // Loop regions: from the target of a backward branch to the branch; overlapping ones that do not nest are
    // one region. Of two with the same first instruction the shorter one is inside the other.
    std::vector<Region> find_regions() const;

    void build_thread(int t);

    bool needs_exits() const;

    // Executes instructions [first, end) once. States that leave stay in `pending`; those that jump
    // back inside `current` are in back_edges_.
    void run(size_t first, size_t end, const Region* current, Pending& pending);

    void step(size_t index, State state, Pending& pending, const Region* current);

    ExprId divert();
    // Refuses an instruction that reads, under its guard, a register which has not been written on every way there.
    void require_written(const Context& c, const State& state);

    void execute_or_block(Context c, State& state);
    void fail_once(Context c, State& state, ExprId fails);
    void wait_for_operands(const Context& c, State& state);
    void wait_for(State& state, const std::string& name, ExprId when, size_t reason);
    void wait_always(State& state, const Dependencies& reads);
    void note_performed(const State& state, size_t event);
    bool is_kept_in_place(size_t event) const;
    void relate_performed();
    ExprId at_end(ExprId e, uint32_t choice, size_t first);

    void branch(const Context& c, State state, Pending& pending, const Region* current);

    void execute(const Context& c, State& state);

    // What a trial iteration may have added and must be able to take back.
    struct Mark {
        size_t events, dependencies, barriers, constraints, bounds, pairs, violations, blocked, diverted, arrivals, performed, waits;
        std::map<std::pair<int, std::string>, Type> register_types;
        std::map<int, std::vector<MbarrierStep>> steps;
        std::map<int, uint32_t> lives;
        Groups bulk_groups, copy_groups;
        std::vector<std::vector<size_t>> copies;
    };
    Mark mark() const;

    void roll_back(const Mark& m);

    void loop(const Region& region, Pending& pending);

    // Executes the region up to the bound; what leaves it is added to `exits`.
    void unroll(const Region& region, Pending inside, Pending& exits);
    bool is_decided(const Pending& entry, const Pending& next) const;

    std::set<std::string> assigned_registers(const Region& region) const;

    bool has_leaf(ExprId e, uint32_t index) const;
    std::vector<ExprId> conjuncts(ExprId e);
    bool exclude(ExprId a, ExprId b);

    // Takes the region as an await if it is one; then what leaves it is added to `exits`.
    bool await(const Region& region, const Pending& inside, Pending& exits);
    // One iteration from `entry`, all registers that the region assigns unknown. What leaves it stays in `trial`; returns
    // the condition under which it fails, or nothing when the region is no await.
    std::optional<ExprId> last_iteration(const Region& region, const State& entry, Pending& trial);
    State failing_iteration(const Region& region, const State& entry, ExprId fails);

    bool is_await(const Mark& before, uint32_t poison, ExprId failing, const Pending& exits);

    // ---- relations --------------------------------------------------------------------------

    struct Dependency {
        const char* relation;
        size_t read, event;
        ExprId when;
    };

    // The reads whose value can change an expression (influence.cpp), and those that decide whether an event
    // happens (dependency.cpp).
    using Reads = std::vector<uint32_t>;
    const Reads& deciding(ExprId e);
    Reads deciding_guard(size_t event);
    bool can_change(size_t read, ExprId e);
    void find_same_stores();
    void drop_idle_reads();
    void drop_unused_results();

    void finish_relations();
    void check_counts();
    void relate_phases();
    void relate_exits();
    void relate_lives();

    // "values": from each read (or bar.red) to the writes and bar.reds whose value or existence its value
    // decides.
    void add_value_flow();

    BuildOptions options_;
    Program program_;
    int thread_ = 0;
    int iteration_ = 0;    // see Event::iteration
    int iterations_ = 0;   // of all loops and awaits so far
    uint32_t trials_ = 0;  // awaits being tried, one inside the other
    std::vector<Region> regions_;
    Pending back_edges_;
    // Conditional branches of the iteration under way that go on with the loop or leave it: some that constants decide, some
    // that they do not.
    struct Turns {
        bool decided = false, open = false;
    };
    Turns turns_;
    std::vector<Dependency> dependencies_;
    std::map<ExprId, Reads> deciding_;  // what is known of expressions
    struct SameStores {                 // taken as one
        ExprId happens, value;
    };
    std::map<size_t, SameStores> same_stores_;  // by each of them
    std::vector<BarrierUse> barriers_;
    std::map<int, size_t> exits_;  // by thread
    int operation_count_ = 0;
    size_t executed_ = 0;                     // instructions, on all paths
    std::set<std::pair<int, int64_t>> kept_;  // what must become events: physical location, byte
    struct Pair {
        const char* relation;
        size_t from, to;
        ExprId when;
    };
    std::vector<Pair> pairs_;  // of iss, aio, grp, ...
    // What tells that an arrival came too early: the phases that arrivals and successful waits see.
    struct PhaseSeen {
        size_t event;
        int cell;
        ExprId phase;
        ExprId when;
    };
    std::vector<PhaseSeen> arrivals_, waits_;
    struct Use {  // an instruction that waits for its operands
        int thread, instruction, iteration;
    };
    std::vector<Use> uses_;
    struct Performed {
        size_t waited;  // read and reason: performed.cpp
        size_t event;
        ExprId when;
    };
    std::vector<Performed> performed_;
    std::map<int, std::vector<MbarrierStep>> steps_;  // by cell: the updates of an mbarrier object
    std::map<int, uint32_t> lives_;                   // by cell: how many lives of an mbarrier object have begun
    Groups bulk_groups_, copy_groups_;                // of the current thread
    std::vector<std::vector<size_t>> copies_;         // the events of each cp.async of the current thread
    std::map<std::tuple<int, int, int>, int> cell_ids_;
    std::map<std::tuple<int, int, int>, int> address_ids_;
    std::map<std::pair<int, std::string>, Type> register_types_;
    std::vector<Slot> slots_;  // of addresses, the first at 1
};

}  // namespace litmus
