// `litmus quiz`: asks what tests can do.
//
// A round has a lesson or a test. Its questions are made when its turn comes, so that the first is there at once.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <system_error>

#include "base/own_files.h"
#include "base/visible.h"
#include "print/columns.h"
#include "tool/command.h"
#include "tool/lesson_text.h"
#include "tool/options.h"
#include "tool/output.h"
#include "tool/quiz_question.h"
#include "view/page/lesson.h"

namespace litmus::quiz_command {

namespace {

constexpr const char* footer = R"(
Shows a test without its claim and asks: can it end so? can it go wrong? which of these lines repairs it? Answers are read from standard
input, one a line: y, n, or the letter of a choice; `?` gives a hint, `q` leaves. After each answer, `quiz` computes and says what is so,
and why. Nothing is remembered. Lessons come in their order, except with --seed. Without LESSON, FILE or DIR, it asks about all lessons.

Examples:
  litmus quiz                             the course, from the beginning
  litmus quiz 1 2 3                       its first three lessons
  litmus quiz litmus/classic --seed 7 --count 10

Exit status: 0, whatever was answered; 2 a name is neither a lesson nor a test.
)";

struct Options : TestOptions {
    Options() { timeout = 20; }
    std::vector<std::string> inputs;  // none: all lessons
    std::optional<uint64_t> seed;     // of the order; none: as they are named
    size_t questions = 0;             // rounds, at most; 0: all there are
};

void define(CLI::App& app, Options& options) {
    add_names(app, options.inputs, "LESSON|FILE|DIR",
              "Lessons by number, name or file, tests, folders of either, names as in litmus/questions.md (default: all lessons)");
    add_seed(app, options.seed, "Ask in another order, the same for the same S (default: as they are named)");
    add_number<size_t>(app, "--count", options.questions, 1, 10000000, "a number from 1 to 10000000", "N",
                       "Ask about N lessons or tests at most (default: all)");
    add_model(app, options);
    add_deciding(app, options, "Pass over a test that is not decided after S seconds, 0: never (default: 20)");
}

namespace fs = std::filesystem;

constexpr size_t most_of_lesson = 8;  // outcomes that a lesson asks about

struct Round {
    std::string title;             // of a lesson; empty: a test
    std::optional<Lesson> lesson;  // with its tests below `library`
    fs::path library;
    Input input;  // of a test
};

// ---- what is asked about --------------------------------------------------------------------------

// Where the lessons may be that come with the tool: below the current folder, beside the executable as it was built, or as it was
// installed.
std::vector<fs::path> places_of_lessons() {
    std::error_code ignored;
    const fs::path tool = fs::read_symlink("/proc/self/exe", ignored).parent_path();
    return {"litmus/lessons", (tool / "../litmus/lessons").lexically_normal(),
            (tool / "../share/litmus/litmus/lessons").lexically_normal()};
}

// Nothing where there are none.
std::optional<fs::path> find_lessons() {
    std::error_code ignored;
    for (const fs::path& folder : places_of_lessons())
        if (fs::is_directory(folder, ignored)) return folder;
    return std::nullopt;
}

fs::path lessons_folder() {
    if (const auto folder = find_lessons()) return *folder;
    std::vector<std::string> looked;
    std::error_code ignored;
    for (const fs::path& folder : places_of_lessons()) {
        const std::string place = fs::absolute(folder, ignored).string();
        if (std::find(looked.begin(), looked.end(), place) == looked.end()) looked.push_back(place);
    }
    throw Failure(nullptr, {}, "no lessons found; looked in " + joined(looked, ", "), "name their folder, or a folder of tests");
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// "03-scopes.md"
bool is_lesson(const fs::path& file) {
    const std::string name = file.filename().string();
    return file.extension() == ".md" && name.size() > 6 && is_digit(name[0]) && is_digit(name[1]) && name[2] == '-';
}

std::vector<fs::path> lessons_in(const fs::path& folder) {
    std::vector<fs::path> found;
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored))
        if (is_lesson(entry.path())) found.push_back(entry.path());
    std::sort(found.begin(), found.end());
    return found;
}

