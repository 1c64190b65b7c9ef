// The run of a sweep: warps that execute a kernel's statements, memory, and what synchronises.
//
// Each lane has its own place in the code. The lanes of a warp that stand at the least place go on together, so those that took different
// ways meet again; what is `.sync` waits until all lanes of its mask stand at the like, and what is `.aligned` until all stand there. A
// warp runs until nothing in it can go on.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "kernel/layout.h"
#include "sweep/barrier.h"
#include "sweep/behind.h"
#include "sweep/cancel.h"
#include "sweep/cluster_barrier.h"
#include "sweep/code.h"
#include "sweep/elections.h"
#include "sweep/instance.h"
#include "sweep/observer.h"
#include "sweep/own_memory.h"
#include "sweep/phases.h"
#include "sweep/sweep.h"
#include "sweep/task.h"
#include "sweep/tensor_map.h"
#include "sweep/tensor_memory.h"
#include "sweep/tensor_order.h"
#include "sweep/timing.h"
#include "sweep/value.h"
#include "sweep/warp.h"

namespace litmus::sweep {

class Machine {
public:
    Machine(const kernel::Module& module, const kernel::Launch& launch, const Options& options);
    Swept run();

private:
    // ---- control (machine.cpp)
    void begin_warps();
    void run_warps();
    void run_started();
    // ---- choices (choices.cpp)
    Lanes executing(Warp& warp) const;
    struct Agent {  // lanes of a warp that make their next access in one step
        uint32_t warp = 0;
        Lanes lanes = 0;
        friend bool operator<(const Agent& a, const Agent& b) { return std::tie(a.warp, a.lanes) < std::tie(b.warp, b.lanes); }
    };
    Lanes at_choice(const Warp& warp, Lanes lanes);
    bool stands_at_choice(Warp& warp);
    bool is_held_back(const Warp& warp, uint32_t lane) const;
    void add_agents(uint32_t number, std::vector<Agent>& agents);
    bool is_chosen(const Memory& begin, uint64_t bytes) const;
    std::optional<std::vector<uint64_t>> carried(Warp& warp);
    bool run_to_choices();
    bool run_to_detours();
    const Step* lanes_behind_come_to(Warp& warp);
    void look_for_lanes_behind(Warp& warp);
    struct Reach {
        std::vector<std::pair<size_t, uint64_t>> places;  // a piece of memory, and the offset in it
        std::vector<Memory> named;                        // the same places
        uint32_t bytes = 0, elements = 0;                 // from each place on so many elements
        std::vector<Value> values;                        // that lay there
        bool writes = false;
    };
    Reach reach_of(const Warp& warp, Lanes lanes);
    bool names_chosen(const Reach& reach) const;
    static bool are_independent(const Reach& one, const Reach& other);
    std::vector<Value> values_at(const Reach& reach);
    bool finds_the_same(const Reach& reach);
    bool waits_at_choice(Warp& warp, Lanes lanes);
    void leave_out_alike(std::vector<Agent>& agents, std::set<uint64_t>& ways);
    // ---- lives (standing.cpp)
    struct Asleep {  // that would show what other runs show
        Reach reach;
        std::map<uint32_t, uint64_t> blocks;  // for which it stood then, and how many statements they had executed
    };
    const std::vector<uint64_t>& standing(uint32_t block);
    std::vector<Agent> one_of_alike(const std::vector<Agent>& able, const std::map<Agent, Asleep>& asleep);
    Asleep fall_asleep(const Agent& agent);
    void begin_life(const Agent& agent);
    // ---- choices
    void run_by_choice();
    void run_choice(Warp& warp, Lanes lanes);
    void report_line(const Line& line);
    void report_exchange(const Exchange& exchange);
    bool is_named(Doubt doubt) const { return (doubt & names_block) != 0; }
    bool is_of_block(const std::vector<Value>& values) const {
        return std::any_of(values.begin(), values.end(), [&](const Value& value) { return is_named(value.doubt); });
    }
    // The marks of a value that a lane finds at this place, where there are any (doubt.h).
    Doubt mark_of(const Warp& warp, uint32_t lane, const Step& step, const kernel::Argument& place);
    // ---- control
    void advance(Warp& warp, Lanes lanes);  // by an instruction, those that go on
    void note_way(const Warp& warp, Lanes lanes, Lanes on, const Step& step);
    void note_left(const Warp& warp, Lanes lanes);
    void take(const Turn& turn);
    // How many instructions it has executed; `to_poll`: a poll in vain ends the turn.
    uint64_t run_turn(Warp& warp, const Turn& turn, bool to_poll);
    bool stands_at(const Warp& warp, Lanes lanes, const kernel::Statement* statement) const;  // with what these execute next
    void note_able();
    Schedule taken();                  // repeats this run
    Lanes going_on(Warp& warp) const;  // that execute the next instruction; none: the warp cannot go on
    [[noreturn]] void give_up(const Warp& warp) const;
    bool goes_round(Warp& warp, uint64_t instructions, uint64_t limit);
    bool was_here(Warp& warp);
    uint64_t state_of(const Warp& warp) const;
    bool can_go_on(const Warp& warp, uint32_t lane) const;
    // The lanes for which the statement's guard holds.
    Lanes guarded(Warp& warp, Lanes lanes, const Step& step);
    void execute(Warp& warp, Lanes lanes, const Step& step);
    void execute_unlisted(Warp& warp, Lanes lanes, const Step& step);
    void tensor_core(Warp& warp, Lanes lanes, const Step& step);
    void branch(Warp& warp, Lanes lanes, const Step& step);
    void branch_indexed(Warp& warp, Lanes lanes, const Step& step);
    void leave(Warp& warp, Lanes lanes);
    void report_stuck();
    void log_waits();  // that nothing ends
    void report_resized();
    std::optional<Place> what_told(const Warp& warp, uint32_t lane, Breach breach) const;
    std::pair<Breach, Filling> why_stuck(const Warp& warp, uint32_t lane) const;
    const Step& step_of(const Warp& warp, uint32_t lane) const { return task_.code[warp.at[lane]]; }  // which a lane that waits stands at
    static bool meets(const Step& one, const Step& other);                     // whether lanes that stand at these may meet
    Lanes waiting_with(const Warp& warp, const Step& step, Lanes mask) const;  // for the others of the mask
    // Whether all lanes of a mask stand where they meet with that mask: `lanes` is then those, at this statement or at others that it
    // meets. Else these are parked.
    bool gather(Warp& warp, Lanes& lanes, const Step& step);
    static void note_passed(Warp& warp, Lanes lanes);
    void pass_outside(Warp& warp, Lanes lanes, const Step& step);
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
    void copy_own(size_t thread, uint64_t from, const Piece& to);

