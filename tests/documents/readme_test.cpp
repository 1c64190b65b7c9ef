// README.md and the tutorial show what the tool prints: each of their indented blocks is run, and compared with what comes out now.
#include "documents/shown.h"

using namespace documents;

namespace {

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
    std::vector<Block> all = blocks("README.md");
    REQUIRE(all.size() > 2);
    CHECK(all.front().lines.front().rfind("./dev run", 0) == 0);  // how to build
    all.erase(all.begin());
    const std::string mp = text_of(all.front().lines);
    std::string fenced = mp;  // with the fence that the page puts into each thread
    for (const char* second : {"  st.relaxed.gpu.u32 [flag]", "  ld.relaxed.gpu.u32 r1"})
        fenced.insert(fenced.find(second), "  fence.acq_rel.gpu;\n");
    const Folder folder;
    folder.write("mp.litmus", mp);
    folder.write("fenced.litmus", fenced);
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
    for (const Block& block : blocks("litmus/from-ptx.md")) {
        INFO("litmus/from-ptx.md:", block.line);
        commands_run += run_block(folder, block.lines);
    }
    CHECK(commands_run >= 4);
}
