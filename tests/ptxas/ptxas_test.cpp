// The instruction table against the assembler: every combination of the rows' slots and names one qualifier away,
// assembled for sm_90, sm_90a and sm_100a (each of those that no target takes for one of them). Where the two differ, differences.txt says
// why.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <future>
#include <iostream>
#include <map>
#include <sstream>
#include <string_view>

#include "assembler.h"
#include "differences.h"
#include "forms.h"
#include "turn.h"

using namespace litmus;
using namespace litmus::ptxas;

namespace {

constexpr size_t most_classes = 30;
constexpr size_t least_forms = 3000;
constexpr int newest = 90;  // PTX 9.0 is what this assembler knows

struct Target {
    const char* name;
    int sm;
    bool specific;
    int first;  // PTX version that has it (ISA 11.1.2)
};
constexpr std::array<Target, 3> compared_targets = {{{"sm_90", 90, false, 78}, {"sm_90a", 90, true, 80}, {"sm_100a", 100, true, 86}}};
constexpr std::array<Target, 5> all_targets = {
    {{"sm_75", 75, false, 63}, {"sm_80", 80, false, 70}, {"sm_90", 90, false, 78}, {"sm_90a", 90, true, 80}, {"sm_100a", 100, true, 86}}};
constexpr std::array versions = {63, 64, 65, 70, 71, 72, 73, 74, 75, 76, 77, 78, 80, 81, 82, 83, 84, 85, 86, 87, 88, 90};

bool has(const Target& target, const Case& form) {
    return form.legal && form.least.sm <= target.sm && (!form.least.specific || (target.specific && form.least.sm == target.sm));
}

const std::vector<Case>& all_cases() {
    static const std::vector<Case> found = cases();
    return found;
}

// What is asked of the assembler at once: forms, and what the table says of them for a version and a target.
struct Question {
    int version;
    const Target* target;
    std::vector<const Case*> forms;
    std::vector<bool> accepted;

    void add(const Case& form) {
        forms.push_back(&form);
        accepted.push_back(has(*target, form) && form.least.ptx <= version);
    }
};

std::vector<std::string> ask(const Assembler& assembler, const Question& question) {
    std::vector<std::string> texts;
    for (const Case* form : question.forms) texts.push_back(form->text);
    return assemble(assembler, question.version, question.target->name, registers(question.version), texts);
}

// Counts answers, and finds the class of each difference.
struct Comparison {
    Differences differences;
    std::vector<size_t> explained = std::vector<size_t>(differences.classes.size());
    size_t accepted = 0, refused = 0, unexplained = 0;

    void compare(const Question& question, const std::vector<std::string>& messages) {
        for (size_t i = 0; i < messages.size(); ++i) {
            const bool ours = question.accepted[i], theirs = messages[i].empty();
            if (ours == theirs)
                ++(ours ? accepted : refused);
            else
                explain(question, *question.forms[i], ours, messages[i]);
        }
    }

    void explain(const Question& question, const Case& form, bool ours, const std::string& message) {
        const auto& classes = differences.classes;
        const auto because = std::find_if(classes.begin(), classes.end(),
                                          [&](const Difference& difference) { return explains(difference, form.name, ours, message); });
        if (because != classes.end())
            ++explained[static_cast<size_t>(because - classes.begin())];
        else if (++unexplained <= 20)
            CHECK_MESSAGE(false, std::string(question.target->name) << ", PTX " << question.version << ": " << form.text << " The table "
                                                                    << (ours ? "accepts" : "refuses") << " it; the assembler: " << message);
    }
};

// Every legal form at the least version and target that the table gives it, and just below each of the two.
std::vector<Question> version_questions(const std::vector<const Case*>& forms) {
    std::map<std::pair<int, size_t>, Question> found;
    const auto put = [&](int version, size_t target, const Case& form) {
        const auto [place, fresh] = found.try_emplace({version, target}, Question{version, &all_targets[target], {}, {}});
        place->second.add(form);
    };
    for (const Case* form : forms) {
        size_t target = 0;
        while (!has(all_targets[target], *form)) ++target;
        const int version = std::max(form->least.ptx, all_targets[target].first);
        put(version, target, *form);
        const auto at = std::find(versions.begin(), versions.end(), version);
        if (at != versions.begin() && *(at - 1) >= all_targets[target].first) put(*(at - 1), target, *form);
        if (target > 0) put(newest, target - 1, *form);
    }
    std::vector<Question> questions;
    for (auto& [key, question] : found) questions.push_back(std::move(question));
    return questions;
}

}  // namespace

