// A PTX file from its first line to its last (see module.h): what stands outside of functions, and the headers of functions.
#include "kernel/module.h"

#include <limits>
#include <utility>

#include "kernel/parameters.h"
#include "kernel/read/body.h"
#include "kernel/read/diagnostics.h"
#include "kernel/read/lexer.h"
#include "kernel/read/not_ptx.h"
#include "kernel/read/variable.h"

namespace litmus::kernel {
namespace {

constexpr uint64_t most_number = std::numeric_limits<int>::max();

class ModuleReader {
public:
    ModuleReader(const SourcePtr& source, const Budget& budget) : cursor_(source, budget) { module_.source = source; }

    Module read() {
        try {
            if (diagnostics_.attempt([&] { version(); }))
                while (!at_end()) {
                    if (!diagnostics_.attempt([&] { directive(); })) recover();
                }
        } catch (const Diagnostics::TooMany&) {
        }
        diagnostics_.finish();
        return std::move(module_);
    }

private:
    bool at_end() {
        bool end = false;
        while (!diagnostics_.attempt([&] { end = cursor_.peek().kind == PtxToken::Kind::end; })) continue;
        return end;
    }

    // Behind a declaration or function that could not be read.
    void recover() {
        for (size_t depth = 0;;) {
            try {
                const PtxToken token = cursor_.take();
                if (token.kind == PtxToken::Kind::end) return;
                if (token.is("{")) ++depth;
                if (token.is("}") && (depth == 0 || --depth == 0)) return;
                if (token.is(";") && depth == 0) return;
            } catch (const Failure&) {
                continue;  // what is no token is left out
            }
        }
    }

    // `.version 9.0` (11.1.1)
    void version() {
        cursor_.expect(".version", "at the beginning of the file");
        const PtxToken number = cursor_.expect(PtxToken::Kind::number, "a version as 9.0");
        const std::string_view text = number.text;
        const bool good = text.size() == 3 && text[1] == '.' && text[0] >= '1' && text[0] <= '9' && text[2] >= '0' && text[2] <= '9';
        if (!good) cursor_.fail(number.span, "this is no version of PTX", "as 9.0");
        module_.ptx = (text[0] - '0') * 10 + (text[2] - '0');
    }

    void directive() {
        const PtxToken token = cursor_.peek();
        if (token.is(".target")) return target();
        if (token.is(".file")) return file();
        if (token.is(".section")) return skip_section(cursor_);
        if (token.is(".address_size")) {
            cursor_.take();
            const PtxToken size = cursor_.expect(PtxToken::Kind::number, "64");
            if (size.text != "64") cursor_.fail(size.span, "addresses have 64 bits", "compile for 64 bits (`nvcc -m64`)");
            return;
        }
        if (token.is(".pragma") || token.is(".alias")) {  // neither changes what a kernel does but for a name that is called
            if (token.is(".alias")) cursor_.fail(token.span, "aliases of functions are not read", "call the function by its own name");
            while (!cursor_.at(";") && cursor_.peek().kind != PtxToken::Kind::end) cursor_.take();
            cursor_.expect(";", "after the pragma");
            return;
        }
        if (cursor_.accept(";")) return;
        bool external = false;
        while (cursor_.at(".visible") || cursor_.at(".extern") || cursor_.at(".weak") || cursor_.at(".common"))
            external |= cursor_.take().is(".extern");
        if (cursor_.at(".entry") || cursor_.at(".func")) return function();
        if (is_space(cursor_.peek()) && !cursor_.at(".param")) return variables(external);
        cursor_.fail_expected("a declaration of a variable or a function");
    }

    // `.target sm_90a, texmode_independent` (11.1.2)
    void target() {
        cursor_.take();
        const PtxToken name = cursor_.expect(PtxToken::Kind::word, "an architecture as sm_90a");
        if (module_.target.empty()) module_.target = name.text;
        while (cursor_.accept(",")) cursor_.expect(PtxToken::Kind::word, "a part of the target");
    }

    // `.file 1 "k.cu", 1700000000, 1234`
    void file() {
        cursor_.take();
        const auto number = static_cast<int>(read_number(cursor_, "the number of a file", most_number));
        const PtxToken name = cursor_.expect(PtxToken::Kind::string, "the name of the file in quotes");
        module_.files[number] = name.text.substr(1, name.text.size() - 2);
        while (cursor_.accept(",")) read_number(cursor_, "a number", std::numeric_limits<uint64_t>::max());
    }

    void variables(bool external) {
        const Declare declare = [&](const PtxToken& name) {
            const auto announced = announced_.find(name.text);
            if (!globals_.emplace(name.text, name.span).second && announced == announced_.end())
                cursor_.fail(name.span, "this name is declared twice");
            return std::string(name.text);
        };
        const FindSymbol find = [&](std::string_view name) {
            return globals_.count(name) != 0 ? std::optional<std::string>(name) : std::nullopt;
        };
        for (Variable& variable : read_variables(cursor_, declare, find)) {
            variable.external = external && variable.space != StateSpace::shared;
            keep(std::move(variable));
        }
    }

    // A definition takes the place of what announced it.
    void keep(Variable variable) {
        const std::string_view name = globals_.find(variable.name)->first;
        const auto announced = announced_.find(name);
        if (announced != announced_.end()) {
            module_.variables[announced->second] = variable;
            if (!variable.external) announced_.erase(announced);
            return;
        }
        if (variable.external) announced_.emplace(name, module_.variables.size());
        module_.variables.push_back(std::move(variable));
    }

