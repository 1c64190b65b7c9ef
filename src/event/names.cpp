// The sets and relations that cat models call by name, computed from a program's events.
#include <algorithm>
#include <functional>
#include <optional>
#include <stdexcept>

#include "event/program.h"
#include "event/scope.h"
#include "language/aligned.h"
#include "language/claim.h"
#include "ptx/matrix.h"
#include "ptx/traits.h"

namespace litmus {

bool in_scope_at(Scope scope, const Placement& a, const Placement& b) {
    if (scope == Scope::sys) return true;
    if (scope == Scope::none || a.gpu != b.gpu) return false;
    if (scope == Scope::gpu) return true;
    if (a.cluster != b.cluster) return false;
    return scope == Scope::cluster || a.cta == b.cta;
}

namespace {

const Placement& placement(const Program& p, const Event& e) {
    return p.test->threads[static_cast<size_t>(e.thread)].at;
}

bool same_gpu(const Program& p, const Event& a, const Event& b) {
    return a.thread >= 0 && b.thread >= 0 && placement(p, a).gpu == placement(p, b).gpu;
}
bool same_cluster(const Program& p, const Event& a, const Event& b) {
    return same_gpu(p, a, b) && placement(p, a).cluster == placement(p, b).cluster;
}
bool same_cta(const Program& p, const Event& a, const Event& b) {
    return same_cluster(p, a, b) && placement(p, a).cta == placement(p, b).cta;
}

// Whether b's thread is in the set of threads that a's scope denotes.
bool in_scope(const Program& p, const Event& a, const Event& b) {
    if (a.thread < 0 || b.thread < 0) return false;
    return in_scope_at(a.scope, placement(p, a), placement(p, b));
}

bool is_fence(const Event& e) {
    return e.kind == Event::Kind::fence;
}
// Whether the location of access `e` lies in what fence `f` reaches, as f's thread sees it (ISA 9.7.13.4): its
// own CTA's shared memory, its cluster's, or global memory. With `peers`, .shared::cta is the cluster's too.
bool reaches(const Program& p, const Event& f, const Event& e, bool peers) {
    if (e.cell < 0 || f.thread < 0) return false;
    const int instance = p.cells[static_cast<size_t>(e.cell)].instance;
    if (f.reach == Event::Reach::all) return true;
    if (f.reach == Event::Reach::tensor_map) return e.cell == f.covered;
    if (f.reach == Event::Reach::mbarrier_init) return e.initialises && e.thread == f.thread;
    if (instance < 0) return f.reach == Event::Reach::global;
    if (f.reach == Event::Reach::global) return false;
    const Placement& here = placement(p, f);
    const Placement& owner = p.ctas[static_cast<size_t>(instance)];
    if (owner.gpu != here.gpu || owner.cluster != here.cluster) return false;
    return owner.cta == here.cta || peers || f.reach == Event::Reach::shared_cluster;
}

// Where an operation counts as performed: a completion, as if by a thread of the CTA whose mbarrier object it
// updates; everything else where its thread is.
std::optional<Placement> performed_at(const Program& p, const Event& e) {
    if (e.thread < 0) return std::nullopt;
    if (!e.completes || e.cell < 0) return placement(p, e);
    return p.ctas[static_cast<size_t>(p.cells[static_cast<size_t>(e.cell)].instance)];
}

bool in_scope_as_owner(const Program& p, const Event& a, const Event& b) {
    const auto at_a = performed_at(p, a), at_b = performed_at(p, b);
    return at_a && at_b && in_scope_at(a.scope, *at_a, *at_b);
}

bool on_mbarrier(const Program& p, const Event& e) {
    return e.cell >= 0 && p.cells[static_cast<size_t>(e.cell)].is_mbarrier;
}

// Whether the access is to an mbarrier object that its declaration initialises.
bool is_declared(const Program& p, const Event& e) {
    return on_mbarrier(p, e) && p.test->locations[static_cast<size_t>(p.cells[static_cast<size_t>(e.cell)].location)].arrivals.has_value();
}

bool changes_life(const Program& p, int cell) {
    return std::any_of(p.events.begin(), p.events.end(),
                       [cell](const Event& e) { return e.cell == cell && (e.initialises || e.invalidates); });
}

// Whether thread `t` belongs to the CTA in whose shared memory the access is.
bool is_owner(const Program& p, const Event& e, int t) {
    if (e.cell < 0 || p.cells[static_cast<size_t>(e.cell)].instance < 0) return false;
    const Placement& owner = p.ctas[static_cast<size_t>(p.cells[static_cast<size_t>(e.cell)].instance)];
    const Placement& at = p.test->threads[static_cast<size_t>(t)].at;
    return owner.gpu == at.gpu && owner.cluster == at.cluster && owner.cta == at.cta;
}

bool is_of_another_cta(const Program& p, const Event& e) {
    return e.thread >= 0 && e.cell >= 0 && p.cells[static_cast<size_t>(e.cell)].instance >= 0 && !is_owner(p, e, e.thread);
}

bool is_remote(const Program& p, const Event& e) {
    if (!is_of_another_cta(p, e)) return false;
    for (size_t t = 0; t < p.test->threads.size(); ++t)
        if (is_owner(p, e, static_cast<int>(t))) return true;
    return false;
}

Op op_of(const Program& p, const Event& e) {
    return p.test->threads[static_cast<size_t>(e.thread)].body[static_cast<size_t>(e.instruction)].op;
}

// Whether the access is one of a multimem operation to global memory, where its address points.
bool is_multimem_access(const Program& p, const Event& e) {
    return e.thread >= 0 && e.cell >= 0 && p.cells[static_cast<size_t>(e.cell)].instance < 0 && is_multimem(op_of(p, e));
}

// Whether two accesses are one multimem operation's to two locations that its address points to.
bool are_replicas(const Program& p, const Event& a, const Event& b) {
    if (!is_multimem_access(p, a) || !is_multimem_access(p, b) || a.cell == b.cell || a.kind != b.kind) return false;
    const bool one = a.thread == b.thread && a.instruction == b.instruction && a.iteration == b.iteration;
    const Cell &x = p.cells[static_cast<size_t>(a.cell)], &y = p.cells[static_cast<size_t>(b.cell)];
    return one && x.element == y.element && x.lane == y.lane;
}

bool has_proxy(const Event& e, Proxy proxy) {
    return !e.alias_fence && e.proxy == proxy;
}

bool is_tensor_fence(const Program& p, const Event& e, std::string_view mnemonic) {
    if (e.kind != Event::Kind::fence || e.instruction < 0) return false;
    return p.test->threads[static_cast<size_t>(e.thread)].body[static_cast<size_t>(e.instruction)].mnemonic == mnemonic;
}

const Instruction& instruction_of(const Program& p, const Event& e) {
    return p.test->threads[static_cast<size_t>(e.thread)].body[static_cast<size_t>(e.instruction)];
}

// Whether two warps come to aligned barriers of a CTA by instructions that differ (ISA 9.7.13.1). Instructions that are spelled alike count
// as one: a test has a text for each thread.
bool are_other_barriers(const Program& p, const Event& a, const Event& b) {
    const auto is_aligned = [&](const Event& e) {
        if (e.kind != Event::Kind::barrier || kind(op_of(p, e)) != Traits::Kind::cta_barrier) return false;
        return instruction_of(p, e).mnemonic.starts_with("bar.") || instruction_of(p, e).has("aligned");
    };
    if (!is_aligned(a) || !is_aligned(b) || !same_cta(p, a, b) || placement(p, a).warp == placement(p, b).warp) return false;
    return !is_same_execution(instruction_of(p, a), instruction_of(p, b));
}

// ISA 9.7.16.6.2: a copy before a multiplication; and a multiplication before one of its shape, of what both accumulate into.
bool are_pipelined(const Program& p, const Event& a, const Event& b) {
    if (!has_proxy(a, Proxy::tensor) || !has_proxy(b, Proxy::tensor) || a.cell != b.cell || op_of(p, b) != Op::tcgen_mma) return false;
    if (op_of(p, a) == Op::tcgen_copy) return true;
    return op_of(p, a) == Op::tcgen_mma && a.shape != 0 && a.shape == b.shape;
}

// Whether `a` is a tcgen05.alloc of the CTA in whose tensor memory the access `b` is (ISA 9.7.16.7.1). With `.cta_group::2` it is of both
// CTAs of the pair, whose ranks differ in the last bit (9.7.16.5.1).
bool allocates(const Program& p, const Event& a, const Event& b) {
    if (a.instruction < 0 || op_of(p, a) != Op::tcgen_alloc || !has_proxy(b, Proxy::tensor)) return false;
    const Placement& owner = p.ctas[static_cast<size_t>(p.cells[static_cast<size_t>(b.cell)].instance)];
    const Placement& here = placement(p, a);
    const auto rank = [&](const Placement& at) {
        return std::count_if(p.ctas.begin(), p.ctas.end(), [&](const Placement& c) { return same_cluster(c, at) && c.cta < at.cta; });
    };
    if (litmus::same_cta(here, owner)) return true;
    const Instruction& i = p.test->threads[static_cast<size_t>(a.thread)].body[static_cast<size_t>(a.instruction)];
    return cta_group(i) == 2 && litmus::same_cluster(here, owner) && rank(here) / 2 == rank(owner) / 2;
}

bool is_access(const Event& e) {
    return e.kind == Event::Kind::read || e.kind == Event::Kind::write;
}

using Member = std::function<bool(const Program&, const Event&)>;
using Related = std::function<bool(const Program&, const Event&, const Event&)>;

struct NamedSet {
    BaseName name;
    Member member;
};

// One line per set: its name, its meaning, its members.
const std::vector<NamedSet>& sets() {
    using E = Event;
    const auto tag = [](Sem sem) {
        return [sem](const Program&, const E& e) {
            return (is_access(e) || is_fence(e) || e.kind == E::Kind::proxy_fence || e.kind == E::Kind::barrier) && e.sem == sem;
        };
    };
    const auto scoped = [](Scope scope) { return [scope](const Program&, const E& e) { return e.scope == scope; }; };
    const auto via = [](Proxy proxy) { return [proxy](const Program&, const E& e) { return has_proxy(e, proxy); }; };
    static const std::vector<NamedSet> all{
        {{"_", true, "every event"}, [](const Program&, const E&) { return true; }},
        {{"R", true, "reads, those of atom and red included"}, [](const Program&, const E& e) { return e.kind == E::Kind::read; }},
        {{"W", true, "writes, initial ones included"}, [](const Program&, const E& e) { return e.is_write(); }},
        {{"F", true, "fences, proxy fences included"},
         [](const Program&, const E& e) { return is_fence(e) || e.kind == E::Kind::proxy_fence; }},
        {{"PF", true, "proxy fences"}, [](const Program&, const E& e) { return e.kind == E::Kind::proxy_fence; }},
        {{"B", true, "barrier operations"}, [](const Program&, const E& e) { return e.kind == E::Kind::barrier; }},
        {{"IW", true, "initial writes"}, [](const Program&, const E& e) { return e.kind == E::Kind::init; }},
        {{"EXIT", true, "thread exits, where threads can wait for others or another CTA's shared memory can be reached"},
         [](const Program&, const E& e) { return e.kind == E::Kind::exit; }},
        {{"WEAK", true, "weak accesses"}, [](const Program&, const E& e) { return is_access(e) && e.sem == Sem::weak; }},
        {{"RLX", true, "relaxed accesses (volatile and mmio included) and barrier.cluster.arrive.relaxed"}, tag(Sem::relaxed)},
        {{"ACQ", true, "acquire reads, acquire fences, barrier.cluster.wait"}, tag(Sem::acquire)},
        {{"REL", true, "release writes, release fences, barrier.cluster.arrive"}, tag(Sem::release)},
        {{"ACQ_REL", true, "acq_rel fences, sc fences included"},
         [](const Program&, const E& e) { return is_fence(e) && (e.sem == Sem::acq_rel || e.sem == Sem::sc); }},
        {{"SC", true, "fence.sc"}, [](const Program&, const E& e) { return is_fence(e) && e.sem == Sem::sc; }},
        {{"CTA", true, "events of .cta scope"}, scoped(Scope::cta)},
        {{"CLUSTER", true, "events of .cluster scope"}, scoped(Scope::cluster)},
        {{"GPU", true, "events of .gpu scope"}, scoped(Scope::gpu)},
        {{"SYS", true, "events of .sys scope"}, scoped(Scope::sys)},
        {{"GEN", true, "generic proxy: accesses, fences, barriers"}, via(Proxy::generic)},
        {{"SUR", true, "surface proxy: accesses and proxy fences"}, via(Proxy::surface)},
        {{"TEX", true, "texture proxy: accesses and proxy fences"}, via(Proxy::texture)},
        {{"CON", true, "constant proxy: accesses and proxy fences"}, via(Proxy::constant)},
        {{"ASYNC", true, "async proxy: accesses and proxy fences"}, via(Proxy::async)},
        {{"TENSORMAP", true, "tensormap proxy: reads of tensor maps by tensor copies, and proxy fences"}, via(Proxy::tensormap)},
        {{"ALIAS", true, "fence.proxy.alias"}, [](const Program&, const E& e) { return e.alias_fence; }},
        {{"RED", true, "reduction reads: the reads of red"}, [](const Program&, const E& e) { return e.reduction; }},
        {{"MB", true, "operations on mbarrier objects: accesses to their state"},
         [](const Program& p, const E& e) { return on_mbarrier(p, e); }},
        {{"INIT", true, "the write of mbarrier.init"}, [](const Program&, const E& e) { return e.initialises; }},
        {{"INVAL", true, "the write of mbarrier.inval"}, [](const Program&, const E& e) { return e.invalidates; }},
        {{"COPY", true, "data accesses of asynchronous copies: of bulk operations and of cp.async"},
         [](const Program& p, const E& e) {
             return is_access(e) && e.asynchronous && !on_mbarrier(p, e) && !has_proxy(e, Proxy::tensormap) && is_copy(op_of(p, e));
         }},
        {{"I", true, "issue events: where an asynchronous operation stands in program order"},
         [](const Program&, const E& e) { return e.kind == E::Kind::issue; }},
        {{"DIRECT", true, "issue events of red.async and st.async, whose data is in registers"},
         [](const Program& p, const E& e) { return e.kind == E::Kind::issue && kind(op_of(p, e)) == Traits::Kind::from_registers; }},
        {{"C", true, "completions: the complete-tx or arrive-on of an asynchronous operation, or that of its group"},
         [](const Program&, const E& e) { return e.completes; }},
        {{"DECL", true, "the initial writes of mbarrier objects that their declaration initialises"},
         [](const Program& p, const E& e) { return e.kind == E::Kind::init && is_declared(p, e); }},
        {{"RAW", true, "operations, mbarrier.init apart, on mbarrier objects that an instruction initialises or invalidates, or nothing"},
         [](const Program& p, const E& e) {
             if (!on_mbarrier(p, e) || e.kind == E::Kind::init || e.initialises) return false;
             return !is_declared(p, e) || changes_life(p, e.cell);
         }},
        {{"REMOTE", true, "accesses to the shared memory of another CTA that has threads"},
         [](const Program& p, const E& e) { return is_remote(p, e); }},
        {{"PEER", true, "accesses to the shared memory of another CTA"},
         [](const Program& p, const E& e) { return is_of_another_cta(p, e); }},
        {{"TMEM", true, "accesses to tensor memory"}, via(Proxy::tensor)},
        {{"MMA", true, "reads of shared memory by tcgen05.mma"},
         [](const Program& p, const E& e) { return e.asynchronous && e.proxy == Proxy::async && op_of(p, e) == Op::tcgen_mma; }},
        {{"TCGEN", true, "reads of shared memory by tcgen05.mma and tcgen05.cp"},
         [](const Program& p, const E& e) {
             return e.asynchronous && e.proxy == Proxy::async && traits(op_of(p, e)).family == Traits::Family::tcgen;
         }},
        {{"BEFORE_SYNC", true, "tcgen05.fence::before_thread_sync, and the issue of a tcgen05.commit, which performs it (9.7.16.6.4.2)"},
         [](const Program& p, const E& e) {
             return is_tensor_fence(p, e, "tcgen05.fence::before_thread_sync") ||
                    (e.kind == E::Kind::issue && op_of(p, e) == Op::tcgen_commit);
         }},
        {{"AFTER_SYNC", true, "tcgen05.fence::after_thread_sync"},
         [](const Program& p, const E& e) { return is_tensor_fence(p, e, "tcgen05.fence::after_thread_sync"); }},
        {{"INDETERMINATE", true, "the writes of discard"},
         [](const Program& p, const E& e) { return e.kind == E::Kind::write && e.instruction >= 0 && op_of(p, e) == Op::discard; }},
        {{"CLAIMED", true, "accesses to locations whose values in the end the claim, or the filter, speaks of"},
         [](const Program& p, const E& e) {
             const Cell* cell = e.cell < 0 ? nullptr : &p.cells[static_cast<size_t>(e.cell)];
             const auto speaks = [&](const Condition& c) { return speaks_of(*p.test, c, cell->location, cell->element); };
             return cell != nullptr && (speaks(p.test->claim.condition) || (p.test->filter && speaks(*p.test->filter)));
         }},
        {{"ALLOC", true, "tcgen05.alloc"},
         [](const Program& p, const E& e) { return e.instruction >= 0 && op_of(p, e) == Op::tcgen_alloc; }},
        {{"DEALLOC", true, "tcgen05.dealloc"},
         [](const Program& p, const E& e) { return e.instruction >= 0 && op_of(p, e) == Op::tcgen_dealloc; }},
        {{"CANCEL", true, "the issue of clusterlaunchcontrol.try_cancel"},
         [](const Program& p, const E& e) { return e.kind == E::Kind::issue && op_of(p, e) == Op::try_cancel; }},
        {{"MULTIMEM", true, "accesses through a multimem address"}, [](const Program& p, const E& e) { return is_multimem_access(p, e); }},
        {{"WIDE", true, "accesses of 128 bits"},
         [](const Program& p, const E& e) {
             if (!is_access(e) || e.instruction < 0 ||
                 !p.test->locations[static_cast<size_t>(p.cells[static_cast<size_t>(e.cell)].location)].wide)
                 return false;
             const Thread& thread = p.test->threads[static_cast<size_t>(e.thread)];
             return data_type(thread.body[static_cast<size_t>(e.instruction)]) == Type::b128;
         }},
        {{"ATOM", true, "reads and writes of atom"},
         [](const Program& p, const E& e) { return is_access(e) && e.instruction >= 0 && op_of(p, e) == Op::atom; }},
        {{"ASTRAY", true, "accesses whose address is that of nothing that they may access"},
         [](const Program&, const E& e) { return e.kind == E::Kind::astray; }},
        {{"RESTRICTED", true, "fences with .sync_restrict, and fence.mbarrier_init"},
         [](const Program&, const E& e) { return is_fence(e) && e.reach != E::Reach::all; }},
        {{"VOL", true, "volatile accesses"}, [](const Program&, const E& e) { return is_access(e) && e.volatile_; }},
        {{"MMIO", true, "mmio accesses"}, [](const Program&, const E& e) { return is_access(e) && e.mmio; }},
        {{"GLOBAL", true, "accesses to global memory"},
         [](const Program& p, const E& e) { return e.cell >= 0 && p.cells[static_cast<size_t>(e.cell)].instance < 0; }},
        {{"SHARED", true, "accesses to shared memory"},
         [](const Program& p, const E& e) { return e.cell >= 0 && p.cells[static_cast<size_t>(e.cell)].instance >= 0; }},
    };
    return all;
}

struct NamedRelation {
    BaseName name;
    Related related;  // null: stored in the program, or chosen by the execution
};

const std::vector<NamedRelation>& relations() {
    using E = Event;
    static const std::vector<NamedRelation> all{
        {{"id", false, "identity", "A and B are one event"}, [](const Program&, const E& a, const E& b) { return &a == &b; }},
        {{"po", false, "program order; elements of one vector access are unordered", "A comes before B in program order"}, nullptr},
        {{"loc", false, "same memory location (reflexive)", "A and B use one location"},
         [](const Program&, const E& a, const E& b) { return a.cell >= 0 && a.cell == b.cell; }},
        {{"vloc", false, "same virtual address (reflexive)", "A and B use one virtual address"},
         [](const Program&, const E& a, const E& b) { return a.address >= 0 && a.address == b.address; }},
        {{"same-size", false, "accesses of one size (reflexive): where they use one location, they overlap completely",
          "A and B have one size"},
         [](const Program&, const E& a, const E& b) { return a.is_memory() && b.is_memory() && a.cells == b.cells; }},
        {{"replicas", false, "the accesses of one multimem operation to the locations that its address points to",
          "A and B are one multimem operation"},
         [](const Program& p, const E& a, const E& b) { return are_replicas(p, a, b); }},
        {{"pipelined", false,
          "accesses of two operations to one part of tensor memory that are executed in the order in which they are issued",
          "A and B are executed in the order in which they are issued"},
         [](const Program& p, const E& a, const E& b) { return are_pipelined(p, a, b); }},
        {{"allocates", false, "a tcgen05.alloc to the accesses to tensor memory of its CTA or, of `.cta_group::2`, of the pair",
          "A allocates in the tensor memory that B accesses"},
         [](const Program& p, const E& a, const E& b) { return allocates(p, a, b); }},
        {{"int", false, "same thread", "A and B are of one thread"},
         [](const Program&, const E& a, const E& b) { return a.thread == b.thread; }},
        {{"ext", false, "different threads", "A and B are of different threads"},
         [](const Program&, const E& a, const E& b) { return a.thread != b.thread; }},
        {{"sr", false, "each is in the scope of the other", "A and B have each other in scope"},
         [](const Program& p, const E& a, const E& b) { return in_scope(p, a, b) && in_scope(p, b, a); }},
        {{"in-scope", false, "the second's thread is in the scope of the first", "A has the thread of B in its scope"},
         [](const Program& p, const E& a, const E& b) { return in_scope(p, a, b); }},
        {{"scta", false, "same CTA", "A and B are in one CTA"}, [](const Program& p, const E& a, const E& b) { return same_cta(p, a, b); }},
        {{"sgrid", false, "same grid", "A and B are in one grid"},
         [](const Program& p, const E& a, const E& b) {
             return a.thread >= 0 && b.thread >= 0 && same_grid(placement(p, a), placement(p, b));
         }},
        {{"scluster", false, "same cluster", "A and B are in one cluster"},
         [](const Program& p, const E& a, const E& b) { return same_cluster(p, a, b); }},
        {{"sgpu", false, "same GPU", "A and B are on one GPU"}, [](const Program& p, const E& a, const E& b) { return same_gpu(p, a, b); }},
        {{"rf", false, "reads-from: the write each read takes its value from", "B reads from A"}, nullptr},
        {{"co", false, "coherence: a strict partial order on the writes to a location, initial write first",
          "A comes before B in coherence order", true},
         nullptr},
        {{"sc", false, "Fence-SC order: orients the fence.sc pairs that are in each other's scope or thread; acyclic",
          "A comes before B in Fence-SC order"},
         nullptr},
        {{"sync_fence", false, "another name of sc", "A comes before B in Fence-SC order"}, nullptr},
        {{"rmw", false, "the read of an atomic to its write", "A and B are one atomic operation"}, nullptr},
        {{"addr", false, "address dependency", "the address of B depends on A"}, nullptr},
        {{"data", false, "data dependency, from an atomic's read to its write included (not exch)", "the value of B depends on A"},
         nullptr},
        {{"ctrl", false, "control dependency, also from blocking operations", "whether B happens depends on A"}, nullptr},
        {{"blocks", false, "what an await, a wait_group or a barrier has waited for, to all that follows it", "B happens only after A"},
         nullptr},
        {{"decides", false, "a read to what its value can change: a written value, whether an event happens, a barrier's operands",
          "what A reads decides B"},
         nullptr},
        {{"performed", false, "a read to the events at or before which something has waited for its value: a branch, a guard, an operand",
          "something waits for the value of A at or before B"},
         nullptr},
        {{"syncbar", false, "a use of bar/barrier/bar.warp.sync to a blocking use in its generation",
          "A arrives at the barrier that B waits at"},
         nullptr},
        {{"other-barrier", false, "an aligned use of barrier{.cta} to one of another warp of the CTA whose instruction is another one",
          "A and B are different instructions"},
         are_other_barriers},
        {{"clusterbar", false, "barrier.cluster.arrive to the barrier.cluster.wait of its phase",
          "A arrives at the cluster barrier that B waits at"},
         nullptr},
        {{"iss", false, "the issue of an asynchronous operation to its memory events and its completion", "A starts B"}, nullptr},
        {{"aio", false, "inside one asynchronous operation: what comes before what", "A comes before B in one asynchronous operation"},
         nullptr},
        {{"aio-multicast", false, "the copies of a multicast to its completions in the other CTAs", "B also completes A, of another CTA"},
         nullptr},
        {{"aio-warpgroup", false, "the reads of one warp's part of a wgmma.mma_async to the completions of the other warps' parts",
          "B also completes A, another warp's part of the operation"},
         nullptr},
        {{"aio-map", false, "the reading of a tensor map to the completion that wait_group.read waits for",
          "A comes before B in one asynchronous operation"},
         nullptr},
        {{"grp", false, "the completion of an operation to the wait_group that waits for it", "B waits for the group that A completes"},
         nullptr},
        {{"returned", false, "identity on the mbarrier waits that returned true", "A returned true"}, nullptr},
        {{"covers", false, "a fence to the accesses whose state space it names, or to all", "A covers the memory of B"},
         [](const Program& p, const E& a, const E& b) {
             return (is_fence(a) || a.kind == E::Kind::proxy_fence) && reaches(p, a, b, false);
         }},
        {{"covers-peers", false, "covers, .shared::cta taken for the shared memory of the whole cluster", "A covers the memory of B"},
         [](const Program& p, const E& a, const E& b) {
             return (is_fence(a) || a.kind == E::Kind::proxy_fence) && reaches(p, a, b, true);
         }},
        {{"exit-of-owner", false, "an access to shared memory to the exits of the threads of the CTA that owns it",
          "B is the exit of a thread of the CTA that owns the memory of A"},
         [](const Program& p, const E& a, const E& b) { return b.kind == E::Kind::exit && is_owner(p, a, b.thread); }},
        {{"outlived", false, "identity on the accesses to shared memory of a CTA some thread of which never exits",
          "A is to the memory of a CTA that stays"},
         nullptr},
        {{"faulty", false, "identity on the operations that the state of their mbarrier object makes undefined",
          "A finds a state that makes it undefined"},
         nullptr},
        {{"overfills", false,
          "identity on the completions of copies that bring more bytes than their phase still waits for, when all arrivals have come",
          "A brings more bytes than its phase waits for"},
         nullptr},
        {{"failed", false,
          "the completion of a clusterlaunchcontrol.try_cancel that failed to the waits that returned true when its phase was over",
          "B waits for A, and A failed"},
         nullptr},
        {{"queried", false, "what one ld.b128 has read, each element to each, where clusterlaunchcontrol.query_cancel decodes it",
          "A and B are decoded as parts of one answer"},
         nullptr},
        {{"parts", false, "the parts of one strong access of 128 bits, or of one that lies over locations of other accesses",
          "A and B are parts of one access"},
         nullptr},
        {{"elements", false, "the elements of one strong vector of up to 16 bytes that ld reads or st writes",
          "A and B are elements of one vector"},
         nullptr},
        {{"allots", false, "a tcgen05.alloc, .dealloc or .relinquish_alloc_permit to one of another thread that its CTA serves later",
          "the CTA serves A before B"},
         nullptr},
        {{"leaves-live", false, "identity on the writes that leave an initialised mbarrier object, where one is initialised or invalidated",
          "A leaves an initialised mbarrier object"},
         nullptr},
        {{"leaves-dead", false, "identity on the writes that leave none, likewise", "A leaves no mbarrier object"}, nullptr},
        {{"later-phase", false, "identity on the arrivals in a phase after the first", "A is an arrival in a phase after the first"},
         nullptr},
        {{"confirms", false, "an mbarrier wait that returned true to the arrivals in the phase that it saw begin",
          "A saw the phase complete before that of B"},
         nullptr},
        {{"sr-owner", false, "sr, a completion taken as performed in the CTA of the mbarrier object",
          "A and B have each other in scope, a completion being of the CTA of its mbarrier object"},
         [](const Program& p, const E& a, const E& b) { return in_scope_as_owner(p, a, b) && in_scope_as_owner(p, b, a); }},
        {{"completes-grid", false,
          "the events of a grid to the start of a thread, or a griddepcontrol.wait, of another grid before which it has completed",
          "A ends with its grid before B"},
         nullptr},
        {{"completes-in-order", false, "completes-grid, if a grid completes only after those that it depends on",
          "A ends with its grid before B"},
         nullptr},
        {{"completes-untriggered", false,
          "the events of grids that never trigger to the start of a thread of a grid that depends on them programmatically",
          "A ends with its grid before B"},
         nullptr},
        {{"begins-grid", false,
          "the first griddepcontrol.launch_dependents of a CTA to the start of a thread of a grid that depends on it programmatically",
          "A lets the grid of B begin"},
         nullptr},
        {{"waits", false,
          "an arrival, the exit of a thread that counts as arrived, or what a grid waits for, to what follows the blocking use, or the "
          "start "
          "of the thread, that waits for it",
          "B waits for A"},
         nullptr},
    };
    return all;
}

const NamedRelation* find_relation(std::string_view name) {
    const auto it = std::find_if(relations().begin(), relations().end(), [&](const NamedRelation& r) { return r.name.name == name; });
    return it == relations().end() ? nullptr : &*it;
}

Bounds rf_bounds(const Program& p) {
    const size_t n = p.size();
    Bounds result{Relation(n), Relation(n)};
    for (size_t w = 0; w < n; ++w) {
        if (!p.events[w].is_write()) continue;
        for (size_t r = 0; r < n; ++r) {
            if (p.events[r].kind != Event::Kind::read || p.events[r].cell != p.events[w].cell) continue;
            if (p.events[r].partner == static_cast<int>(w)) continue;  // an atomic does not read its own write
            result.may.add(w, r);
        }
    }
    return result;
}

Bounds co_bounds(const Program& p) {
    const size_t n = p.size();
    Bounds result{Relation(n), Relation(n)};
    for (size_t a = 0; a < n; ++a) {
        for (size_t b = 0; b < n; ++b) {
            const Event &x = p.events[a], &y = p.events[b];
            if (a == b || !x.is_write() || !y.is_write() || x.cell != y.cell || y.kind == Event::Kind::init) continue;
            result.may.add(a, b);
            if (x.kind == Event::Kind::init) result.must.add(a, b);
        }
    }
    return result;
}

Bounds sc_bounds(const Program& p) {
    const size_t n = p.size();
    Bounds result{Relation(n), Relation(n)};
    for (size_t a = 0; a < n; ++a) {
        for (size_t b = 0; b < n; ++b) {
            const Event &x = p.events[a], &y = p.events[b];
            if (a == b || x.kind != Event::Kind::fence || y.kind != Event::Kind::fence || x.sem != Sem::sc || y.sem != Sem::sc) continue;
            if (x.thread == y.thread || (in_scope(p, x, y) && in_scope(p, y, x))) result.may.add(a, b);
        }
    }
    return result;
}

}  // namespace

const std::vector<BaseName>& base_names() {
    static const std::vector<BaseName> names = [] {
        std::vector<BaseName> all;
        for (const NamedSet& s : sets()) all.push_back(s.name);
        for (const NamedRelation& r : relations()) all.push_back(r.name);
        return all;
    }();
    return names;
}

EventSet base_set(const Program& program, std::string_view name) {
    const auto it = std::find_if(sets().begin(), sets().end(), [&](const NamedSet& s) { return s.name.name == name; });
    if (it == sets().end()) throw std::logic_error("no set of this name: " + std::string(name));
    EventSet result(program.size());
    for (size_t e = 0; e < program.size(); ++e) {
        if (it->member(program, program.events[e])) result.add(e);
    }
    return result;
}

Bounds base_bounds(const Program& program, std::string_view name) {
    if (name == "rf") return rf_bounds(program);
    if (name == "co") return co_bounds(program);
    if (name == "sc" || name == "sync_fence") return sc_bounds(program);
    const NamedRelation* it = find_relation(name);
    if (it == nullptr) throw std::logic_error("no relation of this name: " + std::string(name));
    const size_t n = program.size();
    Relation fixed(n);
    if (it->related) {
        for (size_t a = 0; a < n; ++a) {
            for (size_t b = 0; b < n; ++b) {
                if (it->related(program, program.events[a], program.events[b])) fixed.add(a, b);
            }
        }
    } else if (const auto stored = program.relations.find(name); stored != program.relations.end()) {
        fixed = stored->second;
    }
    Bounds result{fixed, fixed};
    if (const auto conditional = program.conditional.find(name); conditional != program.conditional.end()) {
        for (const ConditionalPair& c : conditional->second) {
            result.may.add(c.from, c.to);
            if (c.when == ExprPool::yes) result.must.add(c.from, c.to);
        }
    }
    return result;
}

bool is_about_events(std::string_view name) {
    const NamedRelation* relation = find_relation(name);
    return relation != nullptr && relation->related;
}

bool is_stored_relation(std::string_view name) {
    if (name == "rf" || name == "co" || name == "sc" || name == "sync_fence") return false;
    const NamedRelation* relation = find_relation(name);
    return relation != nullptr && !relation->related;
}

}  // namespace litmus