// The lesson called "3", "03" or "03-scopes"; nothing where none is. Throws Failure for a number that no lesson has.
std::optional<fs::path> lesson_called(const std::string& name) {
    if (name.empty() || !is_digit(name[0])) return std::nullopt;
    const bool number = std::all_of(name.begin(), name.end(), is_digit);
    const std::string beginning = number ? std::string(name.size() < 2 ? 1 : 0, '0') + name + "-" : name + ".md";
    const std::vector<fs::path> lessons = lessons_in(lessons_folder());
    for (const fs::path& lesson : lessons)
        if (lesson.filename().string().rfind(beginning, 0) == 0) return lesson;
    if (number) throw Failure(nullptr, {}, "there is no lesson " + name, "lessons are 1 to " + std::to_string(lessons.size()));
    return std::nullopt;
}

// What is called so in the library beside the lessons, as questions.md names it: "classic/mp/mp-relaxed", "classic/mp/"; nothing where
// nothing is.
std::optional<fs::path> in_library(const std::string& name) {
    const auto lessons = find_lessons();
    if (!lessons || fs::path(name).is_absolute()) return std::nullopt;
    std::error_code ignored;
    for (const char* ending : {"", ".litmus", ".test"}) {
        const fs::path there = lessons->parent_path() / (name + ending);
        if (fs::exists(there, ignored)) return there;
    }
    return std::nullopt;
}

Round round_of(const fs::path& file) {
    constexpr size_t most_bytes = size_t{16} << 20;
    const SourcePtr text = read_own(file.string(), file.parent_path().string(), most_bytes);
    Round round{.title = {}, .lesson = parse_lesson(text), .library = file.parent_path().parent_path(), .input = {}};
    round.title = "Lesson " + std::to_string(round.lesson->number) + ": " + round.lesson->title;
    return round;
}

void add_tests(const std::string& name, double seconds, std::vector<Round>& rounds) {
    const FilesRead read = read_inputs({name}, seconds);
    complain(read.warnings);
    for (Input& input : parse_inputs(read.files)) {
        if (input.failure) throw *input.failure;
        rounds.push_back({{}, std::nullopt, {}, std::move(input)});
    }
}

std::vector<Round> rounds_of(const Options& options) {
    std::vector<Round> rounds;
    std::vector<std::string> names = options.inputs;
    if (names.empty()) names = {lessons_folder().string()};
    for (std::string name : names) {
        std::error_code ignored;
        std::vector<fs::path> lessons;
        if (!fs::exists(name, ignored)) {
            if (const auto called = lesson_called(name))
                lessons = {*called};
            else if (const auto there = in_library(name))
                name = there->string();
        }
        if (fs::is_directory(name, ignored)) lessons = lessons_in(name);
        if (is_lesson(name)) lessons = {name};
        for (const fs::path& lesson : lessons) rounds.push_back(round_of(lesson));
        if (lessons.empty()) add_tests(name, options.timeout, rounds);
    }
    return rounds;
}

// ---- asking ---------------------------------------------------------------------------------------

class Quiz {
public:
    Quiz(const Options& options, Output& out)
        : options_(options), family_(options.model, options.variants), dice_(options.seed.value_or(0)), out_(out) {
        family_.readings(options.reading);  // a mistake in --reading comes before any question
    }

    void run(std::vector<Round> rounds) {
        if (options_.seed) dice_.shuffle(rounds);
        if (options_.questions > 0) rounds.resize(std::min(rounds.size(), options_.questions));
        for (size_t i = 0; i < rounds.size() && !ended_; ++i) {
            const std::string of = std::to_string(i + 1) + " of " + std::to_string(rounds.size());
            const Round& round = rounds[i];
            say((i == 0 ? "" : "\n") + painted(round.lesson ? visible(round.title) : "Test", "1", style_) + " (" + of + ")\n");
            if (round.lesson)
                teach(round);
            else
                examine(round.input);
        }
        say("\nScore: " + std::to_string(right_) + " of " + std::to_string(asked_) + "\n");
    }

private:
    void say(const std::string& text) {
        if (!out_.put(text)) ended_ = true;
        std::fflush(stdout);
    }

