// The text of a hand-made report of conformance; what a real one says stands in cli/conform_test.cpp.
#include <doctest/doctest.h>

#include "analysis/conform/text.h"

using namespace litmus;

TEST_CASE("nothing that comes from a file of observations acts on who reads the report") {
    const std::string hostile = "\x1b[2J";
    ConformTest test;
    test.name = test.file = hostile;
    test.comparison.standing = Standing::forbidden;
    Seen seen;
    seen.standing = Standing::forbidden;
    seen.count = 1;
    test.comparison.seen = {seen};
    test.known[seen.values] = hostile;
    ConformDevice device;
    device.name = hostile;
    device.tests = {test};
    ConformReport report;
    report.model = hostile;
    report.devices = {device};
    report.not_compared = {{hostile, hostile, hostile, "missing", hostile}, {hostile, hostile, hostile, "missing", ""}};
    for (const bool verbose : {false, true}) {
        const std::string text = conform_text(report, {false, false, 100}, verbose);
        CHECK(text.find('\x1b') == std::string::npos);
        CHECK(text.find("Forbidden, as known \\x1b[2J (\\x1b[2J)") != std::string::npos);
        CHECK(text.find("1 test compared with \\x1b[2J, reading") != std::string::npos);
        CHECK(text.find("Not compared: \\x1b[2J (\\x1b[2J): \\x1b[2J\n") != std::string::npos);
    }
}
