// Memory in a walk. Loads of parameters, constants, the thread's own memory, and of arrays that nobody writes are computed; everything
// else that the table of instructions has stays, with the addresses as objects and offsets.
//
// The thread's own memory (.local, .param of calls) is part of its state: bytes that are known singly, and words that are not as a whole,
// each in a residual register named after its address.
#include <algorithm>
#include <array>

#include "kernel/operands.h"
#include "kernel/walk.h"
#include "ptx/traits.h"

namespace litmus::kernel {

namespace {

constexpr uint32_t widest_access = 16;  // bytes of a cell

bool has(const Statement& statement, std::string_view word) {
    return std::find(statement.words.begin(), statement.words.end(), word) != statement.words.end();
}

uint64_t read_bytes(const std::vector<uint8_t>& bytes, uint64_t at, uint32_t count) {
    uint64_t value = 0;
    for (uint32_t i = 0; i < count; ++i) value |= static_cast<uint64_t>(bytes[at + i]) << (8 * i);
    return value;
}

// What a register gets of a loaded value: signed types are extended by their sign, others by zeros (9.7.9.8).
uint64_t extended(uint64_t value, Type type) {
    return is_signed(type) ? static_cast<uint64_t>(sign_extend(value, bits(type))) : value;
}

}  // namespace

// ---- addresses -----------------------------------------------------------------------------------------------------------------------

std::optional<uint64_t> Walker::address_of(State& state, size_t block, const Argument& argument, std::string_view space) {
    if (argument.kind != Argument::Kind::address || argument.elements.empty()) fail(state, "an address in brackets is expected here");
    const Word word = read(state, block, argument.elements[0]);
    if (word.split()) ways_ = std::max(ways_, word.cases->size());
    if (word.open && !word.opaque) {
        if (guard_) {  // where nobody makes the access, it leads nowhere
            fork(state, block, state.top().registers[static_cast<size_t>(state.statement().guard)], 1);
            return std::nullopt;
        }
        follow_index(state, block, word, argument, space);
        return std::nullopt;
    }
    const auto base = need(state, block, word, "an address");
    if (!base) return std::nullopt;
    return *base + static_cast<uint64_t>(argument.offset);
}

// An address that is a multiple of a number which can be anything, on top of the beginning of an array: a way for each number that leads
// into memory, of those around zero; what leads outside of it ends in a trap. The numbers that are no cases lead outside if the first and
// the last of the cases do: further from zero is further away. (Where that wraps around, the array index in the kernel overflowed.)
// Anything else is refused: it could lead anywhere.
void Walker::follow_index(State& state, size_t block, const Word& word, const Argument& argument, std::string_view space) {
    const std::vector<Case>& cases = *word.cases;
    const auto inside = [&](const Case& c) {
        const uint64_t address = c.value + static_cast<uint64_t>(argument.offset);
        return walks_.layout.find(space, space.rfind("shared", 0) == 0 ? truncate(address, 32) : address, seat_.block).has_value();
    };
    const std::vector<Case> all = open_cases(registers_[static_cast<size_t>(word.root)].bits);
    const auto first = std::find_if(cases.begin(), cases.end(), inside);
    const bool too_many = std::any_of(cases.begin(), cases.end(), [&](const Case& c) {
        const bool is_edge = (word.below && c.key == all.front().key) || (word.above && c.key == all.back().key);
        return is_edge && inside(c);
    });
    if (word.linear == Linear::no || too_many || first == cases.end()) need(state, block, dynamic_word(), "an address");
    const bool is_last = std::none_of(first + 1, cases.end(), inside);
    fork(state, block, word, first->value);
    if (!is_last) return;
    const Work outside = std::move(work_.back());
    work_.pop_back();
    trap(
        outside.block, outside.state,
        word.linear == Linear::yes
            ? "a number that is read leads an access outside of its array here: the test claims that none does"
            : "a number that is read may lead an access outside of its array here, or wrap around: the test claims that it is one of those "
              "that lead into the array as they are");
}

// Where an access goes; none: the walk has forked, or ended.
std::optional<Pointee> Walker::place_of(State& state, size_t block, const Argument& argument, std::string_view space) {
    const auto address = address_of(state, block, argument, space);
    if (!address) return std::nullopt;
    const bool window = space.rfind("shared", 0) == 0;  // addresses there have 32 bits
    const auto place = walks_.layout.find(space, window ? truncate(*address, 32) : *address, seat_.block);
    if (place) return place;
    if (guard_) {  // it may be that nobody makes the access
        fork(state, block, state.top().registers[static_cast<size_t>(state.statement().guard)], 1);
        return std::nullopt;
    }
    const Nowhere nowhere = walks_.layout.nowhere(space, *address);
    if (state.branched) {
        trap(block, state, "a way that depends on what is read leads to " + nowhere.place + ": the test claims that no thread takes it");
        return std::nullopt;
    }
    fail(state, "thread " + std::to_string(seat_.thread) + " of block " + std::to_string(seat_.block) + " accesses " + nowhere.place,
         nowhere.hint);
}

// ---- ld and st -----------------------------------------------------------------------------------------------------------------------

Walker::Went Walker::access(State& state, size_t block, const Statement& statement, const Step& step) {
    const bool loads = statement.words[0] != "st";
    const auto type = type_named(statement.words.back());
    if (statement.arguments.size() < 2 || !type) fail(state, "`" + dotted(statement.words) + "` lacks operands or a type");
    const auto place = place_of(state, block, statement.arguments[loads ? 1 : 0], step.space(Role::address));
    if (!place) return Went::ended;
    if (loads && is_answer(*place)) return load_answer(state, block, statement, *place);
    if (bits(*type) > 64) return keep(state, block, statement, step);  // what it loads is no word that is known
    if (guard_ && place->kind != Pointee::Kind::object) {              // the state depends on it
        fork(state, block, state.top().registers[static_cast<size_t>(statement.guard)], 1);
        return Went::ended;
    }
    switch (place->kind) {
        case Pointee::Kind::own:
            return loads ? load_own(state, block, statement, *place) : store_own(state, block, statement, *place);
        case Pointee::Kind::parameter:
        case Pointee::Kind::constant:
            if (!loads) fail(state, "a store to memory that cannot be written");
            load_bytes(state, statement, place->kind == Pointee::Kind::parameter ? walks_.layout.parameters() : walks_.layout.constants(),
                       place->offset);
            return Went::next;
        case Pointee::Kind::object:
            break;
    }
    const Object& object = walks_.layout.objects()[place->object];
    const bool weak = !step.has("relaxed") && !step.has("acquire") && !step.has("volatile") && !step.has("mmio");
    const uint64_t whole = static_cast<uint64_t>(bits(*type) / 8) * results(statement, true).size();
    const bool aligned = whole == 0 || place->offset % whole == 0;  // else it stays, to break its static rule
    const bool is_array = object.space == Space::global && object.points_to.empty();
    if (loads && weak && aligned && is_array && !walks_.assumed.written.contains(place->object)) {
        load_bytes(state, statement, object.bytes, place->offset);
        note(state, "`" + object.name + "` is written by no thread: loads of it give what it holds at the start, and make no event");
        return Went::next;
    }
    return keep(state, block, statement, step);
}

void Walker::load_bytes(State& state, const Statement& statement, const std::vector<uint8_t>& bytes, uint64_t offset) {
    const Type type = *type_named(statement.words.back());
    const auto size = static_cast<uint32_t>(litmus::bits(type) / 8);
    for (const size_t reg : results(statement, true)) {
        if (offset + size > bytes.size())
            fail(state, "the access ends outside of its object, which has " + std::to_string(bytes.size()) + " bytes");
        if (reg != no_register) set_known(state, reg, extended(read_bytes(bytes, offset, size), type));
        offset += size;
    }
}

Walker::Went Walker::load_own(State& state, size_t block, const Statement& statement, const Pointee& place) {
    const Type type = *type_named(statement.words.back());
    uint64_t at = place.offset;
    for (const size_t reg : results(statement, true)) {
        if (reg != no_register) read_cell(state, block, at, type, reg);
        at += static_cast<uint64_t>(bits(type) / 8);
    }
    return Went::next;
}

Walker::Went Walker::store_own(State& state, size_t block, const Statement& statement, const Pointee& place) {
    const auto size = static_cast<uint32_t>(bits(*type_named(statement.words.back())) / 8);
    const Argument& value = statement.arguments[1];
    const std::vector<Argument> elements = value.kind == Argument::Kind::vector ? value.elements : std::vector<Argument>{value};
    uint64_t at = place.offset;
    for (const Argument& element : elements) {
        write_cell(state, block, at, size, read(state, block, element), source(state, block, element));
        at += size;
    }
    return Went::next;
}

// ---- the thread's own memory -----------------------------------------------------------------------------------------------------------

namespace {

std::string cell_name(uint64_t address) {
    return "local_" + std::to_string(address / window::frame_stride) + "_" + std::to_string(address % window::frame_stride);
}

}  // namespace

// `from`, extended or cut to the width of `to`.
Instruction Walker::convert(const Target& to, const Input& from, bool is_signed) {
    const std::string sign = is_signed ? "s" : "u";
    if (to.bits == from.bits && to.bits >= 16) return *make("mov.b" + std::to_string(to.bits), {reg_operand(to.name), from.operand});
    return *make("cvt." + sign + std::to_string(to.bits) + "." + sign + std::to_string(from.bits), {reg_operand(to.name), from.operand});
}

// Gives a register the word in so many bytes.
void Walker::read_cell(State& state, size_t block, uint64_t address, Type type, size_t reg) {
    const auto bytes = static_cast<uint32_t>(bits(type) / 8);
    const auto whole = state.memory.find(address);
    if (whole != state.memory.end() && !whole->second.word.known && whole->second.bytes == bytes) {
        const Word word = whole->second.word;
        const Target d = target(state, reg);
        if (word.split() && d.bits == bits(type)) return set_cases(state, block, reg, word);
        emit(block, state, convert(d, {reg_operand(cell_name(address)), bits(type)}, is_signed(type)));
        return set_dynamic(state, reg, word.opaque);
    }
    uint64_t value = 0;
    bool opaque = false;
    const Statement* source = nullptr;
    for (uint32_t i = 0; i < bytes; ++i) {
        const auto byte = state.memory.find(address + i);
        if (byte == state.memory.end() || !byte->second.word.known) {
            if (byte != state.memory.end()) note(state, "a part of a value in local memory is not computed: it stands for any value");
            return set_known(state, reg, 0, true);  // nothing was written, or a part of a word
        }
        opaque = opaque || byte->second.word.opaque;
        if (!source) source = byte->second.word.source;
        value |= byte->second.word.bits << (8 * i);
    }
    set_known(state, reg, extended(value, type), opaque);
    state.top().registers[reg].source = source;
}

void Walker::write_cell(State& state, size_t block, uint64_t address, uint32_t bytes, const Word& word, const Input& source) {
    for (auto at = state.memory.lower_bound(address >= widest_access ? address - widest_access : 0);
         at != state.memory.end() && at->first < address + bytes;)
        at = at->first + at->second.bytes > address ? state.memory.erase(at) : std::next(at);
    if (word.known) {
        for (uint32_t i = 0; i < bytes; ++i) {
            Word byte = word;
            byte.bits = i < 8 ? word.bits >> (8 * i) & 0xff : 0;
            state.memory[address + i] = {std::move(byte), 1};
        }
        return;
    }
    const auto width = static_cast<int>(8 * bytes);
    const int number = named(cell_name(address), width);
    emit(block, state, convert({cell_name(address), width}, source, false));
    forget_root(state, number);
    state.memory[address] = {source.bits == width ? word : dynamic_word(word.opaque), bytes};
}

void Walker::copy_cells(State& state, size_t block, uint64_t from, uint64_t to, uint32_t bytes) {
    std::vector<std::pair<uint64_t, Cell>> cells(state.memory.lower_bound(from), state.memory.lower_bound(from + bytes));
    for (const auto& [address, cell] : cells)
        write_cell(state, block, to + (address - from), cell.bytes, cell.word,
                   {cell.word.known ? number_operand(cell.word.bits) : reg_operand(cell_name(address)), static_cast<int>(8 * cell.bytes)});
}

// ---- what stays ------------------------------------------------------------------------------------------------------------------------

Walker::Went Walker::keep(State& state, size_t block, const Statement& statement, const Step& step) {
    const Traits::Kernels kernels = step.form ? traits(step.form->op).kernels : Traits::Kernels::read;
    if (!step.form || kernels == Traits::Kernels::without_descriptors) {
        const bool unknown = step.refusal && !step.refusal->known;
        fail(state, unknown ? step.refusal->message : "`" + dotted(statement.words) + "` is not modelled",
             unknown ? step.refusal->hint : "");
    }
    const Form& form = *step.spelling->form;
    if (kernels == Traits::Kernels::refused || step.has("tensormap::generic"))
        fail(state, "`" + dotted(statement.words) + "` is not read from kernels");
    if (form.op == Op::try_cancel || form.op == Op::query_cancel) check_cancellation(state, statement, *form.op);
    const std::vector<const Shape*> shapes = shapes_of(form, false, statement.arguments.size(), step.has("L2::cache_hint"));
    std::vector<Operand> operands(shapes.size());
    std::map<size_t, Pointee> places;   // of operands
    std::set<size_t> touched, sources;  // objects
    bool nothing_comes = false;
    for (size_t i = 0; i < statement.arguments.size(); ++i) {
        const Role role = shapes[i]->role;
        if (is_address(role)) {
            const auto place = place_of(state, block, statement.arguments[i], step.space(role));
            if (!place) return Went::ended;
            operands[i] = object_operand(state, statement, *place);
            places.emplace(i, *place);
            std::set<size_t>& objects = role == Role::copy_from ? sources : touched;
            objects.insert(place->object);
            const auto& all = walks_.layout.objects()[place->object].points_to;
            objects.insert(all.begin(), all.end());
            if (role == Role::mbarrier && walks_.assumed.left_to_complete.contains({place->object, place->offset})) nothing_comes = true;
        } else if (steers(role)) {
            const Word word = read(state, block, statement.arguments[i]);
            if (word.split() && !need(state, block, word, "an operand")) return Went::ended;
            if (word.opaque) need(state, block, word, "an operand");
        }
    }
    if (*form.op == Op::try_cancel) walks_.found.answers.insert({places.at(0).object, places.at(0).offset});
    std::map<size_t, Pointee> written = places;
    std::erase_if(written, [&](const auto& place) { return !step.writes_memory(shapes[place.first]->role); });
    for (const auto& [i, place] : written) {
        walks_.found.written.insert(place.object);
        const auto& all = walks_.layout.objects()[place.object].points_to;
        walks_.found.written.insert(all.begin(), all.end());
    }
    note_stored(state, block, statement, written);
    bool opaque = false;
    for (size_t i = 0; i < statement.arguments.size(); ++i)
        if (!is_address(shapes[i]->role)) operands[i] = value_operand(state, block, statement.arguments[i], *shapes[i], opaque);
    if (nothing_comes) expect_nothing(state, statement, shapes, operands);
    for (const size_t object : sources) opaque = opaque || walks_.assumed.opaque.contains(object);
    if (opaque) walks_.found.opaque.insert(touched.begin(), touched.end());
    std::vector<Operand> kept;
    for (size_t i = 0; i < statement.arguments.size(); ++i)
        if (shapes[i]->role != Role::policy && shapes[i]->role != Role::time_hint) kept.push_back(std::move(operands[i]));
    const bool reduces = form.op == Op::bar_red || form.op == Op::redux_sync;
    walks_.found.reduces_opaque = walks_.found.reduces_opaque || (reduces && opaque);
    const bool loads_opaque = std::any_of(touched.begin(), touched.end(), [&](size_t o) { return walks_.assumed.opaque.contains(o); });
    Instruction instruction = make(*step.spelling, std::move(kept));
    instruction.guard = guard_;
    note_width(instruction, touched);
    emit(block, state, std::move(instruction));
    blocks_[block].body.back().non_coherent = step.has("nc");
    const bool stops = kind(*form.op) == Traits::Kind::cta_barrier || kind(*form.op) == Traits::Kind::cluster_barrier;
    blocks_[block].body.back().aligned = stops && (step.has("aligned") || statement.words[0] == "bar");
    const bool number =
        (form.op == Op::ld || (kind(*form.op) == Traits::Kind::atomic && traits(*form.op).result == Traits::Result::data)) &&
        !is_float(type_named(statement.words.back()).value_or(Type::f32));
    if (form.op == Op::query_cancel) return set_canceled(state, statement);
    Pointee from = places.empty() ? Pointee() : places.begin()->second;  // of what is loaded next
    const auto bytes = number ? static_cast<uint64_t>(bits(*type_named(statement.words.back())) / 8) : 0;
    for (const size_t reg : results(statement, step.writes_first)) {
        if (reg != no_register && number && !loads_opaque && width(state, reg) <= 64)
            set_loaded(state, reg, from, bytes);
        else if (reg != no_register)
            set_dynamic(state, reg, reduces ? walks_.assumed.reduces_opaque : loads_opaque && width(state, reg) > 1);
        from.offset += bytes;
    }
    return Went::next;
}

bool Walker::completes_bytes(const Statement& statement) {
    return has(statement, "mbarrier::complete_tx::bytes") || (has(statement, "mbarrier") && has(statement, "complete_tx"));
}

// The mbarrier object that an operation completes bytes on; none: the walk has forked.
std::optional<Pointee> Walker::mbarrier_of(State& state, size_t block, const Statement& statement, const Step& step) {
    if (step.form) {
        const auto shapes = shapes_of(*step.spelling->form, false, statement.arguments.size(), step.has("L2::cache_hint"));
        for (size_t i = 0; i < std::min(shapes.size(), statement.arguments.size()); ++i)
            if (shapes[i]->role == Role::mbarrier) return place_of(state, block, statement.arguments[i], step.space(Role::mbarrier));
    }
    fail(state, "`" + dotted(statement.words) +
                    "` completes bytes on an mbarrier object, and on which cannot be told: who waits there would wait for ever");
}

// On an mbarrier object on which only operations complete that are left out, no bytes are expected: as many as come.
void Walker::expect_nothing(const State& state, const Statement& statement, const std::vector<const Shape*>& shapes,
                            std::vector<Operand>& operands) {
    const std::string name = dotted(statement.words);
    if (completes_bytes(statement))
        fail(state,
             "`" + name +
                 "` completes bytes on an mbarrier object, and so do instructions that are left out: how many of the expected bytes "
                 "are theirs cannot be told",
             "leave it out, too");
    for (size_t i = 0; i < operands.size(); ++i) {
        if (shapes[i]->role != Role::tx_count || operands[i].kind != Operand::Kind::immediate) continue;
        operands[i] = number_operand(0);
        note(state, "no bytes are expected, as what completes on this mbarrier object is left out");
    }
}

// The rows of matrices are accessed in elements of this size (matrix.cpp).
void Walker::note_width(const Instruction& instruction, const std::set<size_t>& touched) {
    const Traits::Kind what = kind(instruction.op);
    if (what != Traits::Kind::load && what != Traits::Kind::store && what != Traits::Kind::atomic) return;
    const auto bytes = static_cast<uint32_t>(bits(data_type(instruction)) / 8);
    for (const size_t object : touched) {
        if (walks_.layout.objects()[object].space != Space::shared) continue;
        uint32_t& narrowest = walks_.found.narrowest.try_emplace(object, bytes).first->second;
        narrowest = std::min(narrowest, bytes);
    }
}

Operand Walker::object_operand(const State& state, const Statement& statement, const Pointee& place) const {
    if (place.kind != Pointee::Kind::object) fail(state, "`" + dotted(statement.words) + "` on memory that is neither global nor shared");
    Operand operand;
    operand.kind = Operand::Kind::address;
    operand.name = walks_.layout.objects()[place.object].name;
    operand.offset = static_cast<int64_t>(place.offset);
    operand.cta = place.cta;
    return operand;
}

// A register, a number, `_`, or a vector of them. A result that nobody reads is `_` where the form allows it.
Operand Walker::value_operand(State& state, size_t block, const Argument& argument, const Shape& shape, bool& opaque) {
    Operand operand;
    if (argument.kind == Argument::Kind::vector) {
        operand.kind = Operand::Kind::vector;
        for (const Argument& element : argument.elements) operand.elements.push_back(value_operand(state, block, element, shape, opaque));
        return operand;
    }
    operand.kind = Operand::Kind::sink;
    if (argument.kind == Argument::Kind::sink) return operand;
    if (shape.role == Role::result) {
        const auto reg = static_cast<size_t>(argument.reg);
        if (shape.sink && !state.top().plan->live(state.top().pc + 1).has(reg)) return operand;
        return reg_operand(target(state, reg).name);
    }
    if (shape.role == Role::response) {
        const int answer = answer_in(state, block, argument);
        if (answer < 0)
            fail(state,
                 "what is asked here is no answer of `clusterlaunchcontrol.try_cancel` that was loaded before, or it was changed since");
        return reg_operand(registers_[static_cast<size_t>(answer)].name);
    }
    const Word word = read(state, block, argument);
    opaque = opaque || word.opaque;
    if (shape.role == Role::predicate && word.known) {  // a predicate has no literals
        const Target constant{registers_[static_cast<size_t>(named(word.bits != 0 ? "always" : "never", 1))].name, 1};
        emit(block, state, *make("setp.eq.u32", {reg_operand(constant.name), number_operand(0), number_operand(word.bits != 0 ? 0 : 1)}));
        return reg_operand(constant.name);
    }
    return source(state, block, argument).operand;
}

}  // namespace litmus::kernel
