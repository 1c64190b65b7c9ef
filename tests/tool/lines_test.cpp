// What reports say of a test that stands for a kernel: the lines of CUDA beside those of the test.
#include "print/cases.h"
#include "tool/shell.h"

namespace {

// A slot of shared memory is filled in bulk and given back before it is read; a total is published by a flag without release.
constexpr auto kernel = R"(test "kernel"
.file 1 "src/ring.cu"
.file 2 "src/sum.cuh"
.global .u32 g[4] = 7;
.global .u32 total = 0;
.global .u32 flag = 0;
.shared.cta0 .u32 s[4] = 0;
.shared.cta0 .mbarrier full = 1;
thread producer @ cta0 {
  .loc 1 38
  mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [full], 16;
  .loc 1 39 5
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [g], 16, [full];
}
thread consumer @ cta0 {
  .loc 1 52 9
  ld.weak.shared::cta.u32 r0, [s];
  .loc 2 7
  st.weak.global.u32 [total], r0;
  .loc 2 9
  st.relaxed.gpu.global.u32 [flag], 1;
}
thread reader @ cta1 {
  .loc 1 60
  await ld.acquire.gpu.global.u32 r0, [flag] == 1;
  .loc 1 61
  ld.weak.global.u32 r1, [total];
}
)";

// The same without the copy.
constexpr auto message = R"(test "message"
.file 1 "src/ring.cu"
.file 2 "src/sum.cuh"
.global .u32 total = 0;
.global .u32 flag = 0;
thread consumer @ cta0 {
  .loc 2 7
  st.weak.global.u32 [total], 7;
  .loc 2 9
  st.relaxed.gpu.global.u32 [flag], 1;
}
thread reader @ cta1 {
  .loc 1 60
  await ld.acquire.gpu.global.u32 r0, [flag] == 1;
  .loc 1 61 5
  ld.weak.global.u32 r1, [total];
}
~exists (reader:r1 == 0)
)";

void write_both(const TemporaryFolder& folder) {
    folder.write("kernel.litmus", kernel);
    folder.write("message.litmus", message);
}

}  // namespace

TEST_CASE("goldens of a test with lines of CUDA") {
    const TemporaryFolder folder;
    write_both(folder);
    check_golden("lines-check.txt",
                 shell(folder, "litmus check --no-time --strict kernel.litmus; litmus check --no-time message.litmus").out);
    check_golden("lines-table.txt", shell(folder, "litmus check --no-time --strict kernel.litmus message.litmus").out);
    for (const std::string format : {"json", "sarif", "github", "junit"})
        check_golden("lines." + format,
                     shell(folder, "litmus check --no-time --strict --format " + format + " kernel.litmus message.litmus").out);
    check_golden("lines-explain.txt", shell(folder, "litmus explain message.litmus").out);
    check_golden("lines-repair.txt", shell(folder, "litmus repair --no-time --all message.litmus").out);
    check_golden("lines-repair.jsonl", shell(folder, "litmus repair --no-time --format json message.litmus").out);
    check_golden("lines-weaken.txt",
                 shell(folder, "litmus weaken --no-time message.litmus; litmus weaken --no-time --format json message.litmus").out);
    check_golden("lines-show.txt", shell(folder, "litmus show message.litmus; litmus show --dot message.litmus").out);
}

TEST_CASE("lines are kept by fmt, by the cache and by what a run is resumed from, and merged") {
    const TemporaryFolder folder;
    write_both(folder);
    CHECK(shell(folder, "litmus fmt kernel.litmus | grep -c '^  .loc [12] '").out == "7\n");
    CHECK(shell(folder, "litmus fmt kernel.litmus > a; litmus fmt a > b; cmp a b").status == 0);
    const std::string check = "litmus check --no-time --strict --format ";
    const std::string files = " kernel.litmus message.litmus";
    std::vector<std::string> formats = {"json"};
    for (const litmus::CaseFormat& each : litmus::case_formats()) formats.emplace_back(each.name);
    for (const std::string& format : formats) {
        const std::string fresh = shell(folder, check + format + files).out;
        CHECK(fresh.find("ring.cu") != std::string::npos);
        CHECK(shell(folder, check + format + " --cache cache" + files).out == fresh);
        CHECK(shell(folder, check + format + " --cache cache" + files).out == fresh);
    }
    const std::string parts = check + "json --shard 1/2" + files + " > 1.jsonl; " + check + "json --shard 2/2" + files + " > 2.jsonl; ";
    CHECK(shell(folder, parts + "litmus merge --format sarif 1.jsonl 2.jsonl").out == shell(folder, check + "sarif" + files).out);
    const std::string resumed = check + "json" + files + " > all.jsonl; head -n 1 all.jsonl > some.jsonl; " + check +
                                "json --resume some.jsonl" + files + " > /dev/null; cmp all.jsonl some.jsonl";
    CHECK(shell(folder, resumed).status == 0);
}

TEST_CASE("a test has one hash and one verdict, whatever its lines") {
    const TemporaryFolder folder;
    write_both(folder);
    const Run bare = shell(
        folder, "grep -v '^ *[.]\\(loc\\|file\\)' kernel.litmus > bare.litmus; litmus check --no-time --strict --format json bare.litmus");
    const Run with = shell(folder, "litmus check --no-time --strict --format json kernel.litmus");
    const Json a = Json::parse(bare.out), b = Json::parse(with.out);
    for (const char* key : {"hash", "verdict", "outcomes", "flags", "depends", "rests_on"}) CHECK(a.at(key) == b.at(key));
    CHECK(a.at("races").at(0).at("first").contains("origin") == false);
    CHECK(b.at("races").at(0).at("first").at("origin").at("file") == "src/ring.cu");
}
