// The table of effects (ptx/effects.h) says of an instruction what the builder makes of it, over the library, and for each form.
#include "ptx/effects.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <tuple>

#include "contents.h"
#include "event/program.h"
#include "language/syntax/read.h"
#include "ptx/table.h"

using namespace litmus;
namespace fs = std::filesystem;

namespace {

using Object = MemoryEffect::Object;

// "writes mbarrier through generic atomically later": what happens to which kind of object, through which proxy, how and when.
using Deed = std::string;
using Deeds = std::set<Deed>;

Deed deed(bool writes, Object object, Proxy proxy, bool atomic, bool asynchronous) {
    static const std::map<Object, std::string> names = {
        {Object::data, "data"}, {Object::mbarrier, "mbarrier"}, {Object::tensor_map, "map"}, {Object::tensor_memory, "tensor memory"}};
    return std::string(writes ? "writes " : "reads ") + names.at(object) + " through " + std::string(name(proxy)) +
           (atomic ? " atomically" : "") + (asynchronous ? " later" : "");
}

Deeds deeds_of(const std::vector<MemoryEffect>& effects) {
    Deeds deeds;
    for (const MemoryEffect& effect : effects) {
        if (effect.reads) deeds.insert(deed(false, effect.object, effect.proxy, effect.atomic, effect.asynchronous));
        if (effect.writes) deeds.insert(deed(true, effect.object, effect.proxy, effect.atomic, effect.asynchronous));
        CHECK(effect.atomic <= (effect.reads && effect.writes));
    }
    return deeds;
}

// Without what no test shows: a tensor map that is a constant is read without an event.
Deeds shown(Deeds deeds) {
    std::erase_if(deeds, [](const Deed& one) { return one.find("reads map through tensormap") == 0; });
    return deeds;
}

// The deeds of an instruction of this name, whatever its operands.
Deeds deeds_of(const Form& form, const std::vector<std::string>& words) {
    std::string dotted;
    for (const std::string& word : words) dotted += (dotted.empty() ? "" : ".") + word;
    const auto found = resolve(dotted);
    const Spelling& spelling = std::get<Spelling>(found);
    Instruction instruction;
    instruction.op = *form.op;
    instruction.row.form = &form;
    instruction.mnemonic = form.mnemonic;
    instruction.qualifiers = spelling.qualifiers;
    Deeds deeds;
    for (const Shape& shape : form.operands) deeds.merge(deeds_of(memory_effects(instruction, shape.role)));
    return deeds;
}

Object object_of(const Program& program, const Event& event) {
    const Cell& cell = program.cells[static_cast<size_t>(event.cell)];
    if (cell.is_mbarrier) return Object::mbarrier;
    if (cell.is_tensor_map) return Object::tensor_map;
    return program.test->locations[static_cast<size_t>(cell.location)].is_tensor ? Object::tensor_memory : Object::data;
}

// By thread and instruction.
std::map<std::pair<int, int>, Deeds> made_of(const Program& program) {
    std::map<std::pair<int, int>, Deeds> made;
    for (const Event& event : program.events)
        if (event.is_memory() && event.thread >= 0 && event.instruction >= 0)
            made[{event.thread, event.instruction}].insert(
                deed(event.is_write(), object_of(program, event), event.proxy, event.partner >= 0, event.asynchronous));
    return made;
}

// The tests of the library, and those of the page about the language.
std::vector<SourcePtr> sources() {
    const fs::path root = fs::path(LITMUS_SOURCE_DIR) / "litmus";
    std::vector<SourcePtr> found;
    for (const auto& entry : fs::recursive_directory_iterator(root))
        if (entry.path().extension() == ".litmus") found.push_back(make_source(entry.path(), contents(entry.path())));
    std::istringstream page(contents(root / "language.md"));
    std::string line, text;
    for (bool open = false; std::getline(page, line);) {
        if (line.rfind("```", 0) != 0) {
            if (open) text += line + "\n";
            continue;
        }
        if (open) found.push_back(make_source("language.md", text));
        text.clear();
        open = !open && line.rfind("```litmus", 0) == 0;
    }
    return found;
}

template <typename Visit>
void each_test(const Visit& visit) {
    for (const SourcePtr& source : sources()) {
        std::vector<Test> tests;
        try {
            tests = parse_tests(source);
        } catch (const Failure&) {
            continue;  // one that shows what is refused
        }
        for (const Test& test : tests) {
            try {
                visit(test, build_program(test, {}));
            } catch (const Failure&) {
            }
        }
    }
}

std::string text_of(const Deeds& deeds) {
    std::string text;
    for (const Deed& one : deeds) text += one + "; ";
    return text;
}

}  // namespace

// The memory of an operand alone: an instruction that reads it there, though another operand leads to memory that it reads, too.
TEST_CASE("what an instruction does at a location is an effect of the operand that names it") {
    using Done = std::set<std::pair<std::string, bool>>;  // at a location, whether it writes
    size_t named = 0;
    each_test([&](const Test& test, const Program& program) {
        std::map<std::pair<int, int>, Done> made;
        for (const Event& event : program.events)
            if (event.is_memory() && event.thread >= 0 && event.instruction >= 0)
                made[{event.thread, event.instruction}].emplace(
                    test.locations[static_cast<size_t>(program.cells[static_cast<size_t>(event.cell)].location)].name, event.is_write());
        for (const auto& [of, done] : made) {
            const Instruction& instruction = test.threads[static_cast<size_t>(of.first)].body[static_cast<size_t>(of.second)];
            Done said;
            std::set<std::string> names;
            for (const Operand& operand : instruction.operands) {
                if (operand.kind != Operand::Kind::address || operand.indirect) continue;
                names.insert(operand.name);
                for (const MemoryEffect& effect : memory_effects(instruction, operand.role)) {
                    if (effect.reads) said.emplace(operand.name, false);
                    if (effect.writes) said.emplace(operand.name, true);
                }
            }
            INFO(test.name << ": " << spelling(instruction));
            for (const auto& one : done) {
                if (!names.contains(one.first)) continue;
                ++named;
                CHECK_MESSAGE(said.contains(one), (one.second ? "writes " : "reads "), one.first);
            }
        }
    });
    CHECK(named > 10000);
}

TEST_CASE("the effects of an instruction are those of its events, and each name of the table has effects that some test shows") {
    std::set<std::pair<Op, Deeds>> done;  // by instructions of tests, all that is said of each
    size_t instructions = 0;
    each_test([&](const Test& test, const Program& program) {
        auto made = made_of(program);
        for (size_t t = 0; t < test.threads.size(); ++t)
            for (size_t i = 0; i < test.threads[t].body.size(); ++i) {
                const Instruction& instruction = test.threads[t].body[i];
                if (instruction.row.form == nullptr) continue;
                const Deeds said = deeds_of(memory_effects(instruction)), found = made[{static_cast<int>(t), static_cast<int>(i)}];
                INFO(test.name << ": " << spelling(instruction) << ": " << text_of(said));
                for (const Deed& one : found) CHECK_MESSAGE(said.contains(one), one);
                if (shown(found) == shown(said)) done.emplace(instruction.op, shown(said));
                ++instructions;
            }
    });
    CHECK(instructions > 10000);
    for (const Form& form : forms()) {
        if (!form.op || form.any_qualifiers) continue;
        std::set<Deeds> of_form;
        each_name(form, [&](const std::vector<std::string>& words, Version) { of_form.insert(shown(deeds_of(form, words))); });
        for (const Deeds& deeds : of_form) CHECK_MESSAGE(done.contains({*form.op, deeds}), form.box << ": " << text_of(deeds));
    }
}
