// README.md shows what the tool prints: each of its indented blocks is run, and compared with what comes out now.
//
// A block stands for the lines that it has, one after the other; a line `...` for any lines. Times may differ.
// LITMUS_EXE is the executable.
#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "documents/repository.h"

namespace fs = std::filesystem;

namespace {

using Lines = std::vector<std::string>;

struct Block {
    int line = 0;  // of its first line in the page
    Lines lines;   // without the four blanks
};

bool indented(const std::string& line) {
    return line.rfind("    ", 0) == 0;
}

// An empty line belongs to a block that goes on behind it.
std::vector<Block> blocks() {
    std::vector<Block> found;
    std::istringstream page(documents::contents("README.md"));
    std::string line;
    int empty = 0;
    bool open = false;
    for (int number = 1; std::getline(page, line); ++number) {
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

std::string text_of(const Lines& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return text;
}

bool is_gap(const std::string& line) {
    return line.find_first_not_of(" .") == std::string::npos && line.find("...") != std::string::npos;
}

bool same(const std::string& shown, const std::string& printed) {
    return shown == printed || (shown.rfind("Time ", 0) == 0 && printed.rfind("Time ", 0) == 0);
}

// What the block has first and does not come out, piece by piece from gap to gap; empty: all of it does.
std::string lacking(const Lines& shown, const Lines& printed) {
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

// A folder with the tests that the page speaks of, and with the library; goes away at the end.
class Folder {
public:
    explicit Folder(const std::string& mp) {
        std::string pattern = (fs::temp_directory_path() / "litmus-readme-XXXXXX").string();
        REQUIRE(::mkdtemp(pattern.data()) != nullptr);
        path_ = pattern;
        fs::create_symlink(LITMUS_SOURCE_DIR "/litmus", path_ / "litmus");
        std::ofstream(path_ / "mp.litmus") << mp;
        std::string fenced = mp;  // with the fence that the page puts into each thread
        for (const char* second : {"  st.relaxed.gpu.u32 [flag]", "  ld.relaxed.gpu.u32 r1"})
            fenced.insert(fenced.find(second), "  fence.acq_rel.gpu;\n");
        std::ofstream(path_ / "fenced.litmus") << fenced;
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() { fs::remove_all(path_); }

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

// The commands whose output the page shows, in its order; the tests that it shows are printed as they are.
const Lines commands = {
    "cat mp.litmus",
    "litmus check mp.litmus",
    "litmus show mp.litmus",
    "litmus check fenced.litmus",
    "litmus explain fenced.litmus",
    "cat litmus/async/proxy-raw/raw-one-thread-unfenced.litmus",
    "litmus check litmus/async/proxy-raw/raw-bar-issuer-fences.litmus",
    "litmus repair mp.litmus",
};

}  // namespace

TEST_CASE("what README.md shows is what comes out") {
    std::vector<Block> all = blocks();
    REQUIRE(all.size() > 2);
    CHECK(all.front().lines.front().rfind("./dev run", 0) == 0);  // how to build
    all.erase(all.begin());
    const Folder folder(text_of(all.front().lines));
    auto command = commands.begin();
    for (Block& block : all) {
        INFO("README.md:", block.line);
        std::string line;
        if (block.lines.front().rfind("$ ", 0) == 0) {  // the block itself says how it comes about
            line = block.lines.front().substr(2);
            block.lines.erase(block.lines.begin());
        } else {
            REQUIRE(command != commands.end());
            line = *command++;
        }
        INFO(line);
        CHECK(lacking(block.lines, folder.lines_of(line)) == "");
    }
    CHECK(command == commands.end());
}
