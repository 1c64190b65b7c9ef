// The run of a sweep: warps that execute a kernel's statements, memory, and what synchronises.
//
// Each lane has its own place in the code. The lanes of a warp that stand at the least place go on together, so those that took different
// ways meet again; what is `.sync` or `.aligned` waits until all lanes of its mask stand there. A warp runs until nothing in it can go on.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kernel/layout.h"
#include "sweep/code.h"
#include "sweep/doubt.h"
#include "sweep/link.h"
#include "sweep/shadow.h"
#include "sweep/sweep.h"
#include "sweep/tensor_map.h"
#include "sweep/value.h"

namespace litmus::sweep {

inline constexpr uint32_t warp_size = 32;
using Lanes = uint32_t;  // a set: bit i is lane i

// The members of a set, ascending.
class Members {
public:
    explicit Members(Lanes lanes) : lanes_(lanes) {}
    class Member {
    public:
        explicit Member(Lanes left) : left_(left) {}
        uint32_t operator*() const { return static_cast<uint32_t>(std::countr_zero(left_)); }
        Member& operator++() {
            left_ &= left_ - 1;
            return *this;
        }
        friend bool operator==(Member, Member) = default;

    private:
        Lanes left_;
    };
    Member begin() const { return Member(lanes_); }
    static Member end() { return Member(0); }

private:
    Lanes lanes_;
};
inline Members each(Lanes lanes) {
    return Members(lanes);
}

// Asynchronous operations of one thread that are completed in their order, in groups.
struct Queue {
    size_t component = 0;
    uint32_t issued = 0;                      // operations; each is known by its number
    std::vector<uint32_t> groups;             // the last operation of each group that was committed
    uint32_t awaited = 0;                     // the last operation that was waited for
    const kernel::Statement* last = nullptr;  // the last operation
};

// The operations of a warpgroup, which its four warps issue and commit together.
struct Products : Queue {
    std::vector<std::pair<uint32_t, Time>> commits;  // by group: warps that have committed it, and what they knew then, in time
};

// The scopes .gpu and .sys have the same threads on one GPU.
inline Scope widest(Scope scope, uint32_t gpus) {
    return scope == Scope::gpu && gpus == 1 ? Scope::sys : scope;
}

// Knowledge that a thread has released, or observed, for each scope. A scope stands for the group of threads that it has around the thread
// (ISA 8.5). A release and an acquire synchronize if each scope has the other's thread (8.9.4). Groups are nested. So this holds if both
// threads are in one group of the narrower scope. A release is kept for its scope and for each narrower one. An acquire gets what is kept
// for its scope and for each narrower one.
class Levels {
public:
    Knowledge& operator[](Scope scope) { return levels_[index(scope)]; }
    const Knowledge& operator[](Scope scope) const { return levels_[index(scope)]; }
    // A fence of this scope releases it.
    void set(Scope scope, const Knowledge& known) {
        for (size_t i = 0; i <= index(scope); ++i) levels_[i] = known;
        widest_ = std::max(widest_, scope);
    }
    // Whether there was such a fence.
    bool has(Scope scope) const { return scope <= widest_; }

private:
    static size_t index(Scope scope) { return scope == Scope::none ? 0 : static_cast<size_t>(scope) - static_cast<size_t>(Scope::cta); }
    std::array<Knowledge, 4> levels_;
    Scope widest_ = Scope::none;
};

// tcgen05.mma and .cp of one thread (9.7.16.6.2).
struct TensorProducts : Queue {
    size_t executed = 0;                                // a component: that they were executed, whether or not they are complete
    std::vector<std::pair<uint32_t, uint64_t>> shapes;  // of each; with the accumulator's address
};

// A `cp.async` whose group has not ended: where it writes, and its number.
struct OpenCopy {
    size_t instance = 0;
    uint64_t begin = 0, end = 0;
    uint32_t number = 0;
};

struct Thread {
    kernel::Seat seat;
    size_t component = 0;
    uint32_t number = 1;  // of its accesses from the last release on
    Knowledge known;
    Levels released;  // what was known at its last fence that releases, of that scope or more
    // By number and statement: at which later number a read was performed; the largest: nobody will know. See Warp::pending.
    std::unordered_map<uint64_t, uint32_t> late;
    Levels seen;  // what strong reads observed, and no fence acquired yet
    std::map<std::pair<size_t, uint64_t>, std::pair<size_t, uint32_t>>
        observed;                                   // by instance and offset: the strong write that it read last
    std::optional<Queue> copies, bulk, bulk_reads;  // cp.async; bulk groups, whole and what they read
    std::vector<OpenCopy> open_copies;              // of cp.async in the open group
    std::optional<TensorProducts> tensor_products;
    Clock tensor;                    // what is ordered before its accesses to tensor memory besides (9.7.16.6.3)
    std::map<uint64_t, Clock> maps;  // by address: what its fences acquired of a tensor map
    uint32_t cluster_arrivals = 0, cluster_waits = 0;
    std::map<Scope, Doubt> seen_doubts;  // of what it observed and did not acquire yet
    bool guessed = false;                // whether to do something that depends on a value that is not computed
    bool exited = false;
};

// A lane that cannot go on.
struct Waiting {
    enum class For : uint8_t { nothing, lanes, barrier, phase, cluster, products, peer, columns };
    For what = For::nothing;
    Lanes mask = 0;           // lanes: which have to come
    size_t object = 0;        // barrier: its number; phase: the mbarrier object; products: the warpgroup; peer, columns: a block
    uint32_t generation = 0;  // of the barrier, the phase or the cluster's barrier; the group of products; operations; columns
};

// By register: what asynchronous operations make of it (async_registers.cpp).
struct AsyncRegisters {
    std::vector<uint32_t> product;  // the last operation that it belongs to, by Warp::products; 0: none
    std::vector<bool> accessed;     // by something else, since the last wgmma.fence
    std::vector<bool> loading;      // by a tcgen05.ld that nothing has waited for yet
    uint32_t complete = 0;          // operations that were waited for
    bool fenced = false;            // there was a wgmma.fence
};

// A read that nothing has waited for yet, by the lanes that have read, with their numbers then.
struct Pending {
    Lanes lanes = 0;
    std::array<uint32_t, warp_size> numbers{};
};

struct Warp {
    uint32_t block = 0;
    size_t first = 0;  // thread of lane 0
    Lanes exists = 0, exited = 0;
    Lanes held = 0;                      // of a block that has not started (cancel.cpp): lanes that it will have
    std::array<size_t, warp_size> at{};  // the next statement of each lane
    std::array<Waiting, warp_size> waiting{};
    // Null: in no lane the value was ever computed.
    std::vector<std::unique_ptr<std::array<uint64_t, warp_size>>> registers;
    std::vector<Lanes> known;                               // of each register: the lanes whose value is computed
    std::map<size_t, std::array<Doubt, warp_size>> doubts;  // of registers that some lane has doubts of
    std::map<size_t, std::array<Value, warp_size>> parts;   // of registers that are computed in part in some lane
    std::array<std::vector<size_t>, warp_size> calls;       // of each lane: the statements that called, outermost first
    std::map<size_t, uint32_t> guesses;                     // by statement: how often it was guessed whether its guard holds
    Doubt doubt(size_t reg, uint32_t lane) const {
        const auto found = doubts.find(reg);
        return found == doubts.end() ? 0 : found->second[lane];
    }
    std::map<uint32_t, Pending> pending;  // by statement
    uint32_t products = 0;                // wgmma operations that it took part in
    std::vector<uint32_t> product_groups;
    AsyncRegisters async_registers;
    std::optional<Queue> tensor_loads, tensor_stores;  // tcgen05.ld and .st
    std::vector<const Step*> resized;                  // setmaxnreg, in the order of the warp
    std::array<Lanes, warp_size> elected_among{};      // the lanes of which it was elected last; none: another one was, or nobody
    bool looked = false;                               // lately at what other threads may change, as who polls does
    bool yields = false;                               // to other warps: it polls in vain
    Lanes ran = 0, behind = 0;                         // lanes that went on in its last turn; that stand behind the others in this one
    // Where it was, with which values, in a round of all warps since which nothing has changed.
    struct Round {
        uint64_t changes = 0, number = 0, state = 0;
        bool again = false;
    };
    Round round;
    Lanes live() const { return exists & ~exited; }
};

// The change that a strong write makes; a store is an exchange. Those that are equal leave the same in any order.
struct Change {
    Operator does = Operator::exch;
    Type type = Type::b32;
    std::optional<uint64_t> by = {}, swapped = {};  // what cas compares with, and what it writes
    friend bool operator==(const Change&, const Change&) = default;
};

// A value that a strong write has left; `number` 0 of the access: it was there before.
struct Written {
    Value value;
    Access access;
    Change change;
    bool unordered = false;  // with another strong write before it
};

// A reader of a strong write may acquire this: of the write, and of those from which atomic operations lead to it (ISA 8.9.2).
struct Release {
    std::map<std::pair<Scope, uint32_t>, Knowledge> within;  // by scope, and the number of its group; see Levels
    Time time;                                               // how far the threads had come
    Access by;
};

// The strong writes of other threads that come before an access in this run, and in another run may come after it.
enum class Unordered : uint8_t { none, alike, unlike };  // alike: reductions like the access itself, of one kind (Step::reduction)

// A piece of memory: an array, or a variable in the shared memory of one block.
struct Instance : Contents {
    size_t object = 0;
    std::map<uint64_t, std::vector<Written>> written;  // by offset: what strong writes have left, where one has
    Shadow shadow;
    std::map<uint64_t, Release> releases;  // by offset: of the last strong write
    // From the first mbarrier object that was initialised here to the end of the last.
    uint64_t objects_begin = UINT64_MAX, objects_end = 0;
};

// A byte of the memory that a thread has alone.
struct OwnByte {
    uint8_t bits = 0;
    Doubt doubt = 0;
};

struct Spot {
    size_t number = 0;  // of the instance
    uint64_t offset = 0;
    uint32_t block = 0;  // whose shared memory
    bool shared = false;
    uint8_t address = 0;  // as of an Access
};

// What the arrivals of a phase publish. A scope has to reach both ways (ISA 8.7.1).
struct Senders {
    struct From {
        uint32_t block = 0;
        bool to_cluster = false;  // a scope of .cluster or more
        friend bool operator<(const From& a, const From& b) { return std::tie(a.block, a.to_cluster) < std::tie(b.block, b.to_cluster); }
    };
    std::map<From, Knowledge> knowledge;
    std::map<From, Causes> wide;  // Knowledge::wide: what all send if each scope is wide enough
    Time time;
    std::set<uint32_t> copying;  // blocks that sent bytes in the phase, which count at .cluster

