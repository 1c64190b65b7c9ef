// Functions are taken as their calls are met; where one is called through a pointer, all are.
#include "kernel/link.h"

#include <map>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace litmus::kernel {

namespace {

class Linker {
public:
    Linker(const Module& module, const MemoryLayout& layout, const Budget& budget) : layout_(layout), budget_(budget) {
        for (const Variable& variable : module.variables) shared_by_all_.insert(variable.name);
        for (const Function& function : module.functions)
            if (function.body && !function.entry) callable_.emplace(function.name, &function);
    }

    Linked run(const Function& entry) {
        place_of(entry);
        for (size_t c = 0; c < linked_.callees.size(); ++c) append(c);
        return std::move(linked_);
    }

private:
    // The place of a function among the callees, a new one where it has none.
    size_t place_of(const Function& function) {
        const auto [known, is_new] = places_.emplace(&function, linked_.callees.size());
        if (is_new) linked_.callees.push_back({&function, 0, {}, {}});
        return known->second;
    }

    static std::string label(size_t callee, const std::string& name) { return std::to_string(callee) + ":" + name; }

    // A variable of the module is one for all functions; what a function has of its own lies in a frame of its own.
    std::optional<uint64_t> address(size_t callee, const std::string& name) const {
        return layout_.address(*linked_.callees[callee].function, shared_by_all_.contains(name) ? 0 : callee, name);
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
            if (code.code.size() % statements_to_check == 0) budget_.check();
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
            for (const Parameter& one : *from) to->push_back({address(c, one.name).value() - window::local, one.bytes});
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
                argument.bits = *found + static_cast<uint64_t>(argument.offset) - (of_call ? window::local : 0);
                if (!of_call && *found >= window::code) argument.kind = Argument::Kind::immediate;
            }
        }
        for (Argument& element : argument.elements) resolve(c, first_register, element, of_call);
    }

    // Which function is called: through a pointer it may be any.
    void resolve_call(Statement& call) {
        for (Argument& argument : call.arguments) {
            if (argument.kind == Argument::Kind::list) continue;
            argument.bits = outside;
            if (argument.kind == Argument::Kind::label) {
                if (const auto named = callable_.find(argument.name); named != callable_.end()) argument.bits = place_of(*named->second);
            } else if (!calls_any_) {
                calls_any_ = true;
                for (const auto& [name, function] : callable_) place_of(*function);
            }
            return;  // what follows is a prototype
        }
    }

    static constexpr size_t statements_to_check = 256;  // between two looks at the budget

    const MemoryLayout& layout_;
    const Budget& budget_;
    std::unordered_set<std::string_view> shared_by_all_;    // names of variables of the module
    std::map<std::string_view, const Function*> callable_;  // functions with code, by name
    std::unordered_map<const Function*, size_t> places_;    // of those that are called, among the callees
    bool calls_any_ = false;                                // through a pointer
    Linked linked_;
    std::map<int, int> upper_;  // by register of 128 bits, which holds the lower half: that of the upper half
};

}  // namespace

Linked link(const Module& module, const Function& entry, const MemoryLayout& layout, const Budget& budget) {
    return Linker(module, layout, budget).run(entry);
}

}  // namespace litmus::kernel
