// tcgen05: what operations on tensor memory become (ISA 9.7.16, model/semantics.md section 6), and what lies beside them.
//
// An operation is an issue in program order, reads of its matrices in shared memory through the async proxy, and accesses to tensor memory,
// each of which is one location: a part that the test declares (`.tmem`). It has one value, that of the first column of the first lane.
// Which accesses are ordered says the model. tcgen05.mma and tcgen05.cp are complete where a tcgen05.commit behind them arrives at its
// mbarrier object; tcgen05.ld and tcgen05.st where the thread waits.
#include <algorithm>
#include <set>

#include "event/builder.h"
#include "ptx/matrix.h"
#include "ptx/table.h"
#include "ptx/traits.h"

namespace litmus {

namespace {

constexpr uint64_t allocated = 32;  // what tcgen05.alloc writes in place of an address that no test can know

// Sparsity, saturation, negation and transposition in an instruction descriptor (ISA 9.7.16.4.2, table 42).
constexpr uint64_t other_products = 0x1e00c;

constexpr int lanes_of_warp = 32, warps_of_group = 4;
constexpr uint64_t quarter_bytes = 4;  // each quarter of the lanes is an element of the part's location

// The lane of tensor memory that the thread has: each warp of a warpgroup has a quarter of them (ISA 9.7.16.8.1).
int tensor_lane(const Placement& at) {
    return at.warp_named ? at.warp % warps_of_group * lanes_of_warp + at.lane : 0;
}

// The quarter of the lanes that an instruction touches: a load or a store, that of its warp (ISA 9.7.16.8.1).
int own_quarter(const Placement& at) {
    return tensor_lane(at) / lanes_of_warp;
}

// Whether it touches the first quarter alone: of the shapes of tcgen05.cp one has four lanes, another two halves for the two warps of each
// pair, another what goes to all four warps, and the others all 128 lanes (ISA 9.7.16.9.2, 9.7.16.2.3).
bool has_few_lanes(const Instruction& i) {
    return i.op == Op::tcgen_copy && i.has("4x256b");
}

// The quarters that a test tells apart: those of its loads and stores, and the first, which has the values.
std::set<int> quarters_of(const Test& test) {
    std::set<int> result{0};
    for (const Thread& thread : test.threads)
        for (const Instruction& i : thread.body)
            if (i.op == Op::tcgen_load || i.op == Op::tcgen_store) result.insert(own_quarter(thread.at));
    return result;
}

// What the place of a thread means for its values, where it has not the first lane.
std::string its_lane(const Thread& thread) {
    return "`" + thread.name + "`, in lane " + std::to_string(thread.at.lane) + " of warp " + std::to_string(thread.at.warp) + ", ";
}

// Why an operation that writes to tensor memory leaves a value that is not computed; empty: it is.
std::string why_inexact(const Test& test, const Thread& thread, const Instruction& i) {
    const std::string name = "`" + spelling(i) + "`";
    if (i.op == Op::tcgen_store && !has_first_lane(thread.at))
        return its_lane(thread) + "stores to lane " + std::to_string(tensor_lane(thread.at)) +
               " of tensor memory (ISA 9.7.16.8.1), and lane 0 alone has a value here";
    if (i.op == Op::tcgen_copy && i.has("b8x16")) return "what " + name + " decompresses is not known";
    if (i.op != Op::tcgen_mma) return {};
    if (is_sparse(i) || is_weight_stationary(i))
        return "what " + name + " computes is not known: of the forms of tcgen05.mma only the plain one is";
    if (!i.has("kind::i8")) return "what " + name + " computes is not known: of the kinds of tcgen05.mma only `.kind::i8` is";
    const Location* a = find_location(test, i.at(Role::matrix).name);
    if (a != nullptr && a->is_tensor) return "what " + name + " computes of a matrix in tensor memory is not known";
    const Operand& idesc = i.at(Role::descriptor);
    if (idesc.kind == Operand::Kind::immediate && (idesc.value & other_products) != 0)
        return "the instruction descriptor of " + name + " asks for sparsity, saturation, negation or transposition";
    return {};
}

std::string why_inexact(const Test& test) {
    for (const Thread& thread : test.threads)
        for (const Instruction& i : thread.body)
            if (std::string why = why_inexact(test, thread, i); !why.empty()) return why;
    return {};
}

bool loads_tensors(const Test& test) {
    return std::any_of(test.threads.begin(), test.threads.end(), [](const Thread& thread) {
        return std::any_of(thread.body.begin(), thread.body.end(), [](const Instruction& i) { return i.op == Op::tcgen_load; });
    });
}

// Why the k-th register of a tcgen05.ld has no value.
std::string why_unknown_load(const Test& test, const Thread& thread, const Instruction& i, size_t k) {
    if (!has_first_lane(thread.at))
        return its_lane(thread) + "loads lane " + std::to_string(tensor_lane(thread.at)) +
               " of tensor memory (ISA 9.7.16.8.1), and lane 0 alone has a value here";
    if (!i.has("32x32b")) return "of the shapes of tcgen05.ld only `.32x32b` has a value here";
    if (k > 0) return "it is not the first register of this tcgen05.ld, and the first column of tensor memory alone has a value here";
    return why_inexact(test);
}

// The same of the registers of a wgmma.mma_async.
std::string why_unknown_product(const Thread& thread, const Instruction& i) {
    if (!has_first_lane(thread.at))
        return its_lane(thread) +
               "has other rows of the product than the first lane of the warpgroup, whose values are computed "
               "(ISA 9.7.15.5.1.1.3)";
    if (!has_exact_result(i))
        return "what `" + spelling(i) +
               "` computes is not known: only products of 8-bit integers are, both matrices in shared memory, without `.satfinite`";
    return {};
}

}  // namespace

bool has_first_lane(const Placement& at) {
    return tensor_lane(at) == 0;
}

bool has_exact_tensors(const Test& test) {
    return why_inexact(test).empty();
}

// The last instruction that writes the register and leaves it without a value says why.
std::string why_unknown(const Test& test, const Thread& thread, const std::string& name) {
    std::string why;
    for (const Instruction& i : thread.body) {
        if (gives_cluster(i)) {
            const std::vector<std::string> written = written_registers(i);
            if (std::find(written.begin(), written.end(), name) != written.end())
                why = "of an answer only this is known, whether a cluster was cancelled, and not which one (ISA 9.7.13.18)";
        }
        if (std::string reason = why_unknown_matrix(thread, i, name); !reason.empty()) why = std::move(reason);
        if (i.op != Op::tcgen_load && i.op != Op::wgmma_mma) continue;
        const std::vector<Operand>& registers = i.at(i.op == Op::tcgen_load ? Role::tile : Role::accumulator).elements;
        const auto found = std::find_if(registers.begin(), registers.end(), [&](const Operand& r) { return r.name == name; });
        if (found == registers.end()) continue;
        const auto k = static_cast<size_t>(found - registers.begin());
        const std::string reason = i.op == Op::tcgen_load ? why_unknown_load(test, thread, i, k) : why_unknown_product(thread, i);
        if (!reason.empty()) why = reason;
    }
    return why;
}

// The CTAs that an operation concerns, -1 where its operands say; of `.cta_group::2` also the other one of the pair, whose rank differs in
// the last bit (ISA 9.7.16.5).
std::vector<int> Builder::tensor_ctas(const Instruction& i) const {
    if (cta_group(i) == 1) return {-1};
    const std::vector<int> ctas = cluster_ctas();
    for (size_t rank = 0; rank < ctas.size(); ++rank)
        if (same_cta(draft_.ctas[static_cast<size_t>(ctas[rank])], thread().at) && (rank ^ 1) < ctas.size()) return {-1, ctas[rank ^ 1]};
    return {-1};
}

// Of these CTAs, which is the even one of its pair.
size_t Builder::even_cta(const std::vector<int>& ctas) const {
    const std::vector<int> ranks = cluster_ctas();
    return ctas.size() > 1 && (std::find(ranks.begin(), ranks.end(), ctas.back()) - ranks.begin()) % 2 == 0 ? 1 : 0;
}

// The part of tensor memory that an operand names in the own CTA (-1) or in another one; nothing where only the own CTA has it.
std::optional<Operand> Builder::tensor_part(const Operand& operand, int cta, const State& state) {
    const Location& named = test_.locations[static_cast<size_t>(target(operand, state).location)];
    if (cta < 0) return operand;
    if (named.cta) return std::nullopt;
    Operand there = operand;
    there.name = named.name;
    there.indirect = false;
    there.cta = draft_.ctas[static_cast<size_t>(cta)].cta;
    return there;
}

// Accesses to a part of tensor memory, by CTA, in each that has it: to the quarter of the thread's warp, the first one, or all.
std::vector<std::vector<size_t>> Builder::tensor_accesses(const Context& c, const State& state, const Operand& operand, Event::Kind kind,
                                                          size_t start) {
    const bool by_warp = c.instruction.op == Op::tcgen_load || c.instruction.op == Op::tcgen_store;
    const std::set<int> all = has_few_lanes(c.instruction) && operand.role == Role::tensor_memory ? std::set{0} : quarters_of(test_);
    const std::set<int> quarters = by_warp ? std::set{own_quarter(thread().at)} : all;
    std::vector<std::vector<size_t>> made;
    for (const int cta : tensor_ctas(c.instruction)) {
        made.emplace_back();
        const std::optional<Operand> there = tensor_part(operand, cta, state);
        if (!there) continue;
        for (const int quarter : quarters) {
            const MemoryPlace at = resolve(*there, Type::b32, static_cast<uint64_t>(quarter) * quarter_bytes, state);
            const size_t e = asynchronous_event(c, start, kind, at, Type::b32, quarter);
            draft_.events[e].proxy = Proxy::tensor;
            draft_.events[e].sem = Sem::weak;
            draft_.events[e].scope = Scope::none;
            if (kind == Event::Kind::write) draft_.events[e].value = exprs_.constant(0, 32);
            made.back().push_back(e);
        }
    }
    return made;
}

namespace {

std::vector<size_t> joined(const std::vector<std::vector<size_t>>& parts) {
    std::vector<size_t> all;
    for (const std::vector<size_t>& part : parts) all.insert(all.end(), part.begin(), part.end());
    return all;
}

}  // namespace

void Builder::operate_on_tensor_memory(const Context& c, State& state) {
    const Instruction& i = c.instruction;
    const size_t start = issue(c, state);
    const Operand* descriptor = i.find(Role::descriptor);
    const uint64_t idesc = descriptor ? constant_operand(state, *descriptor, "an instruction descriptor") : 0;
    const std::vector<int> ctas = tensor_ctas(i);
    std::vector<size_t> reads, all;
    std::vector<std::vector<Matrix>> matrices(ctas.size());  // by CTA
    for (size_t nth = 0; const Operand* operand = i.find(Role::matrix, nth); ++nth) {
        depend_address(state, *operand, start);
        if (test_.locations[static_cast<size_t>(target(*operand, state).location)].is_tensor) {
            reads = joined(tensor_accesses(c, state, *operand, Event::Kind::read, start));
            all.insert(all.end(), reads.begin(), reads.end());
            continue;
        }
        const int64_t bytes = descriptor ? described_bytes(i, idesc, nth) : copied_bytes(i);
        const std::set<int64_t> counted = counted_bytes(i, nth);
        for (size_t k = 0; k < ctas.size(); ++k) {
            matrices[k].push_back(read_matrix(c, state, ctas[k] < 0 ? *operand : counterpart(*operand, ctas[k]), bytes, counted, start));
            for (const auto& [at, read] : matrices[k].back().reads) all.push_back(read);
        }
    }
    for (const Operand& operand : i.operands) {
        if (operand.role != Role::scales && operand.role != Role::metadata) continue;
        depend_address(state, operand, start);
        const std::vector<size_t> some = joined(tensor_accesses(c, state, operand, Event::Kind::read, start));
        reads.insert(reads.end(), some.begin(), some.end());
        all.insert(all.end(), some.begin(), some.end());
    }
    const Operand& place = i.at(Role::tensor_memory);
    depend_address(state, place, start);
    const Operand* enable = i.find(Role::scale_d);
    Dependencies data;
    for (const size_t read : all) data[read] = ExprPool::yes;
    const ExprId adds = enable ? value_of(state, *enable, Type::pred, data) : ExprPool::no;
    const bool is_read = i.op == Op::tcgen_load || adds != ExprPool::no, is_written = i.op != Op::tcgen_load;
    std::vector<std::vector<size_t>> before, after;  // by CTA
    if (is_read) before = tensor_accesses(c, state, place, Event::Kind::read, start);
    if (is_written) after = tensor_accesses(c, state, place, Event::Kind::write, start);
    for (const size_t read : joined(before)) {
        reads.push_back(read);
        data[read] = ExprPool::yes;
    }
    const bool exact = has_exact_tensors(test_) && (idesc & other_products) == 0 && (i.op != Op::tcgen_mma || matrices[0].size() == 2);
    if (!exact && has_exact_tensors(test_) && loads_tensors(test_))
        fail(i.span, "what this tcgen05.mma computes is not modelled, as registers say that it names",
             "write the instruction descriptor as a number, and a matrix in tensor memory by its name");
    std::vector<Row> rows;  // of A, or of what is copied, by CTA
    for (size_t k = 0; exact && k < ctas.size() && !matrices[k].empty(); ++k) rows.push_back(first_row(matrices[k][0]));
    if (i.op == Op::tcgen_mma) collect(c, start, rows, matrices, data);
    for (size_t k = 0; k < after.size(); ++k) {
        for (const size_t write : after[k])
            for (const size_t read : reads) inside(read, write);
        if (!exact || after[k].empty()) continue;
        const Row of_a = rows.empty() ? Row{} : rows[k];
        const Row of_b = i.op == Op::tcgen_mma ? first_row(matrices[even_cta(ctas)][1]) : Row{};
        const ExprId old = is_read ? draft_.events[before[k].front()].value : exprs_.constant(0, 32);
        const ExprId element = first_element(c, state, of_a, of_b, idesc, data);
        for (const size_t write : after[k]) {
            draft_.events[write].value = exprs_.apply(Operator::add, Type::b32, exprs_.ite(adds, old, exprs_.constant(0, 32)), element);
            depend("data", data, write);
        }
    }
    for (const std::vector<size_t>& some : {joined(before), joined(after)})
        for (const size_t e : some) {
            if (i.op == Op::tcgen_mma) draft_.events[e].shape = pipeline_of(spelling(i), idesc);
            all.push_back(e);
        }
    if (i.op == Op::tcgen_load || i.op == Op::tcgen_store)
        (is_read ? draft_.thread.tensor_loads : draft_.thread.tensor_stores).push_back(group_completion(c, start, all));
    else
        draft_.thread.tensor_events.insert(draft_.thread.tensor_events.end(), all.begin(), all.end());
    const Operand* tile = i.find(Role::tile);
    for (size_t k = 0; tile != nullptr && k < tile->elements.size(); ++k) {
        const bool known = exact && k == 0 && i.has("32x32b") && has_first_lane(thread().at);
        assign(state, tile->elements[k], Type::b32, known ? draft_.events[before.front().front()].value : exprs_.read(opaque_value, 32),
               data, c.when, c.guard_reads);
        draft_.thread.tensor_results[tile->elements[k].name].push_back({start, c.guard});
    }
}

// "For tcgen05.ld, an intra-thread ordering through true register dependency will be respected" (ISA 9.1, 9.7.16.6.4.5): its result may be
// read at once. Nothing is promised of another write of the register. It is undefined unless a tcgen05.wait::ld, or something that reads
// the result, stands between the two.
void Builder::check_tensor_results(const Context& c) {
    auto& results = draft_.thread.tensor_results;
    if (results.empty()) return;
    std::set<std::string> names;
    for (const Operand& operand : c.instruction.operands)
        if (is_read(operand.role)) note_names(operand, names);
    if (c.instruction.expect) note_names(c.instruction.expect->value, names);
    for (const std::string& name : names)
        if (const auto found = results.find(name); found != results.end())
            for (auto& load : found->second) load.open = exprs_.both(load.open, exprs_.negate(c.guard));
    for (const std::string& name : written_registers(c.instruction))
        if (const auto found = results.find(name); found != results.end())
            for (const auto& load : found->second)
                draft_.violations.push_back({load.issue, exprs_.both(load.open, c.guard),
                                             "`" + name + "` is written again before a tcgen05.wait::ld for this load (ISA 9.7.16.6.4.5)"});
}

// What an operation that writes brings to the first column of the first lane of a CTA: what is stored there, copied there, or the element
// of the product (ISA 9.7.16.10: of 8-bit integers, in the layout without swizzling of wgmma). Of `.cta_group::2` that is the product of
// the first row of the CTA's own part of A and the first column of B, which the even CTA of the pair has (9.7.16.10.5.1, 9.7.16.10.5.2).
ExprId Builder::first_element(const Context& c, const State& state, const Row& a, const Row& b, uint64_t idesc, Dependencies& data) {
    if (const Operand* stored = c.instruction.find(Role::fragment)) return value_of(state, stored->elements.at(0), Type::b32, data);
    ExprId sum = exprs_.constant(0, 32);
    const bool copies = c.instruction.op == Op::tcgen_copy;
    const auto number = [&](ExprId byte, int nth) {
        return exprs_.resize(exprs_.resize(byte, 8, false), 32, (idesc >> (7 + 3 * nth) & 1) != 0);
    };
    for (size_t k = 0; k < (copies ? 4 : a.size()); ++k) {
        const ExprId term = copies ? exprs_.apply(Operator::shl, Type::b32, a[k], exprs_.constant(8 * k, 32))
                                   : exprs_.apply(Operator::mul, Type::s32, number(a[k], 0), number(b[k], 1));
        sum = exprs_.apply(Operator::add, Type::s32, sum, term);
    }
    return sum;
}

Builder::Row Builder::first_row(const Matrix& matrix) {
    Row row;
    for (int64_t k = 0; k < matrix_row_bytes; ++k) row.push_back(matrix_byte(matrix, matrix_offset(0, k), false));
    return row;
}

// Which collector buffer an operation uses, and in which way; without a word the first is discarded.
static std::pair<std::string, std::string> collector_usage(const Instruction& i) {
    constexpr std::string_view prefix = "collector::", joint = "::";
    for (const std::string& word : i.qualifiers) {
        if (word.rfind(prefix, 0) != 0) continue;
        const size_t end = word.find(joint, prefix.size());
        return {word.substr(prefix.size(), end - prefix.size()), word.substr(end + joint.size())};
    }
    return {is_weight_stationary(i) ? "b0" : "a", "discard"};
}

// The collector buffers (ISA 9.7.16.10, 9.7.16.10.9.1, 9.7.16.10.9.3): `::fill` puts A there, or, of the weight stationary forms, B into
// one of four; `::use` and `::lastuse` may take it from there or from memory ("reuse is opportunistic"). They require that what was filled
// is still valid: since then the thread has used this buffer with `::use` alone. Of `rows`, those of A in memory, it makes those that are
// multiplied.
void Builder::collect(const Context& c, size_t issue, std::vector<Row>& rows, const std::vector<std::vector<Matrix>>& matrices,
                      Dependencies& data) {
    const Instruction& i = c.instruction;
    auto& collected = draft_.thread.collected;
    const auto [buffer, usage] = collector_usage(i);
    Draft::OfThread::Collected here{buffer, c.guard, usage == "fill", usage == "use", rows, {}};
    for (const std::vector<Matrix>& of_cta : matrices)
        if (!of_cta.empty())
            for (const auto& [at, read] : (is_weight_stationary(i) ? of_cta.back() : of_cta.front()).reads) here.reads.push_back(read);
    if (here.keeps || usage == "lastuse") {
        require_one_multiplier(i);
        ExprId valid = ExprPool::no;
        std::vector<Row> held = rows;
        for (const auto& before : collected) {
            if (before.buffer != here.buffer) continue;
            const ExprId left = before.fills ? ExprPool::yes : before.keeps ? valid : ExprPool::no;
            valid = exprs_.either(exprs_.both(before.guard, left), exprs_.both(exprs_.negate(before.guard), valid));
            for (size_t k = 0; before.fills && k < held.size(); ++k)
                for (size_t byte = 0; byte < held[k].size(); ++byte)
                    held[k][byte] = exprs_.ite(before.guard, before.rows.at(k)[byte], held[k][byte]);
        }
        draft_.violations.push_back(
            {issue, exprs_.negate(valid),
             "the collector buffer that this uses holds no matrix that was filled in and kept (ISA 9.7.16.10.9.1)"});
        const ExprId taken = exprs_.both(valid, exprs_.choice(draft_.choices++));
        for (const auto& before : collected)
            for (const size_t read : before.reads)
                if (before.fills && before.buffer == here.buffer) data[read] = exprs_.both(taken, before.guard);
        for (size_t k = 0; k < rows.size(); ++k)
            for (size_t byte = 0; byte < rows[k].size(); ++byte) rows[k][byte] = exprs_.ite(taken, held[k][byte], rows[k][byte]);
    }
    collected.push_back(std::move(here));
}

// What other threads of the CTA, or of the pair, do with the buffer in between is not told.
void Builder::require_one_multiplier(const Instruction& i) const {
    for (const Thread& other : test_.threads) {
        const bool shares = same_cta(other.at, thread().at) ||
                            (cta_group(i) == 2 && other.at.gpu == thread().at.gpu && other.at.cluster == thread().at.cluster);
        if (&other == &thread() || !shares) continue;
        for (const Instruction& j : other.body)
            if (j.op == Op::tcgen_mma)
                fail(i.span, "`" + other.name + "` multiplies with the same collector buffer: not modelled",
                     "let one thread multiply, or leave `.collector::" + collector_usage(i).first + "` out");
    }
}

// tcgen05.commit (9.7.16.12.1): an arrive-on, at cluster scope, after all prior tcgen05.mma and tcgen05.cp of the thread.
void Builder::tensor_commit(const Context& c, State& state) {
    const Operand& bar = c.instruction.at(Role::mbarrier);
    const size_t start = issue(c, state);
    depend_address(state, bar, start);
    std::vector<int> ctas{-1};
    if (const Operand* mask = c.instruction.find(Role::cta_mask)) ctas = multicast_ctas(constant_operand(state, *mask, "the CTA mask"));
    for (const int cta : ctas) {
        const MemoryPlace at = object(cta < 0 ? bar : counterpart(bar, cta), state);
        const Update u = update(c, state, at, {0, 1, 0}, Sem::release, Scope::cluster, start);
        draft_.notes.arrivals.push_back({u.write, at.cell, field(exprs_, draft_.events[u.read].value, mbarrier_phase), ExprPool::yes});
        draft_.events[u.read].completes = draft_.events[u.write].completes = true;
        inside(u.read, u.write);
        for (const size_t e : draft_.thread.tensor_events)
            for (const size_t to : {u.read, u.write}) inside(e, to);
    }
}

void Builder::tensor_wait(const Context& c, State& state) {
    Event e = event_of(c, Event::Kind::group_wait);
    e.scope = Scope::none;
    const size_t id = add_event(e);
    depend_control(state, id);
    depend("ctrl", c.guard_reads, id);
    const bool loads = c.instruction.mnemonic == "tcgen05.wait::ld";
    for (const size_t completion : loads ? draft_.thread.tensor_loads : draft_.thread.tensor_stores)
        draft_.notes.pairs.push_back({"grp", completion, id, ExprPool::yes});
    if (loads)
        for (auto& [name, some] : draft_.thread.tensor_results)
            for (auto& load : some) load.open = exprs_.both(load.open, exprs_.negate(c.guard));
    block(state, {{id, ExprPool::yes}});
}

// tcgen05.alloc, .dealloc and .relinquish_alloc_permit (9.7.16.7.1): the thread may have to wait, as columns.cpp says.
void Builder::tensor_life(Context c, State& state) {
    const Instruction& i = c.instruction;
    ColumnUse use;
    use.instruction = &i;
    use.thread = thread_;
    use.peer = tensor_ctas(i).back();
    while (!same_cta(draft_.ctas[static_cast<size_t>(use.cta)], thread().at)) ++use.cta;
    if (const Operand* columns = i.find(Role::columns))
        use.columns = static_cast<int64_t>(constant_operand(state, *columns, "the number of columns"));
    use.reached = c.guard;
    if (options_.blocked && (i.op == Op::tcgen_alloc || use.peer >= 0)) {
        use.stays = exprs_.both(c.guard, divert());
        draft_.blocked.push_back({thread_, c.index, use.stays});
        state.guard = exprs_.both(state.guard, exprs_.negate(use.stays));
        c.guard = exprs_.both(c.guard, exprs_.negate(use.stays));
    }
    use.event = i.op == Op::tcgen_relinquish ? relinquish(c, state) : begin_or_end(c, state);
    draft_.notes.columns.push_back(use);
}

size_t Builder::relinquish(const Context& c, const State& state) {
    Event e = event_of(c, Event::Kind::group_wait);
    e.scope = Scope::none;
    const size_t id = add_event(e);
    depend_control(state, id);
    depend("ctrl", c.guard_reads, id);
    return id;
}

// tcgen05.alloc writes an address into shared memory. tcgen05.dealloc ends the use of a part: of a pair in both CTAs (ISA 9.7.16.7.1).
// Returns the first write.
size_t Builder::begin_or_end(const Context& c, State& state) {
    const bool begins = c.instruction.op == Op::tcgen_alloc;
    std::vector<size_t> written;
    Operand place = begins ? c.instruction.at(Role::address) : c.instruction.at(Role::source);
    if (place.kind == Operand::Kind::reg) place.indirect = true;
    place.kind = Operand::Kind::address;
    const std::set<int> quarters = begins ? std::set{0} : quarters_of(test_);
    for (const int cta : begins ? std::vector<int>{-1} : tensor_ctas(c.instruction)) {
        const std::optional<Operand> there = begins ? place : tensor_part(place, cta, state);
        for (const int quarter : there ? quarters : std::set<int>{}) {
            const MemoryPlace at = resolve(*there, Type::b32, static_cast<uint64_t>(quarter) * quarter_bytes, state);
            const size_t id = memory_event(c, state, Event::Kind::write, at, Type::b32, static_cast<int>(written.size()));
            draft_.events[id].value = exprs_.constant(begins ? allocated : 0, 32);
            draft_.events[id].sem = Sem::weak;
            draft_.events[id].scope = Scope::none;
            depend_address(state, place, id);
            written.push_back(id);
        }
    }
    return written.front();
}

// ---- st.bulk, discard -------------------------------------------------------------------------------------

// Weak writes of those elements of the range that are kept (ISA 9.7.9.13, 9.7.9.17).
void Builder::fill(const Context& c, State& state) {
    const Operand& to = c.instruction.at(Role::copy_to);
    const auto size = static_cast<int64_t>(constant_operand(state, c.instruction.at(Role::size), "the size of the range"));
    const Type type = element_type(to, state);
    const int64_t step = bits(type) / 8;
    for (const size_t k : kept_writes(c, to, size / step, step, state)) {
        const MemoryPlace at = resolve(to, type, k * static_cast<uint64_t>(step), state);
        const size_t id = memory_event(c, state, Event::Kind::write, at, type, static_cast<int>(k));
        draft_.events[id].value = exprs_.constant(0, bits(type));
        draft_.events[id].sem = Sem::weak;
        draft_.events[id].scope = Scope::none;
        depend_address(state, to, id);
    }
}

}  // namespace litmus