    // The object's updates are one chain: what was published in earlier phases comes with the later ones.
    void take(Senders next) {
        for (const auto& [from, sent] : next.knowledge) knowledge[from].join(sent);
        for (const auto& [from, sent] : next.wide) wide[from].join(sent);
        time.join(next.time);
        copying = std::move(next.copying);
    }

    // What a wait of this scope in this block gets from its own block, and from others.
    void reach(uint32_t block, Scope scope, Knowledge& near, Knowledge& far) const {
        for (const auto& [from, sent] : knowledge) {
            if (from.block == block) near.join(sent);
            if (from.block != block && from.to_cluster && scope != Scope::cta) far.join(sent);
        }
        for (const auto& [from, sent] : wide) {
            if (from.block == block) near.wide.make().join(sent);
            if (from.block != block && from.to_cluster) far.wide.make().join(sent);
        }
    }
    bool all_reach(uint32_t block, Scope scope) const {
        const auto reaches = [&](const auto& one) {
            return one.first.block == block || (scope != Scope::cta && knowledge.contains({one.first.block, true}));
        };
        return completes_for(block, scope) && std::all_of(knowledge.begin(), knowledge.end(), reaches);
    }
    bool completes_for(uint32_t block, Scope scope) const {
        return scope != Scope::cta || std::all_of(copying.begin(), copying.end(), [&](uint32_t one) { return one == block; });
    }
};

// What a wait gets: at once, and with the next fence where it does not acquire, from its own block and from others.
struct Gain {
    Knowledge known, seen, seen_far;  // seen: of the own block
    bool whole = true;                // nothing is left out for its scope
};

struct Mbarrier {
    size_t component = 0;
    uint32_t block = 0;
    std::string name;
    int64_t count = 0, pending = 0, bytes = 0;
    uint32_t phase = 0;
    Senders arriving, completed;
    std::map<std::tuple<uint32_t, bool, bool, uint32_t>, Gain> gains;  // since a phase was complete; see Machine::gain
    std::map<size_t, Access> uses;                                     // by component: the last operation of each thread
    // Components and numbers of the arrivals of the open phase, and of the last; how many they are, where no bytes are waited for as well.
    std::vector<std::pair<size_t, uint32_t>> arrivals, last_arrivals;
    int64_t arrived = 0, last_arrived = 0;
    std::vector<Access> added;  // to the phase that is open, by who need not arrive in it: before it ends
    struct Wait {
        Access access;
        bool at_once = false;  // its thread knew that the phase was over
    };
    std::vector<Wait> waits;  // for the last phase that is complete: the next one must not end before them
    Access init;
    struct Answer {  // of requests for a cluster, of which the first comes in this phase (cancel.cpp)
        uint32_t phase = 0;
        Doubt doubt = 0;
        bool failed = false;
    };
    std::vector<Answer> answers;
};

// A rectangle of tensor memory: a set of cells of 16 lanes, and columns.
struct TensorPart {
    uint32_t cells = 0, first = 0, columns = 0;
};

// The tensor memory of a block (9.7.16.1).
struct TensorMemory {
    std::map<uint32_t, uint32_t> allocated;  // columns, by the first
    uint32_t last_columns = 0;               // of the last allocation
    bool relinquished = false;
    uint32_t with_peer = 0;  // operations with .cta_group::2 that the block has come to
    Access latest;           // of the thread that came to the last of them
    Place allocation;        // the last one
    Shadow shadow;

