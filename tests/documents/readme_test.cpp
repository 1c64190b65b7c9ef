// README.md, the page of commands, the tutorial, that about kernels and the lessons show what the tool prints: each of their blocks is run,
// and compared with what comes out now.
#include "documents/shown.h"

using namespace documents;

namespace {

// Runs the commands of a block, one after the other, and compares what they print with the lines below each; what `cat` shows first is
// what the reader is to write. Gives the number of commands.
size_t run_block(const Folder& folder, const Lines& block) {
    REQUIRE(block.front().rfind("$ ", 0) == 0);
    const auto is_command = [](const std::string& line) { return line.rfind("$ ", 0) == 0; };
    size_t commands_run = 0;
    for (auto at = block.begin(); at != block.end(); ++commands_run) {
        const auto end = std::find_if(at + 1, block.end(), is_command);
        const std::string command = at->substr(2);
        const Lines shown(at + 1, end);
        if (command.rfind("cat ", 0) == 0 && !folder.has(command.substr(4))) folder.write(command.substr(4), text_of(shown));
        INFO(command);
        CHECK(lacking(shown, folder.lines_of(command)) == "");
        at = end;
    }
    return commands_run;
}

}  // namespace

// Blocks without a command say what to type: how to build, and what needs a machine of one's own.
TEST_CASE("what README.md and the page of commands show is what comes out") {
    const Folder folder;
    for (const std::string page : {"README.md", "litmus/commands.md"}) {
        size_t commands_run = 0;
        for (const Block& block : blocks(page)) {
            INFO(page, ":", block.line);
            if (block.lines.front().rfind("$ ", 0) == 0) commands_run += run_block(folder, block.lines);
        }
        CHECK(commands_run >= 3);
    }
}

// A block of the tutorial is what its commands print, one after the other in one folder.
TEST_CASE("what the tutorial shows is what comes out, command by command") {
    std::vector<Block> all = blocks("litmus/tutorial.md");
    REQUIRE(all.size() > 8);
    CHECK(all[0].lines.front() == "./dev run");
    CHECK(all[1].lines.front().rfind("export PATH=", 0) == 0);
    const Folder folder;
    size_t commands_run = 0;
    for (size_t i = 2; i < all.size(); ++i) {
        const Lines& block = all[i].lines;
        INFO("litmus/tutorial.md:", all[i].line);
        commands_run += run_block(folder, block);
    }
    CHECK(commands_run >= 9);
}

TEST_CASE("what the page about kernels shows is what comes out") {
    const Folder folder;
    size_t commands_run = 0;
    for (const Block& block : blocks("litmus/kernel.md")) {
        INFO("litmus/kernel.md:", block.line);
        commands_run += run_block(folder, block.lines);
    }
    CHECK(commands_run >= 4);
}

TEST_CASE("what a lesson shows of a command is what comes out") {
    const Folder folder;
    size_t commands_run = 0;
    for (const auto& entry : fs::directory_iterator(LITMUS_SOURCE_DIR "/litmus/lessons")) {
        if (entry.path().extension() != ".md") continue;
        const std::string page = "litmus/lessons/" + entry.path().filename().string();
        for (const Block& block : fenced_blocks(page)) {
            INFO(page, ":", block.line);
            commands_run += run_block(folder, block.lines);
        }
    }
    CHECK(commands_run >= 3);
}
