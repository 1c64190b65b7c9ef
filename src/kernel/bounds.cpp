// One walk over all touches to find the mbarrier objects, and one to check.
#include "kernel/bounds.h"

#include <algorithm>
#include <map>
#include <set>

#include "kernel/roles.h"

namespace litmus::kernel {

namespace {

using Instance = std::pair<size_t, int>;  // an object, and the block in whose shared memory it lies

class BoundsChecker {
public:
    BoundsChecker(const Module& module, const Traces& traces, const Memory& memory) : module_(module), traces_(traces), memory_(memory) {
        each([this](const Trace&, size_t, const Touch& touch) {
            if (touch.mbarrier) mbarriers_[{touch.object, touch.block}].insert(touch.offset);
        });
        each([this](const Trace& trace, size_t i, const Touch& touch) { check(trace, i, touch); });
    }

private:
    template <typename Visit>
    void each(Visit visit) const {
        for (const Trace& trace : traces_.threads)
            for (size_t i = 0; i < trace.body.size(); ++i)
                for (const Touch& touch : memory_.touches(trace.body[i], trace.seat)) visit(trace, i, touch);
    }

    // Of what a copy reads as many bytes as it says, and fills the others with zeros (cp.async, ISA 9.7.9.25.3.1).
    static uint64_t bytes(const Instruction& instruction, const Touch& touch) {
        const Operand* size = instruction.find(Role::source_size);
        const bool less = touch.role == Role::copy_from && size && size->kind == Operand::Kind::immediate;
        return less ? std::min(touch.bytes, size->value) : touch.bytes;
    }

    void check(const Trace& trace, size_t i, const Touch& touch) const {
        const Object& object = memory_.object(touch.object);
        const uint64_t end = touch.offset + bytes(trace.body[i], touch);
        if (end > object.bytes.size())
            fail(trace, i,
                 "accesses " + std::to_string(end - object.bytes.size()) + " bytes past the end of `" + object.name + "`, which has " +
                     std::to_string(object.bytes.size()),
                 "arguments that are too small lead outside of arrays; so does a size in elements where bytes are meant");
        const auto here = mbarriers_.find({touch.object, touch.block});
        if (touch.mbarrier || here == mbarriers_.end()) return;
        constexpr uint64_t size = 8;
        const auto first = here->second.lower_bound(touch.offset < size ? 0 : touch.offset - size + 1);
        if (first != here->second.end() && *first < end)
            fail(trace, i,
                 std::string(touch.writes ? "writes" : "reads") + " bytes " + std::to_string(touch.offset) + " to " +
                     std::to_string(end - 1) + " of `" + object.name + "`, and at byte " + std::to_string(*first) +
                     " lies an mbarrier object: only mbarrier operations may touch it (ISA 9.7.13.15.1)",
                 "it is too long, or its address is wrong");
    }

    [[noreturn]] void fail(const Trace& trace, size_t i, const std::string& what, const std::string& hint) const {
        const std::string line = text_of(module_, shown_line(module_, trace.origins[i]));
        throw Failure(module_.source, statement_span(module_, trace.statements[i]),
                      thread_name(traces_, trace.seat) + (line.empty() ? "" : " (" + line + ")") + " " + what, hint);
    }

    const Module& module_;
    const Traces& traces_;
    const Memory& memory_;
    std::map<Instance, std::set<uint64_t>> mbarriers_;  // to their offsets
};

}  // namespace

void check_bounds(const Module& module, const Traces& traces, const Memory& memory) {
    const BoundsChecker checked(module, traces, memory);
}

}  // namespace litmus::kernel
