// Why a value is not computed: where it comes from, asked at the moment at which something needs it.
//
// Registers say which of them a lane has never written, and which hold something that is not computed. The way begins at the register that
// is asked for, and goes back along the text. The nearest instruction that writes the register has a source that is not computed, either,
// and the way goes on there. A shuffle leads to the lane that it takes from. The way ends at a register that a lane has never written, or
// at an instruction whose result nobody computes. It is a way of the text, and not what was executed: in a loop it may miss the last turn,
// and then it ends early.
#include <algorithm>
#include <set>

#include "sweep/findings.h"
#include "sweep/machine.h"

namespace litmus::sweep {

using kernel::Argument;

namespace {

constexpr size_t most_steps_on_the_way = 256;  // of the way

// Step::reads and Step::writes are there for few kernels (code.h).
void registers_in(const Argument& argument, std::vector<size_t>& found) {
    if (argument.kind == Argument::Kind::reg && argument.reg >= 0) found.push_back(static_cast<size_t>(argument.reg));
    for (const Argument& element : argument.elements) registers_in(element, found);
}

std::vector<size_t> registers_of(const Step& step, bool written) {
    std::vector<size_t> found;
    const auto& arguments = step.statement->arguments;
    for (size_t a = 0; a < arguments.size(); ++a)
        if ((a == 0 && step.writes_first) == written) registers_in(arguments[a], found);
    return found;
}

bool writes(const Step& step, size_t reg) {
    const std::vector<size_t> written = registers_of(step, true);
    return std::find(written.begin(), written.end(), reg) != written.end();
}

}  // namespace

const Step* Machine::writer_before(size_t statement, size_t reg) const {
    for (size_t at = statement; at-- > 0;)
        if (writes(task_.code[at], reg)) return &task_.code[at];
    for (size_t at = task_.code.size(); at-- > statement;)
        if (writes(task_.code[at], reg)) return &task_.code[at];
    return nullptr;
}

// The register of a lane that a result of the step in this lane comes from, where that is not computed.
std::optional<Machine::Unknown> Machine::unknown_source(const Warp& warp, const Unknown& of, const Step& step) {
    const auto is_open = [&](size_t reg, uint32_t lane) { return reg < warp.registers.count() && !warp.registers.is_known(reg, lane); };
    if (step.name() == "shfl" && step.has("idx")) {
        const auto& arguments = step.statement->arguments;
        const Value lane = read(warp, of.lane, arguments.at(2)), clamp = read(warp, of.lane, arguments.at(3));
        if (lane && clamp && (*clamp >> 8 & 31) == 0 && arguments[1].kind == Argument::Kind::reg) {
            const auto from = static_cast<uint32_t>(std::min(*lane & 31, *clamp & 31));
            const auto reg = static_cast<size_t>(arguments[1].reg);
            if (is_open(reg, from)) return Unknown{reg, from};
        }
    }
    for (const size_t reg : registers_of(step, false))
        if (is_open(reg, of.lane)) return Unknown{reg, of.lane};
    return std::nullopt;
}

// "lane 0 has never written `%r2`, others have (k.cu:7)"
std::string Machine::never_written(const Warp& warp, const Unknown& unknown, const Step* writer) const {
    const std::string name = "`" + task_.linked->code.registers.at(unknown.reg).name + "`";
    if (writer == nullptr) return "no instruction writes " + name;
    const std::string line = " (" + some_line(task_.module, *writer->statement) + ")";
    const std::string lacks = "lane " + std::to_string(unknown.lane) + " has never written " + name;
    const Lanes others = warp.registers.written(unknown.reg);
    if (others == 0) return lacks + line;
    const uint32_t other = *each(others).begin();
    const bool is_elected = std::has_single_bit(others) && (warp.elected_among[other] >> unknown.lane & 1) != 0;
    if (!is_elected) return lacks + ", others have" + line;
    return lacks + ", and lane " + std::to_string(other) + " has" + line +
           ", as the one that `elect.sync` has elected; it may elect any (ISA 9.7.13.14)";
}

Machine::Cause Machine::why_not_computed(const Warp& warp, uint32_t lane, const Argument& argument, const Step& step) {
    if (argument.kind != Argument::Kind::reg || argument.reg < 0) return {};
    Unknown unknown{static_cast<size_t>(argument.reg), lane};
    std::set<std::pair<size_t, uint32_t>> passed;
    for (size_t statement = task_.number_of(step); passed.size() < most_steps_on_the_way;) {
        if (!passed.emplace(unknown.reg, unknown.lane).second) return {};
        const Step* const writer = writer_before(statement, unknown.reg);
        if ((warp.registers.written(unknown.reg) >> unknown.lane & 1) == 0) return {{}, never_written(warp, unknown, writer)};
        if (writer == nullptr) return {};
        const auto source = unknown_source(warp, unknown, *writer);
        if (!source)
            return {"`" + kernel::dotted(writer->statement->words) + "` gives (" + some_line(task_.module, *writer->statement) + ")", {}};
        unknown = *source;
        statement = task_.number_of(*writer);
    }
    return {};
}

}  // namespace litmus::sweep
