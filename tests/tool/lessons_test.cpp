// The course of litmus/lessons: every lesson can be read, everything in it is computed from tests that are there and decided, its broken
// test is broken, the solution is none, and a repair is found.
#include <algorithm>
#include <map>
#include <set>

#include "contents.h"
#include "language/syntax/read.h"
#include "tool/shell.h"
#include "turn.h"
#include "view/page/bare_source.h"
#include "view/page/lesson.h"

using litmus::Lesson;
using litmus::Placeholder;
using Kind = litmus::Placeholder::Kind;

namespace {

const fs::path library = LITMUS_SOURCE_DIR "/litmus";

const std::vector<Lesson>& lessons() {
    static const std::vector<Lesson> all = [] {
        std::set<fs::path> files;
        for (const auto& entry : fs::directory_iterator(library / "lessons"))
            if (entry.path().extension() == ".md" && entry.path().stem() != "README") files.insert(entry.path());
        std::vector<Lesson> found;
        for (const fs::path& file : files) found.push_back(litmus::parse_lesson(litmus::read_source(file.string())));
        return found;
    }();
    return all;
}

// What `litmus check` says of each test that a lesson speaks of, by its path below the library.
const std::map<std::string, Json>& checked() {
    static const std::map<std::string, Json> results = [] {
        std::set<std::string> files;
        for (const Lesson& lesson : lessons())
            litmus::each_placeholder(lesson, [&](const Placeholder& one) {
                files.insert(one.test);
                if (!one.solution.empty()) files.insert(one.solution);
            });
        std::string command = "cd '" + library.string() + "' && litmus check --format json";
        for (const std::string& file : files) {
            REQUIRE_MESSAGE(fs::exists(library / file), "there is no ", file);
            command += " '" + file + "'";
        }
        const TemporaryFolder folder;
        std::map<std::string, Json> found;
        for (const Json& line : json_lines(shell(folder, command).out)) found[line.at("file").get<std::string>()] = line;
        return found;
    }();
    return results;
}

bool claims_a_bug(const Json& result) {
    const Json& claim = result.at("claim");
    const std::string text = claim.at("text");
    return claim.at("kind") == "exists" || has(text, "undefined") || has(text, "deadlock");
}

}  // namespace

TEST_CASE("there are eighteen lessons and more, numbered from 1, each with a test of its own") {
    REQUIRE(lessons().size() >= 18);
    for (size_t i = 0; i < lessons().size(); ++i) {
        INFO(lessons()[i].name);
        CHECK(lessons()[i].number == static_cast<int>(i) + 1);
        CHECK(fs::exists(library / lessons()[i].test));
    }
}

TEST_CASE("everything that a lesson puts in can be computed") {
    for (const Lesson& lesson : lessons())
        litmus::each_placeholder(lesson, [&](const Placeholder& one) {
            INFO(lesson.name, ": ", one.test);
            REQUIRE(checked().count(one.test) == 1);
            const Json& result = checked().at(one.test);
            CHECK(result.at("verdict") == "ok");
            CHECK(result.at("complete") == true);
            if (one.kind == Kind::can) CHECK(result.at("condition") != "");
            if (one.kind == Kind::outcomes) CHECK_FALSE(result.at("outcomes").empty());
            if (one.kind == Kind::readings) CHECK(result.contains("rests_on"));
        });
}

TEST_CASE("what is explained and drawn has something to explain") {
    const TemporaryFolder folder;
    const litmus::Turn turn;
    size_t number = 0;
    for (const Lesson& lesson : lessons())
        litmus::each_placeholder(lesson, [&](const Placeholder& one) {
            if ((one.kind != Kind::explain && one.kind != Kind::picture) || !turn.has(number++)) return;
            INFO(lesson.name, ": ", one.test);
            const std::string outcome = one.outcome.empty() ? "" : " --outcome '" + one.outcome + "'";
            const Run run = shell(folder, "litmus explain '" + (library / one.test).string() + "'" + outcome);
            CHECK(run.status == 0);
            CHECK(lines(run.out).size() > 3);
        });
}

TEST_CASE("what GPUs did with a test of a lesson is in litmus/observed") {
    std::string observed;
    for (const auto& entry : fs::directory_iterator(library / "observed"))
        if (entry.path().extension() == ".json") observed += contents(entry.path());
    for (const Lesson& lesson : lessons())
        litmus::each_placeholder(lesson, [&](const Placeholder& one) {
            if (one.kind != Kind::observed) return;
            const std::string hash = checked().at(one.test).at("hash");
            CHECK_MESSAGE(has(observed, "\"" + hash + "\""), lesson.name, ": no GPU ran ", one.test);
        });
}

