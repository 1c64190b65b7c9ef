// The evaluation of one thread: from the kernel's first statement along every path to its ends.
//
// A *walk* executes statements in a state (state.h). What is known is computed; what is not is written into the current block of the
// residual program. Where paths may meet (a label, the end of what was guarded) the state is looked up among those met before: a state
// that has been there before has its block already, and the walk ends in a jump to it. So loops with known bounds unroll, branches join
// again, and a loop that waits for memory closes on itself.
//
// Where a statement needs to know a word that is split into cases (a branch, an address), the walk forks: one way for the cases in
// question, one for the others, each with what is then known of other words (assume.cpp); and the statement is executed again on both. A
// way that cannot be, by what is known, is left out. What is known is not all: on a way behind a fork an access outside of all memory
// ends in a trap, and the test says whether a thread comes there.
//
// An instruction that exchanges values with other lanes of the warp *parks* the walk until these have come there, too (warp.h).
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kernel/evaluate.h"
#include "kernel/express.h"
#include "kernel/layout.h"
#include "kernel/residual.h"
#include "kernel/state.h"
#include "kernel/stored.h"

namespace litmus::kernel {

// What is assumed, and what is found, of objects over all threads.
struct Facts {
    std::set<size_t> written;              // some thread, or an asynchronous operation, may write them
    std::set<size_t> opaque;               // opaque words are written to them
    std::map<size_t, uint32_t> narrowest;  // bytes of the narrowest access to a shared object, rows of matrices apart
    bool reduces_opaque = false;           // an opaque word is brought to a reduction over a barrier or a warp
    // Mbarrier objects, by object and offset, on which asynchronous operations that are left out would complete.
    std::set<std::pair<size_t, uint64_t>> left_to_complete;
    std::set<std::pair<size_t, uint64_t>> answers;  // where answers of clusterlaunchcontrol.try_cancel come, by object and offset
    StoredWords::Words pointers;                    // places in global memory that hold pointers, with what is stored there
    friend bool operator==(const Facts&, const Facts&) = default;
};

inline constexpr size_t no_register = SIZE_MAX;  // of a result that is `_`

// What the walks of all threads share.
struct Walks {
    const Module& module;
    const Launch& launch;
    const EvaluateOptions& options;
    const MemoryLayout& layout;
    Geometry geometry;
    std::unordered_map<std::string_view, const Function*> functions;  // with a body, by name
    std::map<std::string, Plan> plans = {};                           // of those that were called
    Facts assumed;
    Facts found = {};
    StoredWords stored = {};  // in global memory, by the warp that is evaluated
    size_t states = 0, steps = 0;
    std::set<const Statement*> reached = {};      // of those that synchronize (Step)
    std::map<std::string, Origin> left_out = {};  // as Traces has it

    // Of a function with a body; null: there is none of this name. Throws OverBudget.
    const Plan* plan_of(const std::string& name);
};

// A walk that waits for other lanes.
struct Parked {
    State state;
    size_t block = 0;
    std::string words;  // the instruction's dotted name
    uint32_t mask = 0;  // lanes; of activemask all of the warp
    size_t turn = 0;    // how often its path has met this name with this mask before
};

class NumberTest;

class Walker {
public:
    Walker(Walks& walks, Seat seat, const Plan& entry);

    // Goes on until every path has ended or is parked. Throws Failure.
    void run();
    const Seat& seat() const { return seat_; }
    std::vector<Parked>& parked() { return parked_; }
    bool has_ended() const { return ended_; }  // on one of its paths at least
    // The word that the n-th operand of the parked statement has.
    Word operand(Parked& at, size_t n);
    // Goes on behind the parked statement, whose results are these (a register of the result each), with a note where one is said.
    void resume(Parked at, const std::vector<Word>& results, const std::string& note = {});
    [[noreturn]] void fail(const State& state, const std::string& message, const std::string& hint = {}) const;

    // The residual program. To be called once, when nothing is parked.
    Trace trace();

private:
    enum class Went : uint8_t { next, moved, ended };
    struct Work {
        State state;
        size_t block = 0;
        bool entered = false;  // the block was made for just this state
    };
    struct ResidualRegister {
        std::string name;
        int bits = 32;
    };

