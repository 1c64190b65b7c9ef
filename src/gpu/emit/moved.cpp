// Counting by kinds, and the table as text and as JSON.
#include "gpu/emit/moved.h"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/visible.h"
#include "language/syntax/foreign/convert.h"
#include "ptx/table.h"
#include "sass/order.h"

namespace litmus::gpu {

namespace {

// Scopes, types, vectors, shapes and such: "gpu", "u32", "v2", "x8", "b1024", "m64n8k32", "1d".
bool is_detail(const std::string& word) {
    if (word == "cta" || word == "cluster" || word == "gpu" || word == "sys" || word == "pred") return true;
    const bool short_name = word.size() > 1 && std::string("usbfvxm").find(word[0]) != std::string::npos &&
                            std::isdigit(static_cast<unsigned char>(word[1])) != 0;
    return short_name || (word.size() == 2 && std::isdigit(static_cast<unsigned char>(word[0])) != 0 && word[1] == 'd');
}

}  // namespace

std::string kind_of(const Instruction& instruction) {
    std::istringstream words(spelling(instruction));
    std::string kind;
    for (std::string word; std::getline(words, word, '.');)
        if (!is_detail(word)) kind += (kind.empty() ? "" : ".") + word;
    return kind;
}

uint64_t MovedTable::moved() const {
    uint64_t sum = 0;
    for (const Entry& entry : entries) sum += entry.compiled.moved.size();
    return sum;
}

uint64_t MovedTable::gone() const {
    uint64_t sum = 0;
    for (const Entry& entry : entries) sum += entry.compiled.gone.size();
    return sum;
}

void count(const Test& written, const std::string& file, const sass::Assembler& assembler, MovedTable& table) {
    const Test test = to_native(written);
    Assembled assembled;
    try {
        const Emitted emitted = emit(test, std::nullopt, table.pins);
        assembled = assemble(test, emitted, assembler, target_of(emitted.plan));
    } catch (const Failure& failure) {
        table.left_out.emplace_back(test.name, failure.diagnostics().at(0).message);
        return;
    } catch (const std::runtime_error& error) {
        table.left_out.emplace_back(test.name, error.what());
        return;
    }
    ++table.tests;
    table.compiler = assembler.name;
    for (const ThreadOrder& thread : assembled.threads) {
        std::vector<std::string> kinds;
        for (const size_t i : thread.instructions) kinds.push_back(kind_of(test.threads[thread.thread].body[i]));
        for (const std::string& kind : kinds) ++table.kinds[kind].stand;
        for (size_t later = 0; later < kinds.size(); ++later)
            for (size_t earlier = 0; earlier < later; ++earlier) ++table.pairs[{kinds[earlier], kinds[later]}].stand;
        for (const sass::Moved& m : thread.order.moved) ++table.pairs[{kinds[m.earlier], kinds[m.later]}].moved;
        for (const sass::Gone& g : thread.order.gone)
            ++(g.into ? table.kinds[kinds[g.instruction]].merged : table.kinds[kinds[g.instruction]].dropped);
    }
    if (!assembled.compiled.in_order()) table.entries.push_back({test.name, file, assembled.compiled});
}

std::string to_text(const MovedTable& table) {
    std::ostringstream out;
    for (const MovedTable::Entry& entry : table.entries) {
        out << visible(entry.file) << ": " << visible(entry.test) << "\n";
        for (const std::string& line : lines_of(entry.compiled)) out << "    " << visible(line) << "\n";
    }
    if (!table.entries.empty()) out << "\n";
    out << table.compiler << ": " << table.tests << " tests" << (table.pins == Pins::between ? ", pinned" : "") << ", in "
        << table.entries.size() << " of them " << table.moved() << " pairs moved and " << table.gone() << " instructions are gone; "
        << table.left_out.size() << " tests were not assembled\n";
    std::vector<std::pair<std::pair<std::string, std::string>, MovedTable::Pair>> pairs(table.pairs.begin(), table.pairs.end());
    std::erase_if(pairs, [](const auto& p) { return p.second.moved == 0; });
    if (!pairs.empty()) out << "\n| is issued | before one that stands above it | moved | of |\n|---|---|---|---|\n";
    for (const auto& [kinds, pair] : pairs)
        out << "| `" << kinds.second << "` | `" << kinds.first << "` | " << pair.moved << " | " << pair.stand << " |\n";
    if (table.gone() > 0) out << "\n| is gone | dropped | merged | of |\n|---|---|---|---|\n";
    for (const auto& [name, kind] : table.kinds)
        if (kind.dropped + kind.merged > 0)
            out << "| `" << name << "` | " << kind.dropped << " | " << kind.merged << " | " << kind.stand << " |\n";
    return out.str();
}

std::string to_json(const MovedTable& table) {
    using Json = nlohmann::ordered_json;
    Json root = {{"compiler", table.compiler}, {"pinned", table.pins == Pins::between},
                 {"tests", table.tests},       {"left_out", Json::array()},
                 {"moved", Json::array()},     {"gone", Json::array()},
                 {"pairs", Json::array()},     {"kinds", Json::array()}};
    for (const auto& [test, reason] : table.left_out) root["left_out"].push_back({{"test", test}, {"reason", reason}});
    for (const MovedTable::Entry& entry : table.entries) {
        const Json head = {{"test", entry.test}, {"file", entry.file}};
        for (const MovedInstruction& m : entry.compiled.moved) {
            root["moved"].push_back(head);
            root["moved"].back().update({{"thread", m.thread}, {"instruction", m.instruction}, {"past", m.past}});
        }
        for (const GoneInstruction& g : entry.compiled.gone) {
            root["gone"].push_back(head);
            root["gone"].back().update({{"thread", g.thread}, {"instruction", g.instruction}});
            if (!g.into.empty()) root["gone"].back()["into"] = g.into;
        }
    }
    for (const auto& [kinds, pair] : table.pairs)
        root["pairs"].push_back({{"earlier", kinds.first}, {"later", kinds.second}, {"stand", pair.stand}, {"moved", pair.moved}});
    for (const auto& [name, kind] : table.kinds)
        root["kinds"].push_back({{"kind", name}, {"stand", kind.stand}, {"dropped", kind.dropped}, {"merged", kind.merged}});
    return root.dump(1) + "\n";
}

}  // namespace litmus::gpu
