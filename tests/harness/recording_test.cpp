// `litmus record` from outside: what it writes of each way to launch a kernel, what it says where there is nothing, and the verdicts of
// what it wrote.
#include <doctest/doctest.h>

#include "tool/shell.h"

namespace {

const std::string source = LITMUS_SOURCE_DIR;
const std::string early_ptx = source + "/tests/kernel/cuda/ring.EARLY.ptx", ring_ptx = source + "/tests/kernel/cuda/ring.ptx";
const std::string fatbin = source + "/tests/record/ring.zstd.fatbin";

// The program with these words, run by `litmus record` with these options.
Run recorded(const TemporaryFolder& folder, const std::string& words, const std::string& options = "",
             const std::string& environment = "") {
    return shell(folder,
                 environment + " LD_LIBRARY_PATH='" RECORDED_DRIVER "' litmus record " + options + " -- '" RECORDED_PROGRAM "' " + words);
}

Json launch_in(const TemporaryFolder& folder, const std::string& launch = "ring-1") {
    return Json::parse(folder.read("recorded/" + launch + "/launch.json"));
}

std::vector<uint32_t> words_in(const TemporaryFolder& folder, const std::string& name) {
    const std::string bytes = folder.read("recorded/" + name);
    std::vector<uint32_t> words(bytes.size() / 4);
    std::memcpy(words.data(), bytes.data(), 4 * words.size());
    return words;
}

Run swept(const TemporaryFolder& folder) {
    return shell(folder, "litmus kernel recorded/ring-1");
}

Run judged(const TemporaryFolder& folder, const std::string& options = "") {
    return shell(folder, "litmus kernel recorded/ring-1 --no-time --timeout 60 " + options);
}

}  // namespace

TEST_CASE("record: a launch by the driver is written and judged") {
    const TemporaryFolder folder;
    const Run run = recorded(folder, "linked '" + early_ptx + "'");
    CHECK(run.status == 0);
    CHECK(run.out ==
          "1 launches\n"
          "recorded/ring-1: launch 1 of ring\n"
          "judge one: litmus kernel recorded/ring-1\n");
    CHECK(run.err.empty());
    const Json launch = launch_in(folder);
    CHECK(launch.at("kernel") == "ring");
    CHECK(launch.at("call") == "cuLaunchKernel");
    CHECK(launch.at("grid") == Json({1, 1, 1}));
    CHECK(launch.at("block") == Json({64, 1, 1}));
    CHECK(launch.at("cluster").is_null());
    CHECK(launch.at("allocations").size() == 2);
    CHECK(launch.at("pointers").at(1).at("at") == 8);
    CHECK(folder.read("recorded/ring-1/parameters.bin").size() == 20);
    CHECK(folder.read("recorded/ring-1/kernel.ptx") == TemporaryFolder().read(early_ptx));
    const std::vector<uint32_t> before = words_in(folder, "ring-1/memory-0-0.bin");
    REQUIRE(before.size() == 96);
    CHECK(before[0] == 0);  // the launch makes 1 of it
    CHECK(before[95] == 95);
    CHECK_FALSE(fs::exists(folder.at("recorded/log.jsonl")));

    const Run judgement = judged(folder);
    CHECK(judgement.status == 1);
    CHECK(judgement.out.rfind("wrong: ", 0) == 0);
    CHECK(has(judgement.out, "ring.cu:42"));
    CHECK(shell(folder, "litmus kernel recorded/ring-1 --threads auto -o t").status == 1);
    CHECK(has(folder.read("t"), "ring of kernel.ptx, grid 1, block 64, arguments arg0=[384 bytes], arg1=[384 bytes], arg2=3"));
}

// What the arguments of tests/kernel/cuda/kernels.txt have is what is recorded, so the verdicts are the same.
TEST_CASE("record: a launch as the runtime makes it, with PTX from a fatbin") {
    const TemporaryFolder folder;
    const Run run = recorded(folder, "runtime '" + fatbin + "'");
    CHECK(run.status == 0);
    CHECK(has(run.out, "recorded/ring-1: launch 1 of ring\n"));
    CHECK(has(folder.read("recorded/ring-1/kernel.ptx"), ".visible .entry ring("));
    const Run judgement = judged(folder);
    CHECK(judgement.status == 0);
    CHECK(judgement.out.rfind("right in every order of this launch\n", 0) == 0);
    // the same kernel, launched otherwise
    const Run wider = judged(folder, "--block 32");
    CHECK(wider.status != 0);
}

