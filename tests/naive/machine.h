// The interpreter's state while it runs one thread. Private to this folder.
#pragma once

#include <optional>
#include <set>
#include <string_view>

#include "interpreter.h"

namespace litmus::naive {

class Machine {
public:
    Machine(const Test& test, Memory& memory, const Bounds& bounds, int thread, const Candidates& candidates, Oracle& oracle,
            Candidates* written);
    Trace run();

private:
    struct Register {
        uint64_t value = 0;
        Type type = Type::u32;
        std::set<size_t> reads;    // what it was computed from
        std::set<size_t> direct;   // the load that it comes from as it is, all its elements
        std::string unknown = {};  // what it was computed from, in words, where nobody knows the value; empty otherwise
    };
    struct Member {
        size_t completion;
        std::optional<size_t> reads_done;
        size_t group;
    };
    struct Groups {
        std::vector<Member> members;
        size_t commits = 0;
    };
    // A wgmma.mma_async, and what became of it.
    struct Multiplication {
        size_t issue;
        size_t group;
        std::set<std::string> accumulators, fragments;
        std::string shape;
        bool done;    // a wait for its group
        bool fenced;  // a wgmma.fence after it
    };
    // Ends the run of a machine that only asks whether a loop goes on for ever.
    struct Leaves {};

    const std::vector<Instruction>& body() const { return test_.threads[static_cast<size_t>(thread_)].body; }
    const Instruction& instruction() const { return body()[pc_]; }

    // ---- control (interpreter.cpp)
    void execute();
    void happen();
    size_t target() const;
    void branch();
    void finish(Trace::End end);
    void stay();
    std::vector<std::map<int, uint64_t>> spins(size_t first, size_t last) const;
    bool comes_back(size_t first, size_t last);
    bool retries();

    // ---- registers and operands
    uint64_t read(const std::string& name, Type type) const;
    uint64_t value(const Operand& operand, Type type);
    uint64_t address(const Operand& operand);
    std::set<size_t> reads_of(const Operand& operand) const;
    void assign(const Operand& to, Type type, uint64_t value, std::set<size_t> reads, std::set<size_t> direct);
    void note_aligned();
    int pipeline(uint64_t idesc) const;
    std::optional<Operand> astray();
    void stray(const Operand& address);
    void mention(const Operand& operand);
    void mention_register(const std::string& name, bool tested = false);
    void compute();
    void move_row();
    void multiply_registers();
    void move_parts();
    uint64_t address_result(const Instruction& i, const std::vector<uint64_t>& in) const;
    std::vector<int> ctas_by_rank() const;
    void set_predicate();
    std::string words_of(const Operand& operand) const;
    bool is_unknown(const Operand& operand) const;
    bool compared(Operator comparison, Type type, const Operand& a, const Operand& b);

    // ---- events
    Event event(Event::Kind kind) const;
    size_t add(const Event& event, uint64_t value);
    size_t access(Event::Kind kind, const MemoryPlace& at, Type type, int element, const Operand& address, uint64_t value);
    uint64_t ask(const MemoryPlace& at) { return oracle_->value(next_id(), at.cell); }
    StepId next_id() const { return {static_cast<int>(pc_), iteration_, ordinal_}; }
    void depend(Pairs& relation, const std::set<size_t>& reads, size_t step) const;
    void block(size_t step);
    void wait_for(const std::set<size_t>& reads, const Operand& operand);

    // ---- memory and synchronization
    void load();
    void store();
    void atomic();
    void wide_atomic();
    void join(const std::set<size_t>& parts);
    void tie(const std::set<size_t>& parts);
    void tie_elements(const std::set<size_t>& elements);
    void scalar_by_scalar();
    uint64_t reduction(std::vector<uint64_t> found, Type type, int scalar);
    void fence();
    void barrier();
    const Grid& grid() const;
    void begin();
    void trigger_grids();
    void wait_for_grids();
    bool awaits_in_vain(uint64_t value, Type type);