    bool has_room(uint32_t columns) const;
    uint32_t allocate(uint32_t columns);
    bool holds(uint32_t column) const;
};

// A thread was told of an answer to a request for a cluster when its component had this number (cancel.cpp).
struct Told {
    size_t component = 0;
    uint32_t number = 0;
    Doubt doubt = 0;
    bool of_failure = false;
};

// A turn of a cluster's barrier: how many arrived, and what was brought to all, and to the own block.
struct ClusterTurn {
    uint32_t arrived = 0;
    Knowledge all;
    std::map<uint32_t, Knowledge> near;
};

// Nobody waits for threads that have exited. In the turns that they did not come to they count as arrived, and bring nothing but time.
struct ClusterBarrier {
    std::vector<ClusterTurn> turns;
    std::map<uint32_t, std::pair<uint32_t, Clock>> left;  // by the turns that they came to: how many exited, and Time::events of them

    bool is_complete(uint32_t turn, uint32_t threads) const {
        uint32_t came = turns[turn].arrived;
        for (auto one = left.begin(); one != left.end() && one->first <= turn; ++one) came += one->second.first;
        return came >= threads;
    }
};

struct Barrier {  // bar.sync and its kin
    size_t component = 0;
    uint32_t expected = 0, generation = 0;         // threads; 0: all of the block that have not exited
    bool reduces = false;                          // the turn that is open
    std::vector<std::pair<size_t, bool>> arrived;  // threads, and whether they wait
    std::map<size_t, std::vector<Lanes>> came;     // by warp: the lanes that came once in this turn, twice, ...
    std::vector<Value> predicates;                 // of the threads that reduce in this turn
    const kernel::Statement* last = nullptr;       // by which a thread came
    Knowledge met;
};

class Machine {
public:
    Machine(const kernel::Module& module, const kernel::Launch& launch, const Options& options);
    Swept run();

private:
    // ---- control (machine.cpp)
    void begin_threads();
    void run_warps();
    void run_started();
    bool advance(Warp& warp);
    void take(const Turn& turn);
    // How many instructions it has executed; `to_poll`: a poll in vain ends the turn.
    uint64_t run_turn(Warp& warp, const Turn& turn, bool to_poll);
    bool stands_at(Warp& warp, const kernel::Statement* statement);  // with what it executes next
    void note_able();
    Schedule taken();                  // repeats this run
    Lanes going_on(Warp& warp) const;  // that execute the next instruction; none: the warp cannot go on
    [[noreturn]] void give_up(const Warp& warp) const;
    bool was_here(Warp& warp);
    uint64_t state_of(const Warp& warp) const;
    bool can_go_on(const Warp& warp, uint32_t lane) const;
    static bool stands_before(const Warp& warp, uint32_t lane, uint32_t other);
    // The lanes for which the statement's guard holds.
    Lanes guarded(Warp& warp, Lanes lanes, const Step& step);
    void execute(Warp& warp, Lanes lanes, const Step& step);
    void execute_unlisted(Warp& warp, Lanes lanes, const Step& step);
    void tensor_core(Warp& warp, Lanes lanes, const Step& step);
    void meet_in_warp(Warp& warp, Lanes lanes, const Step& step);
    void branch(Warp& warp, Lanes lanes, const Step& step);
    void branch_indexed(Warp& warp, Lanes lanes, const Step& step);
    void leave(Warp& warp, Lanes lanes);
    void report_stuck();
    void report_resized();
    std::optional<Place> what_told(const Warp& warp, uint32_t lane, Breach breach) const;
    std::pair<Breach, Filling> why_stuck(const Warp& warp, uint32_t lane) const;
    void report_doubts();
    Doubt doubt_of(const Step& step) { return doubts_.of(static_cast<uint32_t>(began_.size()) + number_of(step)); }
    uint32_t number_of(const Step& step) const { return static_cast<uint32_t>(&step - code_.data()); }
    // Why what the statement gives might be another value; none: it is not. `from`: where the statement is.
    std::optional<std::string> why_another(uint32_t statement, const std::string& from) const;
    // Whether all lanes of a mask stand at this statement with that mask (9.7.13.2): `lanes` is then those. Others are parked.
    bool gather(Warp& warp, Lanes& lanes, const Step& step);
    void pass_outside(Warp& warp, Lanes lanes, const Step& step);
    void meet_in_time(Warp& warp, Lanes lanes);
    void next(Warp& warp, Lanes lanes) const;
    [[noreturn]] void fail(const Warp& warp, uint32_t lane, const Step& step, const std::string& message) const;

