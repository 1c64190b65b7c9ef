// What a run has observed, and when and how its file is written.
#include "gpu/run/ledger.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/budget.h"

namespace fs = std::filesystem;
using namespace litmus;
using namespace litmus::gpu;

namespace {

class Folder {
public:
    Folder() { fs::create_directories(path_); }
    ~Folder() { fs::remove_all(path_); }
    std::string output() const { return (path_ / "observed.json").string(); }

private:
    fs::path path_ = fs::temp_directory_path() / ("litmus-ledger-" + std::to_string(getpid()));
};

Observation observation(const std::string& test) {
    Observation o;
    o.test = test;
    o.instances = o.timeouts = 5;
    return o;
}

std::vector<std::string> names(const std::string& path, const std::string& list) {
    std::vector<std::string> result;
    const nlohmann::json all = nlohmann::json::parse(text_of_file(path));
    for (const nlohmann::json& entry : all[list]) result.push_back(entry["name"]);
    return result;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("the file has all tests, those that still run, and those that were skipped") {
    const Folder folder;
    Ledger ledger(folder.output(), {}, "");
    ledger.add(observation("first"));
    CHECK(ledger.write({observation("running")}));
    CHECK(names(folder.output(), "tests") == Names{"first", "running"});
    Test none;
    none.name = "none";
    ledger.skip(none, "none.litmus", "a reason");
    ledger.add(observation("second"));
    CHECK(ledger.tests() == 2);
    CHECK(ledger.write());
    CHECK(names(folder.output(), "tests") == Names{"first", "second"});
    CHECK(names(folder.output(), "skipped") == Names{"none"});

    Ledger next(folder.output(), {}, text_of_file(folder.output()));  // of the process that goes on
    next.add(observation("third"));
    CHECK(next.write());
    CHECK(names(folder.output(), "tests") == Names{"first", "second", "third"});
    CHECK(names(folder.output(), "skipped") == Names{"none"});
}

TEST_CASE("a file stays until a test has run") {
    const Folder folder;
    std::ofstream(folder.output()) << "of another run";
    Ledger ledger(folder.output(), {}, "");
    CHECK_FALSE(ledger.write());
    CHECK(text_of_file(folder.output()) == "of another run");
    CHECK(ledger.write({}, true));  // nothing ran, and there is something to tell
    CHECK(names(folder.output(), "tests").empty());
    fs::remove(folder.output());
    CHECK(Ledger(folder.output(), {}, "").write());  // nothing is lost
    CHECK_FALSE(Ledger("", {}, "").write({}, true));
}

TEST_CASE("what is written takes a twentieth of the time at most") {
    const Folder folder;
    Ledger ledger(folder.output(), {}, "");
    CHECK(ledger.is_due(now()));
    const double start = now();
    ledger.write();
    const double took = now() - start;
    CHECK(ledger.written_at() >= start);
    CHECK_FALSE(ledger.is_due(ledger.written_at()));
    CHECK(ledger.is_due(ledger.written_at() + 20 * took));
    fs::remove(folder.output());
    REQUIRE(mkfifo(folder.output().c_str(), 0600) == 0);  // each process writes one document, at its end
    CHECK_FALSE(is_replaced(folder.output()));
    CHECK_FALSE(ledger.is_due(now() + 1e6));
}

TEST_CASE("a file that cannot be written is not tried again at once") {
    const Folder folder;
    Ledger ledger(folder.output() + "/none", {}, "");
    CHECK_THROWS_AS(ledger.write(), std::runtime_error);
    CHECK(ledger.written_at() > 0);
    CHECK_THROWS_WITH_AS(text_of_file(folder.output(), " (--config)"), doctest::Contains("(--config)"), std::runtime_error);
}
