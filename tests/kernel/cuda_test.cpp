// The kernels of cuda/ and their table belong together: each kernel and each of its macros has its row and its PTX, each row its reason.
#include <doctest/doctest.h>

#include "kernel_table.h"

namespace {

namespace fs = std::filesystem;

// What a source asks of the preprocessor by name.
std::set<std::string> macros_of(const std::string& kernel) {
    std::set<std::string> macros;
    for (const std::string& line : lines_of(kernel_folder() / (kernel + ".cu")))
        for (const std::string word : {"#ifdef ", "#ifndef "})
            if (line.rfind(word, 0) == 0) macros.insert(line.substr(word.size()));
    return macros;
}

}  // namespace

TEST_CASE("each kernel is in the table, with each of its macros and a reason for each verdict") {
    std::set<std::string> sources, entries, wanted, found;
    for (const auto& entry : fs::directory_iterator(kernel_folder())) {
        if (entry.path().extension() == ".cu") sources.insert(entry.path().stem());
        if (entry.path().extension() == ".ptx") found.insert(entry.path().filename());
    }
    for (const KernelEntry& kernel : kernel_table()) {
        INFO(kernel.name);
        entries.insert(kernel.name);
        CHECK_FALSE(kernel.launch.empty());
        const std::map<std::string, int> marks = marks_of(kernel.name);
        std::set<std::string> macros;
        for (const KernelRow& row : kernel.rows) {
            INFO(row.macro);
            if (!row.macro.empty()) CHECK(macros.insert(row.macro).second);
            CHECK_FALSE(row.why.empty());
            const bool ok = row.verdict == "ok";
            CHECK(ok == row.marks.empty());
            const bool of_ptxas = row.why.find("ptxas") != std::string::npos;  // what the assembler makes of it is the bug
            CHECK(ok == (row.macro.empty() || of_ptxas));
            for (const std::string& mark : row.marks) CHECK_MESSAGE(marks.count(mark) == 1, mark);
            wanted.insert(kernel.ptx(row));
        }
        CHECK(kernel.rows.front().macro.empty());
        CHECK(macros == macros_of(kernel.name));
    }
    CHECK(entries == sources);
    CHECK(found == wanted);
    CHECK(entries.size() >= 14);
}

TEST_CASE("the PTX of a kernel names the files of no machine") {
    for (const KernelEntry& kernel : kernel_table())
        for (const KernelRow& row : kernel.rows) {
            INFO(kernel.ptx(row));
            bool own = false;
            for (const std::string& line : lines_of(kernel_folder() / kernel.ptx(row))) {
                if (line.find("\t.file\t") != 0) continue;
                CHECK_MESSAGE(line.find("\"/") == std::string::npos, line);
                own = own || line.find("\"" + kernel.name + ".cu\"") != std::string::npos;
            }
            CHECK(own);
        }
}