TEST_CASE("each exercise is broken, its solution is not, and a repair is found") {
    const TemporaryFolder folder;
    for (const Lesson& lesson : lessons()) {
        INFO(lesson.name);
        const Placeholder& exercise = *litmus::find_placeholder(lesson.exercise, Kind::exercise);
        CHECK(claims_a_bug(checked().at(exercise.test)));
        CHECK_FALSE(claims_a_bug(checked().at(exercise.solution)));
        CHECK(checked().at(exercise.solution).at("verdict") == "ok");
        const Run run = shell(folder, "litmus repair --format json '" + (library / exercise.test).string() + "'");
        CHECK_FALSE(json_lines(run.out).front().at("repairs").empty());
    }
}

namespace {

// What a program does, line by line: neither its comments nor its claim.
std::vector<std::string> program(const std::string& file) {
    const auto tests = litmus::parse_tests(litmus::read_source((library / file).string()));
    std::vector<std::string> found;
    for (const litmus::SourceLine& line : litmus::bare_source(tests.front())) found.push_back(line.text);
    return found;
}

// How many lines of `a` are edited to get `b`. They differ in places between which lines are the same (a longest common subsequence). A
// line that goes in one place and comes in another is moved; of what is left in a place, a line that goes and one that comes are one that
// changes.
litmus::LineEdits edits_between(const std::vector<std::string>& a, const std::vector<std::string>& b) {
    std::vector<std::vector<size_t>> common(a.size() + 1, std::vector<size_t>(b.size() + 1));  // lines, of what is left of both
    for (size_t i = a.size(); i-- > 0;)
        for (size_t j = b.size(); j-- > 0;)
            common[i][j] = a[i] == b[j] ? common[i + 1][j + 1] + 1 : std::max(common[i + 1][j], common[i][j + 1]);
    struct Place {
        std::vector<std::string> gone, come;
    };
    std::vector<Place> places(1);
    for (size_t i = 0, j = 0; i < a.size() || j < b.size();) {
        if (i < a.size() && j < b.size() && a[i] == b[j]) {
            ++i, ++j;
            places.emplace_back();
        } else if (j == b.size() || (i < a.size() && common[i + 1][j] >= common[i][j + 1])) {
            places.back().gone.push_back(a[i++]);
        } else {
            places.back().come.push_back(b[j++]);
        }
    }
    litmus::LineEdits edits;
    for (Place& from : places)
        for (size_t i = 0; i < from.gone.size();) {
            const auto has = [&](const Place& to) { return std::find(to.come.begin(), to.come.end(), from.gone[i]) != to.come.end(); };
            const auto to = std::find_if(places.begin(), places.end(), has);
            if (to == places.end()) {
                ++i;
                continue;
            }
            to->come.erase(std::find(to->come.begin(), to->come.end(), from.gone[i]));
            from.gone.erase(from.gone.begin() + static_cast<std::ptrdiff_t>(i));
            ++edits.moved;
        }
    for (const Place& place : places) {
        const size_t changed = std::min(place.gone.size(), place.come.size());
        edits.changed += changed;
        edits.removed += place.gone.size() - changed;
        edits.added += place.come.size() - changed;
    }
    return edits;
}

}  // namespace

TEST_CASE("edits are counted") {
    using litmus::LineEdits;
    CHECK(edits_between({"a", "b", "c"}, {"a", "b", "c"}) == LineEdits{});
    CHECK(edits_between({"a", "b", "c"}, {"a", "x", "c"}) == LineEdits{.changed = 1});
    CHECK(edits_between({"a", "b", "c"}, {"a", "x", "b", "y", "c"}) == LineEdits{.added = 2});
    CHECK(edits_between({"a", "b", "c"}, {"a", "c"}) == LineEdits{.removed = 1});
    CHECK(edits_between({"a", "b", "c"}, {"b", "c", "a"}) == LineEdits{.moved = 1});
    CHECK(edits_between({"a", "b", "c"}, {"x", "b", "a", "y"}) == LineEdits{.changed = 1, .added = 1, .moved = 1});
}

TEST_CASE("a solution differs from its exercise by what the lesson asks for, and by nothing else") {
    for (const Lesson& lesson : lessons()) {
        const Placeholder& exercise = *litmus::find_placeholder(lesson.exercise, Kind::exercise);
        const litmus::LineEdits found = edits_between(program(exercise.test), program(exercise.solution));
        CHECK_MESSAGE(found == exercise.edits, lesson.name, " asks for ", litmus::in_words(exercise.edits), ", and its solution is ",
                      litmus::in_words(found));
    }
}

TEST_CASE("every test beside the lessons belongs to one, and bears its name") {
    for (const auto& entry : fs::directory_iterator(library / "lessons")) {
        if (entry.path().extension() != ".litmus") continue;
        const std::string stem = entry.path().stem().string();
        CHECK_MESSAGE(checked().count("lessons/" + stem + ".litmus") == 1, "no lesson speaks of ", stem);
        CHECK(has(contents(entry.path()), "test \"lesson-" + stem + "\"\n"));
    }
}
