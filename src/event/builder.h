// The builder of programs: what the files of this folder share that turn a test into events.
//
// Private to this folder; the face is build_program in program.h.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "event/bulk_elements.h"
#include "event/draft.h"
#include "event/influence.h"
#include "event/liveness.h"
#include "event/places.h"
#include "event/state.h"
#include "event/write_back.h"
#include "language/static_rules.h"

namespace litmus {

struct TensorPlace;  // language/tensor.h

// An address, count or size that is known only in an execution and is not modelled. In the trial of a loop (await.cpp), where registers
// are unknown, it says no more than that the loop is no await.
struct UnknownOperand : Failure {
    using Failure::Failure;
};

// The beginning of the name of a register that holds one of the values that another may have (choose_place.cpp).
inline constexpr std::string_view one_value = "one value of ";

// An access that the ISA allows and the model does not have.
struct UnmodelledAccess : Failure {
    using Failure::Failure;
};

// Element i of a vector; a scalar operand itself.
const Operand& element_of(const Operand& operand, int i);

// The `width` bits of `whole` from `shift` on; and `whole` with `part` put into it, at `shift`, where it has zeros.
ExprId part_of(ExprPool& pool, ExprId whole, Type type, int shift, int width);
ExprId place_part(ExprPool& pool, ExprId whole, ExprId part, Type type, int shift);

// Adds the registers that an operand names.
void note_names(const Operand& operand, std::set<std::string>& names);

// The registers of a thread that hold accumulators or parts of matrices.
std::set<std::string> matrix_registers(const Thread& thread);

// Whether what all operations of a test write to tensor memory is computed (model/semantics.md section 3).
bool has_exact_tensors(const Test& test);

// Whether what the registers of a thread hold of a matrix is the first lane's: of the first warp of its warpgroup.
bool has_first_lane(const Placement& at);

// Whether it says which cluster was cancelled, clusterlaunchcontrol.query_cancel.get_first_ctaid; and the registers of a thread to which
// such instructions give no value that is known.
bool gives_cluster(const Instruction& i);
std::set<std::string> unknown_cluster_registers(const Test& test, const Thread& thread);
std::optional<int> named_clusters(const Test& test);

// Why a register of tcgen05.ld, wgmma.mma_async or query_cancel has no value that is modelled; of ldmatrix and mma.sync, if `i` writes it.
std::string why_unknown(const Test& test, const Thread& thread, const std::string& name);
std::string why_unknown_matrix(const Thread& thread, const Instruction& i, const std::string& name);

// Fails where a wide load reads what something else than a vector or packed operation may write (static_rules.cpp).
void check_wide_loads(const Program& program);

class Builder {
public:
    // Elements of bulk operations become events as far as they are `kept`, which outlives it. Loops in `unrolled` are not taken as awaits.
    Builder(const Test& test, const BuildOptions& options, const KeptElements& kept, std::set<Loop> unrolled);

    // Executes the threads, and gives what came of it; then `build`, once, makes the program of that, or, where loops were taken as awaits
    // that are none, names these.
    const Draft& run();
    std::variant<Program, std::set<Loop>> build();

private:
    // ---- operands (build.cpp) ---------------------------------------------------------------

    const Thread& thread() const { return test_.threads[static_cast<size_t>(thread_)]; }

    [[noreturn]] void fail(const Span& span, std::string message, std::string hint = {}) const;

    // A location in an instance of it, and the offset into it, in bytes.
    struct Target {
        int location = -1;
        int instance = -1;
        uint64_t offset = 0;  // before the location: negative, in two's complement
    };
    // What an address operand names, or the register in it holds.
    Target target(const Operand& operand, const State& state);
    // The place of an access, `extra` bytes after that.
    using MemoryPlace = Places::MemoryPlace;
    MemoryPlace resolve(const Operand& operand, Type access, uint64_t extra, const State& state);

    // Every place of such an access: several where a multimem operation makes it.
    std::vector<MemoryPlace> resolve_all(const Operand& operand, Type access, uint64_t extra, const State& state);

    // A source operand: its value at `type`, its reads added to `reads`.
    ExprId value_of(const State& state, const Operand& operand, Type type, Dependencies& reads);
    // The value of an operand that must be constant; `what` names it in the message.
    uint64_t constant_operand(const State& state, const Operand& operand, const char* what);