    // ---- calls (call.cpp)
    void call(Warp& warp, Lanes lanes, const Step& step);
    void enter(Warp& warp, uint32_t lane, const Step& step, const Callee& callee, const std::vector<kernel::Argument>& given);
    void call_outside(Warp& warp, uint32_t lane, const Step& step, const kernel::Argument& function,
                      const std::vector<kernel::Argument>& results, const std::vector<kernel::Argument>& parameters);
    void give_back(Warp& warp, Lanes lanes);
    void trap(Warp& warp, Lanes lanes, const Step& step);
    const Callee& callee_at(size_t statement) const;
    Value own_value(size_t thread, uint64_t offset, uint32_t bytes);
    void set_own(size_t thread, uint64_t offset, uint32_t bytes, const Value& value);
    void copy_own(size_t thread, uint64_t from, const Piece& to);

    // ---- clocks (timing.cpp)
    bool is_clock(uint32_t began) const;  // a doubt there
    bool is_timed(Doubt doubt) const;     // a clock is among its causes
    bool gives_up(size_t at) const;
    // Whether the guard holds on the way that goes on; none: no clock decides it, or not one of its two ways gives up.
    std::optional<bool> unless_it_gives_up(Doubt doubt, const Step& step);
    // Whether it holds in this run, where by the clock it does if `goes`.
    bool as_time_goes(Warp& warp, bool goes, const Step& step);

    // ---- clusters that have not started (cancel.cpp)
    bool has_started(uint32_t block) const;  // at the beginning
    bool start_rest();                       // what nobody has cancelled
    void request_cluster(Warp& warp, uint32_t lane, const Step& step);
    void note_answers(const Thread& thread, const Mbarrier& object, uint32_t phase);
    void query_answer(Warp& warp, uint32_t lane, const Step& step);

