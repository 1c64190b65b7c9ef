// Program: the events a test can have, and everything about them that is known before execution.
//
// Loops are unrolled and branches merged, so each event stands once with the condition (`guard`)
// under which it happens. Relations that do not depend on the execution are bit matrices; the few
// that do, but not through rf/co/sc (barrier generations), carry an expression per pair.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget.h"
#include "base/relation.h"
#include "event/expr.h"
#include "language/test.h"

namespace litmus {

struct Event {
    // `issue`: an asynchronous operation starts; `completion`: it is done, for a group; `group_wait`: a
    // thread waits for groups; `astray`: an instruction whose address is that of nothing that it may access. Of a test with several
    // grids: `grid_start`, a thread of a grid begins; `grid_trigger` and `grid_wait`, griddepcontrol.
    enum class Kind : uint8_t {
        init,
        read,
        write,
        fence,
        proxy_fence,
        barrier,
        exit,
        issue,
        completion,
        group_wait,
        astray,
        grid_start,
        grid_trigger,
        grid_wait,
    };
    // What a fence with `.sync_restrict`, or fence.mbarrier_init, is about; for a proxy fence the state
    // space it covers. Spaces are those that the fence's thread means by the name.
    enum class Reach : uint8_t { all, global, shared_cta, shared_cluster, mbarrier_init, tensor_map };
    Kind kind = Kind::init;
    int thread = -1;  // index into Test::threads; -1: the initial writes
    Sem sem = Sem::weak;
    Scope scope = Scope::none;
    Proxy proxy = Proxy::generic;  // of the access; of a proxy fence: the proxy it covers
    bool alias_fence = false;      // proxy_fence: fence.proxy.alias
    Reach reach = Reach::all;      // fences and proxy fences
    int covered = -1;              // of a proxy fence that covers one tensor map: its cell
    bool asynchronous = false;     // of an asynchronous operation: in no program order, `thread` is the issuing one
    bool completes = false;        // completes an asynchronous operation: its complete-tx, arrive-on, group completion
    bool initialises = false;      // mbarrier.init
    bool invalidates = false;      // mbarrier.inval
    bool reduction = false;        // read of a red
    bool volatile_ = false;
    bool mmio = false;
    int cell = -1;                 // memory events: physical location, index into Program::cells
    int address = -1;              // memory events: virtual address, numbered over the program
    Type type = Type::u32;         // memory events
    ExprId guard = ExprPool::yes;  // happens when this is 1
    ExprId value = 0;              // write, init: value stored; read: its own leaf
    int instruction = -1;          // index into the thread's body
    int iteration = 0;             // the copy of that instruction: 0 outside loops and awaits, else a number of its own
    int element = 0;               // of a vector or packed access
    int cells = 1;                 // memory events: how many cells the scalar has of whose access this is a part
    int shape = 0;                 // of an access to tensor memory: that of its tcgen05.mma, 0 of other operations
    int partner = -1;              // of an atomic: its write has its read here, and the read the write; `rmw` is made of this

    int operation = -1;  // asynchronous operation that it issues or belongs to, numbered over the program

    bool is_memory() const { return kind == Kind::init || kind == Kind::read || kind == Kind::write; }
    bool is_write() const { return kind == Kind::init || kind == Kind::write; }
};

// One scalar of memory, or one mbarrier object, whose value is its state (ptx/mbarrier.h).
struct Cell {
    int location = 0;   // index into Test::locations (never an alias)
    int instance = -1;  // index into Program::ctas for shared memory; -1: global
    int element = 0;
    int lane = -1;  // of a packed element that is accessed lane by lane; -1: the whole element
    Type type = Type::u32;
    bool is_mbarrier = false;
    bool is_tensor_map = false;  // its value is the number of a location: the array that it stands for
    std::string name;            // "x", "s[1]", "s[1]@cta1" as conditions write it
};

struct Register {
    int thread = 0;
    std::string name;
    Type type = Type::u32;  // the widest it is written at
    ExprId value = 0;       // at the thread's end
    bool written = false;   // some instruction (or initial value) defines it
};

// a relation holds between two events of the execution when `when` is 1
struct ConditionalPair {
    size_t from = 0;
    size_t to = 0;
    ExprId when = ExprPool::yes;
};

// A thread that stays at an instruction: when `when` is 1 nothing after it happens, and the execution counts
// only if `hopeless` is 1 too: what the instruction waits for does not hold in the final state.
struct Blocked {
    int thread = 0;
    int instruction = 0;
    ExprId when = ExprPool::no;
    ExprId hopeless = ExprPool::yes;
};

// An instruction of an open program (BuildOptions::slots): it takes part when `chosen` is 1, as one of each slot does.
struct SlotChoice {
    int thread = 0;
    int instruction = 0;
    int slot = 0;
    ExprId chosen = ExprPool::yes;
};

// Undefined behaviour that a value shows: when `when` is 1 in an execution that has the event.
struct Violation {
    size_t event = 0;
    ExprId when = ExprPool::yes;
    std::string what;                 // "`bar` is not initialised when this operation comes (ISA 9.7.13.15.9)"
    const char* relation = "faulty";  // the one by which models name it
};

// A loop that the unroll bound cuts.
struct Bound {
    ExprId cut = 0;       // 1 when it was
    int thread = 0;       // index in Test::threads
    int instruction = 0;  // its last one, in the body of that thread
};

// What executing the threads of a test symbolically gives: events and values, and no relation yet.
struct SymbolicRun {
    std::vector<Event> events;  // in program order within a thread
    std::vector<Cell> cells;
    std::vector<Placement> ctas;  // every CTA of the test (warp and lane unused)
    std::vector<Register> registers;
    uint32_t choices = 0;             // number of Boolean choices
    std::vector<ExprId> constraints;  // hold in every execution that counts
    std::vector<Bound> bounds;
    std::vector<Violation> violations;
    std::vector<Blocked> blocked;  // none without BuildOptions::blocked
    // Of the choices, those by which a thread stays at a wait, or an await has one failing iteration first; none without
    // BuildOptions::blocked. An execution that gives an outcome takes none of them; one that only shows a hazard may take some.
    std::vector<uint32_t> diverted;
    std::vector<SlotChoice> alternatives;  // of an open program
    // When a thread comes to a `trap`. Such an execution has no outcome (with BuildOptions::blocked a choice of `diverted` says that it
    // is one), and nobody in it is stuck.
    std::vector<ExprId> traps;
};

struct Program : SymbolicRun {
    const Test* test = nullptr;  // outlives the program
    Budget budget;               // time and memory that may be spent on it: long loops over the program ask
    ExprPool exprs;
    std::map<size_t, ExprId> results;  // bar.red: the value of the leaf that stands for its result; 0 where it does not happen
    // The relations that are the same in every execution, over all potential events. Beside those that models name: "values", from each
    // read or result to the writes and results whose value or existence its value decides; rf | values is acyclic in every candidate.
    std::map<std::string, Relation, std::less<>> relations;
    // The pairs that a relation has in some executions only, as far as rf, co and sc do not decide it: of "syncbar" ...
    std::map<std::string, std::vector<ConditionalPair>, std::less<>> conditional;

