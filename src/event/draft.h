// Draft: what executing the threads of a test has produced so far.
//
// It is a plain value. An iteration that is only tried writes into it like any other, and is undone by assigning the copy that
// was made before (await.cpp). So whatever execution produces has its place here, and nowhere else in the builder.
// Expressions are apart: they are never changed, and one that nothing uses means nothing.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "event/barrier.h"
#include "event/bulk_elements.h"
#include "event/columns.h"
#include "event/program.h"
#include "ptx/mbarrier.h"

namespace litmus {

// What becomes the relations of the program when all threads have been executed (relations.h).
struct Notes {
    // A read on which an event depends, in "addr", "data", "ctrl", "blocks" or "performed".
    struct Dependency {
        const char* relation;
        size_t read, event;
        ExprId when;
    };
    std::vector<Dependency> dependencies;

    // A pair of "iss", "aio", "grp", ...
    struct Pair {
        const char* relation;
        size_t from, to;
        ExprId when;
    };
    std::vector<Pair> pairs;

    // A wgmma.mma_async: its issue, the reads of its matrices, its completion, and how many of the thread's operations happen before it.
    struct Multiplication {
        int thread;
        size_t issue;
        std::vector<size_t> reads;
        size_t completion;
        ExprId earlier;
    };
    std::vector<Multiplication> multiplications;

    std::vector<BarrierUse> barriers;
    std::vector<BarrierUse> aligned;  // of these, the event and the instruction alone
    std::vector<ColumnUse> columns;
    std::map<int, size_t> exits;  // the exit event of each thread that has one

    std::map<int, ExprId> begun;               // by grid: whether it begins
    std::map<int, size_t> starts;              // of a test with several grids: where each thread begins
    std::vector<size_t> triggers, grid_waits;  // griddepcontrol

    // The phase of an mbarrier object that an arrival falls in, or that a wait finds: these tell whether an arrival came too early.
    struct PhaseSeen {
        size_t event;
        int cell;
        ExprId phase;
        ExprId when;
    };
    std::vector<PhaseSeen> arrivals, waits;
    std::map<int, std::vector<MbarrierStep>> steps;  // by cell: the updates of an mbarrier object

    // The completion of a clusterlaunchcontrol.try_cancel, its write, and when the request has failed.
    struct Completion {
        size_t write;
        ExprId failed;
    };
    std::vector<Completion> completions;

    // An instruction that waits for its operands, and the events that come after one that has waited (performed.cpp).
    struct Use {
        int thread, instruction, iteration;
    };
    std::vector<Use> uses;
    struct Performed {
        size_t waited;  // read and reason: performed.cpp
        size_t event;
        ExprId when;
    };
    std::vector<Performed> performed;

    // An atomic in the failing iterations of a loop that was taken as an await: it has to write back what it reads (write_back.cpp).
    struct WriteBack {
        int thread;
        size_t loop;  // its first instruction
        size_t read, write;
        ExprId failing;
    };
    std::vector<WriteBack> write_backs;
    std::vector<std::pair<size_t, size_t>> failing_iterations;  // those that are kept: their first event, and the one behind their last
};

// The bulk or cp.async groups of one thread, in program order; positions are event numbers.
struct Groups {
    struct Member {
        size_t position;
        ExprId guard;
        size_t completion;
        std::optional<size_t> read_completion;
    };
    std::vector<Member> members;
    std::vector<std::pair<size_t, ExprId>> commits;
};

// What a thread does with registers that hold matrices, in program order (warpgroup.cpp).
struct MatrixStep {
    enum class Kind : uint8_t { access, operation, fence, commit, wait };
    Kind kind = Kind::access;
    ExprId guard = ExprPool::yes;
    std::set<std::string> accumulators = {};  // or, of an access, what it accesses
    std::set<std::string> fragments = {};
    size_t issue = 0;        // operation: its event
    uint64_t pending = 0;    // wait: how many groups may be
    std::string shape = {};  // operation: "m64n8k16"
};

// The value of a field of an mbarrier object's state, of which `state` is an expression (mbarrier.cpp).
ExprId field(ExprPool& pool, ExprId state, Field field);

struct Draft : SymbolicRun {
    Notes notes;

    std::map<std::tuple<int, int, int>, int> cell_ids;           // by location, instance, and number within it
    std::map<std::tuple<int, int, int>, int> address_ids;        // of virtual addresses: by location, instance, and number within it
    std::map<uint64_t, std::pair<int, int>> slots;               // locations and instances whose addresses are values, by slot (places.cpp)
    std::map<std::pair<int, std::string>, Type> register_types;  // by thread and name: the widest it is written at
    std::map<int, uint32_t> lives;                               // by cell: how many lives of an mbarrier object have begun
    int operations = 0;                                          // how many asynchronous operations there are
    Sweeps sweeps;                                               // what bulk operations touch
    struct Cancelled {
        ExprId when, which;  // when a request succeeds, and which of the clusters that have not started it names
    };
    std::vector<Cancelled> cancelled;      // by request of the test
    uint32_t unknown = 0;                  // how many values nobody knows (unknown.cpp)
    std::map<ExprId, uint32_t> undecided;  // comparisons with such values: the choices of how they come out

    struct OfThread {
        int iterations = 0;  // how many iterations its loops and awaits have had, all together
        Groups bulk_groups, copy_groups, mma_groups;
        std::vector<MatrixStep> matrix_steps;
        std::vector<std::vector<size_t>> copies;   // the events of each cp.async
        std::vector<std::vector<size_t>> answers;  // the reads of each ld.b128
        // of tcgen05: the events of those operations that tcgen05.commit tracks, and the completions of tcgen05.ld and tcgen05.st
        std::vector<size_t> tensor_events, tensor_loads, tensor_stores;
        // Likewise, by register: the loads into it, and when each is neither waited for nor has its result been read (tensor_memory.cpp).
        struct Load {
            size_t issue;
            ExprId open;
        };
        std::map<std::string, std::vector<Load>> tensor_results;
        // Each tcgen05.mma: what it does with which collector buffer, and the first row of A by CTA, a byte in each expression.
        struct Collected {
            std::string buffer;
            ExprId guard;
            bool fills, keeps;
            std::vector<std::vector<ExprId>> rows;
            std::vector<size_t> reads;
        };
        std::vector<Collected> collected;
    };
    OfThread thread;  // what is known of the thread that is being executed
};

}  // namespace litmus