    // ---- registers (registers.cpp)
    Value read(const Warp& warp, uint32_t lane, const kernel::Argument& argument);
    Value special(const Warp& warp, uint32_t lane, const std::string& name);
    // For what is decided by it; refused where it is not computed.
    uint64_t need(const Warp& warp, uint32_t lane, const Step& step, const kernel::Argument& argument, const std::string& what);
    // Notes that something is decided by a value that might be another one.
    void decide(Doubt doubt, const Step& step);
    void write_register(Warp& warp, Lanes lanes, int reg, const Value& value) const;
    void write_alike(Warp& warp, Lanes lanes, const kernel::Argument& argument, std::span<const Value> values) const;
    void write(Warp& warp, uint32_t lane, const kernel::Argument& argument, std::span<const Value> values) const {
        write_alike(warp, Lanes{1} << lane, argument, values);
    }
    int width_of(const kernel::Argument& argument) const;
    void compute(Warp& warp, Lanes lanes, const Step& step);
    std::vector<Value> compute_in_part(const Warp& warp, uint32_t lane, const Step& step);
    static bool reads_alike(const Warp& warp, const kernel::Argument& argument, uint32_t lane, uint32_t other);
    std::optional<Doubt> operands(const Warp& warp, uint32_t lane, const Step& step, std::vector<uint64_t>& sources);
    static std::optional<std::vector<uint64_t>> results_of(const Step& step, const std::vector<uint64_t>& sources, bool& carry);
    void evaluate(Warp& warp, Lanes lanes, const Step& step, const std::vector<uint64_t>& sources, Doubt doubt);
    void convert_address(Warp& warp, Lanes lanes, const Step& step);
    void exchange(Warp& warp, Lanes lanes, const Step& step);
    uint32_t elected(Lanes lanes);

    // ---- what instructions ask of their operands (demands.cpp): of a number that it needs, of a place that it names, of a hint's operands
    void ask_number(const Warp& warp, uint32_t lane, const Step& step, const kernel::Argument& argument, uint64_t number);
    void ask_place(const Warp& warp, uint32_t lane, const Step& step, const kernel::Argument& argument, const Spot& spot, uint64_t address);
    void ask_owner(const Warp& warp, uint32_t lane, const Step& step, const OwnerDemand& demand, const Spot& spot);
    void ask_coordinates(const Warp& warp, uint32_t lane, const Step& step, const Tensor& map, const std::vector<int64_t>& corner);
    void ask_hint(const Warp& warp, uint32_t lane, const Step& step);

    // ---- memory (memory.cpp)
    uint64_t address(const Warp& warp, uint32_t lane, const Step& step, const kernel::Argument& argument);
    // Where a generic address, or one in the window of a space, leads.
    kernel::Pointee pointee(const Warp& warp, uint32_t lane, const Step& step, std::string_view space, uint64_t address) const;
    // None: the instruction has no such argument.
    std::optional<Spot> spot(const Warp& warp, uint32_t lane, const Step& step, Role role, uint64_t extra = 0);
    Spot spot_of(const Warp& warp, uint32_t lane, const Step& step, std::string_view space, uint64_t address);
    Spot spot_in(const Warp& warp, const kernel::Pointee& object);
    // An address in shared memory is the rank of its CTA in the cluster, and below that a number that is the same in each: kernels take it
    // so that clear a bit of it to name the first CTA of a pair. Where the own CTA's begins:
    uint64_t shared_window(uint32_t block) const { return geometry_.rank(block) * kernel::window::cta_stride; }
    Instance& instance(size_t object, uint32_t block, size_t& number);
    void take_over(Instance& instance) const;  // what earlier launches left there
    std::shared_ptr<const Left> left();        // to the next one

    // ---- launches that may still run (grids.cpp)
    bool is_earlier(uint32_t thread) const { return thread >= threads_.size(); }
    const kernel::Seat& seat_of(uint32_t thread) const;  // of an access
    const Step& step_of(uint32_t statement) const;       // likewise
    Place place_of(const Access& access) const;
    void take_over_accesses(Instance& instance) const;
    std::shared_ptr<const Running> running();
    std::shared_ptr<const Running> numbered_behind(const Running& before) const;
    void trigger(Warp& warp, Lanes lanes);
    void wait_for_grids(Warp& warp, Lanes lanes);
    static constexpr uint32_t caches_as_block = UINT32_MAX - 1;  // of Knowledge::fenced: what is there for caches that are not coherent