    // ---- clocks (timing.cpp)
    // Whether it holds in this run, where by the clock it does if `goes`.
    bool as_time_goes(Warp& warp, bool goes, const Step& step);

    // ---- clusters that have not started (cancel.cpp)
    bool start_rest();  // what nobody has cancelled
    void request_cluster(Warp& warp, uint32_t lane, const Step& step);
    void query_answer(Warp& warp, uint32_t lane, const Step& step);

    // ---- registers (registers.cpp)
    Value read(const Warp& warp, uint32_t lane, const kernel::Argument& argument);
    Value special(const Warp& warp, uint32_t lane, const std::string& name);
    // ---- why a value is not computed (unknown.cpp)
    struct Cause {
        std::string gives;  // "`ld.shared.u32` gives (k.cu:7)"
        std::string lacks;  // or "lane 0 has never written `%r2`, others have (k.cu:7)"; both empty: nothing is known of it
    };
    Cause why_not_computed(const Warp& warp, uint32_t lane, const kernel::Argument& argument, const Step& step);
    struct Unknown {
        size_t reg = 0;
        uint32_t lane = 0;
    };
    const Step* writer_before(size_t statement, size_t reg) const;
    std::optional<Unknown> unknown_source(const Warp& warp, const Unknown& of, const Step& step);
    std::string never_written(const Warp& warp, const Unknown& unknown, const Step* writer) const;
    // For what is decided by it; refused where it is not computed.
    uint64_t need(const Warp& warp, uint32_t lane, const Step& step, const kernel::Argument& argument, const std::string& what);
    uint64_t need_state(const Warp& warp, uint32_t lane, const Step& step, const kernel::Argument& argument);
    void write_register(Warp& warp, Lanes lanes, int reg, const Value& value) const;
    void write_alike(Warp& warp, Lanes lanes, const kernel::Argument& argument, std::span<const Value> values) const;
    void write(Warp& warp, uint32_t lane, const kernel::Argument& argument, std::span<const Value> values) const {
        write_alike(warp, Lanes{1} << lane, argument, values);
    }
    int width_of(const kernel::Argument& argument) const;
    void compute(Warp& warp, Lanes lanes, const Step& step);
    static bool may_leave_out(const Step& step);
    std::vector<Value> compute_in_part(const Warp& warp, uint32_t lane, const Step& step);
    std::optional<Doubt> operands(const Warp& warp, uint32_t lane, const Step& step, std::vector<uint64_t>& sources);
    void evaluate(Warp& warp, Lanes lanes, const Step& step, const std::vector<uint64_t>& sources, Doubt doubt);
    void convert_address(Warp& warp, Lanes lanes, const Step& step);
    void decide_source(const Warp& warp, uint32_t lane, const Value& source, const Value& clamp);
    void exchange(Warp& warp, Lanes lanes, const Step& step);

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
    std::string_view space_of(const Warp& warp, uint32_t lane, const Step& step, Role role, uint64_t address);
    Spot spot_of(const Warp& warp, uint32_t lane, const Step& step, std::string_view space, uint64_t address);
    Spot spot_in(const Warp& warp, const kernel::Pointee& object);
    uint64_t shared_window(uint32_t block) const { return kernel::window::of_cta(task_.geometry.rank(block)); }
    Instance& instance(size_t object, uint32_t block, size_t& number);
    void take_over(Instance& instance) const;  // what earlier launches left there
    bool outlives(size_t object) const;        // the launch
    std::vector<Part> written() const;         // of what outlives it
    std::shared_ptr<const Left> left();        // to the next one