    // Assigns a register under the instruction's guard `when` (relative to the path).
    void assign(State& state, const Operand& destination, Type type, ExprId value, Dependencies reads, ExprId when,
                const Dependencies& guard_reads);
    // A register has the widest type that it is written at; of equally wide ones the first.
    void note_register(const std::string& name, Type type);

    // ---- events and what they depend on (instructions.cpp) -----------------------------------

    // What one instruction brings to all of its events.
    struct Context {
        const Instruction& instruction;
        int index;
        ExprId guard;              // path and @p
        ExprId when;               // @p alone
        Dependencies guard_reads;  // of @p
        bool fails = false;        // an iteration of an await that fails
    };

    // The number of the new event.
    size_t add_event(Event event);
    Event event_of(const Context& c, Event::Kind kind);
    size_t memory_event(const Context& c, const State& state, Event::Kind kind, const MemoryPlace& at, Type type, int element);

    void depend(const char* relation, const Dependencies& reads, size_t event);
    void depend_control(const State& state, size_t event);  // ctrl and blocks
    void depend_address(const State& state, const Operand& operand, size_t event);

    // From now on everything waits for these reads.
    void block(State& state, const Dependencies& reads);
    // From now on everything waits for what is awaited, and for those reads of the operand it is compared with that can change
    // whether the condition is met.
    void block(const Context& c, State& state, const Dependencies& awaited, const Dependencies& operand, ExprId met);

    // What `== value` behind an instruction demands of the value that it reads.
    void expect(const Context& c, State& state, ExprId value, Type type, const Dependencies& reads);
    // An awaited instruction goes on only when its condition is met; in an iteration that fails, only when it is not.
    void await_that(const Context& c, ExprId met);

    // ---- what instructions become (instructions.cpp) -----------------------------------------

    void load(const Context& c, State& state);
    // Whether what is there has elements of 128 bits.
    bool is_wide_place(const Operand& address, const State& state);
    // The reads of `count` elements of type `part`, from that of this number on, behind the address of a load.
    std::vector<size_t> read_elements(const Context& c, const State& state, Type part, int first, int count);
    // One wider load may read what vector or packed operations wrote, element by element (model/semantics.md
    // section 3): the type of those elements. check_wide_loads sees that nothing else writes them.
    std::optional<Type> part_of_wide_load(const Operand& address, Type type, int width, const State& state);
    // An access may reach both halves of packed elements, which other operations of the test access one by one: the type of a half.
    std::optional<Type> half_of(const Operand& address, Type type, const State& state);
    void store(const Context& c, State& state);

    // atom and red: per element R then W, related by rmw; a failed cas has no W.
    void atomic(const Context& c, State& state);
    // One scalar of it; `operands` are those of its element. Returns the read.
    size_t atomic_scalar(const Context& c, const State& state, const MemoryPlace& at, Type type, int element,
                         const std::vector<ExprId>& operands, const Dependencies& data);
    // Its read, and its write to the same place.
    size_t atomic_read(const Context& c, const State& state, const MemoryPlace& at, Type type, int element);
    size_t atomic_write(const Context& c, const State& state, const MemoryPlace& at, size_t read, ExprId stored);
    // Of 128 bits.
    void wide_atomic(const Context& c, State& state);
    // These events are one access of a scalar that lies in several cells; `tie`: others may be of the same size.
    void join(const std::vector<size_t>& parts);
    void tie(const std::vector<size_t>& parts);
    // These events are the elements of one load or store.
    void tie_elements(const Context& c, const std::vector<size_t>& elements);
    // Relates each of these events of one access to each other one, if the access is strong.
    void relate_strong(const char* relation, const std::vector<size_t>& events);

    // multimem.ld_reduce, st and red (multimem.cpp).
    void multimem(const Context& c, State& state);
    std::vector<size_t> access_replicas(const Context& c, const State& state, Type type, int element, ExprId operand,
                                        const Dependencies& data);
    ExprId reduced(const Context& c, Type type, std::vector<ExprId> values);
    std::vector<ExprId> sums(Type type, const std::vector<ExprId>& values);
    ExprId one_of(const std::vector<ExprId>& values);

    void fence(const Context& c, const State& state);
    void note_aligned(const Context& c, const State& state);