    size_t size() const { return events.size(); }
    bool always(size_t event) const { return events[event].guard == ExprPool::yes; }
};

// In an execution that terminates nothing waits for itself, however indirectly. These are the edges of that order: `waits`, and
// the order of a barrier's generations.
std::vector<ConditionalPair> waiting_order(const Program& program);

// By thread and instruction: the number of the slot that the instruction is an alternative of, -1 for one that is always there.
using Slots = std::vector<std::vector<int>>;

struct BuildOptions {
    int unroll = 2;  // iterations of a loop that is not an await, at least 1
    // For races and undefined behaviour (model/semantics.md section 2), of native tests: the program also has executions in which
    // threads stay blocked for ever. At each wait a choice says whether the thread gets past it (Program::blocked). Each await,
    // an instruction or a loop, has one failing iteration or none, as another choice says; one that blocks has one.
    bool blocked = false;
    Budget budget = {};  // of the test: this step's and those that follow
    // Many programs in one: of the instructions of each slot an execution has one, as choices say. None: all instructions are there.
    const Slots* slots = nullptr;
};

// Throws OverBudget, and Failure for tests that are well formed but cannot be given a meaning (a partial overlap,
// an address that may be one of too many, ...).
Program build_program(const Test& test, const BuildOptions& options);

// The expression (1 bit) of a condition over final registers and final values of cells. Throws OverBudget.
ExprId condition_expr(Program& program, const Condition& condition);

// One coordinate of an outcome.
struct Observable {
    std::string name;  // "P1:r0", "x", "s[1]"
    Type type = Type::u32;
    ExprId value = 0;
    bool in_memory = false;  // the final value of a location; otherwise a register
};

// What the claim and the filter mention; with `all_state`, or without a condition, every register that
// is written and holds neither an address nor a token (language/compared.h), and every location; each once, registers first, in the order
// of the test.
std::vector<Observable> observables(Program& program, bool all_state);

// "P0:3 st.release.gpu [f], 1" style description of an event, one line; "P0:3 (k.cu:38) st.release.gpu [f], 1" where the test names the
// line of CUDA.
std::string describe(const Program& program, size_t event);
// An instruction of a thread's body, described in the same style.
std::string describe_instruction(const Program& program, int thread, int instruction);
// The instruction alone, in one line.
std::string instruction_text(const Program& program, int thread, int instruction);
// A cell's value as text: "1", of an mbarrier object "{phase 0, pending 1, tx -4}".
std::string format_cell(const Program& program, size_t cell, uint64_t value);
Span span_of(const Program& program, size_t event);

// ---- what cat models call by name ------------------------------------------------------------

// A set or relation of every model.
struct BaseName {
    std::string_view name;
    bool is_set = false;
    std::string_view meaning;
    std::string_view phrase = {};  // of a relation: what it says of two events, "B reads from A"
    bool transitive = false;       // known to be, though it differs from execution to execution
};
const std::vector<BaseName>& base_names();

// Members among all potential events. The name must be one of base_names() with is_set.
EventSet base_set(const Program& program, std::string_view name);

// Where a pair of a base relation stands before the execution is known: `must` holds whenever both
// events happen, `may` can hold. rf, co and sc have only `may`.
struct Bounds {
    Relation may;
    Relation must;
};
Bounds base_bounds(const Program& program, std::string_view name);

// Whether the pairs of a relation are facts about the two events alone: "loc", "sr", ...; the others come of the program or of
// what an execution chose.
bool is_about_events(std::string_view name);

// Whether a relation's pairs are all in Program::relations and Program::conditional: without them it is empty.
bool is_stored_relation(std::string_view name);

}  // namespace litmus