    void load(Warp& warp, Lanes lanes, const Step& step);
    // The values that the load gives. `named`: the address names the block of the lane.
    std::vector<Value> loaded(const Warp& warp, uint32_t lane, const Step& step, const kernel::Pointee& from, Doubt mark);
    void store(Warp& warp, Lanes lanes, const Step& step);
    void fill(Warp& warp, uint32_t lane, const Step& step);
    void atomic(Warp& warp, Lanes lanes, const Step& step);
    void decide_writing(Warp& warp, uint32_t lane, const Step& step, std::span<const Value> old, std::span<const Value> by);
    void matrix_rows(Warp& warp, Lanes lanes, const Step& step);
    void fence(Warp& warp, Lanes lanes, const Step& step);

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
    using Undo = std::vector<std::pair<int, Value>>;  // registers, and what they held
    std::optional<bool> holds(const Warp& warp, uint32_t lane, const Step& step);
    void keep(const Warp& warp, uint32_t lane, const kernel::Argument& to, Undo& undo);
    std::optional<size_t> go_over(Warp& warp, uint32_t lane, size_t at, bool holds, Undo& undo);
    std::optional<size_t> go_on(Warp& warp, uint32_t lane, const Step& from, std::vector<Value> given, Undo& undo);
    void take_back(Warp& warp, uint32_t lane, const Undo& undo);
    std::vector<Value> what_matters(const Warp& warp, uint32_t lane, size_t at) const;
    std::optional<uint64_t> place_named(const Warp& warp, uint32_t lane, const kernel::Argument& named);
    static void note_loaded(Thread& thread, const Spot& spot, const Step& step);
    std::optional<std::vector<Value>> loaded_again(const Warp& warp, uint32_t lane, const Step& step);
    bool comes_back(Warp& warp, uint32_t lane, const Step& read, const std::vector<Value>& found);
    std::optional<size_t> end_of(Warp& warp, uint32_t lane, const Step& read, const std::vector<Value>& found);
    bool ends_alike(Warp& warp, uint32_t lane, const Step& read, const std::vector<Value>& found);
    std::optional<std::vector<Value>> held_at(const Spot& spot, const Step& step);
    bool is_repeated(Warp& warp, uint32_t lane, const Step& wait);
    std::optional<bool> waits_with(Warp& warp, uint32_t lane, const Step& read, const std::vector<Value>& found);
    bool awaits(Warp& warp, uint32_t lane, const Step& step, const Spot& spot);
    void look_at_poll(Warp& warp, uint32_t lane, const Step& step, const Spot& spot, Access& access);

    // ---- detours (detours.cpp)
    class Ways;
    struct Looked {  // at a word: so many strong writes it had seen
        Spot spot;
        uint32_t bytes = 0;
        size_t writes = 0;
    };
    Lanes at_detour(const Warp& warp, Lanes lanes) const;  // those that stand before one
    bool is_held(Warp& warp);                              // what it executes next begins one
    bool take_detours();
    bool take_detour(Warp& warp, uint32_t lane, bool early);
    void report_detours();