TEST_CASE("record: the other ways to launch") {
    for (const std::string way : {"extra", "thread", "cooperative", "cluster"}) {
        const TemporaryFolder folder;
        const Run run = recorded(folder, way + " '" + fatbin + "'");
        INFO(way << "\n" << run.out << run.err);
        CHECK(run.status == 0);
        const Json launch = launch_in(folder);
        CHECK(launch.at("pointers").size() == 2);
        CHECK(folder.read("recorded/ring-1/parameters.bin").size() == 20);
        CHECK(launch.at("notes").empty());
        CHECK(launch.at("cluster") == (way == "cluster" ? Json({2, 1, 1}) : Json()));
        CHECK(launch.at("shared_bytes") == (way == "cluster" ? 512 : 0));
    }
}

// Whichever way the kernel came to the program, its PTX is found. The program itself has that of the kernel without EARLY.
TEST_CASE("record: the ways to load") {
    for (const std::string way : {"kernel", "enumerated", "file", "hidden"}) {
        const TemporaryFolder folder;
        const bool hidden = way == "hidden";
        const Run run = recorded(folder, way + (hidden ? "" : " '" + source + "/tests/record/ring.EARLY.fatbin'"));
        INFO(way << "\n" << run.out << run.err);
        CHECK(run.status == 0);
        CHECK(folder.read("recorded/ring-1/parameters.bin").size() == 20);
        CHECK(swept(folder).status == (hidden ? 0 : 1));
    }
}

// dlsym of the system looks at who calls it: it is reached by a jump.
TEST_CASE("record: what comes next is that of the program") {
    const TemporaryFolder folder;
    CHECK(has(recorded(folder, "next").out, "/liblitmus-record.so"));
}

TEST_CASE("record: in graphs the arguments are written, and that memory is not") {
    for (const std::string way : {"node", "any_node", "captured"}) {
        const TemporaryFolder folder;
        const Run run = recorded(folder, way + " '" + fatbin + "'");
        INFO(way << "\n" << run.out << run.err);
        CHECK(run.status == 0);
        const Json launch = launch_in(folder);
        CHECK(launch.at("allocations").size() == 2);
        CHECK(launch.at("allocations").at(0).at("pieces").empty());
        CHECK(has(launch.at("notes").at(0), "what memory holds when the graph is launched was not recorded"));
        const Run judgement = judged(folder);
        CHECK(judgement.status == 0);
        CHECK(has(judgement.out, "arg0: its contents were not recorded, and count as zeros"));
        CHECK(has(judgement.out, "was not recorded"));
    }
}

TEST_CASE("record: a driver that says nothing of parameters") {
    const TemporaryFolder folder;
    const Run run = recorded(folder, "linked '" + ring_ptx + "'", "", "FAKE_OLD=1");
    CHECK(run.status == 0);
    CHECK(folder.read("recorded/ring-1/parameters.bin").size() == 20);
}

TEST_CASE("record: a tensor map is written as it was encoded") {
    const TemporaryFolder folder;
    folder.write("cubin",
                 "\x7f"
                 "ELF");
    const Run run = recorded(folder, "mapped '" + fatbin + "' mapped");
    INFO(run.out << run.err);
    CHECK(run.status == 0);
    CHECK(has(run.out, "without PTX"));  // of a kernel of that name
    const Json launch = launch_in(folder, "mapped-1");
    REQUIRE(launch.at("tensor_maps").size() == 1);
    const Json map = launch.at("tensor_maps").at(0);
    CHECK(map.at("at") == 0);
    CHECK(map.at("kind") == "tiled");
    CHECK(map.at("sizes") == Json({8, 12}));
    CHECK(map.at("strides") == Json({32}));
    CHECK(map.at("box") == Json({8, 4}));
    CHECK(launch.at("allocations").size() == 2);  // that of the tensor, too
    CHECK(launch.at("pointers").size() == 1);     // no word within the map is one
}

TEST_CASE("record: a tensor map of columns, whose address was replaced") {
    const TemporaryFolder folder;
    CHECK(recorded(folder, "columns '" + fatbin + "' mapped").status == 0);
    const Json launch = launch_in(folder, "mapped-1");
    REQUIRE(launch.at("tensor_maps").size() == 1);
    const Json map = launch.at("tensor_maps").at(0);
    CHECK(map.at("kind") == "im2col");
    CHECK(map.at("lower") == Json({-1}));
    CHECK(map.at("upper") == Json({1}));
    CHECK(map.at("channels") == 8);
    CHECK(map.at("pixels") == 16);
    CHECK(map.at("address") == launch.at("allocations").at(1).at("address"));  // the first is that of the other parameter
}