TEST_CASE("the list of differences is well formed") {
    const Differences differences = known_differences();
    CHECK(differences.classes.size() <= most_classes);
    CHECK_THROWS(read_differences("assembler 13.0\n[a]\nforms: a\ntable: accepts\npage: 9.7.1: \"b\"\n"));
    CHECK_THROWS(read_differences("assembler 13.0\n[a]\nforms: a\ntable: accepts\npage: 9.7.1: \"b\"\nassembler: accepted\n"));
    CHECK_THROWS(read_differences("[a]\nforms: a\n"));
    CHECK_THROWS(read_differences("assembler 13.0\n[a]\nform: a\n"));
    CHECK_THROWS(read_differences("assembler 13.0\nforms: a\n"));
}

TEST_CASE("there are thousands of forms, legal and not") {
    const std::vector<Case>& all = all_cases();
    const auto legal = static_cast<size_t>(std::count_if(all.begin(), all.end(), [](const Case& form) { return form.legal; }));
    CHECK(legal >= least_forms);
    CHECK(all.size() - legal >= least_forms);
    for (const Case& form : all) {
        if (!form.legal) continue;
        const auto found = resolve(form.name);
        const Refusal* refusal = std::get_if<Refusal>(&found);
        REQUIRE_MESSAGE((!refusal || refusal->known), form.name);
    }
}

TEST_CASE("table and assembler accept the same forms, from the same versions on") {
    Comparison comparison{known_differences()};
    const auto assembler = usable_assembler(comparison.differences.release);
    if (!assembler) return;
    std::vector<Question> questions;
    for (const Target& target : compared_targets) questions.push_back({newest, &target, {}, {}});
    std::vector<const Case*> legal;
    const char* const how_many = std::getenv("LITMUS_PTXAS");
    const bool all = how_many != nullptr && std::string_view(how_many) == "all";
    size_t too_new = 0, turn = 0, number = 0;
    const Turn of_forms(all ? 1 : 3);
    for (const Case& form : all_cases()) {
        if (form.least.ptx > newest) {
            ++too_new;
            continue;
        }
        if (!of_forms.has(number++)) continue;
        if (form.legal) legal.push_back(&form);
        // What no target takes is asked of one target in turn; LITMUS_PTXAS=all asks it of each (tests/RUNS.md).
        for (size_t i = 0; i < questions.size(); ++i)
            if (form.legal || all || turn % questions.size() == i) questions[i].add(form);
        ++turn;
    }
    std::vector<std::future<std::vector<std::string>>> answers;  // two processors are common, and so is one for each target
    for (const Question& question : questions) answers.push_back(std::async(std::launch::async, [&] { return ask(*assembler, question); }));
    for (size_t i = 0; i < questions.size(); ++i) comparison.compare(questions[i], answers[i].get());
    std::cout << all_cases().size() << " forms, " << legal.size() << " of them legal, " << too_new
              << " newer than PTX 9.0 and not compared\n"
              << "sm_90, sm_90a and sm_100a: " << comparison.accepted << " accepted by both, " << comparison.refused
              << " refused by both\n";
    comparison.accepted = comparison.refused = 0;
    for (const Question& question : version_questions(legal)) comparison.compare(question, ask(*assembler, question));
    std::cout << "at and just below their least versions: " << comparison.accepted << " accepted by both, " << comparison.refused
              << " refused by both\n";
    CHECK(comparison.unexplained == 0);
    if (!of_forms.whole()) return;  // a difference may be in another third
    for (size_t i = 0; i < comparison.explained.size(); ++i) {
        if (comparison.differences.classes[i].example) continue;
        const std::string& title = comparison.differences.classes[i].title;
        CHECK_MESSAGE(comparison.explained[i] > 0, "nothing is left of: " << title);
        std::cout << "  " << comparison.explained[i] << " differences: " << title << "\n";
    }
}