    // ---- synchronisation (synchronize.cpp)
    std::map<std::pair<uint64_t, uint64_t>, Lanes> barriers_named(const Warp& warp, Lanes lanes, const Step& step);
    void barrier(Warp& warp, Lanes lanes, const Step& step);
    // Gives threads that wait at a bar.red its result.
    void give_reduced();
    void give_reduced(const Thread& thread, std::span<const Value> predicates);
    void cluster_barrier(Warp& warp, Lanes lanes, const Step& step);
    void mbarrier(Warp& warp, Lanes lanes, const Step& step);
    bool wait(Warp& warp, uint32_t lane, Mbarrier& object, const Step& step);
    void asynchronous(Warp& warp, Lanes lanes, const Step& step);
    void bulk(Warp& warp, uint32_t lane, const Step& step);
    // Copies `bytes` from each place to the one beside it as one operation, completed by the mbarrier object or by the thread's group.
    struct Moved {
        Access reads;                        // stands for its reads
        Unordered others = Unordered::none;  // as touch() says of its writes
    };
    Moved move_async(Warp& warp, uint32_t lane, const Step& step, const Spot& from, const Ranges& read, const Spot& to,
                     const Ranges& written, const Spot* by);
    // ---- tensor maps, and copies of boxes (tensor.cpp)
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
    void tensor_life(Warp& warp, Lanes lanes, const Step& step);
    void tensor_registers(Warp& warp, Lanes lanes, const Step& step);
    void tensor_wait(Warp& warp, Lanes lanes, const Step& step);
    void tensor_fence(Warp& warp, Lanes lanes, const Step& step);
    void tensor_operation(Warp& warp, uint32_t lane, const Step& step);
    void tensor_commit(Warp& warp, uint32_t lane, const Step& step);

    void copy_async(Warp& warp, uint32_t lane, const Step& step);
    void groups(Warp& warp, uint32_t lane, const Step& step);
    uint32_t warps_of(size_t warpgroup) const;                // by its first thread
    bool product(Warp& warp, Lanes lanes, const Step& step);  // false: other warps have to come first
    void multiply(Warp& warp, Lanes lanes, const Step& step, Products& queue);

    Thread& thread(const Warp& warp, uint32_t lane) { return observer_.thread(warp.first + lane); }
    const Thread& thread(const Warp& warp, uint32_t lane) const { return observer_.thread(warp.first + lane); }
    size_t warp_of(const Thread& thread) const {  // among warps_
        return thread.seat.block * ((task_.geometry.threads() + warp_size - 1) / warp_size) + thread.seat.warp();
    }

    Task task_;
    Account account_;
    Doubts doubts_;  // statements are numbered behind those of earlier launches
    Decisions decisions_;
    Effort effort_;
    Observer observer_;
    Barriers barriers_;
    ClusterBarriers clusters_;
    Phases phases_;
    TensorOrder tensors_;
    std::vector<uint8_t> parameters_;  // with tensor maps in the sweep's layout
    std::vector<int> widths_;          // of registers, in bits
    std::vector<Warp> warps_;
    Behind behind_;
    std::vector<std::vector<size_t>> numbers_;  // of instances, by object and block; SIZE_MAX: there is none yet
    std::vector<Instance> instances_;
    std::vector<OwnMemory> own_memory_;    // of threads
    std::map<size_t, Products> products_;  // of warpgroups, by their first thread
    Swept swept_;
    const size_t given_;  // objects of the layout; what the kernel allocates comes behind
    Timing timing_;
    Elections elections_;
    int cta_group_ = 0;  // of the first instruction of tcgen05 that has one
    ClusterRequests requests_;
    Recording recording_;
    struct InVain {
        uint64_t changes = 0;  // of the observer
        uint32_t detours = 0;  // since then
    };
    std::map<uint32_t, InVain> in_vain_;                                        // by thread
    std::vector<Looked> looked_;                                                // by detours
    std::set<uint32_t> detours_;                                                // statements with which detours began that were taken
    std::map<uint32_t, std::pair<uint64_t, std::vector<uint64_t>>> standings_;  // of blocks, with how many statements they had executed
    std::map<Agent, std::vector<uint32_t>> alike_;                              // blocks for which it stands now, its own among them
    bool chooses_ = false;                                                      // turns end before a choice
    bool stalled_ = false;  // in the last round of all warps nothing has changed, and all of them spun
};

}  // namespace litmus::sweep
