// A list of words is broken into lines; edges are named without their ends, which the head of the list explains.
#include "gen/generated.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "language/syntax/native/print.h"

namespace litmus {

namespace {

// "    word word word ...", in lines of at most 100 columns; nothing without words.
std::string wrapped(const std::vector<std::string>& words) {
    constexpr size_t width = 100;
    std::string text, line;
    for (const std::string& word : words) {
        if (!line.empty() && 4 + line.size() + 1 + word.size() > width) {
            text += "    " + line + "\n";
            line.clear();
        }
        line += (line.empty() ? "" : " ") + word;
    }
    return line.empty() ? text : text + "    " + line + "\n";
}

void add_once(std::vector<std::string>& words, const std::string& word) {
    if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
}

}  // namespace

std::string generated_json(const gen::Cycle& cycle, const Test& test, const std::string& file) {
    nlohmann::ordered_json line;
    const std::string shape = gen::shape_name(cycle);
    line["name"] = test.name;
    line["shape"] = shape.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(shape);
    line["events"] = cycle.size();
    line["threads"] = test.threads.size();
    line["file"] = file.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(file);
    line["test"] = print(test);
    return line.dump();
}

std::string vocabulary_text() {
    const gen::Vocabulary& all = gen::vocabulary();
    std::string text =
        "Families: accesses by name (a weak one has none), then edges, which end in s or d (the same location, or different ones),\n"
        "R or W for each end, and, between threads, @ and the narrowest scope that has both (Fence.sc.gpudWR, Rfe@cluster)\n";
    for (const std::string& family : gen::families()) {
        std::vector<std::string> accesses, edges;
        for (const gen::Access& access : all.accesses)
            if (access.family == family && !access.name.empty()) add_once(accesses, access.name);
        for (const gen::Edge& edge : all.edges)
            if (edge.family == family) add_once(edges, edge.stem);
        text += "  " + family + (gen::is_plain(family) ? " (always)" : family == gen::not_ptx ? " (only if named)" : "") + "\n";
        text += wrapped(accesses) + wrapped(edges);
    }
    text += "Shapes:\n";
    for (const gen::Shape& shape : gen::shapes()) {
        text += "  " + shape.name + ":";
        for (const std::string& edge : shape.edges) text += " " + edge;
        text += "\n";
    }
    return text;
}

}  // namespace litmus
