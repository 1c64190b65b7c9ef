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

Marks marks_of(const kernel::Module& module, const kernel::Written& written, size_t thread, std::vector<std::string>& left_out) {
    const kernel::Function& entry = entry_of(module, written.test.name);
    const std::vector<Instruction>& body = written.test.threads[thread].body;
    std::map<size_t, size_t> turns;
    for (const std::optional<size_t>& statement : written.statements[thread])
        if (statement) ++turns[*statement];
    Marks marks;
    for (size_t i = 0; i < body.size(); ++i) {
        const std::optional<size_t> statement = written.statements[thread][i];
        if (!gpu::has_place(body[i].op) || !statement) continue;
        const std::string why = why_left_out(statement_of(entry, *statement), turns[*statement]);
        if (why.empty()) {
            marks.push_back({thread, i, static_cast<uint32_t>(position(*module.source, static_cast<uint32_t>(*statement)).line)});
            continue;
        }
        const std::string place = short_text(origin_of(written.test, body[i]));
        const std::string line = "`" + print(body[i]) + "`" + (place.empty() ? "" : " (" + place + ")") + ", " + why;
        if (std::find(left_out.begin(), left_out.end(), line) == left_out.end()) left_out.push_back(line);
    }
    return marks;
}

}  // namespace

KernelCode assemble_kernel(const kernel::Module& module, const kernel::Written& written, const Settings& settings) {
    KernelCode code;
    std::vector<Marks> marks;
    for (size_t t = 0; t < written.test.threads.size(); ++t) marks.push_back(marks_of(module, written, t, code.left_out));
    for (const sass::Assembler& assembler : settings.assemblers)
        for (const int level : settings.levels) {
            Assembled one{{assembler.name, level, module.target, "kernel"}, {}, {}};
            try {
                const sass::Cubin cubin = sass::read_cubin(sass::assemble(assembler, module.source->text, module.target, level));
                const sass::Function& function = sass::function_named(cubin, written.test.name);
                for (size_t t = 0; t < marks.size(); ++t) one.codes.push_back(read_thread(written.test, t, marks[t], cubin, function));
            } catch (const std::runtime_error& error) {
                one.refused = error.what();
                one.codes.clear();
            }
            code.assembled.push_back(std::move(one));
        }
    return code;
}

}  // namespace litmus::compiled
