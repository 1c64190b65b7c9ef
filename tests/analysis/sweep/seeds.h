// A table of seeded faults (seeds.txt): right kernels, and edits of their PTX that spoil one thing each.
#pragma once

#include <algorithm>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernel/kernel_table.h"

// A change of one line of PTX, which is found by a part of it.
struct LineEdit {
    std::string verb;   // "delete", "replace", "move", "insert"
    std::string part;   // of the line that is meant; of "insert" the new line
    std::string where;  // "by", "before", "behind"
    std::string other;  // what stands there then; a part of the line beside which it goes
    size_t number = 1;  // which of the lines with `part` is meant; of "insert" which of those with `other`
};

struct Seed {
    std::string name;
    std::vector<LineEdit> edits;  // none: the PTX has a file of its own, KERNEL.NAME.ptx
    std::string cause;            // "race put get": kind and marks of the CUDA lines of the first finding
    bool missed = false;          // that is not the cause
    std::string advice;           // how the advice of the first finding begins
    std::vector<LineEdit> apply;  // where that is said in words alone: what somebody does who follows it
    std::string applied;          // "mends"; "none" where nothing can be applied
    bool other_work = false;      // the file leaves something else in memory than the right kernel
};

struct SeededKernel {
    std::string path;    // below tests, without ".ptx"
    std::string launch;  // as kernels.txt beside it has it
    std::map<std::string, int> marks;
    std::vector<Seed> seeds;
};

// "delete `bar.sync` #2", "replace `acq_rel` by `relaxed`", "move `st.global` behind `bar.sync` #2", "insert `bar.sync 0;` before `ret`".
inline LineEdit line_edit(const std::string& text) {
    LineEdit edit;
    std::vector<std::string> parts;
    std::istringstream all(text);
    for (std::string part; std::getline(all, part, '`');) parts.push_back(part);
    std::istringstream(parts.at(0)) >> edit.verb;
    edit.part = parts.at(1);
    if (parts.size() > 3) {
        std::istringstream(parts[2]) >> edit.where;
        edit.other = parts[3];
    }
    if (const size_t at = text.rfind(" #"); at != std::string::npos && text.find('`', at) == std::string::npos)
        edit.number = std::stoul(text.substr(at + 2));
    return edit;
}

inline size_t line_with(const std::vector<std::string>& lines, const std::string& part, size_t number) {
    for (size_t i = 0; i < lines.size(); ++i)
        if (lines[i].find(part) != std::string::npos && --number == 0) return i;
    throw std::runtime_error("no line has `" + part + "`");
}

// The text with these changes; throws std::runtime_error where a line is not there.
inline std::string edited(const std::string& text, const std::vector<LineEdit>& edits) {
    std::vector<std::string> lines;
    std::istringstream all(text);
    for (std::string line; std::getline(all, line);) lines.push_back(line);
    for (const LineEdit& edit : edits) {
        std::string moved = edit.part;
        const auto place = [&](size_t at) { return lines.begin() + static_cast<std::ptrdiff_t>(at); };
        if (edit.verb != "insert") {
            const size_t at = line_with(lines, edit.part, edit.number);
            moved = lines[at];
            if (edit.verb == "replace")
                lines[at].replace(lines[at].find(edit.part), edit.part.size(), edit.other);
            else
                lines.erase(place(at));
        }
        if (edit.verb == "move" || edit.verb == "insert")
            lines.insert(place(line_with(lines, edit.other, edit.verb == "insert" ? edit.number : 1) + (edit.where == "behind" ? 1 : 0)),
                         moved);
    }
    std::string result;
    for (const std::string& line : lines) result += line + "\n";
    return result;
}

inline std::vector<SeededKernel> seeded_kernels() {
    const std::filesystem::path tests = std::filesystem::path(LITMUS_SOURCE_DIR) / "tests";
    std::vector<SeededKernel> kernels;
    for (const std::string& line : lines_of(tests / "analysis" / "sweep" / "seeds.txt")) {
        if (line.empty() || line[0] == '#') continue;
        const size_t space = line.find(' ');
        const std::string first = line.substr(0, space), rest = space == std::string::npos ? "" : line.substr(space + 1);
        if (first == "kernel") {
            SeededKernel& kernel = kernels.emplace_back();
            kernel.path = rest;
            const std::filesystem::path folder = (tests / rest).parent_path();
            const std::string name = (tests / rest).filename().string();
            for (const KernelEntry& entry : kernel_table(folder))
                if (entry.name == name) kernel.launch = entry.launch;
            kernel.marks = marks_of(name, folder);
        } else if (first == "seed") {
            kernels.back().seeds.emplace_back().name = rest;
        } else {
            Seed& seed = kernels.back().seeds.back();
            if (first == "edit") seed.edits.push_back(line_edit(rest));
            if (first == "cause" || first == "missed") seed.cause = rest;
            if (first == "missed") seed.missed = true;
            if (first == "advice") seed.advice = rest;
            if (first == "apply") seed.apply.push_back(line_edit(rest));
            if (first == "applied") seed.applied = rest;
            if (first == "other-work") seed.other_work = true;
        }
    }
    return kernels;
}
