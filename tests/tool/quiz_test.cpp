// `litmus quiz` with its answers from a pipe. Lessons and tests are those of the library.
#include <algorithm>

#include "tool/shell.h"
#include "turn.h"

namespace {

Run quiz(const TemporaryFolder& folder, const std::string& answers, const std::string& arguments) {
    folder.write("answers", answers);
    return shell(folder, "cd '" LITMUS_SOURCE_DIR "' && litmus quiz " + arguments + " <'" + folder.at("answers").string() + "'");
}

size_t count(const std::string& text, const std::string& part) {
    size_t found = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
}

// Answers every question, each yes, each choice the first: what does not fit is asked again.
std::string yes_to_all() {
    std::string answers;
    for (int i = 0; i < 400; ++i) answers += "y\na\n";
    return answers;
}

// The titles of the rounds, in order.
std::vector<std::string> rounds(const std::string& out) {
    std::vector<std::string> found;
    for (const std::string& line : lines(out))
        if (line.rfind("Lesson ", 0) == 0 || line.rfind("Test (", 0) == 0) found.push_back(line.substr(0, line.rfind(" (")));
    return found;
}

}  // namespace

TEST_CASE("quiz: the first three lessons, as they are printed") {
    const TemporaryFolder folder;
    const Run run = quiz(folder, "y\nyes\n?\nn\nmaybe\ny\nc\ny\ny\ny\ny\n?\na\ny\ny\ny\nn\nb\n", "1 02 03-scopes");
    CHECK(run.status == 0);
    CHECK(run.err.empty());
    check_golden("quiz-lessons.txt", run.out);
}

TEST_CASE("quiz: a folder of tests, with a seed, as it is printed") {
    const TemporaryFolder folder;
    const Run run = quiz(folder, yes_to_all(), "litmus/classic/mp --seed 3 --count 3");
    CHECK(run.status == 0);
    CHECK(run.err.empty());
    check_golden("quiz-tests.txt", run.out);
    CHECK(quiz(folder, yes_to_all(), "litmus/classic/mp --seed 3 --count 3").out == run.out);
}

TEST_CASE("quiz: the order depends on the seed alone") {
    const TemporaryFolder folder;
    const auto shuffled = [&folder](const std::string& seed) { return rounds(quiz(folder, yes_to_all(), "1 2 3 --seed " + seed).out); };
    const auto one = shuffled("1");
    CHECK(one.size() == 3);
    CHECK(one != shuffled("2"));
    CHECK(one == shuffled("1"));
    auto sorted = one;
    std::sort(sorted.begin(), sorted.end());
    CHECK(one != sorted);
    CHECK(sorted == rounds(quiz(folder, yes_to_all(), "1 2 3").out));
}

TEST_CASE("quiz: without a name it goes through all lessons") {
    const TemporaryFolder folder;
    const Run run = quiz(folder, "y\nq\n", "");
    CHECK(run.status == 0);
    CHECK(has(run.out, "Lesson 1: Message passing (1 of 18)\n"));
}

TEST_CASE("quiz: each lesson asks how its test can end and which line repairs its exercise") {
    const TemporaryFolder folder;
    const litmus::Turn turn;
    std::vector<std::string> asked;
    std::string names;
    for (size_t lesson = 1; lesson <= 14; ++lesson)
        if (turn.has(lesson)) names += asked.emplace_back(std::to_string(lesson)) + " ";
    const Run run = quiz(folder, yes_to_all(), names);
    CHECK(run.status == 0);
    CHECK(rounds(run.out).size() == asked.size());
    CHECK_FALSE(has(run.out, "exists ("));  // what the test claims would tell
    size_t at = run.out.find("Lesson ");
    for (size_t i = 0; i < asked.size(); ++i) {
        INFO("lesson ", asked[i]);
        REQUIRE(run.out.compare(at, 9 + asked[i].size(), "Lesson " + asked[i] + ": ") == 0);
        const size_t next = i + 1 == asked.size() ? std::string::npos : run.out.find("Lesson " + asked[i + 1] + ": ", at);
        const std::string round = run.out.substr(at, next == std::string::npos ? next : next - at);
        CHECK(count(round, "Can it end so?") + count(round, "Can it go wrong:") >= 1);
        CHECK(count(round, "Which of these repairs it?") == 1);
        CHECK(has(round, "\nWhy\n"));
        at = next;
    }
}

