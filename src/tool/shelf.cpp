// Names of pages come from the places of files below one folder: the nearest that has the questions, or the one that all tests are in.
#include "tool/shelf.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>

#include "analysis/edits/diff.h"
#include "base/own_files.h"
#include "base/paths.h"

namespace litmus {

namespace {

namespace fs = std::filesystem;

constexpr const char* questions_file = "questions.md";
constexpr size_t most_questions_bytes = size_t{16} << 20;

fs::path place_of(const Input& input) {
    std::error_code error;
    const fs::path there = fs::weakly_canonical(input.file, error);
    return error ? fs::path(input.file) : there;
}

// The folder that all of them are in.
fs::path common_folder(const std::vector<Input>& inputs) {
    fs::path common = place_of(inputs.front()).parent_path();
    for (const Input& input : inputs)
        while (!is_inside(place_of(input), common) && common.has_relative_path()) common = common.parent_path();
    return common;
}

// A name that a file and a link can have.
std::string plain(std::string name) {
    for (char& c : name)
        if (std::string_view("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-/").find(c) == std::string_view::npos)
            c = '_';
    // a folder shall not have the name of a page
    for (size_t at = 0; (at = name.find(".html/", at)) != std::string::npos;) name[at] = '_';
    return name;
}

// Without what tells a test from its repair but does nothing: names and descriptions.
std::string without_head(const std::string& text) {
    std::istringstream in(text);
    std::string rest;
    for (std::string line; std::getline(in, line);) {
        const std::string word = line.substr(0, line.find(' '));
        if (word != "test" && word != "doc" && word != "ref" && word != "repairs" && word != "target") rest += line + "\n";
    }
    return rest;
}

}  // namespace

Shelf::Shelf(std::vector<Input> inputs) : inputs_(std::move(inputs)) {
    find_root();
    assign_places();
    read_questions();
    for (size_t i = 0; i < size(); ++i) {
        if (!inputs_[i].test) continue;
        tests_[inputs_[i].test->name].push_back(i);
    }
    for (size_t i = 0; i < size(); ++i) {
        if (!inputs_[i].test || inputs_[i].test->repairs.empty()) continue;
        if (const auto bug = named(inputs_[i].test->repairs, i)) mended_by_[*bug].push_back(i);
    }
}

// The nearest folder above all tests that has the questions; where none has, the one that all are in.
void Shelf::find_root() {
    const fs::path common = common_folder(inputs_);
    root_ = common.string();
    for (fs::path folder = common; !has_questions_; folder = folder.parent_path()) {
        std::error_code ignored;
        has_questions_ = fs::is_regular_file(folder / questions_file, ignored);
        if (has_questions_) root_ = folder.string();
        if (!folder.has_relative_path()) break;
    }
}

void Shelf::assign_places() {
    std::vector<std::pair<Place, size_t>> places;
    for (size_t i = 0; i < size(); ++i) {
        const fs::path name = place_of(inputs_[i]).lexically_relative(root_).replace_extension();
        const std::string topic = name.has_parent_path() ? name.parent_path().generic_string() : fs::path(root_).filename().string();
        places.push_back({{{}, name.generic_string(), topic}, i});
    }
    std::stable_sort(places.begin(), places.end(), [](const auto& a, const auto& b) { return a.first.topic < b.first.topic; });
    std::vector<Input> sorted;
    std::set<std::string> taken;
    for (auto& [place, i] : places) {
        const Input& input = inputs_[i];
        const std::string stem = "tests/" + plain(place.name) + (input.of > 1 ? "-" + std::to_string(input.number) : "");
        place.path = stem + ".html";
        for (size_t n = 2; !taken.insert(place.path).second; ++n) place.path = stem + "-" + std::to_string(n) + ".html";
        places_.push_back(place);
        sorted.push_back(input);
    }
    inputs_ = std::move(sorted);
}

void Shelf::read_questions() {
    if (!has_questions_) return;
    questions_ = parse_questions(read_own((fs::path(root_) / questions_file).string(), root_, most_questions_bytes));
    std::map<std::string, size_t> by_name;
    std::set<std::string> topics;
    for (size_t i = 0; i < size(); ++i) {
        by_name.emplace(places_[i].name, i);
        topics.insert(places_[i].topic);
    }
    for (const LibraryQuestion& question : questions_) {
        if (question.tests.size() == 1 && question.tests.front().back() == '/') continue;  // about a folder: it stands above its tests
        IndexQuestion asked{&question, {}};
        const Link back{question.text, "index.html#" + question_anchor(asked_.size())};
        for (const std::string& name : question.tests) {
            const auto test = by_name.find(name);
            if (test != by_name.end()) {
                asked.tests.push_back(page(test->second));
                answers_[test->second].push_back(back);
            } else if (name.back() == '/' && topics.count(name.substr(0, name.size() - 1)) > 0) {
                const std::string topic = name.substr(0, name.size() - 1);
                asked.tests.push_back({topic, "index.html#" + topic_anchor(topic)});
            }
        }
        if (!asked.tests.empty()) asked_.push_back(std::move(asked));
    }
}

// The test of this name: of several, one of the same topic.
std::optional<size_t> Shelf::named(const std::string& name, size_t from) const {
    const auto found = tests_.find(name);
    if (found == tests_.end()) return std::nullopt;
    for (const size_t test : found->second)
        if (places_[test].topic == places_[from].topic) return test;
    return found->second.front();
}

std::optional<size_t> Shelf::find(const std::string& file) const {
    const std::string name = fs::path(file).replace_extension().generic_string();
    const auto here = std::find_if(places_.begin(), places_.end(), [&](const Place& place) { return place.name == name; });
    if (here == places_.end()) return std::nullopt;
    return static_cast<size_t>(here - places_.begin());
}

Link Shelf::page(size_t test) const {
    return {inputs_[test].test ? inputs_[test].test->name : places_[test].name, places_[test].path};
}

void Shelf::hide_machine(TestPage& page, const Input& input) const {
    const fs::path file(input.file), root(root_);
    if (!file.is_absolute()) return;
    const std::string shown = (root.filename() / place_of(input).lexically_relative(root)).generic_string();
    const auto hide = [&](std::string& text) {
        for (size_t at = 0; (at = text.find(input.file, at)) != std::string::npos; at += shown.size())
            text.replace(at, input.file.size(), shown);
    };
    hide(page.result.file);
    hide(page.result.test);  // a file without a test is called by its name
    hide(page.repaired_by);
    for (PageOutcome& outcome : page.outcomes) hide(outcome.drawn_by);
    for (std::string& line : page.not_known) hide(line);
    for (Diagnostic& error : page.result.errors) {
        hide(error.message);
        hide(error.hint);
        if (error.source && error.source->name == input.file) error.source = make_source(shown, error.source->text, error.source->quotable);
    }
}

void Shelf::place(TestPage& page, size_t test) const {
    const Place& here = places_[test];
    page.path = here.path;
    page.topic = {here.topic, "index.html#" + topic_anchor(here.topic)};
    if (test > 0) page.previous = this->page(test - 1);
    if (test + 1 < size()) page.next = this->page(test + 1);
    if (const auto answers = answers_.find(test); answers != answers_.end()) page.questions = answers->second;
    const Input& input = inputs_[test];
    hide_machine(page, input);
    if (!input.test) return;
    if (!input.test->repairs.empty())
        if (const auto bug = named(input.test->repairs, test)) page.mends.push_back(this->page(*bug));
    const auto repairs = mended_by_.find(test);
    if (repairs == mended_by_.end()) return;
    for (const size_t repair : repairs->second) {
        page.mended_by.push_back(this->page(repair));
        page.changes.push_back(
            unified_diff(input.test->name, without_head(input.source->text), without_head(inputs_[repair].source->text)));
    }
}

}  // namespace litmus