    void barrier(const Context& c, State& state);
    // redux.sync, vote.sync, shfl.sync and elect.sync (warp.cpp).
    void exchange(const Context& c, State& state, BarrierUse& use, Dependencies& reads);
    ExprId source_lane(const Context& c, const State& state, BarrierUse& use, Dependencies& reads);
    ExprId active_lanes();
    bool stands_for_warp() const;
    // ldmatrix, stmatrix, and mma.sync (warp_matrix.cpp).
    void warp_matrix(const Context& c, State& state);
    Dependencies access_row(const Context& c, State& state, std::vector<size_t>& row);
    ExprId stored_word(const Context& c, const State& state, Dependencies& data);
    ExprId loaded_word(const std::vector<size_t>& row);
    void multiply_in_registers(const Context& c, State& state);
    // bar.red.popc.u32 d, a{, b}, {!}c;  bar.red.{and,or}.pred p, a{, b}, {!}c;
    void bar_red(const Context& c, State& state, BarrierUse& use, Dependencies& reads);

    // ---- addresses that depend on values read from memory (choose_place.cpp) -------------------

    // A value that a register may have, and when it has it.
    struct Choice {
        uint64_t value;
        ExprId when;
    };
    const Operand* find_outside(const Context& c, const State& state);
    // Executes an instruction; one whose address or coordinate is not known at each place where that may lead.
    void execute_everywhere(const Context& c, State& state);
    std::vector<Choice> choices_of_address(const Context& at_one, State& state, const Operand& unknown, const RegisterState& held);
    std::vector<Choice> choices_of_coordinate(const Context& c, const Operand& unknown, const RegisterState& held);
    // An object that an address may have been made of: each of its elements is a place where the address may lead.
    struct Origin {
        int location, instance;
        bool generic;
        friend bool operator<(const Origin& a, const Origin& b) {
            return std::tie(a.location, a.instance, a.generic) < std::tie(b.location, b.instance, b.generic);
        }
    };
    ExprId otherwise(const std::vector<Choice>& choices);
    // An address, or a part of its sum, may be made of these: objects that are named, a value that was read, a number.
    struct Made {
        std::set<Origin> named = {};
        bool read = false, number = false;
    };
    std::set<Origin> origins_of(ExprId address, ExprId guard);
    Made what_made(ExprId value, ExprId guard, std::map<ExprId, Made>& known);
    std::set<Origin> addresses_taken();
    std::vector<uint64_t> places_in(const Origin& origin, int bytes, const Span& span);
    ExprId equals(ExprId e, uint64_t value);
    void require_read(ExprId e, const Operand& operand) const;
    void forbid_negative(size_t first, ExprId coordinate);
    void stray(const Context& c, const State& state, const Operand& address, ExprId when);
    ExprId convert_unknown_address(const Context& c, const State& state, ExprId given);

    void compute(const Context& c, State& state);
    void require_divisor(const Instruction& i, ExprId divisor) const;
    // Shift amounts are .u32 whatever the type; those above the width act as the width (9.7.8.8, 9.7.8.9).
    ExprId shift_amount(const State& state, const Operand& operand, Type type, Dependencies& reads);
    // mul and mad: the lower or upper half of the product, or all of it.
    ExprId multiply(const Context& c, const State& state, Dependencies& reads);
    // mov of several registers as one, or of one as several.
    void move_parts(const Context& c, State& state);
    // cvta, mapa, getctarank, isspacep (addresses.cpp).
    ExprId convert_address(const Context& c, const State& state, Dependencies& reads);
    ExprId convert_address(const Context& c, const State& state, uint64_t address);
    std::vector<int> cluster_ctas() const;
    // setp.<cmp>{.<bool>}.type p, a, b{, c};
    void set_predicate(const Context& c, State& state);
    // Values that nobody knows, and how comparisons with them come out (unknown.cpp).
    ExprId unknown(const Context& c, Type type);
    bool is_unknown(ExprId e, uint32_t from = 0) const;
    ExprId decided(ExprId comparison);
    ExprId whenever(ExprId e, uint32_t from);
    void refuse_unknown(const Context& c, const State& state) const;

    // ---- static rules, of what registers hold (static_rules.cpp) -----------------------------

    // What folding knows of an operand that is read; fails for an address that is none of a location.
    KnownOperand known_operand(const Operand& operand, const State& state);
    // Fails for an instruction whose registers hold what it does not allow.
    void check_static_rules(const Context& c, const State& state);

    // ---- asynchronous operations (async.cpp) -------------------------------------------------

