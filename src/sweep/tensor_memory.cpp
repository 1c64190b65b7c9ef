// tcgen05 (ISA 9.7.16).
#include <algorithm>
#include <bit>

#include "ptx/matrix.h"
#include "sweep/machine.h"
#include "sweep/matrix.h"

namespace litmus::sweep {

using kernel::Argument;

namespace {

uint32_t lane_of(uint64_t address) {
    return static_cast<uint32_t>(address >> 16 & 0xffff);
}
uint32_t column_of(uint64_t address) {
    return static_cast<uint32_t>(address & 0xffff);
}

// The number in a word like "x8"; of "16x256b" the first, or the second behind the `x`.
uint32_t number_in(std::string_view word, size_t at) {
    uint32_t n = 0;
    for (; at < word.size() && word[at] >= '0' && word[at] <= '9'; ++at) n = 10 * n + static_cast<uint32_t>(word[at] - '0');
    return n;
}

struct Shape {
    uint32_t lanes = 0, bits = 0, repeated = 1;
};

// ".32x32b.x8", ".128x256b" (9.7.16.2.3).
Shape shape_of(const std::vector<std::string>& words) {
    Shape shape;
    for (const std::string& word : words) {
        const size_t by = word.find('x');
        if (by == 0) shape.repeated = std::max(1U, number_in(word, 1));
        if (by == std::string::npos || by == 0 || word.back() != 'b') continue;
        const uint32_t lanes = number_in(word, 0), bits = number_in(word, by + 1);
        if (lanes > 0 && bits > 0) shape = {lanes, bits, shape.repeated};
    }
    return shape;
}

// What an instruction descriptor says (9.7.16.4.2, table 42).
struct Product {
    uint32_t rows = 0, columns = 0;
    bool transposed_a = false, transposed_b = false;
};

Product product_of(uint64_t descriptor) {
    const auto field = [&](unsigned at, uint64_t mask) { return static_cast<uint32_t>(descriptor >> at & mask); };
    return {field(24, 0x1f) << 4, field(17, 0x3f) << 3, field(15, 1) != 0, field(16, 1) != 0};
}

// Where D lies in one CTA (9.7.16.10.5). Half of the lanes has the layout F of 64 rows; two CTAs share the rows of 256, and of 128 the
// columns, too.
TensorPart accumulator(const Product& product, uint64_t address, bool pair) {
    TensorPart part{0xff, column_of(address), product.columns};
    if (!pair && product.rows == 64) part.cells = 0x55U << (lane_of(address) / lanes_of_cell & 1);
    if (pair && product.rows == 128) part.columns /= 2;
    return part;
}

bool is_pair(const Step& step) {
    return step.has("cta_group::2");
}

// What this thread has executed, and knows to be complete, for who takes it up behind a fence::after_thread_sync.
void publish_execution(const Warp& warp, const Thread& thread, Time& time) {
    if (thread.tensor_products) time.raise(thread.tensor_products->executed, thread.tensor_products->issued);
    for (const auto& waited : {warp.tensor_loads, warp.tensor_stores})
        if (waited) time.raise(waited->component, thread.tensor[waited->component]);
}

}  // namespace

// ---- allocation (9.7.16.7.1) -------------------------------------------------------------------------------------------------------

// With .cta_group::2 a warp of each CTA of the pair comes to the operation before either goes on (9.7.16.5).
void Machine::tensor_life(Warp& warp, Lanes lanes, const Step& step) {
    if (!gather(warp, lanes, step)) return;
    const auto first = static_cast<uint32_t>(std::countr_zero(lanes));
    const auto wait_for = [&](Waiting waiting) {
        for (const uint32_t lane : each(lanes)) warp.waiting[lane] = waiting;
    };
    const Waiting::For waited = warp.waiting[first].what;
    TensorMemory& memory = tensors_.memory(warp.block);
    Thread& own = thread(warp, first);
    if (is_pair(step) && waited != Waiting::For::peer && waited != Waiting::For::columns) {
        observer_.note_change();
        memory.latest = observer_.own_access(own, step, true);
        return wait_for({Waiting::For::peer, 0, tensors_.peer_of(warp.block), ++memory.with_peer});
    }
    const auto count = [&] {
        return static_cast<uint32_t>(need(warp, first, step, step.statement->arguments.at(1), "a number of columns"));
    };
    const auto undefined = [&](const std::string& why) { account_.find(Breach::allocation, {why}, {place(own, step)}); };
    switch (step.form->op) {
        case Op::tcgen_relinquish:
            memory.relinquished = true;
            break;
        case Op::tcgen_alloc: {
            const uint32_t columns = count();
            if (memory.relinquished) undefined("allocates tensor memory after its block has relinquished the permit");
            if (memory.last_columns != 0 && columns > memory.last_columns)
                undefined("allocates more columns of tensor memory than the allocation before");
            if (!memory.has_room(columns)) return wait_for({Waiting::For::columns, 0, warp.block, columns});
            memory.last_columns = columns;
            memory.allocation = place(own, step);
            const Argument& answer = step.statement->arguments.at(0);
            const uint64_t at = address(warp, first, step, answer);
            const Spot to = spot_of(warp, first, step, step.space(Role::address), at);
            ask_place(warp, first, step, answer, to, at);
            observer_.touch(to, 4, observer_.own_access(own, step, true), step);
            instances_[to.number].put(to.offset, 4, memory.allocate(columns));
            observer_.note_change();
            break;
        }
        default: {
            const Argument& named = step.statement->arguments.at(0);
            const uint64_t at = named.kind == Argument::Kind::address ? address(warp, first, step, named)
                                                                      : need(warp, first, step, named, "an address of tensor memory");
            const uint32_t columns = count();
            const auto allocated = memory.allocated.find(column_of(at));
            if (allocated == memory.allocated.end() || allocated->second != columns) {
                undefined("gives back columns of tensor memory that were not allocated so");
                break;
            }
            const TensorPart part{0xff, column_of(at), columns};
            if (is_pair(step)) tensors_.give_back_together(warp.block, part, step);
            tensors_.touch(warp.block, part, observer_.own_access(own, step, true), step);
            memory.allocated.erase(allocated);
            observer_.note_change();
        }
    }
    next(warp, lanes);
}

// tcgen05.ld, .st (9.7.16.8): each warp of a warpgroup has a quarter of the lanes.
void Machine::tensor_registers(Warp& warp, Lanes lanes, const Step& step) {
    const bool loads = step.form->op == Op::tcgen_load;
    const auto first = static_cast<uint32_t>(std::countr_zero(lanes));
    const Argument& named = step.statement->arguments.at(loads ? 1 : 0);
    const uint64_t at = address(warp, first, step, named);
    Thread& own = thread(warp, first);
    const Shape shape = shape_of(step.statement->words);
    const bool spread = step.has("pack::16b") || step.has("unpack::16b");  // a register has two columns
    const uint32_t columns = shape.bits / 32 * shape.repeated * (spread ? 2 : 1);
    if (columns == 0) fail(warp, first, step, "`" + kernel::dotted(step.statement->words) + "` is not executed by the sweep");
    const uint32_t quarter = own.seat.thread / warp_size % 4;
    if (lane_of(at) / warp_size != quarter || (shape.lanes == warp_size && lane_of(at) % warp_size != 0))
        account_.find(
            Breach::foreign_lanes,
            {std::to_string(lane_of(at)), std::to_string(quarter * warp_size), std::to_string(quarter * warp_size + warp_size - 1)},
            {place(own, step)});
    const uint32_t half = lane_of(at) / lanes_of_cell & 1;
    const uint32_t of_quarter = shape.lanes == warp_size ? 3U : 1U << half;
    Queue& operations = observer_.queue(loads ? warp.tensor_loads : warp.tensor_stores);
    Access access = observer_.own_access(own, step, !loads);
    access.component = operations.component;
    access.number = ++operations.issued;
    access.scope = Scope::none;
    tensors_.touch(warp.block, {of_quarter << (2 * quarter), column_of(at), columns}, access, step);
    if (loads)
        for (const uint32_t lane : each(lanes)) write(warp, lane, step.statement->arguments[0], {});
}

// tcgen05.wait (9.7.16.8.5) completes all earlier loads, or stores, of the warp's threads.
void Machine::tensor_wait(Warp& warp, Lanes lanes, const Step& step) {
    const auto& waited = step.has("wait::ld") ? warp.tensor_loads : warp.tensor_stores;
    if (!waited) return;
    for (const uint32_t lane : each(lanes)) {
        Thread& own = thread(warp, lane);
        own.known.order.raise(waited->component, waited->issued);
        own.tensor.raise(waited->component, waited->issued);
    }
}

void Machine::tensor_fence(Warp& warp, Lanes lanes, const Step& step) {
    for (const uint32_t lane : each(lanes)) {
        Thread& own = thread(warp, lane);
        if (step.has("fence::before_thread_sync"))
            publish_execution(warp, own, own.known.time);
        else
            own.tensor.join(own.known.time.events);
    }
}

// ---- products, and copies out of shared memory (9.7.16.10, 9.7.16.9) ---------------------------------------------------------------

// Each CTA of a pair has its rows of A and of D, and its half of B, at the addresses that the one descriptor names.
void Machine::tensor_operation(Warp& warp, uint32_t lane, const Step& step) {
    const auto& arguments = step.statement->arguments;
    Thread& own = thread(warp, lane);
    const uint64_t at = address(warp, lane, step, arguments.at(0));
    std::vector<uint32_t> blocks{warp.block};
    if (is_pair(step)) blocks.push_back(tensors_.peer_of(warp.block));
    const uint32_t element = step.has("kind::f16") ? 2 : step.has("kind::tf32") ? 4 : 1;  // bytes
    const auto read = [&](uint32_t block, uint64_t descriptor, uint32_t rows, uint32_t bytes, bool transposed, const Access& access) {
        touch_shared(warp, lane, step, block, bytes_of(tensor_matrix(descriptor), rows, bytes, transposed, element), access);
    };
    if (step.form->op == Op::tcgen_copy) {
        const Shape shape = shape_of(step.statement->words);
        Access access = tensors_.access(own, step, {copy_of_matrix, 0});
        const uint64_t descriptor = need(warp, lane, step, arguments.at(1), "the descriptor of a matrix");
        for (const uint32_t block : blocks) {
            access.writes = false;
            read(block, descriptor, shape.lanes, shape.bits / 8, false, access);
            access.writes = true;
            tensors_.touch(block, {shape.lanes < lanes_of_cell ? 1U : 0xffU, column_of(at), shape.bits / 32}, access, step);
        }
        return;
    }
    if (step.has("block_scale") || step.has("ws") || step.has("sp"))
        fail(warp, lane, step, "`" + kernel::dotted(step.statement->words) + "` is not executed by the sweep");
    if (arguments.size() < 5) fail(warp, lane, step, "it lacks an operand");
    constexpr uint32_t k_bytes = 32, k_columns = 8;  // of a row of A: 16 elements of 16 bits, or as much of others (table 39)
    const uint64_t idesc = need(warp, lane, step, arguments.at(3), "an instruction descriptor");
    const Product product = product_of(idesc);
    if (const Argument* const exponent = step.find(Role::exponent)) need(warp, lane, step, *exponent, "`scale-input-d`");
    const uint32_t shared_by = static_cast<uint32_t>(blocks.size());
    Access access = tensors_.access(own, step, {pipeline_of(kernel::dotted(step.statement->words), idesc), at});
    const bool in_tensor = arguments.at(1).kind == Argument::Kind::address;
    const uint64_t a =
        in_tensor ? address(warp, lane, step, arguments[1]) : need(warp, lane, step, arguments[1], "the descriptor of a matrix");
    const uint64_t b = need(warp, lane, step, arguments.at(2), "the descriptor of a matrix");
    for (const uint32_t block : blocks) {
        access.writes = false;
        const TensorPart d = accumulator(product, at, is_pair(step));
        if (in_tensor)
            tensors_.touch(block, {d.cells, column_of(a), k_columns}, access, step);
        else
            read(block, a, product.rows / shared_by, k_bytes, product.transposed_a, access);
        read(block, b, product.columns / shared_by, k_bytes, product.transposed_b, access);
        access.writes = true;
        tensors_.touch(block, d, access, step);
    }
}

// tcgen05.commit (9.7.16.12.1): an arrival when all earlier operations of the thread are complete. It counts as one of them itself, so
// that it has a number.
void Machine::tensor_commit(Warp& warp, uint32_t lane, const Step& step) {
    std::optional<Spot> spot = this->spot(warp, lane, step, Role::mbarrier);
    if (!spot) fail(warp, lane, step, "it names no mbarrier object");
    Thread& own = thread(warp, lane);
    TensorProducts& products = tensors_.products(own);
    products.shapes.emplace_back(UINT32_MAX, products.issued);
    ++products.issued;
    const auto arrive_at = [&](const Spot& there) {
        Mbarrier& object = phases_.at(thread(warp, lane), there, step);
        if (own.known.time[object.component] != object.phase)
            account_.find_in_phase(object, Breach::phase_of_arrival, {object.name}, {place(own, step)});
        account_.log({.what = Event::What::arrive, .mbarrier = object.where, .phase = object.phase, .number = 1}, own, step);
        object.arriving.knowledge[{warp.block, true}].complete(products.component, products.issued);
        if (task_.asks_wide) object.arriving.wide[{warp.block, true}].complete(products.component, products.issued);
        object.note_arrival(own.known.time);
        object.arriving.time.raise(products.component, products.issued);
        publish_execution(warp, own, object.arriving.time);
        own.renew();
        if (--object.pending < 0) {
            account_.find_in_phase(object, Breach::arrivals, {object.name, std::to_string(object.count)}, {place(own, step)});
            object.pending = 0;
        }
        observer_.note_change();
        phases_.settle(object);
    };
    if (step.statement->arguments.size() < 2) return arrive_at(*spot);
    const uint64_t blocks = need(warp, lane, step, step.statement->arguments[1], "a mask of blocks");
    for (uint32_t rank = 0; rank < task_.geometry.cluster_size(); ++rank) {
        if ((blocks >> rank & 1) == 0) continue;
        spot->block = task_.geometry.block_of_rank(warp.block, rank);
        instance(instances_[spot->number].object, spot->block, spot->number);
        arrive_at(*spot);
    }
}

}  // namespace litmus::sweep