    Doubt doubt_of_strong(const Spot& spot, const Step& step);
    void load(Warp& warp, Lanes lanes, const Step& step);
    void store(Warp& warp, Lanes lanes, const Step& step);
    void atomic(Warp& warp, Lanes lanes, const Step& step);
    void decide_writing(Warp& warp, uint32_t lane, const Step& step, std::span<const Value> old, std::span<const Value> by);
    void matrix_rows(Warp& warp, Lanes lanes, const Step& step);
    void fence(Warp& warp, Lanes lanes, const Step& step);
    static void fence_proxy(Thread& thread, const Step& step);
    Value get(const Instance& instance, uint64_t offset, uint32_t bytes);
    static void put(Instance& instance, uint64_t offset, uint32_t bytes, Value value);
    // As its thread does it, in its proxy: an asynchronous write needs no fence after a read that comes before it. If some strong writes
    // are not ordered with it, what it finds depends on the order. If some of them are unlike, what is left depends on it, too.
    Unordered touch(const Spot& spot, uint64_t bytes, const Access& access, const Step& step);
    // The same of several ranges of its object, wherever the spot is.
    using Ranges = std::vector<std::pair<uint64_t, uint64_t>>;  // offset, bytes
    Unordered touch(const Spot& object, std::span<const std::pair<uint64_t, uint64_t>> ranges, const Access& access, const Step& step);
    // An access to another block's shared memory: that block has to have begun, and must not end before.
    void reach(const Access& access, const Spot& spot, const Step& step);
    void note_guest(const Access& access, uint32_t block);
    // An access that is no operation on the mbarrier object that lies there.
    void over_object(const Spot& spot, uint64_t bytes, const Access& access, const Step& step);
    Access own_access(const Thread& thread, const Step& step, bool writes) const;
    void publish(Thread& thread, const Spot& spot, const Step& step);
    // `settled`: in every order the read finds the same write.
    void observe(Thread& thread, const Spot& spot, const Step& step, bool settled);
    bool meet(const Access& a, const Access& b) const;  // strong, and in each other's scopes
    uint32_t gpu_of(uint32_t block) const { return options_.gpus == 1 ? 0 : block / (geometry_.blocks() / options_.gpus); }
    // The number of the group of threads that this scope has around a thread.
    uint32_t group_of(Scope scope, const kernel::Seat& seat) const;
    Scope widest(Scope scope) const { return sweep::widest(scope, options_.gpus); }

    // ---- multimem addresses (multimem.cpp)
    // Where a place that has one leads.
    std::vector<Spot> replicas(const Warp& warp, uint32_t lane, const Step& step, const Spot& named);
    void multimem(Warp& warp, Lanes lanes, const Step& step);
    void load_reduced(Warp& warp, uint32_t lane, const Step& step, const std::vector<Spot>& spots);
    void store_at(Warp& warp, uint32_t lane, const Step& step, const Spot& to);
    void reduce_at(Warp& warp, uint32_t lane, const Step& step, const Spot& to);

    // ---- what updates leave in memory (update.cpp)
    struct Update {
        std::vector<Value> old, by, now;  // of each element: what lay there, the operand, and what is to lie there
    };
    // An instruction stores what its registers hold to the elements at the spot, or reduces them with it.
    Update update_from_registers(const Warp& warp, uint32_t lane, const Step& step, const Spot& spot);
    // The result of an operation on an element and its operand.
    Value updated(Operator does, Type type, bool shared, const Value& old, const Value& by);
    // One behind the other from the spot on, of so many bytes each.
    void put_elements(const Spot& spot, uint32_t bytes, std::span<const Value> values);
    // Elements that memory holds, bytes of one place as operands of those at another; offsets.
    struct Run {
        uint64_t from = 0, to = 0, bytes = 0;
    };
    // The new value of each element of the runs; none of them is put there yet.
    std::vector<Value> update_from_memory(const Step& step, Type type, const Spot& from, const Spot& to, std::span<const Run> runs);
    // `others`: as touch() says.
    void put_updated(const Step& step, Type type, Spot to, std::span<const Run> runs, std::span<Value> values, Unordered others);
    void leave_from_registers(const Warp& warp, uint32_t lane, const Step& step, const Spot& to, const Access& access, Unordered others);
    void release_from_registers(const Warp& warp, uint32_t lane, const Step& step, const Spot& to);

    // ---- loops that wait for a value (poll.cpp)
    bool comes_back(Warp& warp, uint32_t lane, const Step& read, Value found);
    void look_at_poll(Warp& warp, uint32_t lane, const Step& step, const Spot& spot, Access& access);
    void note_written(const Spot& spot, const Step& step, const Value& before, const Written& now);

    // ---- synchronisation (synchronize.cpp)
    void barrier(Warp& warp, Lanes lanes, const Step& step);
    // Threads that have come to its turn, or exited; and how many have to.
    std::pair<size_t, size_t> came_to(uint32_t block, const Barrier& barrier) const;
    bool is_complete(uint32_t block, const Barrier& barrier) const;
    void complete(uint32_t block, Barrier& barrier);
    void give_reduced(const Thread& thread, const Barrier& barrier);  // what bar.red gives, where its thread waits at one
    void count_exit(const Thread& thread);                            // at the barriers of its block and of its cluster
    void cluster_barrier(Warp& warp, Lanes lanes, const Step& step);
    void mbarrier(Warp& warp, Lanes lanes, const Step& step);
    Mbarrier& mbarrier_in(const Spot& spot);  // initialised or not
    Mbarrier& mbarrier_at(const Warp& warp, uint32_t lane, const Step& step, const Spot& spot);
    void send(const Thread& thread, Mbarrier& object, const Step& step) const;
    void arrive(Thread& thread, Mbarrier& object, int64_t arrivals, const Step& step);
    void expect(Thread& thread, Mbarrier& object, int64_t bytes, const Step& step);
    void settle(Mbarrier& object);
    // All waits of one kind get one and the same.
    const Gain& gain(Mbarrier& object, uint32_t block, Scope scope, bool acquires, uint32_t phase) const;
    bool wait(Warp& warp, uint32_t lane, Mbarrier& object, const Step& step);
    void note_out_of_scope(const Thread& thread, const Step& step);
    void asynchronous(Warp& warp, Lanes lanes, const Step& step);
    void bulk(Warp& warp, uint32_t lane, const Step& step);
    // Copies `bytes` from each place to the one beside it as one operation, completed by the mbarrier object or by the thread's group.
    struct Moved {
        Access reads;                        // stands for its reads
        Unordered others = Unordered::none;  // as touch() says of its writes
    };
    Moved move_async(Warp& warp, uint32_t lane, const Step& step, const Spot& from, const Ranges& read, const Spot& to,
                     const Ranges& written, const Spot* by);
    void log_copy(const Thread& thread, const Step& step, const Spot& from, const Ranges& read, const Spot& to, const Ranges& written,
                  const Mbarrier* by);
    // ---- tensor maps, and copies of boxes (tensor.cpp)
    static constexpr uint32_t maps_as_block = UINT32_MAX;  // of Knowledge::fenced
    void lay_out_maps();
    void put_map(const kernel::TensorMap& map, std::vector<uint8_t>& bytes, uint64_t at) const;
    std::optional<MapWords> map_words(const Warp& warp, const kernel::Pointee& place);
    Tensor read_map(const Warp& warp, uint32_t lane, const Step& step, uint64_t address, const Access* reader);
    void map_fence(Warp& warp, uint32_t lane, const Step& step);
    void replace_field(Warp& warp, uint32_t lane, const Step& step);
    void copy_map(Warp& warp, Lanes lanes, const Step& step);
    // The rows of a box that lie in the tensor: from where they lie in the box to where in the tensor.
    static std::vector<Run> rows_of(const Tensor& tensor, const std::vector<int64_t>& corner);
    void tensor(Warp& warp, uint32_t lane, const Step& step);

