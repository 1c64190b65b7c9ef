// What `litmus emit` makes of generated tests is what NVIDIA's assembler takes.
#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "assembler.h"
#include "gen/generate.h"
#include "gen/write.h"
#include "gpu/emit/emit.h"

using namespace litmus;

TEST_CASE("a sample of generated tests assembles") {
    const std::optional<ptxas::Assembler> assembler = ptxas::find_assembler();
    if (!assembler) {
        MESSAGE("skipped: no ptxas on the PATH or in /usr/local/cuda*/bin");
        return;
    }
    const std::filesystem::path folder = std::filesystem::temp_directory_path() / ("litmus-generated-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    size_t all = 0, emitted = 0;
    gen::each_cycle({.most_events = 5, .seed = 21}, [&](const gen::Cycle& cycle) {
        try {
            const gpu::Emitted module = gpu::emit(*gen::test_of(cycle));
            const std::string path = (folder / "test.ptx").string();
            std::ofstream(path) << module.ptx;
            const std::string target = "sm_" + std::to_string(module.plan.sm) + (module.plan.specific ? "a" : "");
            const std::string command = "'" + assembler->path + "' -O0 -arch=" + target + " -o /dev/null " + path + " >/dev/null 2>&1";
            CHECK_MESSAGE(std::system(command.c_str()) == 0, gen::name(cycle));
            ++emitted;
        } catch (const Failure&) {  // no GPU runs it
        }
        return ++all < 100;
    });
    CHECK(emitted > 60);
    std::filesystem::remove_all(folder);
}
