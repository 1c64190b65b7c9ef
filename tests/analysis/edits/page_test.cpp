// The page about repairs has every kind of what may be missing, in the words of the code, and its prices.
#include <doctest/doctest.h>

#include <algorithm>

#include "analysis/edits/edit.h"
#include "base/source.h"
#include "ptx/table.h"

using namespace litmus;

namespace {

const std::string& page() {
    static const std::string text = read_source(std::string(LITMUS_SOURCE_DIR) + "/litmus/repair.md")->text;
    return text;
}

bool has(const std::string& line) {
    return page().find("\n" + line + "\n") != std::string::npos;
}

}  // namespace

TEST_CASE("the page has a row for each kind, and no other") {
    size_t rows = 0;
    for (const FaultRow& fault : faults()) {
        const std::string line =
            "| `" + std::string(fault.name) + "` | " + std::string(fault.meaning) + " | " + std::string(fault.section) + " |";
        CHECK_MESSAGE(has(line), line);
    }
    const size_t table = page().find("| kind | | section |"), end = page().find("\n\n", table);
    for (size_t at = table; (at = page().find("\n| `", at)) < end; ++at) ++rows;
    CHECK(rows == faults().size());
}

TEST_CASE("a kind that is about one instruction cites the section of that instruction") {
    const std::pair<Fault, std::string_view> all[] = {
        {Fault::read_waits_for_source_only, "cp.async.bulk.wait_group"},
        {Fault::group_left_pending, "cp.async.bulk.wait_group"},
        {Fault::wrong_parity, "mbarrier.try_wait"},
        {Fault::wait_not_checked, "mbarrier.try_wait"},
        {Fault::wrong_arrival_count, "mbarrier.init"},
        {Fault::arrival_missing, "mbarrier.arrive"},
        {Fault::fence_missing, "fence"},
        {Fault::barrier_of_one_cta, "bar.sync"},
    };
    for (const auto& [fault, mnemonic] : all) {
        CAPTURE(row(fault).name);
        const auto form = std::find_if(forms().begin(), forms().end(), [name = mnemonic](const Form& f) { return f.mnemonic == name; });
        REQUIRE(form != forms().end());
        CHECK(row(fault).section == form->section);
    }
}

TEST_CASE("the page has the prices") {
    CHECK(page().find("costs " + std::to_string(price::place) + ", and more") != std::string::npos);
    for (const Scope scope : {Scope::cta, Scope::cluster, Scope::gpu, Scope::sys})
        CHECK(has("| `." + std::string(name(scope)) + "` | " + std::to_string(price::at(scope) - price::place) + " |"));
    CHECK(page().find("`fence.sc` costs " + std::to_string(price::at(Scope::cta, Sem::sc) - price::at(Scope::cta)) + " more") !=
          std::string::npos);
}