TEST_CASE("record: one kernel, one launch, and no more than a few") {
    const TemporaryFolder folder;
    CHECK(recorded(folder, "often '" + fatbin + "'", "--kernel ring --launch 3").status == 0);
    CHECK(fs::exists(folder.at("recorded/ring-3/launch.json")));
    CHECK_FALSE(fs::exists(folder.at("recorded/ring-1")));
    const Run again = recorded(folder, "often '" + fatbin + "'");
    CHECK(again.status == 2);
    CHECK(has(again.err, "the folder recorded is not empty"));
    const Run all = recorded(folder, "often '" + fatbin + "'", "-o all");
    CHECK(all.status == 0);
    CHECK(
        has(all.out, "all/ring-16: launch 16 of ring\nring is not recorded after its first 16 launches; --launch N records one of them\n"));
    CHECK(fs::hard_link_count(folder.at("all/ring-1/kernel.ptx")) == 16);
}

// One allocation of 4 MiB, with both arrays in its middle.
TEST_CASE("record: memory is copied from where an address leads, and what is left out is said") {
    const TemporaryFolder folder;
    CHECK(recorded(folder, "inside '" + fatbin + "'", "--bytes 512").status == 0);
    const Json launch = launch_in(folder);
    REQUIRE(launch.at("allocations").size() == 1);
    const Json pieces = launch.at("allocations").at(0).at("pieces");
    REQUIRE(pieces.size() == 1);  // the two meet
    CHECK(pieces.at(0).at("at") == 2 << 20);
    CHECK(pieces.at(0).at("bytes") == 384 + 512);
    const Run judgement = judged(folder);
    CHECK(judgement.status == 0);
    CHECK(has(judgement.out, "arg0: 896 of its 4194304 bytes were recorded; the others count as zeros"));

    // an allocation that ends where the arrays begin: what goes wrong comes with what is missing
    Json changed = launch;
    changed["allocations"][0]["bytes"] = (2 << 20) + 896;
    changed["allocations"][0]["pieces"] = Json::array();
    changed["pointers"][0]["offset"] = (2 << 20) + 880;
    folder.write("recorded/ring-1/launch.json", changed.dump());
    const Run outside = judged(folder);
    CHECK(outside.status == 2);
    CHECK(has(outside.err, "past the end of `arg0`"));
    CHECK(has(outside.err, "note: arg0: its contents were not recorded, and count as zeros"));
}

TEST_CASE("record: a table of addresses is followed") {
    const TemporaryFolder folder;
    CHECK(recorded(folder, "table '" + fatbin + "'").status == 0);
    const Json launch = launch_in(folder);
    REQUIRE(launch.at("allocations").size() == 3);
    const Json table = launch.at("allocations").at(0);
    REQUIRE(table.at("pointers").size() == 1);
    CHECK(table.at("pointers").at(0) == Json({{"at", 8}, {"allocation", 2}, {"offset", 8}}));
    CHECK(words_in(folder, "ring-1/memory-2-0.bin").at(95) == 95);
    CHECK(launch.at("allocations").at(2).at("pointers").empty());
}

TEST_CASE("record: where there is nothing to record, it says why") {
    const TemporaryFolder folder;
    const auto refused = [&](const std::string& command, const std::string& why) {
        fs::remove_all(folder.at("recorded"));
        const Run run = shell(folder, "export LD_LIBRARY_PATH='" RECORDED_DRIVER "'; " + command);
        INFO(command << "\n" << run.out << run.err);
        CHECK(run.status == 2);
        CHECK(has(run.err, why));
    };
    refused("litmus record", "no program is named");
    refused("litmus record -- ./nosuch --help", "cannot run ./nosuch: No such file or directory");
    refused("litmus record -- '" RECORDED_PROGRAM "' nothing",
            "no launch was recorded: the program launched no kernel, and did not ask for the CUDA driver");
    refused("litmus record -- '" RECORDED_PROGRAM "' failing", "the program launched no kernel; the program ended with status 3");
    refused("litmus record --kernel other -- '" RECORDED_PROGRAM "' linked '" + ring_ptx + "'", "no kernel is called other");
    refused("litmus record --launch 2 -- '" RECORDED_PROGRAM "' linked '" + ring_ptx + "'", "no kernel was launched 2 times");
}

TEST_CASE("record: a kernel without PTX") {
    const TemporaryFolder folder;
    folder.write("cubin",
                 "\x7f"
                 "ELF");
    const Run run = recorded(folder, "linked cubin");
    CHECK(run.status == 0);
    CHECK(has(run.out, "  without PTX: the kernel was loaded from a cubin, which has no PTX\n"));
    CHECK(has(run.out, "compile with PTX"));
    const Run judgement = judged(folder);
    CHECK(judgement.status == 2);
    CHECK(has(judgement.err, "recorded/ring-1 has no PTX: the kernel was loaded from a cubin"));
    CHECK(has(judgement.err, "hint: compile the program so that it has PTX"));
}