    // ---- matrices (matrix.cpp)
    // All of the ranges, in the shared memory of a block, at addresses that are the same in each.
    void touch_shared(const Warp& warp, uint32_t lane, const Step& step, uint32_t block, const Ranges& ranges, const Access& access);

    // ---- registers of asynchronous operations (async_registers.cpp)
    void use_registers(Warp& warp, Lanes lanes, const Step& step);
    void use_products(AsyncRegisters& registers, uint32_t product, const Step& step, const Place& here);
    void use_loads(AsyncRegisters& registers, const Step& step, const Place& here);

    // ---- tensor memory (tensor_memory.cpp)
    TensorMemory& tensor_memory(uint32_t block) { return tensor_memories_[block]; }
    void tensor_life(Warp& warp, Lanes lanes, const Step& step);
    void leave_tensor_memory(uint32_t block);
    bool are_pipelined(const Access& earlier, const Access& later) const;
    void touch_tensor(uint32_t block, const TensorPart& part, const Access& access, const Step& step);
    void meet_tensor(uint32_t block, const TensorPart& part, const Access& access, const Step& step, bool stays);
    void give_back_together(uint32_t block, const TensorPart& part, const Step& step);
    void tensor_registers(Warp& warp, Lanes lanes, const Step& step);
    void tensor_wait(Warp& warp, Lanes lanes, const Step& step);
    static void publish_execution(const Warp& warp, const Thread& thread, Time& time);
    void tensor_fence(Warp& warp, Lanes lanes, const Step& step);
    uint32_t peer_of(uint32_t block) const;  // in its pair (9.7.16.5)
    TensorProducts& tensor_products(Thread& thread);
    Access tensor_access(Thread& own, const Step& step, std::pair<uint32_t, uint64_t> shape);
    void tensor_operation(Warp& warp, uint32_t lane, const Step& step);
    void tensor_commit(Warp& warp, uint32_t lane, const Step& step);

    void copy_async(Warp& warp, uint32_t lane, const Step& step);
    void groups(Warp& warp, uint32_t lane, const Step& step);
    uint32_t warps_of(size_t warpgroup) const;                // by its first thread
    bool product(Warp& warp, Lanes lanes, const Step& step);  // false: other warps have to come first
    void multiply(Warp& warp, uint32_t lane, const Step& step, Products& queue);
    Queue& queue(std::optional<Queue>& queue);

    Thread& thread(const Warp& warp, uint32_t lane) { return threads_[warp.first + lane]; }
    const Thread& thread(const Warp& warp, uint32_t lane) const { return threads_[warp.first + lane]; }
    size_t warp_of(const Thread& thread) const {  // among warps_
        return thread.seat.block * ((geometry_.threads() + warp_size - 1) / warp_size) + thread.seat.warp();
    }
    static void renew(Thread& thread);                          // after it published what it did
    void perform(Warp& warp, Lanes lanes, uint32_t statement);  // something waits for what this read gave
    void read_pending(Warp& warp, uint32_t lane, const Step& step);
    bool is_given(const Causes& known, const Access& read) const;  // `read` was performed before an mbarrier object gave its place back
    // Of accesses that are not ordered: the earlier one was over, so that an asynchronous one needs no more.
    bool is_over(const Causes& known, const Access& earlier, const Access& access, const Spot& spot) const;
    FencedSpace space_of(const Thread& thread, const Spot& spot) const;
    // Whether it conflicts with an earlier one that it races with even if mbarrier objects synchronise whatever the scopes.
    bool races_in_wide(const Access& earlier, const Access& access, const Spot& spot) const;
    Place place(const Thread& thread, const Step& step) const { return {thread.seat, step.original}; }
    // `with` fills in the words of the breach.
    void find(Breach breach, const Filling& with, std::vector<Place> places, std::optional<Memory> byte = {},
              std::optional<Clash> clash = {}, bool of_scopes = false);
    // `brought`: bytes that are not counted yet.
    void find_in_phase(const Mbarrier& object, Breach breach, const Filling& with, std::vector<Place> places, int64_t brought = 0);
    Clash clash_of(const Access& earlier, const Access& later, const Shadow& shadow, uint64_t at) const;
    Clash::Side side_of(const Access& access) const;
    // Adds to the log what the watch asks for; `what` is filled where it is not said.
    void log(Event event, const Thread& thread, const Step& step);
    void log_flag(Event event, const Thread& thread, const Spot& spot, const Step& step);
    Memory memory(const Spot& spot) const;
    Memory memory(const Mbarrier& object) const;
    bool watches(const Spot& spot, uint64_t bytes) const;
    void condition(const std::string& text, const Step& step);
    std::string where(const Step& step) const;      // the CUDA line; empty: none is known
    std::string some_line(const Step& step) const;  // that of the PTX then