    // ---- control (walk.cpp)
    void walk(Work work);
    Went step(State& state, size_t block);
    Went execute(State& state, size_t block, const Statement& statement, const Step& step);
    std::pair<size_t, bool> block_of(const State& state);
    void jump(size_t from, State state);
    std::optional<Guard> kept_guard(const State& state, const Statement& statement, const Step& step);
    std::optional<bool> guard_of(State& state, size_t block);
    void check_result(const State& state, const Statement& statement) const;
    bool is_ignored(const Statement& statement, const Step& step) const;
    Went leave_out(State& state, size_t block, const Statement& statement, const Step& step);
    Went branch(State& state, const Step& step);
    Went branch_indexed(State& state, size_t block, const Step& step);
    Went call(State& state, size_t block);
    std::optional<uint64_t> own_offset(const Function& function, size_t depth, const std::string& name) const;
    void pass(State& state, size_t block, const Argument& from, const Function& caller, size_t depth, const Function& callee,
              const Parameter& to);
    Went leave(State& state, size_t block);
    void end(size_t block, const State& state);
    void trap(size_t block, const State& state, const std::string& why);
    Went park(State& state, size_t block);
    void wait_for_lanes(const Parked& at);
    // Forks at a split word: on the cases in which it has `value`, or does not.
    void fork(const State& state, size_t block, const Word& word, uint64_t value);
    void fork_open(const State& state, size_t block, size_t predicate);
    void fork_on(const State& state, size_t block, const std::string& predicate, bool negated, State yes, State no);

    // ---- what is known on a path (assume.cpp)
    void note_condition(State& state, size_t reg, const Statement& statement, const std::vector<Word>& words);
    bool assume(State& state, const Word& word, uint64_t value, bool equal) const;
    bool assume(State& state, const Saying& condition, bool holds) const;
    bool assume(State& state, const Word& word, const NumberTest& test) const;
    bool keep_cases(State& state, int root, const std::set<uint64_t>& keys, bool below, bool above) const;
    void fix_root(State& state, int root, uint64_t number) const;
    void make_one(State& state, const Word& a, const Word& b) const;

    // ---- registers (registers.cpp)
    int name_of(const State& state, size_t reg);
    int named(const std::string& name, int bits);
    std::string fresh_name(const std::string& name);  // that no register of the kernel and no object has
    int width(const State& state, size_t reg) const;
    void set(State& state, size_t block, size_t reg, const Word& word);  // known, or already in the register of the residual program
    void set_known(State& state, size_t reg, uint64_t bits, bool opaque = false);
    static const Statement* source_of_opaque(const State& state);
    std::string not_computed(const Word& word) const;
    void set_dynamic(State& state, size_t reg, bool opaque);
    void set_cases(State& state, size_t block, size_t reg, const Word& word);
    std::vector<Case> open_cases(int bits) const;
    void set_open(State& state, size_t reg);  // set_dynamic, of a number that memory gives
    void forget_root(State& state, int root) const;
    Word read(State& state, size_t block, const Argument& argument);
    Word read_special(const State& state, const std::string& name);
    Input source(State& state, size_t block, const Argument& argument);
    int width(const State& state, const Argument& argument) const;
    std::vector<size_t> results(const Statement& statement, bool writes_first) const;  // registers written; `none` for `_`
    std::optional<uint64_t> need(State& state, size_t block, const Word& word, const std::string& what);

    // ---- computation (compute.cpp)
    Went compute(State& state, size_t block, const Statement& statement, const Step& step);
    Went move(State& state, size_t block, const Statement& statement, const Step& step);
    Went move_wide(State& state, size_t block, const Statement& statement);
    Went convert_address(State& state, size_t block, const Statement& statement, const AddressConversion& conversion);
    Went opaque_result(State& state, size_t block, const Statement& statement, const std::vector<Argument>& sources);
    bool compute_cases(State& state, size_t block, const Statement& statement, const std::vector<size_t>& to,
                       const std::vector<Word>& words);
    void compute_dynamic(State& state, size_t block, const Statement& statement, const std::vector<size_t>& to,
                         const std::vector<Argument>& sources, bool opaque);
    void follow_open(State& state, size_t reg, const Statement& statement, const std::vector<Word>& words);
    void bound_result(State& state, size_t reg, const Statement& statement, const std::vector<Word>& words);