TEST_CASE("quiz: q leaves, and so does the end of the answers") {
    const TemporaryFolder folder;
    const Run left = quiz(folder, "y\nq\ny\n", "1");
    CHECK(left.status == 0);
    CHECK(has(left.out, "Score: 1 of 1\n"));
    const Run ended = quiz(folder, "y\nn", "1");
    CHECK(ended.status == 0);
    CHECK(has(ended.out, "Score: 1 of 2\n"));
    const Run silent = quiz(folder, "", "1 2");
    CHECK(silent.status == 0);
    CHECK(count(silent.out, "Can it end so?") == 1);
    CHECK(has(silent.out, "Score: 0 of 0\n"));
}

TEST_CASE("quiz: a test that goes wrong, and one whose choices are lines") {
    const TemporaryFolder folder;
    const Run hang = quiz(folder, "y\n", "litmus/lessons/08-transactions.litmus");
    CHECK(has(hang.out, "Can it go wrong"));
    CHECK(has(hang.out, "Right. It can."));
    CHECK(has(hang.out, "bytes"));
    folder.write("well.litmus",
                 "test \"well\"\n.shared.cta0 .mbarrier bar = 1;\nthread P0 @ cta0 {\n"
                 "  mbarrier.arrive.release.cta.shared::cta.b64 _, [bar];\n"
                 "  await mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 [bar], 0;\n}\nterminates\n");
    const Run well = quiz(folder, "n\n", "'" + folder.at("well.litmus").string() + "'");
    CHECK(has(well.out, "Right. It cannot: every execution ends, and is defined."));
    CHECK(has(well.out, "Score: 1 of 1"));
}

TEST_CASE("quiz: names of the library as its questions have them, from anywhere") {
    const TemporaryFolder folder;
    folder.write("answers", "y\n");
    const Run one = shell(folder, "litmus quiz classic/mp/mp-relaxed <answers");
    CHECK(one.status == 0);
    CHECK(has(one.out, "Test (1 of 1)\n"));
    CHECK(has(shell(folder, "litmus quiz classic/mp/ --count 2 <answers").out, "Test (1 of 2)\n"));
    CHECK(has(shell(folder, "litmus quiz 2 <answers").out, "Lesson 2: Store buffering (1 of 1)\n"));
    const Run none = shell(folder, "litmus quiz classic/mp/no-such <answers");
    CHECK(none.status == 2);
    CHECK(has(none.err, "classic/mp/no-such"));
}

TEST_CASE("quiz: where no lessons are, it says where it looked") {
    const TemporaryFolder folder;
    const Run run = shell(folder, "mkdir -p bin elsewhere && cp '" LITMUS_EXE "' bin/litmus && cd elsewhere && ../bin/litmus quiz");
    CHECK(run.status == 2);
    const fs::path here = fs::canonical(folder.path());
    CHECK(run.err == "error: no lessons found; looked in " + (here / "elsewhere/litmus/lessons").string() + ", " +
                         (here / "litmus/lessons").string() + ", " + (here / "share/litmus/litmus/lessons").string() +
                         "\n    hint: name their folder, or a folder of tests\n");
}

TEST_CASE("quiz: no line is wider than it shall be, and what an exercise speaks of is shown") {
    const TemporaryFolder folder;
    const Run run = quiz(folder, yes_to_all(), "1 3");
    for (const std::string& line : lines(run.out)) CHECK_MESSAGE(line.size() <= 100, line);
    CHECK(has(run.out, "  It can be done by changing one line.\n  The file: litmus/lessons/01-message-passing-broken.litmus\n"));
    CHECK_FALSE(has(run.out, "The reason why"));
}

TEST_CASE("quiz: what is no lesson and no test is an error") {
    const TemporaryFolder folder;
    folder.write(std::string("bad/") + "01-message-passing.md", "No title\n");
    folder.write("bad.litmus", "test \"x\"\nnonsense\n");
    const Run missing = quiz(folder, "", "99");
    CHECK(missing.status == 2);
    CHECK(missing.err == "error: there is no lesson 99\n    hint: lessons are 1 to 18\n");
    const Run lesson = quiz(folder, "", "'" + folder.at("bad").string() + "'");
    CHECK(lesson.status == 2);
    CHECK(has(lesson.err, "01-message-passing.md:1:1: error: expected `# title`"));
    const Run test = quiz(folder, "", "'" + folder.at("bad.litmus").string() + "'");
    CHECK(test.status == 2);
    CHECK(has(test.err, "bad.litmus:2:1"));
}