    // Counts work, and looks at the budget each time that there was so much: a unit is an instruction of a warp, or some memory that one
    // touches. Throws OverBudget.
    void work(uint64_t units);

    const kernel::Module& module_;
    const kernel::Launch& launch_;
    const Options& options_;
    const kernel::Function& entry_;
    kernel::MemoryLayout layout_;
    kernel::Geometry geometry_;
    std::shared_ptr<const Linked> linked_;
    std::vector<uint8_t> parameters_;  // with tensor maps in the sweep's layout
    std::vector<Step> code_;
    std::vector<int> widths_;  // of registers, in bits
    std::vector<Thread> threads_;
    std::vector<Warp> warps_;
    std::vector<std::vector<size_t>> numbers_;  // of instances, by object and block; SIZE_MAX: there is none yet
    std::vector<Instance> instances_;
    std::map<std::pair<size_t, uint64_t>, Mbarrier> mbarriers_;  // by instance and offset
    std::map<size_t, std::pair<size_t, uint64_t>> mbarrier_of_;  // by component
    std::map<std::pair<uint32_t, uint64_t>, Barrier> barriers_;  // by block and number
    std::map<uint32_t, ClusterBarrier> clusters_;                // by cluster
    std::map<uint32_t, std::vector<Access>> guests_;             // by block: accesses to its memory of other blocks' threads, and copies
    std::map<uint32_t, std::pair<uint32_t, Time>> exits_;        // by block: threads that exited, and what they knew then, in time
    std::vector<std::map<uint64_t, OwnByte>> own_memory_;        // of threads: .local, and what calls pass; known bytes
    std::map<size_t, Products> products_;                        // of warpgroups, by their first thread
    std::map<uint32_t, TensorMemory> tensor_memories_;           // by block
    size_t components_ = 0;
    uint64_t worked_ = 0;              // units since the last look at the budget
    const bool narrow_;                // Shadow::Before::narrow
    const std::vector<Scope> scopes_;  // that the kernel names, the narrowest first: others tell no two threads apart
    Swept swept_;
    // What was said, and of which statements: those of one CUDA line, as unrolled loops have them, are one.
    using Source = std::pair<kernel::Origin, const kernel::Statement*>;  // a statement where there is no line
    static Source source_of(const kernel::Statement* statement);
    std::set<std::pair<std::string, std::vector<Source>>> said_;
    bool done_ = false;                                  // the finding that the watch waits for is there
    const bool asks_wide_;                               // Knowledge::wide is kept
    bool holds_wide_ = false;                            // something is found that scopes are not the cause of
    size_t flags_ = 0;                                   // that came to the log
    std::shared_ptr<const Running> running_;             // null: nothing else runs
    std::map<uint32_t, Clock> triggers_;                 // by block: what fences before its first trigger have released
    const Left* const before_;                           // null: this is the first launch
    const size_t given_;                                 // objects of the layout; what the kernel allocates comes behind
    Doubts doubts_;                                      // statements are numbered behind those of earlier launches
    const std::vector<std::string> began_;               // in which these doubts may have begun
    std::set<uint32_t> contended_;                       // statements whose strong accesses meet others that are not ordered with them
    int cta_group_ = 0;                                  // of the first instruction of tcgen05 that has one
    std::set<uint32_t> unlaunched_;                      // clusters
    uint64_t requests_ = 0;                              // for them
    std::map<uint32_t, std::vector<Told>> told_;         // of answers, by block
    std::map<Lanes, uint32_t> elections_;                // by mask: a number, in the order in which they come
    std::map<uint32_t, std::optional<bool>> time_outs_;  // by statement: unless_it_gives_up()
    std::set<uint32_t> guessed_;                         // statements whose guards are not computed
    std::set<std::pair<uint32_t, uint32_t>> raced_;      // statements
    std::map<uint32_t, uint32_t> decided_;               // where a doubt began, and a statement that is decided by it
    Recording recording_;
    bool stalled_ = false;  // in the last round of all warps nothing has changed, and all of them spun
    uint64_t changes_ = 0;  // of memory and of what synchronises: a run that changes nothing any more only spins
};

}  // namespace litmus::sweep