    // What the lesson says, the questions about its test where they belong, and its exercise.
    void teach(const Round& round) {
        const Lesson& lesson = *round.lesson;
        LessonText told(round.library, family_, options_, width());
        const Input& test = told.input(find_placeholder(lesson.question, Placeholder::Kind::predict)->test);
        say(told.text(lesson.text) + told.text(lesson.question) + "\n");
        const QuizBounds bounds{.most_outcomes = most_of_lesson, .in_order = true};
        for (const QuizQuestion& question : outcome_questions(test, family_, options_, bounds, dice_))
            if (!ask(question)) return;
        say(told.text(lesson.answer) + "\n" + painted("Why", "1", style_) + "\n" + told.text(lesson.why));
        const Input& broken = told.input(find_placeholder(lesson.exercise, Placeholder::Kind::exercise)->test);
        const auto questions = repair_questions(broken, family_, options_, dice_);
        if (questions.empty()) return;
        say("\n" + painted("Exercise", "1", style_) + "\n" + told.text(lesson.exercise));
        show(*broken.test);
        ask_all(questions);
    }

    void examine(const Input& input) {
        show(*input.test);
        const QuizBounds bounds{.most_outcomes = 1, .in_order = !options_.seed};
        const auto questions = outcome_questions(input, family_, options_, bounds, dice_);
        if (questions.empty()) say("  (not decided in time: no question)\n");
        ask_all(questions);
        if (ended_) return;
        const auto repairs = repair_questions(input, family_, options_, dice_);
        if (!repairs.empty()) say("\n");
        ask_all(repairs);
    }

    void show(const Test& test) { say("\n" + listing(test) + "\n"); }

    // Each with its reasons.
    void ask_all(const std::vector<QuizQuestion>& questions) {
        for (const QuizQuestion& question : questions) {
            if (!ask(question)) return;
            if (!question.why.empty()) say("\nWhy:\n" + indented(question.why, width()));
        }
    }

    // Whether the answer was right; nothing: there is none.
    std::optional<bool> ask(const QuizQuestion& question) {
        say(visible(question.text) + "\n");
        const auto letter = [](size_t i) { return std::string(1, static_cast<char>('a' + i)); };
        std::vector<std::string> words{"y", "n"};
        if (!question.choices.empty()) words.clear();
        for (size_t i = 0; i < question.choices.size(); ++i) {
            words.push_back(letter(i));
            say(filled(visible(question.choices[i]), width(), letter(i) + ") "));
        }
        while (true) {
            say("[" + joined(words, "/") + ", ? for a hint, q to leave] ");
            const std::optional<std::string> answer = read_answer();
            if (!answer) return std::nullopt;
            if (*answer == "?") {
                say(indented(question.hint, width()));
                continue;
            }
            const auto chosen = std::find(words.begin(), words.end(), *answer == "yes" ? "y" : *answer == "no" ? "n" : *answer);
            if (chosen != words.end()) return judged(question, static_cast<size_t>(chosen - words.begin()), words);
            say("Answer with " + joined(words, " or ") + ".\n");
        }
    }

    bool judged(const QuizQuestion& question, size_t chosen, const std::vector<std::string>& words) {
        const bool good = chosen == question.right;
        ++asked_;
        if (good) ++right_;
        const std::string truth =
            question.choices.empty() ? visible(question.truth) : "It is " + words[question.right] + ": " + visible(question.truth) + ".";
        const std::string word = good ? "Right." : "Wrong.";
        const std::string told = filled(word + " " + truth, width()).substr(2);  // the first line is not moved in
        say(painted(word, good ? "32" : "31", style_) + told.substr(word.size()));
        return good;
    }

    // In small letters and without blanks; nothing: the reader leaves, or there is no more input.
    std::optional<std::string> read_answer() {
        std::string line;
        if (!std::getline(std::cin, line)) {
            say("\n");
            ended_ = true;
            return std::nullopt;
        }
        if (isatty(STDIN_FILENO) == 0) say(visible(line) + "\n");  // a terminal shows what is typed
        std::string word;
        for (const char c : line)
            if (c != ' ' && c != '\t' && c != '\r') word += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        if (word == "q" || word == "quit") ended_ = true;
        return ended_ ? std::nullopt : std::optional(word);
    }

    static size_t width() { return std::min<size_t>(output_width(), 100); }

    const Options& options_;
    ModelFamily family_;
    Dice dice_;
    Output& out_;
    const TextStyle style_{use_colour(STDOUT_FILENO), false, 100};
    size_t asked_ = 0, right_ = 0;
    bool ended_ = false;
};

int run(const Options& options, Output& out) {
    std::vector<Round> rounds = rounds_of(options);
    Quiz(options, out).run(std::move(rounds));
    return 0;
}

}  // namespace

Command command() {
    return make_command("quiz", "Ask what tests can do, and say what they do", footer, define, run);
}

}  // namespace litmus::quiz_command
