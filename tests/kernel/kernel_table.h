// Tables of kernels (cuda/kernels.txt, ../sweep/cuda/kernels.txt) as data.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernel/arguments.h"

struct KernelRow {
    std::string macro;               // empty: the kernel as it is
    std::string verdict;             // as litmus check has it
    std::vector<std::string> marks;  // of the CUDA lines that the findings name
    std::string why;
    std::string advice;   // part of what the sweep advises; empty: nothing is said of that
    bool mended = false;  // and, tried, leaves nothing to be found
    bool open = false;    // what `litmus kernel` claims
    // These are about a test of a few threads.
    std::string untested;                       // part of why there is none; empty: there is
    std::string of_threads;                     // its verdict, where that is another one, or names other lines
    std::vector<std::string> marks_of_threads;  // then: of these lines
};

struct KernelEntry {
    std::string name;
    std::string launch;   // options of litmus kernel
    std::string unswept;  // why the run of all threads shows less than the test of a few; empty: it does not
    std::vector<KernelRow> rows;

    std::string ptx(const KernelRow& row) const { return name + (row.macro.empty() ? "" : "." + row.macro) + ".ptx"; }
};

inline std::filesystem::path kernel_folder() {
    return std::filesystem::path(LITMUS_SOURCE_DIR) / "tests" / "kernel" / "cuda";
}

inline std::vector<std::string> lines_of(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error("cannot read " + path.string());
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
}

inline std::vector<KernelEntry> kernel_table(const std::filesystem::path& folder = kernel_folder()) {
    std::vector<KernelEntry> kernels;
    for (const std::string& line : lines_of(folder / "kernels.txt")) {
        if (line.empty() || line[0] == '#') continue;
        std::istringstream words(line);
        std::string first;
        words >> first;
        if (first == "kernel") {
            words >> kernels.emplace_back().name;
        } else if (first == "launch") {
            kernels.back().launch = line.substr(first.size() + 1);
        } else if (first == "unswept") {
            kernels.back().unswept = line.substr(first.size() + 1);
        } else if (first == "open") {
            kernels.back().rows.back().open = true;
        } else if (first == "advice" || first == "mended") {
            KernelRow& row = kernels.back().rows.back();
            row.advice = line.substr(first.size() + 1);
            row.mended = first == "mended";
        } else if (first == "untested") {
            kernels.back().rows.back().untested = line.substr(first.size() + 1);
        } else if (first == "threads") {
            KernelRow& row = kernels.back().rows.back();
            words >> row.of_threads;
            for (std::string mark; words >> mark;) row.marks_of_threads.push_back(mark);
        } else if (line[0] == ' ') {
            kernels.back().rows.back().why += line.substr(1);
        } else {
            KernelRow& row = kernels.back().rows.emplace_back();
            row.macro = first == "plain" ? "" : first;
            words >> row.verdict;
            for (std::string mark; words >> mark;) row.marks.push_back(mark);
        }
    }
    return kernels;
}

// "--grid 2 --block 32 --arg 'a={s32:1}'" as words, without the quotes; of several launches the first.
inline litmus::kernel::LaunchTexts launch_texts(const std::string& options) {
    litmus::kernel::LaunchTexts texts;
    std::istringstream words(options.substr(0, options.find("--then")));
    for (std::string option, value; words >> option >> value;) {
        std::erase(value, '\'');
        if (option == "--entry") texts.entry = value;
        if (option == "--grid") texts.grid = value;
        if (option == "--block") texts.block = value;
        if (option == "--cluster") texts.cluster = value;
        if (option == "--shared") texts.shared_bytes = static_cast<uint32_t>(std::stoul(value));
        if (option == "--arg") texts.arguments.push_back(value);
    }
    return texts;
}

// All launches, each behind the first in the quotes of --then.
inline std::vector<litmus::kernel::LaunchTexts> stream_texts(const std::string& options) {
    std::vector<litmus::kernel::LaunchTexts> texts = {launch_texts(options)};
    const std::string then = "--then '";
    for (size_t at = options.find(then); at != std::string::npos; at = options.find(then, at + 1)) {
        const size_t begin = at + then.size();
        texts.push_back(launch_texts("--entry " + options.substr(begin, options.find('\'', begin) - begin)));
    }
    return texts;
}

// The number behind an option; 0: it is not there.
inline uint32_t number_in(const std::string& options, const std::string& option) {
    std::istringstream words(options);
    for (std::string word, value; words >> word;)
        if (word == option && words >> value) return static_cast<uint32_t>(std::stoul(value));
    return 0;
}

// The line of each mark of a kernel, `// @MARK`, from 1.
inline std::map<std::string, int> marks_of(const std::string& kernel, const std::filesystem::path& folder = kernel_folder()) {
    std::map<std::string, int> marks;
    int number = 0;
    for (const std::string& line : lines_of(folder / (kernel + ".cu"))) {
        ++number;
        const size_t at = line.find("// @");
        if (at != std::string::npos && !marks.emplace(line.substr(at + 4), number).second)
            throw std::runtime_error(kernel + ": two lines are marked " + line.substr(at));
    }
    return marks;
}
