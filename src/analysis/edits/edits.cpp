// The parts of the list, one after the other.
#include "analysis/edits/edits.h"

#include <algorithm>

#include "analysis/edits/catalogue.h"
#include "ptx/traits.h"

namespace litmus {

EditList edits_of(const Test& test, const Catalogue& catalogue) {
    EditList list{test, catalogue};
    add_fences(list);
    add_respellings(list);
    add_waits(list);
    add_uses(list);
    add_asynchronous(list);
    add_control(list);
    add_counts(list);
    add_moves(list);
    add_barriers(list);
    list.edits = joined_by_line(test, std::move(list.edits));
    return list;
}

std::string as_code(const std::string& text) {
    return "`" + text + "`";
}

bool on_tensor_memory(const Instruction& instruction) {
    return kind(instruction.op) == Traits::Kind::tcgen || kind(instruction.op) == Traits::Kind::tcgen_life;
}

std::string source_text(const Test& test, Span span) {
    return test.source->text.substr(span.begin, span.end - span.begin);
}

std::string fresh_name(const Test& test, const std::string& wish) {
    const auto taken = [&](const std::string& name) {
        if (find_location(test, name) != nullptr) return true;
        for (const Thread& thread : test.threads)
            for (const Instruction& instruction : thread.body) {
                const std::vector<std::string> written = written_registers(instruction);
                if (std::count(written.begin(), written.end(), name) > 0) return true;
            }
        return false;
    };
    std::string name = wish;
    for (int n = 1; taken(name); ++n) name = wish + std::to_string(n);
    return name;
}

}  // namespace litmus