    // ---- memory (access.cpp)
    Went access(State& state, size_t block, const Statement& statement, const Step& step);
    // Answers of clusterlaunchcontrol.try_cancel (cancellation.cpp).
    bool is_answer(const Pointee& place) const;
    Went load_answer(State& state, size_t block, const Statement& statement, const Pointee& place);
    void set_answer(State& state, size_t reg, int answer);
    int answer_in(State& state, size_t block, const Argument& argument);
    Went set_canceled(State& state, const Statement& statement);
    void check_cancellation(const State& state, const Statement& statement, Op op) const;
    Went keep(State& state, size_t block, const Statement& statement, const Step& step);
    static bool completes_bytes(const Statement& statement);
    std::optional<Pointee> mbarrier_of(State& state, size_t block, const Statement& statement, const Step& step);
    void expect_nothing(const State& state, const Statement& statement, const std::vector<const Shape*>& shapes,
                        std::vector<Operand>& operands);
    void note_width(const Instruction& instruction, const std::set<size_t>& touched);
    Operand object_operand(const State& state, const Statement& statement, const Pointee& place) const;
    Operand value_operand(State& state, size_t block, const Argument& argument, const Shape& shape, bool& opaque);
    Went load_own(State& state, size_t block, const Statement& statement, const Pointee& place);
    Went store_own(State& state, size_t block, const Statement& statement, const Pointee& place);
    void load_bytes(State& state, const Statement& statement, const std::vector<uint8_t>& bytes, uint64_t offset);
    static Instruction convert(const Target& to, const Input& from, bool is_signed);
    void read_cell(State& state, size_t block, uint64_t address, Type type, size_t reg);
    void copy_cells(State& state, size_t block, uint64_t from, uint64_t to, uint32_t bytes);
    void write_cell(State& state, size_t block, uint64_t address, uint32_t bytes, const Word& word, const Input& source);
    std::optional<Pointee> place_of(State& state, size_t block, const Argument& argument, std::string_view space);
    std::optional<uint64_t> address_of(State& state, size_t block, const Argument& argument, std::string_view space);
    void follow_index(State& state, size_t block, const Word& word, const Argument& argument, std::string_view space);

    // ---- pointers in memory (pointers.cpp)
    void note_stored(State& state, size_t block, const Statement& statement, const std::map<size_t, Pointee>& places);
    std::optional<Pointee> pointed_to(uint64_t word) const;
    void set_loaded(State& state, size_t reg, const Pointee& from, uint64_t bytes);

    // ---- matrices (matrix.cpp)
    Went matrix(State& state, size_t block, const Statement& statement);
    void access_row(State& state, size_t block, const Statement& statement, const Pointee& place);

    // ---- the residual program
    void emit(size_t block, const State& state, Instruction instruction);
    void emit(size_t block, const State& state, std::vector<Instruction> instructions);
    Origin origin(const State& state) const;
    static Span span_of(const State& state);
    void note(const State& state, const std::string& text);
    Target target(const State& state, size_t reg);

    Walks& walks_;
    Seat seat_;
    BasicBlocks blocks_;
    struct KeyHash {
        size_t operator()(const StateKey& key) const;
    };
    std::unordered_map<StateKey, size_t, KeyHash> met_;
    std::vector<Work> work_;
    std::vector<Parked> parked_;
    std::vector<ResidualRegister> registers_;  // by number
    std::map<std::string, int> numbers_;
    std::map<const Statement*, int> answers_;                                            // registers that loads of answers have
    std::map<std::pair<const Plan*, std::pair<size_t, size_t>>, int> register_numbers_;  // function, depth, register
    std::set<std::string> used_names_;
    std::set<std::pair<Line, std::string>> said_;
    std::vector<Note> notes_;
    std::optional<Guard> guard_;  // of the statement that is executed, where it stays
    size_t residuals_ = 0;
    size_t ways_ = 0;  // the most that an address of the kernel has
    bool ended_ = false;
};

// The value of a special register (ISA 10) for a thread; none: it is not known before the kernel runs (clocks, SM numbers).
std::optional<uint64_t> special_register(const std::string& name, const Seat& seat, const Launch& launch, const MemoryLayout& layout);
// Whether there is such a register.
bool is_special_register(const std::string& name);

}  // namespace litmus::kernel
