// Functions are taken as their calls are met; where one is called through a pointer, all are.
#include "sweep/link.h"

#include <algorithm>
#include <map>

namespace litmus::sweep {

using kernel::Argument;
using kernel::Function;
using kernel::Statement;

namespace {

class Linker {
public:
    Linker(const kernel::Module& module, const kernel::MemoryLayout& layout) : module_(module), layout_(layout) {}

    Linked run(const Function& entry) {
        place_of(entry);
        for (size_t c = 0; c < linked_.callees.size(); ++c) append(c);
        return std::move(linked_);
    }

private:
    // The place of a function among the callees, a new one where it has none.
    size_t place_of(const Function& function) {
        for (size_t c = 0; c < linked_.callees.size(); ++c)
            if (linked_.callees[c].function == &function) return c;
        linked_.callees.push_back({&function, 0, {}, {}});
        return linked_.callees.size() - 1;
    }

    static std::string label(size_t callee, const std::string& name) { return std::to_string(callee) + ":" + name; }

    // A variable of the module is one for all functions; what a function has of its own lies in a frame of its own.
    std::optional<uint64_t> address(size_t callee, const std::string& name) const {
        const bool is_shared_by_all =
            std::any_of(module_.variables.begin(), module_.variables.end(), [&](const auto& v) { return v.name == name; });
        return layout_.address(*linked_.callees[callee].function, is_shared_by_all ? 0 : callee, name);
    }

    void append(size_t c) {
        const Function& function = *linked_.callees[c].function;
        Function& code = linked_.code;
        const size_t first = code.code.size();
        const int first_register = static_cast<int>(code.registers.size());
        code.registers.insert(code.registers.end(), function.registers.begin(), function.registers.end());
        for (size_t r = static_cast<size_t>(first_register); r < static_cast<size_t>(first_register) + function.registers.size(); ++r) {
            if (code.registers[r].type != "b128") continue;
            code.registers[r].type = "b64";
            upper_[static_cast<int>(r)] = static_cast<int>(code.registers.size());
            code.registers.push_back(code.registers[r]);
        }
        for (const auto& [name, at] : function.labels) code.labels[label(c, name)] = first + at;
        for (const auto& [name, labels] : function.targets)
            for (const std::string& target : labels) code.targets[label(c, name)].push_back(label(c, target));
        for (const Statement& statement : function.code) {
            Statement& copy = code.code.emplace_back(statement);
            linked_.originals.push_back(&statement);
            if (copy.guard >= 0) copy.guard += first_register;
            if (copy.words[0] == "call") resolve_call(copy);
            for (Argument& argument : copy.arguments) resolve(c, first_register, argument, copy.words[0] == "call");
        }
        Statement& end = code.code.emplace_back();
        linked_.originals.push_back(nullptr);
        end.words = {"ret"};
        end.span = function.span;
        Callee& callee = linked_.callees[c];  // resolve_call may have moved it
        callee.first = first;
        if (function.entry) return;
        for (const auto& [from, to] : {std::pair(&function.parameters, &callee.parameters), std::pair(&function.results, &callee.results)})
            for (const kernel::Parameter& one : *from) to->push_back({address(c, one.name).value() - kernel::window::local, one.bytes});
    }

    void resolve(size_t c, int first_register, Argument& argument, bool of_call) {
        if (argument.kind == Argument::Kind::reg && argument.reg >= 0) argument.reg += first_register;
        if (const auto upper = upper_.find(argument.reg); argument.kind == Argument::Kind::reg && upper != upper_.end()) {
            Argument both;
            both.kind = Argument::Kind::vector;
            both.span = argument.span;
            both.elements = {argument, argument};
            both.elements[1].reg = upper->second;
            argument = std::move(both);
            return;
        }
        if (argument.kind == Argument::Kind::label && !of_call) argument.name = label(c, argument.name);
        if (argument.kind == Argument::Kind::symbol) {
            if (const auto found = address(c, argument.name)) {
                argument.bits = *found + static_cast<uint64_t>(argument.offset) - (of_call ? kernel::window::local : 0);
                if (!of_call && *found >= kernel::window::code) argument.kind = Argument::Kind::immediate;
            }
        }
        for (Argument& element : argument.elements) resolve(c, first_register, element, of_call);
    }

    // Which function is called: through a pointer it may be any.
    void resolve_call(Statement& call) {
        for (Argument& argument : call.arguments) {
            if (argument.kind == Argument::Kind::list) continue;
            const bool named = argument.kind == Argument::Kind::label;
            argument.bits = outside;
            for (const Function& function : module_.functions)
                if (function.body && !function.entry && (!named || function.name == argument.name)) argument.bits = place_of(function);
            return;  // what follows is a prototype
        }
    }

    const kernel::Module& module_;
    const kernel::MemoryLayout& layout_;
    Linked linked_;
    std::map<int, int> upper_;  // by register of 128 bits, which holds the lower half: that of the upper half
};

}  // namespace

Linked link(const kernel::Module& module, const Function& entry, const kernel::MemoryLayout& layout) {
    return Linker(module, layout).run(entry);
}

}  // namespace litmus::sweep
