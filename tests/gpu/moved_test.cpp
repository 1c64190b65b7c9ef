// What ptxas makes of tests of the library: known movements are found, and with pins there are none.
#include "gpu/emit/moved.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "language/syntax/native/dsl.h"
#include "language/syntax/read.h"

using namespace litmus;
using namespace litmus::gpu;

namespace {

Test library_test(const std::string& path) {
    return parse_tests(read_source(LITMUS_SOURCE_DIR "/litmus/" + path + ".litmus")).at(0);
}

// Tests in which ptxas 13.0 moves or drops something; of each class one.
const char* const disturbed[] = {"async/tensormap/map-rewritten-read-wait",
                                 "async/wait-group/wg-read-completion-fences-the-source-only",
                                 "async/proxy-raw/raw-fence-space-global",
                                 "async/proxy-raw/raw-global-source-fence-shared",
                                 "async/proxy-war/war-mbarrier-other-load",
                                 "async/proxy-waw/waw-pair-of-another-place",
                                 "async/cp-async/ca-wait-all-is-no-fence",
                                 "async/helpers/nc-own-store",
                                 "async/helpers/last-block-relaxed",
                                 "async/async-to-generic/a2g-no-wait",
                                 "async/not-published/st-async-payload",
                                 "async/expect-tx/announcements-add-up",
                                 "classic/barriers/bar-sync-guarded",
                                 "classic/coherence/corr-weak",
                                 "classic/coherence/coww-own",
                                 "classic/coherence/reads-step-back-across-scopes",
                                 "classic/coherence/reads-step-back-past-two-writes"};

std::optional<sass::Assembler> ptxas_13_0() {
    std::optional<sass::Assembler> found = sass::find_assembler();
    if (found && found->name.rfind("ptxas 13.0", 0) == 0) return found;
    MESSAGE("no ptxas 13.0 on this machine: not tested");
    return std::nullopt;
}

}  // namespace

TEST_CASE("kinds are names without scope, type, vector and shape") {
    const Test test = parse_dsl(make_source("t.litmus", R"(test "t"
.global .u32 x[4] = 0;
.shared.cta0 .u32 s[4] = 0;
thread P0 @ cta0 {
  ld.weak.shared::cta.v2.u32 {r0, r1}, [s];
  atom.acq_rel.gpu.global.add.u32 r2, [x], 1;
  fence.proxy.async.shared::cta;
  cp.async.bulk.wait_group.read 0;
  fence.sc.sys;
}
exists (P0:r0 == 1)
)"));
    const auto kind = [&](size_t i) { return kind_of(test.threads[0].body[i]); };
    CHECK(kind(0) == "ld.weak.shared::cta");
    CHECK(kind(1) == "atom.acq_rel.global.add");
    CHECK(kind(2) == "fence.proxy.async.shared::cta");
    CHECK(kind(3) == "cp.async.bulk.wait_group.read");
    CHECK(kind(4) == "fence.sc");
}

TEST_CASE("what is known to move is found, and counted by kinds") {
    const auto assembler = ptxas_13_0();
    if (!assembler) return;
    MovedTable table;
    for (const char* path : disturbed) count(library_test(path), path, *assembler, table);
    CHECK(table.left_out.empty());
    CHECK(table.tests == std::size(disturbed));
    CHECK(table.entries.size() == std::size(disturbed));
    CHECK(table.pairs.at({"cp.async.bulk.wait_group.read", "tensormap.replace.tile.global_address.global"}).moved == 1);
    CHECK(table.pairs.at({"st.weak.global", "ld.global.nc"}).moved == 1);
    CHECK(table.pairs.at({"cp.async.bulk.wait_group.read", "cp.async.bulk.global.shared::cta.bulk_group"}).moved == 1);
    CHECK(table.kinds.at("ld.weak.shared::cta").merged == 2);  // of war-mbarrier-other-load and st-async-payload
    CHECK(table.kinds.at("st.relaxed.global").dropped == 2);
    const auto json = nlohmann::json::parse(to_json(table));
    CHECK(json["tests"] == std::size(disturbed));
    CHECK(json["moved"].size() == table.moved());
    CHECK(json["gone"].size() == table.gone());
    CHECK(to_text(table).find("| `ld.global.nc` | `st.weak.global` | 1 | 1 |") != std::string::npos);
}

TEST_CASE("with pins nothing moves and nothing is gone") {
    const auto assembler = ptxas_13_0();
    if (!assembler) return;
    MovedTable table;
    table.pins = Pins::between;
    for (const char* path : disturbed) count(library_test(path), path, *assembler, table);
    CHECK(table.tests == std::size(disturbed));
    CHECK_MESSAGE(table.entries.empty(), to_text(table));
}

TEST_CASE("what cannot be assembled is left out with the reason") {
    MovedTable table;
    count(library_test("classic/mp/mp-relaxed"), "mp", {"/bin/false", "ptxas 0"}, table);
    REQUIRE(table.left_out.size() == 1);
    CHECK(table.left_out[0].second.rfind("ptxas 0 refuses it", 0) == 0);
    CHECK(table.tests == 0);
}