    std::vector<Parameter> parameters() {
        std::vector<Parameter> result;
        cursor_.expect("(", "before the parameters");
        while (!cursor_.at(")")) {
            result.push_back(read_parameter(cursor_));
            if (!cursor_.accept(",")) break;
        }
        cursor_.expect(")", "after the parameters");
        return result;
    }

    // `.entry k (.param .u64 k_param_0) .reqntid 64, 1, 1 { ... }` (11.2.1, 11.2.2)
    void function() {
        Function result;
        result.entry = cursor_.take().is(".entry");
        while (cursor_.peek().kind == PtxToken::Kind::dotted) attribute(result);
        if (!result.entry && cursor_.at("(")) result.results = parameters();
        const PtxToken name = cursor_.expect(PtxToken::Kind::word, "the name of a function");
        result.name = name.text;
        result.span = name.span;
        globals_.emplace(name.text, name.span);
        if (cursor_.at("(")) result.parameters = parameters();
        if (result.entry) require_room(result);
        while (cursor_.peek().kind == PtxToken::Kind::dotted && !is_linkage(cursor_.peek())) attribute(result);
        result.body = cursor_.at("{");
        if (result.body)
            BodyReader(cursor_, diagnostics_, globals_, result, instructions_).read();
        else if (!cursor_.accept(";"))
            cursor_.fail_expected("`{` or `;` after the header of the function");
        keep(std::move(result));
    }

    // The parameters of a kernel have so many bytes together (11.2.1).
    void require_room(const Function& entry) const {
        const uint64_t most = module_.ptx >= 81 ? most_parameter_bytes : 4352;
        uint64_t end = 0;
        for (const Parameter& parameter : entry.parameters) end = begin_of(parameter, end) + parameter.bytes;
        if (end > most)
            cursor_.fail(entry.span, "the parameters of this kernel have " + std::to_string(end) + " bytes, and at most " +
                                         std::to_string(most) + " are possible (ISA 11.2.1)");
    }

    static bool is_linkage(const PtxToken& token) { return token.is(".visible") || token.is(".extern") || token.is(".weak"); }

    // A definition takes the place of its declaration.
    void keep(Function function) {
        const auto [place, is_new] = functions_.emplace(globals_.find(function.name)->first, module_.functions.size());
        if (is_new) {
            module_.functions.push_back(std::move(function));
            return;
        }
        Function& known = module_.functions[place->second];
        if (known.body && function.body) cursor_.fail(function.span, "this function is defined twice");
        if (function.body) known = std::move(function);
    }

    std::array<uint32_t, 3> three_numbers(const std::string& what) {
        std::array<uint32_t, 3> result{1, 1, 1};
        size_t place = 0;
        do {
            if (place == result.size()) cursor_.fail_expected("no more than three numbers");
            const Span span = cursor_.peek().span;
            result[place] = static_cast<uint32_t>(read_number(cursor_, what, most_number));
            if (result[place++] == 0) cursor_.fail(span, "expected " + what + " from 1 on");
        } while (cursor_.accept(","));
        return result;
    }

    // What a kernel asks of its launch (11.4).
    void attribute(Function& function) {
        const PtxToken token = cursor_.take();
        if (token.is(".noreturn") || token.is(".blocksareclusters")) return;
        if (token.is(".explicitcluster")) {
            function.explicit_cluster = true;
        } else if (token.is(".reqntid")) {
            function.block = three_numbers("a number of threads");
        } else if (token.is(".reqnctapercluster")) {
            function.cluster = three_numbers("a number of CTAs");
        } else if (token.is(".maxntid")) {
            function.most_block = three_numbers("a number of threads");
        } else if (token.is(".maxnreg") || token.is(".minnctapersm") || token.is(".maxnctapersm") || token.is(".maxclusterrank") ||
                   token.is(".abi_preserve") || token.is(".abi_preserve_control")) {
            read_number(cursor_, "a number", most_number);
        } else if (token.is(".pragma")) {
            cursor_.expect(PtxToken::Kind::string, "a pragma in quotes");
            cursor_.accept(";");
        } else if (token.is(".attribute")) {
            cursor_.expect("(", "after `.attribute`");
            size_t depth = 1;
            while (depth > 0) {
                const PtxToken part = cursor_.take();
                if (part.kind == PtxToken::Kind::end) cursor_.fail(token.span, "these attributes have no end");
                depth += part.is("(");
                depth -= part.is(")");
            }
        } else {
            cursor_.fail(token.span, "`" + std::string(token.text.substr(0, 80)) + "` is no attribute of a function that is known here");
        }
    }

    Cursor cursor_;
    Diagnostics diagnostics_;
    Module module_;
    Globals globals_;
    size_t instructions_ = 0;                                 // of the functions so far
    std::unordered_map<std::string_view, size_t> announced_;  // variables of other modules, so far
    std::unordered_map<std::string_view, size_t> functions_;
};

}  // namespace

Module read_module(const SourcePtr& source, const Budget& budget) {
    require_ptx(source);
    return ModuleReader(source, budget).read();
}

}  // namespace litmus::kernel
