// The one main of every test executable. A filter that leaves nothing to run is a failure: it would pass for ever.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdio>

namespace {

// What doctest tells of a run but its summary: how many test cases there were.
struct Count : doctest::IReporter {
    static inline unsigned ran = 0;
    explicit Count(const doctest::ContextOptions&) {}
    void report_query(const doctest::QueryData&) override { ran = 1; }
    void test_run_start() override {}
    void test_run_end(const doctest::TestRunStats& stats) override { ran += stats.numTestCasesPassingFilters; }
    void test_case_start(const doctest::TestCaseData&) override {}
    void test_case_reenter(const doctest::TestCaseData&) override {}
    void test_case_end(const doctest::CurrentTestCaseStats&) override {}
    void test_case_exception(const doctest::TestCaseException&) override {}
    void subcase_start(const doctest::SubcaseSignature&) override {}
    void subcase_end() override {}
    void log_assert(const doctest::AssertData&) override {}
    void log_message(const doctest::MessageData&) override {}
    void test_case_skipped(const doctest::TestCaseData&) override {}
};
REGISTER_LISTENER("count", 1, Count);

}  // namespace

int main(int argc, char** argv) {
    doctest::Context context(argc, argv);
    const int status = context.run();
    if (context.shouldExit()) return status;  // --help and its like
    if (Count::ran == 0) std::fputs("no test case passes these filters\n", stderr);
    return Count::ran == 0 ? 1 : status;
}
