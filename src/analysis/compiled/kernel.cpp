// Statements to lines of the PTX, lines to code.
#include "analysis/compiled/kernel.h"

#include <algorithm>
#include <map>
#include <stdexcept>

#include "gpu/emit/thread_text.h"
#include "language/origin.h"
#include "language/syntax/native/print.h"
#include "sass/cubin.h"

namespace litmus::compiled {

namespace {

using Marks = std::vector<gpu::PtxText::Mark>;

const kernel::Function& entry_of(const kernel::Module& module, const std::string& name) {
    const auto found = std::find_if(module.functions.begin(), module.functions.end(),
                                    [&](const kernel::Function& f) { return f.entry && f.name == name; });
    if (found == module.functions.end()) throw std::logic_error("a test of a kernel that the module has not");
    return *found;
}

// The statement that begins at this byte of the PTX; null: it is in another function.
const kernel::Statement* statement_of(const kernel::Function& function, size_t begin) {
    const auto found =
        std::find_if(function.code.begin(), function.code.end(), [&](const kernel::Statement& s) { return s.span.begin == begin; });
    return found == function.code.end() ? nullptr : &*found;
}

// Why the code of an instruction is not looked at; empty: it is.
std::string why_left_out(const kernel::Statement* statement, size_t turns) {
    if (statement && (statement->words[0] == "ldmatrix" || statement->words[0] == "stmatrix"))
        return "which stands for a row of `" + statement->words[0] + "`";  // an access of another kind in the code
    if (turns > 1) return "which is executed several times";
    return statement ? "" : "which is in a function that the kernel calls";
}

// The instructions of a thread, with their statements, whose code is looked at.
Marks marks_of(const kernel::Module& module, const kernel::Function& entry, const Test& test, size_t thread,
               const std::vector<size_t>& statements, std::vector<std::string>& left_out) {
    const std::vector<Instruction>& body = test.threads[thread].body;
    std::map<size_t, size_t> turns;
    for (size_t i = 0; i < body.size(); ++i)
        if (gpu::has_place(body[i].op)) ++turns[statements[i]];
    Marks marks;
    for (size_t i = 0; i < body.size(); ++i) {
        if (!gpu::has_place(body[i].op)) continue;
        const std::string why = why_left_out(statement_of(entry, statements[i]), turns[statements[i]]);
        if (why.empty()) {
            marks.push_back({thread, i, static_cast<uint32_t>(position(*module.source, static_cast<uint32_t>(statements[i])).line)});
            continue;
        }
        const std::string place = short_text(origin_of(test, body[i]));
        const std::string line = "`" + print(body[i]) + "`" + (place.empty() ? "" : " (" + place + ")") + ", " + why;
        if (std::find(left_out.begin(), left_out.end(), line) == left_out.end()) left_out.push_back(line);
    }
    return marks;
}

}  // namespace

KernelCode assemble_kernel(const kernel::Module& module, const std::string& entry, const Test& test,
                           const std::vector<std::vector<size_t>>& statements, const Settings& settings) {
    KernelCode code;
    std::vector<Marks> marks;
    const kernel::Function& function = entry_of(module, entry);
    for (size_t t = 0; t < test.threads.size(); ++t) marks.push_back(marks_of(module, function, test, t, statements[t], code.left_out));
    for (const sass::Assembler& assembler : settings.assemblers)
        for (const int level : settings.levels) {
            Assembled one{{assembler.name, level, module.target, "kernel"}, {}, {}};
            try {
                const sass::Cubin cubin = sass::read_cubin(sass::assemble(assembler, module.source->text, module.target, level));
                const sass::Function& assembled = sass::function_named(cubin, function.name);
                for (size_t t = 0; t < marks.size(); ++t) one.codes.push_back(read_thread(test, t, marks[t], cubin, assembled));
            } catch (const std::runtime_error& error) {
                one.refused = error.what();
                one.codes.clear();
            }
            code.assembled.push_back(std::move(one));
        }
    return code;
}

}  // namespace litmus::compiled
