// clusterlaunchcontrol: requests to cancel a cluster that has not started, their answers, and what is asked of these (ISA 9.7.13.17,
// 9.7.13.18).
//
// Of an answer this is known: whether a cluster was cancelled. Any request may fail; of those that succeed there are no more than the test
// says that clusters have not started. Where it says so, and asks which one an answer names, the answers name different ones, in any order:
// the k-th of those that have not started has the CTAs that follow the last one of the test. The answer's elements are then 1 + k;
// otherwise they are 1. They are 0 where the request failed.
//
// A register of 128 bits holds an answer that its thread has loaded: which load of the thread it was, by its number, and what the answer
// says. So where two ways meet, a register is one expression, as any other.
#include <algorithm>

#include "event/builder.h"
#include "event/relations.h"
#include "language/syntax/native/print.h"
#include "ptx/effects.h"
#include "ptx/table.h"

namespace litmus {

namespace {

constexpr int most_named = 8;  // clusters that have not started, of which an answer names one

}  // namespace

// What a register of 128 bits holds: a load, and what an element of the answer is.
uint64_t Builder::held(size_t load, int element) const {
    return static_cast<uint64_t>(named_clusters(test_).value_or(1) + 1) * load + static_cast<uint64_t>(element);
}

// The answer through the async proxy, the same in all bytes, and then complete_tx(16); of a multicast in each CTA of the cluster.
void Builder::request_cancellation(const Context& c, State& state) {
    const Operand &to = c.instruction.at(Role::copy_to), &bar = c.instruction.at(Role::mbarrier);
    const size_t start = issue(c, state);
    depend_address(state, to, start);
    depend_address(state, bar, start);
    const Type type = element_type(to, state);
    const int64_t step = bits(type) / 8;
    const ExprId answer = exprs_.choice(draft_.choices++);
    const ExprId which = choose_cluster(answer);
    draft_.cancelled.push_back({exprs_.both(c.guard, answer), which});
    const ExprId element =
        exprs_.ite(answer, exprs_.apply(Operator::add, Type::u32, which, exprs_.constant(1, 32)), exprs_.constant(0, 32));
    std::vector<int> ctas{-1};
    if (c.instruction.has("multicast::cluster::all")) ctas = cluster_ctas();
    for (const int cta : ctas) {
        const Operand there = cta < 0 ? to : counterpart(to, cta);
        std::vector<size_t> writes;
        for (const size_t k : kept_writes(c, there, static_cast<int64_t>(answer_bytes) / step, step, state)) {
            const MemoryPlace at = resolve(there, type, k * static_cast<uint64_t>(step), state);
            const size_t w = asynchronous_event(c, start, Event::Kind::write, at, type, static_cast<int>(k));
            draft_.events[w].proxy = Proxy::async;
            draft_.events[w].sem = Sem::weak;
            draft_.events[w].scope = Scope::none;
            draft_.events[w].value = exprs_.resize(element, bits(type), false);
            writes.push_back(w);
        }
        const size_t completion =
            complete_on(c, state, start, object(cta < 0 ? bar : counterpart(bar, cta), state), static_cast<int64_t>(answer_bytes), writes);
        draft_.notes.completions.push_back({completion, exprs_.negate(answer)});
    }
}

// Which of the clusters that have not started a request cancels; 0 where that is not asked.
ExprId Builder::choose_cluster(ExprId answer) {
    const int clusters = named_clusters(test_).value_or(1);
    ExprId which = exprs_.constant(0, 32);
    for (int bit = 0; 1 << bit < clusters; ++bit) {
        const ExprId chosen = exprs_.constant(uint64_t{1} << bit, 32);
        which = exprs_.apply(Operator::or_, Type::u32, which, exprs_.ite(exprs_.choice(draft_.choices++), chosen, exprs_.constant(0, 32)));
    }
    const ExprId there = exprs_.compare(Operator::lt, Type::u32, which, exprs_.constant(static_cast<uint64_t>(clusters), 32));
    const ExprId unused = exprs_.compare(Operator::eq, Type::u32, which, exprs_.constant(0, 32));
    if (clusters > 1) draft_.constraints.push_back(exprs_.either(exprs_.both(answer, there), exprs_.both(exprs_.negate(answer), unused)));
    return which;
}

// Of all requests of the test at most so many succeed as clusters have not started, each with another one.
void Builder::limit_cancellations() {
    if (!test_.unlaunched) return;
    ExprId count = exprs_.constant(0, 32);
    for (const Draft::Cancelled& request : draft_.cancelled)
        count = exprs_.apply(Operator::add, Type::u32, count, exprs_.resize(request.when, 32, false));
    for (size_t a = 0; named_clusters(test_) && a < draft_.cancelled.size(); ++a)
        for (size_t b = 0; b < a; ++b) {
            const Draft::Cancelled &x = draft_.cancelled[a], &y = draft_.cancelled[b];
            const ExprId same = exprs_.compare(Operator::eq, Type::u32, x.which, y.which);
            draft_.constraints.push_back(exprs_.negate(exprs_.both(exprs_.both(x.when, y.when), same)));
        }
    draft_.constraints.push_back(
        exprs_.compare(Operator::le, Type::u32, count, exprs_.constant(static_cast<uint64_t>(*test_.unlaunched), 32)));
}

// Fails for a load whose result the thread takes for something else than an answer.
static void require_answer(const Test& test, const Thread& thread, const Instruction& load) {
    const std::string& name = load.at(Role::result).name;
    for (const Instruction& i : thread.body)
        for (const Operand& operand : i.operands)
            if (is_wide(operand) && operand.name == name && is_read(operand.role) && operand.role != Role::response)
                throw Failure(test.source, load.at(Role::address).span,
                              "128 bits of elements that are smaller are loaded as an answer of `clusterlaunchcontrol.try_cancel`, and `" +
                                  print(i) + "` takes them for data",
                              "declare the location as `.b128`");
}

// ld.b128: reads of the elements that the answer lies in.
void Builder::load_answer(const Context& c, State& state) {
    require_answer(test_, thread(), c.instruction);
    const Type part = part_of_wide_load(c.instruction.at(Role::address), Type::b128, 1, state).value_or(Type::b128);
    const std::vector<size_t> elements = read_elements(c, state, part, 0, bits(Type::b128) / bits(part));
    join(elements);
    Dependencies reads;
    ExprId cancelled = ExprPool::yes;
    for (const size_t read : elements) {
        reads[read] = ExprPool::yes;
        const ExprId element = exprs_.resize(draft_.events[read].value, 64, false);
        cancelled = exprs_.both(cancelled, exprs_.negate(exprs_.compare(Operator::eq, Type::u64, element, exprs_.constant(0, 64))));
    }
    const size_t load = draft_.thread.answers.size();
    draft_.thread.answers.push_back(elements);
    const ExprId first = exprs_.resize(draft_.events[elements.front()].value, 64, false);
    ExprId success = exprs_.constant(held(load, 1), 32);
    for (int element = 2; element <= named_clusters(test_).value_or(1); ++element) {
        const ExprId is_this = exprs_.compare(Operator::eq, Type::u64, first, exprs_.constant(static_cast<uint64_t>(element), 64));
        success = exprs_.ite(is_this, exprs_.constant(held(load, element), 32), success);
    }
    const ExprId answer = exprs_.ite(cancelled, success, exprs_.constant(held(load, 0), 32));
    for (const Operand& half : c.instruction.at(Role::result).elements) {  // each knows the answer
        assign(state, half, Type::u32, answer, reads, c.when, c.guard_reads);
        note_register(half.name, Type::b128);
    }
}

// clusterlaunchcontrol.query_cancel. What it decodes are the elements that one load has read: `queried` relates them to each other.
void Builder::query_cancellation(const Context& c, State& state) {
    const Instruction& i = c.instruction;
    Dependencies reads;
    const ExprId response = value_of(state, element_of(i.at(Role::response), 0), Type::u32, reads);
    const int clusters = named_clusters(test_).value_or(1);
    const auto cluster_size = static_cast<uint64_t>(cluster_ctas().size());
    uint64_t launched = 0;  // CTAs of the grid
    for (const auto& [cta, at] : ctas_of(test_))
        if (same_grid(at, thread().at)) launched = static_cast<uint64_t>(number_in_grid(cta)) + 1;
    ExprId cancelled = ExprPool::no, first_cta = exprs_.constant(0, 32);
    for (size_t load = 0; load < draft_.thread.answers.size(); ++load) {
        const auto holds = [&](int element) {
            return exprs_.compare(Operator::eq, Type::u32, response, exprs_.constant(held(load, element), 32));
        };
        ExprId success = ExprPool::no;
        for (int k = 0; k < clusters; ++k) {
            const ExprId named = exprs_.constant(launched + static_cast<uint64_t>(k) * cluster_size, 32);
            first_cta = exprs_.ite(holds(1 + k), named, first_cta);
            success = exprs_.either(success, holds(1 + k));
        }
        const ExprId queried = exprs_.both(c.guard, exprs_.either(success, holds(0)));
        if (queried == ExprPool::no) continue;
        const std::vector<size_t>& elements = draft_.thread.answers[load];
        for (const size_t a : elements)
            for (const size_t b : elements) draft_.notes.pairs.push_back({"queried", a, b, queried});
        cancelled = exprs_.either(cancelled, success);
        if (gives_cluster(i))
            draft_.violations.push_back(
                {elements.front(), exprs_.both(c.guard, holds(0)),
                 "`" + print(i) + "` asks of this answer which cluster was cancelled, and none was (ISA 9.7.13.18)"});
    }
    const Operand& result = i.at(Role::result);
    if (!gives_cluster(i)) return assign(state, result, Type::pred, cancelled, std::move(reads), c.when, c.guard_reads);
    for (int k = 0; k < vector_width(i); ++k) {
        const int dimension = i.has("get_first_ctaid::y") ? 1 : i.has("get_first_ctaid::z") ? 2 : k;
        ExprId value = exprs_.read(opaque_value, bits(Type::b32));
        if (named_clusters(test_) && dimension < 3) value = dimension == 0 ? first_cta : exprs_.constant(0, 32);
        assign(state, element_of(result, k), Type::b32, value, reads, c.when, c.guard_reads);
    }
}

// How many clusters have not started, where answers name one of them.
std::optional<int> named_clusters(const Test& test) {
    if (test.unlaunched.value_or(0) < 1 || *test.unlaunched > most_named) return std::nullopt;
    const bool asks = std::any_of(test.threads.begin(), test.threads.end(),
                                  [](const Thread& thread) { return std::any_of(thread.body.begin(), thread.body.end(), gives_cluster); });
    return asks ? test.unlaunched : std::nullopt;
}

bool gives_cluster(const Instruction& i) {
    return i.op == Op::query_cancel && !i.has("is_canceled");
}

std::set<std::string> unknown_cluster_registers(const Test& test, const Thread& thread) {
    std::set<std::string> names;
    for (const Instruction& i : thread.body) {
        if (!gives_cluster(i)) continue;
        const Operand& result = i.at(Role::result);
        for (int k = named_clusters(test) ? 3 : 0; k < vector_width(i); ++k)  // the fourth of a vector is never a dimension
            note_names(element_of(result, k), names);
    }
    return names;
}

// `failed`: from the completion of a request that failed to the waits that returned true when its phase was over (ISA 9.7.13.17).
void Relations::relate_failures() {
    ExprPool& exprs = program_.exprs;
    for (const Notes::Completion& completion : notes_.completions) {
        program_.budget.check();
        const Event& update = program_.events[completion.write];
        const ExprId found = program_.events[static_cast<size_t>(update.partner)].value;
        for (const Notes::PhaseSeen& wait : notes_.waits) {
            if (wait.cell != update.cell) continue;
            const ExprId seen = program_.events[wait.event].value;
            const ExprId one_life =
                exprs.compare(Operator::eq, Type::u64, field(exprs, found, mbarrier_life), field(exprs, seen, mbarrier_life));
            const ExprId over = exprs.compare(Operator::lt, Type::u64, field(exprs, found, mbarrier_phase), wait.phase);
            notes_.pairs.push_back(
                {"failed", completion.write, wait.event, exprs.both(exprs.both(completion.failed, wait.when), exprs.both(one_life, over))});
        }
    }
}

}  // namespace litmus
