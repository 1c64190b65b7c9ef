// Pages that show what the tool prints: their indented blocks, and what comes out when their commands are run.
//
// A block stands for the lines that it has, one after the other; a line `...` for any lines. Times may differ.
// LITMUS_EXE is the executable.
#pragma once

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>

#include "documents/repository.h"

namespace documents {

namespace fs = std::filesystem;

using Lines = std::vector<std::string>;

struct Block {
    int line = 0;  // of its first line in the page
    Lines lines;   // without the four blanks
};

inline bool indented(const std::string& line) {
    return line.rfind("    ", 0) == 0;
}

// An empty line belongs to a block that goes on behind it.
inline std::vector<Block> blocks(const std::string& page_path) {
    std::vector<Block> found;
    std::istringstream page(contents(page_path));
    std::string line;
    int empty = 0;
    bool open = false, fenced = false;
    for (int number = 1; std::getline(page, line); ++number) {
        if (line.rfind("```", 0) == 0) fenced = !fenced;
        if (fenced) continue;
        if (line.empty()) {
            ++empty;
            continue;
        }
        if (indented(line)) {
            if (!open) found.push_back({number, {}});
            if (open) found.back().lines.insert(found.back().lines.end(), static_cast<size_t>(empty), "");
            found.back().lines.push_back(line.substr(4));
        }
        open = indented(line);
        empty = 0;
    }
    return found;
}

// The fenced blocks of a page that begin with a command.
inline std::vector<Block> fenced_blocks(const std::string& page_path) {
    std::vector<Block> found;
    std::istringstream page(contents(page_path));
    std::string line;
    std::optional<Block> open;
    for (int number = 1; std::getline(page, line); ++number) {
        if (line.rfind("```", 0) != 0) {
            if (open) open->lines.push_back(line);
        } else if (open) {
            if (!open->lines.empty() && open->lines.front().rfind("$ ", 0) == 0) found.push_back(*open);
            open.reset();
        } else {
            open = Block{number + 1, {}};
        }
    }
    return found;
}

inline std::string text_of(const Lines& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return text;
}

inline bool is_gap(const std::string& line) {
    return line.find_first_not_of(" .") == std::string::npos && line.find("...") != std::string::npos;
}

inline bool same(const std::string& shown, const std::string& printed) {
    return shown == printed || (shown.rfind("Time ", 0) == 0 && printed.rfind("Time ", 0) == 0);
}

// What the block has first and does not come out, piece by piece from gap to gap; empty: all of it does.
inline std::string lacking(const Lines& shown, const Lines& printed) {
    auto from = printed.begin();
    for (auto piece = shown.begin(); piece != shown.end();) {
        const auto end = std::find_if(piece, shown.end(), is_gap);
        const auto found = std::search(from, printed.end(), piece, end, [](const auto& a, const auto& b) { return same(b, a); });
        if (piece != end && found == printed.end()) return text_of({piece, end});
        from = found + (end - piece);
        piece = end == shown.end() ? end : end + 1;
    }
    return {};
}

// A folder with the library and the tests, for what a page speaks of; goes away at the end.
class Folder {
public:
    Folder() {
        std::string pattern = (fs::temp_directory_path() / "litmus-shown-XXXXXX").string();
        REQUIRE(::mkdtemp(pattern.data()) != nullptr);
        path_ = pattern;
        for (const char* shown : {"litmus", "tests"}) fs::create_symlink(fs::path(LITMUS_SOURCE_DIR) / shown, path_ / shown);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() { fs::remove_all(path_); }

    bool has(const std::string& name) const { return fs::exists(path_ / name); }
    void write(const std::string& name, const std::string& text) const { std::ofstream(path_ / name) << text; }

    // What a bash command prints, in which `litmus` is the executable.
    Lines lines_of(const std::string& command) const {
        const std::string script = "cd '" + path_.string() + "' && litmus() { '" LITMUS_EXE "' \"$@\"; }; " + command;
        std::ofstream(path_ / "script") << script;
        if (std::system(("bash '" + (path_ / "script").string() + "' >'" + (path_ / "out").string() + "'").c_str()) == -1)
            throw std::runtime_error("cannot run bash");
        Lines found;
        std::ifstream out(path_ / "out");
        for (std::string line; std::getline(out, line);) found.push_back(line);
        return found;
    }

private:
    fs::path path_;
};

}  // namespace documents