    // The issue event; the events of the operation name it as `issue` or `start`.
    size_t issue(const Context& c, const State& state);
    size_t asynchronous_event(const Context& c, size_t issue, Event::Kind kind, const MemoryPlace& at, Type type, int element);
    // An atomic read and write; `operand` is combined with what is there.
    std::pair<size_t, size_t> asynchronous_reduction(const Context& c, size_t issue, const MemoryPlace& at, Type type, int element,
                                                     ExprId operand, const Dependencies& data);
    // Inside an operation, one event comes before another: aio.
    void inside(size_t from, size_t to);
    // The complete-tx of an operation: release at cluster scope, after the events of `before`. Returns its write.
    size_t complete_on(const Context& c, const State& state, size_t start, const MemoryPlace& at, int64_t bytes,
                       const std::vector<size_t>& before);

    void from_registers(const Context& c, State& state);
    // A bulk operation on its way: its issue event, where it writes (-1: where the operands say, or in each CTA of a multicast), its reads,
    // its writes by destination, and the read of the tensor map if that may change.
    struct Transfer {
        size_t start;
        std::vector<int> ctas;
        std::vector<size_t> reads;
        std::vector<std::vector<size_t>> writes;
        std::optional<size_t> map = {};
    };
    size_t transfer_read(const Context& c, Transfer& t, const MemoryPlace& from, Type type, int element);
    void transfer_write(const Context& c, Transfer& t, size_t n, const MemoryPlace& to, Type type, int element, std::optional<size_t> read);
    void complete_transfer(const Context& c, const State& state, const Transfer& t, int64_t bytes);
    void bulk(const Context& c, State& state);
    void tensor(const Context& c, State& state);  // tensor.cpp
    void move_box(const Context& c, const State& state, Transfer& t, const TensorMap& map, const Location& array);
    TensorPlace tensor_place(const Instruction& copy, const State& state);
    // Tensor maps in memory (tensor_map.cpp).
    size_t read_map(const Context& c, size_t start, const Operand& box);
    void replace_array(const Context& c, State& state);
    void replace_field(const Context& c, State& state);
    void copy_map(const Context& c, State& state);
    void copy(const Context& c, State& state);
    void asynchronous_arrive(const Context& c, State& state);

    std::vector<int> multicast_ctas(uint64_t mask);
    Operand counterpart(const Operand& operand, int cta) const;
    int signalled_cta(const Context& c, int destination) const;
    Type element_type(const Operand& operand, const State& state);
    // The elements that lie `offset` bytes behind a target: of a multimem address, one at each location that it points to.
    void add_elements(const Target& target, int64_t offset, std::vector<ElementPlace>& places) const;
    ElementPlace element_at(const Target& target, int64_t offset) const;
    // Notes what a bulk operation touches; returns the rows of which events are made.
    std::vector<size_t> kept_rows(const Context& c, std::vector<Sweep::Row> rows);
    std::vector<size_t> kept_writes(const Context& c, const Operand& to, int64_t count, int64_t step, const State& state);

    // ---- mbarrier objects (mbarrier.cpp) -----------------------------------------------------

    void mbarrier(const Context& c, State& state);
    void wait(const Context& c, State& state, const MemoryPlace& at);

    MemoryPlace object(const Operand& operand, const State& state);
    struct Update {
        size_t read, write;
    };
    Update update(const Context& c, const State& state, const MemoryPlace& at, const MbarrierStep& step, Sem sem, Scope scope,
                  std::optional<size_t> issue);
    uint32_t next_life(int cell, const Span& span);
    ExprId token(const MemoryPlace& at, size_t read, bool no_complete);
    ExprId wait_for_token(const MemoryPlace& at, size_t read, ExprId token);
    // These note undefined behaviour.
    void must_be_live(const MemoryPlace& at, size_t read);
    void check_update(const MemoryPlace& at, const MbarrierStep& step, size_t read);
    void check_parts(const MemoryPlace& at, size_t read, int64_t bytes);
    void check_pending_count(const Context& c, ExprId token);

    // ---- groups of asynchronous operations (groups.cpp) --------------------------------------

    // The event that says an operation is complete for its group: after the events of `before`.
    size_t group_completion(const Context& c, size_t start, const std::vector<size_t>& before);
    // Whether the thread waits somewhere for the reads of bulk operations alone (`wait_group.read`).
    bool waits_for_reads() const;
    // Whether it waits for bulk operations at all.
    bool waits_for_groups() const;
    void commit(const Context& c, Groups& groups);
    void check_group(ExprId closed);
    void wait_group(const Context& c, State& state, Groups& groups);
    void finish_groups(const Groups& groups, size_t wait, uint64_t pending, bool reads);

