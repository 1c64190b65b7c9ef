// clusterlaunchcontrol: requests to cancel a cluster that has not started, their answers, and what is asked of these (ISA 9.7.13.17,
// 9.7.13.18).
//
// Of an answer this is known: whether a cluster was cancelled. Any request may fail; of those that succeed there are no more than the test
// says that clusters have not started. A register of 128 bits holds an answer that its thread has loaded: which load of the thread it was,
// by its number, and what the answer says. So where two ways meet, a register is one expression, as any other.
#include <algorithm>

#include "event/builder.h"
#include "event/relations.h"
#include "language/syntax/native/print.h"
#include "ptx/table.h"

namespace litmus {

namespace {

constexpr int64_t answer_bytes = 16;

// What a register of 128 bits holds.
uint64_t held(size_t load, bool cancelled) {
    return 2 * load + (cancelled ? 1 : 0);
}

}  // namespace

// The answer through the async proxy, the same in all bytes, and then complete_tx(16); of a multicast in each CTA of the cluster.
void Builder::request_cancellation(const Context& c, State& state) {
    const Operand &to = c.instruction.at(Role::copy_to), &bar = c.instruction.at(Role::mbarrier);
    const size_t start = issue(c, state);
    depend_address(state, to, start);
    depend_address(state, bar, start);
    const Type type = element_type(to, state);
    const int64_t step = bits(type) / 8;
    const ExprId answer = exprs_.choice(draft_.choices++);
    draft_.cancelled.push_back(exprs_.both(c.guard, answer));
    std::vector<int> ctas{-1};
    if (c.instruction.has("multicast::cluster::all")) ctas = cluster_ctas();
    for (const int cta : ctas) {
        const Operand there = cta < 0 ? to : counterpart(to, cta);
        std::vector<size_t> writes;
        for (const size_t k : kept_writes(c, there, answer_bytes / step, step, state)) {
            const MemoryPlace at = resolve(there, type, k * static_cast<uint64_t>(step), state);
            const size_t w = asynchronous_event(c, start, Event::Kind::write, at, type, static_cast<int>(k));
            draft_.events[w].proxy = Proxy::async;
            draft_.events[w].sem = Sem::weak;
            draft_.events[w].scope = Scope::none;
            draft_.events[w].value = exprs_.resize(answer, bits(type), false);
            writes.push_back(w);
        }
        const size_t completion = complete_on(c, state, start, object(cta < 0 ? bar : counterpart(bar, cta), state), answer_bytes, writes);
        draft_.notes.completions.push_back({completion, exprs_.negate(answer)});
    }
}

// Of all requests of the test at most so many succeed as clusters have not started.
void Builder::limit_cancellations() {
    if (!test_.unlaunched) return;
    ExprId count = exprs_.constant(0, 32);
    for (const ExprId cancelled : draft_.cancelled)
        count = exprs_.apply(Operator::add, Type::u32, count, exprs_.resize(cancelled, 32, false));
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
    Dependencies reads;
    ExprId cancelled = ExprPool::yes;
    for (const size_t read : elements) {
        reads[read] = ExprPool::yes;
        const ExprId element = exprs_.resize(draft_.events[read].value, 64, false);
        cancelled = exprs_.both(cancelled, exprs_.negate(exprs_.compare(Operator::eq, Type::u64, element, exprs_.constant(0, 64))));
    }
    const size_t load = draft_.thread.answers.size();
    draft_.thread.answers.push_back(elements);
    const ExprId answer = exprs_.ite(cancelled, exprs_.constant(held(load, true), 32), exprs_.constant(held(load, false), 32));
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
    ExprId cancelled = ExprPool::no;
    for (size_t load = 0; load < draft_.thread.answers.size(); ++load) {
        const auto holds = [&](bool yes) {
            return exprs_.compare(Operator::eq, Type::u32, response, exprs_.constant(held(load, yes), 32));
        };
        const ExprId queried = exprs_.both(c.guard, exprs_.either(holds(true), holds(false)));
        if (queried == ExprPool::no) continue;
        const std::vector<size_t>& elements = draft_.thread.answers[load];
        for (const size_t a : elements)
            for (const size_t b : elements) draft_.notes.pairs.push_back({"queried", a, b, queried});
        cancelled = exprs_.either(cancelled, holds(true));
        if (gives_cluster(i))
            draft_.violations.push_back(
                {elements.front(), exprs_.both(c.guard, holds(false)),
                 "`" + print(i) + "` asks of this answer which cluster was cancelled, and none was (ISA 9.7.13.18)"});
    }
    const Operand& result = i.at(Role::result);
    if (!gives_cluster(i)) return assign(state, result, Type::pred, cancelled, std::move(reads), c.when, c.guard_reads);
    for (int k = 0; k < vector_width(i); ++k)
        assign(state, element_of(result, k), Type::b32, exprs_.read(opaque_value, bits(Type::b32)), reads, c.when, c.guard_reads);
}

bool gives_cluster(const Instruction& i) {
    return i.op == Op::query_cancel && !i.has("is_canceled");
}

std::set<std::string> cluster_registers(const Thread& thread) {
    std::set<std::string> names;
    for (const Instruction& i : thread.body)
        if (gives_cluster(i))
            for (const std::string& name : written_registers(i)) names.insert(name);
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
