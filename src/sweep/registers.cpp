// Registers of the lanes, and what is computed with them.
#include <algorithm>
#include <bit>

#include "kernel/fold.h"
#include "kernel/fold_approximately.h"
#include "kernel/fold_float.h"
#include "kernel/special.h"
#include "ptx/value.h"
#include "sweep/machine.h"

namespace litmus::sweep {

using kernel::Argument;

namespace {

// Whether a conversion is one of integers that drops or repeats bits, and no more.
bool is_of_integers(const std::vector<std::string>& words) {
    return std::all_of(words.begin() + 1, words.end(), [](const std::string& word) {
        const auto type = type_named(word);
        return type && !is_float(*type);
    });
}

// Whether an operand is the same in two lanes, as is seen without reading it.
bool reads_alike(const Warp& warp, const Argument& argument, uint32_t lane, uint32_t other) {
    switch (argument.kind) {
        case Argument::Kind::reg:
            return warp.registers.are_alike(static_cast<size_t>(argument.reg), lane, other);
        case Argument::Kind::immediate:
        case Argument::Kind::symbol:
            return true;
        case Argument::Kind::vector:
            return std::all_of(argument.elements.begin(), argument.elements.end(),
                               [&](const Argument& element) { return reads_alike(warp, element, lane, other); });
        default:
            return false;
    }
}

// The results of these operands; none: GPUs may differ in them.
std::optional<std::vector<uint64_t>> results_of(const Step& step, const std::vector<uint64_t>& sources, bool& carry) {
    const auto& words = step.statement->words;
    const Argument& to = step.statement->arguments[0];
    if (step.name() == "mov" && sources.size() > 1) return sources;  // of 128 bits (link.h)
    if (step.name() == "mov" && to.kind == Argument::Kind::vector) {
        const auto type = type_named(words.back());
        return kernel::unpack(sources.at(0), type ? bits(*type) : 64, to.elements.size());
    }
    if (step.name() == "mov") return std::vector{sources.at(0)};
    const auto folded = kernel::fold(step.named, words, sources, carry);
    return folded ? folded : kernel::fold_float(words, sources);
}

// A predicate that is named with `!`.
Value flipped(const Value& predicate) {
    Value value = 1 - *predicate;
    value.doubt = predicate.doubt;
    return value;
}

}  // namespace

int Machine::width_of(const Argument& argument) const {
    return argument.kind == Argument::Kind::reg ? widths_[static_cast<size_t>(argument.reg)] : 64;
}

Value Machine::read(const Warp& warp, uint32_t lane, const Argument& argument) {
    switch (argument.kind) {
        case Argument::Kind::reg: {
            Value value = warp.registers.at(static_cast<size_t>(argument.reg), lane);
            if (argument.negated && value) value = flipped(value);
            return value;
        }
        case Argument::Kind::immediate:
            return argument.bits;
        case Argument::Kind::special:
            return special(warp, lane, argument.name);
        case Argument::Kind::symbol:  // of shared memory (link.h)
            return argument.bits + shared_window(warp.block);
        case Argument::Kind::vector: {
            std::vector<uint64_t> parts, known;
            Doubt doubt = 0;
            for (const Argument& element : argument.elements) {
                const Value value = read(warp, lane, element);
                parts.push_back(value.bits());
                known.push_back(value.known());
                doubt = doubts_.join(doubt, value.doubt);
            }
            const int each = argument.elements.empty() ? 64 : width_of(argument.elements[0]);
            const int width = each * static_cast<int>(parts.size());
            if (std::all_of(known.begin(), known.end(), [](uint64_t bits) { return bits == 0; })) return std::nullopt;
            Value whole = Value::in_part(kernel::pack(parts, width), kernel::pack(known, width) | ~truncate(~uint64_t{0}, width));
            whole.doubt = doubt;
            return whole;
        }
        default:
            return std::nullopt;
    }
}

// A clock counts the instructions of all warps, an SM has one block, and warps are numbered as their threads are: numbers as good as
// others.
Value Machine::special(const Warp& warp, uint32_t lane, const std::string& name) {
    Value value = kernel::special_register(name, thread(warp, lane).seat, task_.launch, task_.layout);
    if (value) {
        if (observer_.exchange() && observer_.exchange()->is_name(name)) value.doubt = names_block;
        return value;
    }
    if (name.rfind("%clock", 0) == 0 || name.rfind("%globaltimer", 0) == 0) value = swept_.instructions;
    if (name == "%warpid") value = thread(warp, lane).seat.warp();
    if (name == "%nwarpid") value = (task_.geometry.threads() + warp_size - 1) / warp_size;
    if (name == "%gridid") value = 0;
    if (name == "%smid") value = warp.block;
    if (name == "%nsmid") value = task_.geometry.blocks();
    if (value) value.doubt = decisions_.doubt_of(task_.code[warp.at[lane]]);
    return value;
}

uint64_t Machine::need(const Warp& warp, uint32_t lane, const Step& step, const Argument& argument, const std::string& what) {
    const Value value = read(warp, lane, argument);
    if (!value) {
        const auto [gives, lacks] = why_not_computed(warp, lane, argument, step);
        fail(warp, lane, step,
             what + " depends on a value that is not computed" + (gives.empty() ? "" : ", which " + gives) +
                 (lacks.empty() ? "" : ": " + lacks));
    }
    const bool may_be_named = is_named(value.doubt) && observer_.exchange()->may_lead(thread(warp, lane).index, step, value.doubt);
    decisions_.decide(may_be_named ? value.doubt & ~names_block : value.doubt, step);
    ask_number(warp, lane, step, argument, *value);
    return *value;
}

void Machine::write_register(Warp& warp, Lanes lanes, int reg, const Value& value) const {
    if (reg < 0) return;
    const auto at = static_cast<size_t>(reg);
    if (is_named(value.doubt) && !observer_.exchange()->keeps_name(static_cast<uint32_t>(warp.first), at)) {
        Value late = value;
        late.doubt |= found_late;
        warp.registers.write(at, lanes, late, widths_[at]);
        return;
    }
    warp.registers.write(at, lanes, value, widths_[at]);
}

// One value for each register that the argument names; those that lack one are not computed.
void Machine::write_alike(Warp& warp, Lanes lanes, const Argument& argument, std::span<const Value> values) const {
    const auto one = [&](const Argument& to, size_t n) {
        if (to.kind == Argument::Kind::reg) write_register(warp, lanes, to.reg, n < values.size() ? values[n] : std::nullopt);
    };
    if (argument.kind != Argument::Kind::vector && argument.kind != Argument::Kind::pair) return one(argument, 0);
    for (size_t i = 0; i < argument.elements.size(); ++i) one(argument.elements[i], i);
}

// Whether an operand of which nothing is computed may be no matter: the one that is not selected, or the second one behind a false one.
bool Machine::may_leave_out(const Step& step) {
    return step.name() == "selp" || ((step.name() == "and" || step.name() == "or") && step.has("pred"));
}

// Lanes that read the same compute the same, and do so once. Most of what a kernel multiplies is not computed at all.
void Machine::compute(Warp& warp, Lanes lanes, const Step& step) {
    const auto& arguments = step.statement->arguments;
    Lanes able = lanes, alike = 0;
    std::vector<uint64_t> sources;
    for (size_t a = 1; a < arguments.size(); ++a)
        if (arguments[a].kind == Argument::Kind::reg) able &= warp.registers.known(static_cast<size_t>(arguments[a].reg));
    const auto write_parts = [&](Lanes of) {
        for (const uint32_t lane : each(of)) write(warp, lane, arguments[0], compute_in_part(warp, lane, step));
    };
    if (able != lanes && !warp.registers.has_parts() && !may_leave_out(step))
        write_alike(warp, lanes & ~able, arguments[0], {});
    else
        write_parts(lanes & ~able);
    const auto compute_alike = [&] {
        if (alike == 0) return;
        if (const auto doubt = operands(warp, *each(alike).begin(), step, sources))
            evaluate(warp, alike, step, sources, *doubt);
        else
            write_parts(alike);
    };
    for (const uint32_t lane : each(able)) {
        const bool joins = alike != 0 && !step.reads_carry && !step.writes_carry &&
                           std::all_of(arguments.begin() + 1, arguments.end(),
                                       [&](const Argument& argument) { return reads_alike(warp, argument, *each(alike).begin(), lane); });
        if (!joins) {
            compute_alike();
            alike = 0;
        }
        alike |= Lanes{1} << lane;
    }
    compute_alike();
}

// A result of operands that are not computed, or in part. Those of its bits are known that come out alike whether all missing bits are
// zeros or ones. That is enough for operations each of whose bits depends on one bit of such an operand (kernel/mnemonic.h).
std::vector<Value> Machine::compute_in_part(const Warp& warp, uint32_t lane, const Step& step) {
    const auto& words = step.statement->words;
    const auto& arguments = step.statement->arguments;
    const size_t by_bits = kernel::row(step.named.mnemonic).by_bits;
    if (by_bits == 0 || (step.name() == "cvt" && !is_of_integers(words))) return {};
    if (arguments[0].kind == Argument::Kind::vector && arguments.at(1).kind == Argument::Kind::vector) return {};  // 128 bits
    std::vector<Value> given;
    std::vector<uint64_t> missing;
    bool some = false;
    Doubt doubt = 0;
    for (size_t a = 1; a < arguments.size(); ++a) {
        const Value& value = given.emplace_back(read(warp, lane, arguments[a]));
        if (!value && a > by_bits) return {};
        some = some || (!value && (value.known() != 0 || may_leave_out(step)));
        missing.push_back(truncate(~value.known(), width_of(arguments[a])));
        doubt = doubts_.join(doubt, value.doubt);
    }
    if (!some) return {};
    std::vector<uint64_t> first, alike;  // by result: what came out first, and its bits that came out so each time
    for (size_t ones = 0; ones < size_t{1} << std::min(by_bits, given.size()); ++ones) {
        std::vector<uint64_t> sources;
        for (size_t g = 0; g < given.size(); ++g) sources.push_back(given[g].bits() | ((ones >> g & 1) != 0 ? missing[g] : 0));
        bool carry = false;
        const auto results = results_of(step, sources, carry);
        if (!results) return {};
        if (first.empty()) {
            first = *results;
            alike.assign(first.size(), ~uint64_t{0});
        }
        for (size_t r = 0; r < first.size(); ++r) alike[r] &= ~(first[r] ^ (*results)[r]);
    }
    std::vector<Value> found;
    for (size_t r = 0; r < first.size(); ++r) found.emplace_back(Value::in_part(first[r], alike[r])).doubt = doubt;
    return found;
}

// What a lane computes from, and what it doubts of that; none: something of it is not computed.
std::optional<Doubt> Machine::operands(const Warp& warp, uint32_t lane, const Step& step, std::vector<uint64_t>& sources) {
    const auto& arguments = step.statement->arguments;
    sources.clear();
    Doubt doubt = step.reads_carry ? warp.registers.doubt(warp.registers.count() - 1, lane) : 0;
    for (size_t a = 1; a < arguments.size(); ++a) {
        const bool packs = step.name() == "mov" && arguments[0].kind != Argument::Kind::vector;
        const bool spread = arguments[a].kind == Argument::Kind::vector && !packs;
        for (const Argument& each : spread ? std::span(arguments[a].elements) : std::span(&arguments[a], 1)) {
            const Value value = read(warp, lane, each);
            if (!value) return std::nullopt;
            sources.push_back(*value);
            doubt = doubts_.join(doubt, value.doubt);
        }
    }
    return doubt;
}

void Machine::evaluate(Warp& warp, Lanes lanes, const Step& step, const std::vector<uint64_t>& sources, Doubt doubt) {
    const Argument& to = step.statement->arguments[0];
    const size_t carry = warp.registers.count() - 1;
    bool cc = (warp.registers.known(carry) & lanes) != 0 && warp.registers.bits(carry, *each(lanes).begin()) != 0;
    auto found = results_of(step, sources, cc);
    if (!found) {
        found = kernel::fold_approximately(step.statement->words, sources);
        doubt = doubts_.join(doubt, decisions_.doubt_of(step));
    }
    std::vector<Value> results;
    if (found) results.assign(found->begin(), found->end());
    for (Value& result : results) result.doubt = doubt;
    write_alike(warp, lanes, to, results);
    if (!step.writes_carry) return;
    Value flag = cc ? 1 : 0;
    flag.doubt = doubt;
    write_register(warp, lanes, static_cast<int>(carry), flag);
}

void Machine::convert_address(Warp& warp, Lanes lanes, const Step& step) {
    const auto& arguments = step.statement->arguments;
    const bool maps = step.converts.gives == kernel::AddressConversion::Gives::of_rank;
    for (const uint32_t lane : each(lanes)) {
        const Value given = read(warp, lane, arguments.at(1));
        Value result;
        if (given) {
            const uint64_t rank = maps ? need(warp, lane, step, arguments.at(2), "a rank in a cluster") : task_.geometry.rank(warp.block);
            result = step.converts.of(*given, rank);
        }
        result.doubt = given.doubt;
        write(warp, lane, arguments[0], std::vector<Value>{result});
    }
}

// What the lanes of a warp bring to each other (ISA 9.7.9.6, 9.7.13.8 to 9.7.13.14).
// Where not all lanes of the warp take part, the source lane decides whether the value is defined (9.7.9.6).
void Machine::decide_source(const Warp& warp, uint32_t lane, const Value& source, const Value& clamp) {
    const Step& step = step_of(warp, lane);
    decisions_.decide(doubts_.join(source.doubt, clamp.doubt), step);
    if (source && clamp) return;
    decisions_.guess(task_.number_of(step), {});
    decisions_.decide(decisions_.doubt_of(step), step);
}

void Machine::exchange(Warp& warp, Lanes lanes, const Step& step) {
    const auto argument = [&](uint32_t lane, size_t n) -> const kernel::Argument& {  // each lane has its own, where they stand apart
        return step_of(warp, lane).statement->arguments.at(n);
    };
    const std::string_view name = step.name();
    std::array<Value, warp_size> given{};
    if (step.statement->arguments.size() > 1)
        for (const uint32_t lane : each(lanes)) given[lane] = read(warp, lane, argument(lane, 1));
    std::array<std::array<Value, 2>, warp_size> results;
    Doubt any = 0;
    std::vector<uint64_t> values;
    Lanes ballot = 0;
    for (const uint32_t lane : each(lanes)) {
        any = doubts_.join(any, given[lane].doubt);
        if (!given[lane]) continue;
        values.push_back(*given[lane]);
        if (*given[lane] != 0) ballot |= Lanes{1} << lane;
    }
    const bool whole = values.size() == static_cast<size_t>(std::popcount(lanes));
    for (const uint32_t lane : each(lanes)) {
        Value result;
        Value second;
        if (name == "shfl") {
            const Value b = read(warp, lane, argument(lane, 2)), c = read(warp, lane, argument(lane, 3));
            if (lanes != all_lanes) decide_source(warp, lane, b, c);
            if (b && c) {
                const auto bval = static_cast<uint32_t>(*b & 31), cval = static_cast<uint32_t>(*c & 31),
                           mask = static_cast<uint32_t>(*c >> 8 & 31);
                const uint32_t most = (lane & mask) | (cval & ~mask & 31), least = lane & mask;
                int64_t from = lane;
                bool valid = true;
                if (step.has("up")) {
                    from = static_cast<int64_t>(lane) - bval;
                    valid = from >= static_cast<int64_t>(most);
                } else {
                    from = step.has("down") ? lane + bval : step.has("bfly") ? lane ^ bval : least | (bval & ~mask & 31);
                    valid = from <= static_cast<int64_t>(most);
                }
                if (!valid) from = lane;
                if ((lanes >> from & 1) == 0)
                    account_.find(Breach::absent_lane, {std::to_string(from), citation({}, *step.form)},
                                  {place(thread(warp, lane), step_of(warp, lane))});
                result = (lanes >> from & 1) != 0 ? given[static_cast<size_t>(from)] : std::nullopt;
                second = valid ? 1 : 0;
                second.doubt = doubts_.join(b.doubt, c.doubt);
                result.doubt = doubts_.join(result.doubt, second.doubt);
            }
        } else if (name == "elect") {
            const uint32_t leader = elections_.elected(lanes);
            swept_.elects = swept_.elects || !std::has_single_bit(lanes);
            for (const uint32_t lane : each(lanes)) warp.elected_among[lane] = lane == leader ? lanes : 0;
            result = uint64_t{leader};
            result.doubt = std::has_single_bit(lanes) ? 0 : decisions_.doubt_of(step);
            second = leader == lane ? 1 : 0;
        } else {
            if (whole && name == "vote") {
                if (step.has("ballot")) result = ballot;
                if (step.has("all")) result = ballot == lanes ? 1 : 0;
                if (step.has("any")) result = ballot != 0 ? 1 : 0;
                if (step.has("uni")) result = ballot == lanes || ballot == 0 ? 1 : 0;
            } else if (whole && name == "match") {
                Lanes same = 0;
                for (const uint32_t other : each(lanes))
                    if (*given[other] == *given[lane]) same |= Lanes{1} << other;
                const bool all = same == lanes;
                result = step.has("any") ? same : all ? lanes : 0;
                second = all ? 1 : 0;
            } else if (whole && name == "redux") {
                result = redux(operation(*step.form), step.type, step.has("abs"), step.has("NaN"), values);
            }
            result.doubt = second.doubt = any;
        }
        results[lane] = {result, second};
    }
    const bool names = observer_.exchange() && observer_.exchange()->is_of_threads();
    for (const uint32_t lane : each(lanes)) {
        for (Value& result : results[lane])
            if (names) result.doubt = doubts_.join(result.doubt, names_block);
        write(warp, lane, argument(lane, 0), results[lane]);
    }
}

}  // namespace litmus::sweep