    // ---- matrix operations of a warpgroup (warpgroup.cpp) --------------------------------------

    // A matrix in shared memory: its location, the offset of its first byte there, and the reads, by the offset of their element: all
    // of them, and those on whose values a product depends.
    struct Matrix {
        int location = -1;
        int64_t offset = 0;
        std::map<int64_t, size_t> reads, factors;
    };
    void mma(const Context& c, State& state);
    std::set<int64_t> counted_bytes(const Instruction& i, size_t nth) const;
    Matrix read_matrix(const Context& c, const State& state, const Operand& operand, int64_t bytes, const std::set<int64_t>& counted,
                       size_t start);
    ExprId matrix_byte(const Matrix& matrix, int64_t at, bool sign);
    ExprId product(const Instruction& i, const std::vector<Matrix>& matrices, int64_t row, int64_t column);
    void accumulate(const Context& c, State& state, const std::vector<Matrix>& matrices);
    void note_matrix_registers(const Context& c, const State& state);
    void require_known(const Instruction& i, const State& state);
    ExprId is_complete(size_t from);
    void check_access(size_t before, const MatrixStep& access, const std::set<std::string>& registers);
    void check_registers(const MatrixStep& operation);
    [[noreturn]] void fail_unknown(const Span& span, const std::string& name, std::string hint) const;
    static constexpr uint32_t opaque_value = 0xfffdffff;  // a leaf that stands for no event: a value that is not modelled

    // ---- tensor memory (tensor_memory.cpp) -----------------------------------------------------

    void operate_on_tensor_memory(const Context& c, State& state);
    std::vector<std::vector<size_t>> tensor_accesses(const Context& c, const State& state, const Operand& operand, Event::Kind kind,
                                                     size_t start);
    using Row = std::vector<ExprId>;  // the bytes of a matrix's first row, or first column, each extended by zeros to 32 bits
    Row first_row(const Matrix& matrix);
    void collect(const Context& c, size_t issue, std::vector<Row>& rows, const std::vector<std::vector<Matrix>>& matrices,
                 Dependencies& data);
    void require_one_multiplier(const Instruction& i) const;
    ExprId first_element(const Context& c, const State& state, const Row& a, const Row& b, uint64_t idesc, Dependencies& data);
    void tensor_commit(const Context& c, State& state);
    void tensor_wait(const Context& c, State& state);
    void tensor_life(Context c, State& state);
    size_t relinquish(const Context& c, const State& state);
    size_t begin_or_end(const Context& c, State& state);
    // Any instruction: what it does to registers that a tcgen05.ld writes.
    void check_tensor_results(const Context& c);
    std::optional<Operand> tensor_part(const Operand& operand, int cta, const State& state);
    std::vector<int> tensor_ctas(const Instruction& i) const;
    size_t even_cta(const std::vector<int>& ctas) const;
    // st.bulk and discard: weak writes of a whole range.
    void fill(const Context& c, State& state);

    // ---- clusterlaunchcontrol (cancellation.cpp) -----------------------------------------------

    void request_cancellation(const Context& c, State& state);
    void load_answer(const Context& c, State& state);
    void query_cancellation(const Context& c, State& state);
    void limit_cancellations();
    ExprId choose_cluster(ExprId answer);
    uint64_t held(size_t load, int element) const;

    // ---- grids (grids.cpp) -------------------------------------------------------------------

    bool has_grids() const;
    ExprId completes(int grid);
    ExprId exits(size_t thread) const;
    ExprId lets_begin(int grid);
    ExprId comes(ExprId may, ExprId must);
    // The first event of a thread.
    void begin_thread(State& state);
    // griddepcontrol.launch_dependents and .wait.
    void trigger_grids(const Context& c, const State& state);
    void wait_for_grids(const Context& c, State& state);

    // ---- threads (control.cpp) ---------------------------------------------------------------

    using Pending = std::map<size_t, State>;  // states to go on from, by instruction index; size of the body: the end
    struct Region {
        size_t first, last;  // instruction indices, inclusive
    };

    void build_thread(int t);