    // ---- mbarriers and asynchronous operations (asynchronous.cpp)
    struct Update {
        size_t read, write;
    };
    struct Way {  // how an update is done
        Sem sem = Sem::relaxed;
        Scope scope = Scope::cta;
        std::optional<size_t> issue;
        bool arrives = false;
    };
    void mbarrier();
    void initialise(const Operand& at, bool live);
    void wait(size_t argument);
    Update update(const Operand& named, uint64_t address, const MbarrierStep& step, const Way& way);
    void keep_order(int cell, const ObjectState& seen);
    size_t issue(const std::vector<Operand>& addresses);
    size_t inside(size_t issue, Event::Kind kind, const MemoryPlace& at, Type type, int element, uint64_t value);
    Update reduce(size_t issue, const MemoryPlace& at, Type type, int element, uint64_t operand);
    size_t completion(size_t issue, const std::vector<size_t>& before);
    void complete_on(size_t issue, const Operand& named, uint64_t address, int64_t bytes, const std::vector<size_t>& before);
    void direct();
    void bulk();
    // tensor.cpp
    void tensor();
    void replace_array();
    void replace_field();
    void copy_map();
    void end_transfer(size_t start, const std::vector<size_t>& reads, const std::vector<std::vector<size_t>>& writes, const Operand* named,
                      uint64_t object, const std::vector<int>& ctas, int64_t size);
    bool waits_for_groups(bool reads) const;
    void copy();
    void arrive_after_copies();
    void commit(bool bulk);
    void wait_for_groups(Groups& groups);
    std::vector<int> multicast_ctas(uint64_t mask) const;

    // ---- matrix operations (warpgroup.cpp)
    void touch_registers();
    std::vector<uint8_t> matrix_at(uint64_t from, int64_t bytes, size_t start, std::vector<size_t>& reads);
    void multiply();
    void fence_registers();
    void wait_for_multiplications();

    // ---- tensor memory, and what came with it (tcgen05.cpp)
    std::vector<int> pair_of_ctas() const;
    std::set<int> touched_parts() const;
    void touch_tensor(uint64_t address, size_t start, const std::map<int, uint64_t>& written, std::vector<size_t>& events);
    bool knows_tensors() const;
    void collect(size_t start, std::map<int, std::vector<std::vector<uint8_t>>>& contents, std::set<size_t>& reads);
    void operate_on_tensor();
    void commit_tensor();
    void wait_for_tensor();
    void hold_tensor();
    void touch_results();
    void fill();
    int named_clusters() const;
    void request_cancellation();
    void load_answer();
    void query_answer();

    bool has_word(std::string_view word) const;

    const Test& test_;
    Memory& memory_;
    Bounds bounds_;
    int thread_;
    const Candidates* candidates_;
    Oracle* oracle_;
    Candidates* written_;
    int cta_;
    std::vector<Grid> grids_;

    Trace trace_;
    size_t pc_ = 0;
    bool over_ = false;
    bool spinning_ = false;  // asks only whether a loop goes on for ever: nothing may be written but what is there
    int iteration_ = 0;      // of the current instruction
    int ordinal_ = 0;        // of its next event
    int mentioned_ = 0;      // operands of the current instruction so far
    size_t first_ = 0;       // its first event
    bool waits_ = false;     // it waits for its operands (arithmetic does not)
    std::map<size_t, int> executed_, repeated_;
    std::map<std::string, Register> registers_;
    std::set<size_t> control_, blocking_, guard_reads_;
    std::map<int, ObjectState> seen_;                          // by cell of an mbarrier object
    std::map<int, std::set<std::tuple<int, int, int>>> left_;  // lives that are over
    std::set<uint64_t> updated_;                               // states that updates found
    Groups bulk_groups_, copy_groups_, mma_groups_;
    std::vector<Multiplication> multiplications_;
    std::set<std::string> unfenced_;                    // registers accessed since the last wgmma.fence
    bool fenced_ = false;                               // there was one
    std::vector<size_t> copied_;                        // the events of all cp.async so far
    std::vector<size_t> group_writes_;                  // the writes of those whose group is open
    std::vector<size_t> tracked_;                       // the events of all tcgen05.mma and tcgen05.cp so far
    std::vector<size_t> tensor_loads_, tensor_stores_;  // completions of tcgen05.ld and tcgen05.st
    struct Collected {
        std::map<int, std::vector<uint8_t>> matrix;  // by CTA: A, of the plain forms
        std::set<size_t> reads;
    };
    std::map<std::string, Collected> collected_;    // the collector buffers that are valid
    std::map<std::string, size_t> unread_results_;  // registers that a tcgen05.ld writes, with its issue, until a wait or a read
    int operations_ = 0;
    int unknown_ = 0;                      // values that nobody knows, so far
    std::map<std::string, bool> decided_;  // comparisons with them, in words, and how they came out
    bool undecided_ = false;               // a new one was made
};

}  // namespace litmus::naive