TEST_CASE("kernel: a recorded folder that was changed") {
    const TemporaryFolder folder;
    REQUIRE(recorded(folder, "linked '" + ring_ptx + "'").status == 0);
    const std::string json = folder.read("recorded/ring-1/launch.json");
    const auto refused = [&](const std::string& why) {
        const Run run = judged(folder);
        INFO(run.out << run.err);
        CHECK(run.status == 2);
        CHECK(has(run.err, why));
    };
    const auto with = [&](const char* key, const Json& value) {
        Json changed = Json::parse(json);
        changed[key] = value;
        folder.write("recorded/ring-1/launch.json", changed.dump());
    };
    folder.write("recorded/ring-1/launch.json", "{");
    refused("recorded/ring-1/launch.json:1:2: error: the JSON text ends too early");
    with("version", 2);
    refused("it has another version than 1");
    with("grid", "wide");
    refused("is no recorded launch");
    with("pointers", Json::array({{{"at", 0}, {"allocation", 7}, {"offset", 0}}}));
    refused("`pointers[0].allocation` is 7, and no whole number from 0 to 1");
    with("allocations", Json::array({{{"address", 1},
                                      {"bytes", 4},
                                      {"pointers", Json::array()},
                                      {"pieces", Json::array({{{"at", 0}, {"bytes", 8}, {"file", "memory-0-0.bin"}}})}}}));
    refused("`allocations[0].pieces[0].bytes` is 8, and no whole number from 1 to 4");
    Json outside = Json::parse(json);
    outside["allocations"][0]["pieces"][0]["file"] = "../../.script";
    folder.write("recorded/ring-1/launch.json", outside.dump());
    refused("cannot read");
    folder.write("recorded/ring-1/launch.json", json);
    folder.write("recorded/ring-1/memory-0-0.bin", "short");
    refused("memory-0-0.bin has 5 bytes, and should have 384");
    folder.write("recorded/ring-1/parameters.bin", "short");
    refused("the parameters have 5 bytes, and those of `ring` take 20");
    CHECK(has(shell(folder, "litmus kernel recorded/ring-1 '" + ring_ptx + "'").err,
              "is no folder of a recorded launch, and more than that is named"));
    CHECK(has(shell(folder, "litmus kernel nosuch").err, "cannot read 'nosuch'"));
}

// The ring leaves memory as it finds it but for its output; the second launch has one tile more.
TEST_CASE("record: launches of a stream are swept one after the other, in common memory") {
    const TemporaryFolder folder;
    CHECK(recorded(folder, "often '" + fatbin + "'").status == 0);
    const auto swept = [&](const std::string& options) { return shell(folder, "litmus kernel " + options); };
    const Run both = swept("recorded/ring-1 recorded/ring-2");
    CHECK(both.status == 0);
    CHECK(has(both.out, "launch 1 of 2: ring\nnothing found\n"));
    CHECK(has(both.out, "launch 2 of 2: ring\nnothing found\n"));
    // what the first one wrote and the second one does not is said of a repetition alone
    CHECK(swept("recorded/ring-2 recorded/ring-1").status == 0);
    CHECK(swept("recorded/ring-1 --repeat 2").status == 0);
    // the second one begins when the first has ended, or early, and then races with it
    const std::string together = "litmus kernel recorded/ring-1 recorded/ring-2 --no-time --timeout 60 ";
    const Run in_order = shell(folder, together), early = shell(folder, together + "--pdl");
    CHECK(in_order.status == 0);
    CHECK(has(in_order.out, "right in every order of these 2 launches\n"));
    CHECK(early.status == 1);
    CHECK(has(early.out, "launch 2 of 2: ring\nrace on `arg1` at byte 0: the launch before may still run\n"));
    CHECK(has(shell(folder, "litmus kernel recorded/ring-1 recorded/ring-2 --compiled").err, "--compiled is about one"));
    CHECK(has(shell(folder, "litmus kernel recorded/ring-1 --pdl").err, "--pdl is about launches behind the first"));
    const std::string ptx = folder.read("recorded/ring-2/kernel.ptx");
    CHECK(shell(folder, "rm recorded/ring-2/kernel.ptx").status == 0);  // one file has two names
    folder.write("recorded/ring-2/kernel.ptx", "// another file\n" + ptx);
    const Run apart = shell(folder, together + "--pdl");
    CHECK(has(apart.err, "have different PTX"));
    CHECK(has(swept("recorded/ring-1 recorded/ring-2 --grid 2").err, "it is not clear for which launch"));
    CHECK(has(swept("recorded/ring-1 --arg 1").err, "is a recorded launch, which has its own arguments"));
}