    // Executes instructions [first, end) once. States that leave stay in `pending`; those that jump
    // back inside `current` are in back_edges_.
    void run(size_t first, size_t end, const Region* current, Pending& pending);
    // Executes one instruction; the state after it goes to `pending`.
    void step(size_t index, State state, Pending& pending, const Region* current);
    void choose_alternative(Context& c, const State& state);
    void close_slots();
    // Refuses an instruction that reads, under its guard, a register which has not been written on every way there.
    void require_written(const Context& c, const State& state);
    void branch(const Context& c, State state, Pending& pending, const Region* current);
    // Every other instruction, its addresses known.
    void perform(const Context& c, State& state);
    // The end of all threads: the state goes on where it does not come to that.
    void trap(const Context& c, State state, Pending& pending);
    void execute(const Context& c, State& state);

    // A state comes to an instruction; it is merged with one that is there.
    void arrive(Pending& pending, size_t at, const State& state);
    size_t label_target(const Operand& operand) const;

    // ---- loops (loop.cpp) --------------------------------------------------------------------

    // Loop regions: from the target of a backward branch to the branch; overlapping ones that do not nest are
    // one region. Of two with the same first instruction the shorter one is inside the other.
    std::vector<Region> find_regions() const;
    void loop(const Region& region, Pending& pending);
    // Executes the region up to the bound; what leaves it is added to `exits`.
    void unroll(const Region& region, Pending inside, Pending& exits);
    bool is_decided(const Pending& entry, const Pending& next) const;
    // The loop was cut: whether it goes on for ever, when nothing else changes memory any more.
    void note_cut(const Region& region, ExprId when);
    void cut(const Region& region, const Draft& before, const State& entry, const State& next);

    // ---- awaits (await.cpp) ------------------------------------------------------------------

    ExprId divert();
    void execute_or_block(Context c, State& state);
    void fail_once(Context c, State& state, ExprId fails);
    ExprId at_end(ExprId e, uint32_t choice, size_t first);

    // Takes the region as an await if it is one; then what leaves it is added to `exits`. If it is none, nothing has changed.
    bool await(const Region& region, const Pending& inside, Pending& exits);
    // One iteration from `entry`, all registers that the region assigns unknown. What leaves it stays in `trial`; returns
    // the condition under which it fails, or nothing when the region is no await.
    std::optional<ExprId> last_iteration(const Region& region, const State& entry, Pending& trial);
    State failing_iteration(const Region& region, const State& entry, ExprId fails);
    // Whether what the trial added to the draft `before` it makes the region an await.
    bool is_await(const Region& region, const Draft& before, uint32_t poison, ExprId failing, const Pending& exits);
    // Whether a write of a failing iteration may be the value that its atomic has read: then the other threads decide (write_back.cpp).
    bool may_write_back(const Region& region, const Event& write) const;
    // In each state, what depends on the poison and does not matter there has no value any more: `forgotten` stands for it.
    void forget_dead(Pending& pending, uint32_t poison);
    static constexpr uint32_t forgotten = 0xfffeffff;  // a leaf that stands for no event

    // ---- what has waited for what (performed.cpp) --------------------------------------------

    void wait_for_operands(const Context& c, State& state);
    void wait_for(State& state, const std::string& name, ExprId when, size_t reason);
    void wait_always(State& state, const Dependencies& reads);
    void note_performed(const State& state, size_t event);

    const Test& test_;
    const Budget budget_;
    BuildOptions options_;
    const std::set<Loop> unrolled_;
    ExprPool exprs_;
    Influence influence_{exprs_};
    Draft draft_;
    Places places_{test_, draft_, exprs_};
    const KeptElements& kept_;
    const std::vector<Grid> grids_ = grids_of(test_);

    // ---- where execution stands
    int thread_ = 0;
    std::vector<Region> regions_;             // of the thread
    std::vector<RegisterNames> live_;         // likewise, by instruction: registers that still matter
    std::set<std::string> matrix_registers_;  // likewise: those that wgmma.mma_async uses
    std::set<std::string> opaque_registers_;  // likewise: those that may hold a value that is not modelled
    int iteration_ = 0;                       // see Event::iteration
    uint32_t trials_ = 0;                     // awaits being tried, one inside the other
    size_t executed_ = 0;                     // instructions, on all paths, those of trials too: it bounds the work
    Pending back_edges_;                      // states that begin the next iteration of the loop, or that of one around it
    // Conditional branches of the iteration under way that go on with the loop or leave it: some that constants decide; some
    // that go on and that they do not decide; some that leave it and that they do not decide.
    struct Turns {
        bool decided = false, open = false, may_leave = false;
    };
    Turns turns_;
};

}  // namespace litmus
