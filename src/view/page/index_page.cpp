// All rows stand in the page, and every link works without a script; the script hides what a search or a filter leaves out. What it needs
// to know of a row is in short attributes: data-p what the program does, data-v the verdict, data-m marks (r: rests on a reading, o:
// observed), data-i instructions, by their numbers in the choice of instructions (of a line of CUDA, too).
#include "view/page/index_page.h"

#include <algorithm>
#include <map>
#include <set>

#include "analysis/verdict/conduct.h"
#include "ptx/cuda.h"
#include "ptx/table.h"

namespace litmus {

std::string topic_anchor(const std::string& topic) {
    std::string anchor = "topic-" + topic;
    std::replace(anchor.begin(), anchor.end(), '/', '-');
    return anchor;
}

std::string question_anchor(size_t number) {
    return "q" + std::to_string(number);
}

namespace {

constexpr const char* path = "index.html";

// "goes wrong" of "goes-wrong".
std::string spoken(std::string name) {
    std::replace(name.begin(), name.end(), '-', ' ');
    return name;
}

class IndexWriter {
public:
    IndexWriter(const Site& site, const IndexPage& index) : site_(site), index_(index) {
        std::set<std::string> all;
        for (const IndexRow& row : index.rows) all.insert(row.instructions.begin(), row.instructions.end());
        for (const std::string& name : all) instructions_.emplace(name, instructions_.size());
    }

    std::string run() {
        html_.element("h1", "Litmus tests of the PTX memory model").line_end();
        html_.open("p", {{"class", "doc"}});
        html_.text("A handful of GPU threads, a few instructions each: how may they end? " + std::to_string(index_.rows.size()) +
                   " tests, with every outcome that the model allows, the execution behind it, the reason why others cannot be, and what "
                   "real GPUs did.");
        html_.close().line_end();
        put_start();
        put_search();
        put_questions();
        put_cuda();
        put_tests();
        return framed(site_,
                      {path, "Litmus tests of the PTX memory model", "Tests", "index",
                       "What the PTX memory model allows, test by test, with executions, reasons and what GPUs did."},
                      html_.take());
    }

private:
    void put_start() {
        if (!index_.first_lesson) return;
        html_.open("p", {{"class", "start"}}).text("New here? Start with ");
        html_.link(index_.first_lesson->target, "lesson 1: " + index_.first_lesson->text).text(".").close().line_end();
    }

    void put_choice(const std::string& id, const std::string& label, const std::string& all, const std::vector<std::string>& values) {
        html_.open("span", {{"class", "choice"}}).open("label", {{"for", id}}).text(label).close();
        html_.open("select", {{"id", id}}).element("option", {{"value", ""}}, all);
        for (const std::string& value : values) html_.element("option", {{"value", value}}, spoken(value));
        html_.close().close().line_end();
    }

    void put_search() {
        std::vector<std::string> topics, names;
        std::set<std::string> programs, verdicts;
        for (const IndexRow& row : index_.rows) {
            if (topics.empty() || topics.back() != row.topic) topics.push_back(row.topic);
            programs.insert(row.program);
            verdicts.insert(row.verdict);
        }
        for (const auto& [name, number] : instructions_) names.push_back(name);
        html_.open("form", {{"role", "search"}, {"class", "search"}, {"id", "search"}, {"hidden", "hidden"}}).line_end();
        html_.open("div", {{"class", "words"}}).open("label", {{"for", "words"}}).text("Search").close();
        html_.leaf(
            "input",
            {{"type", "search"}, {"id", "words"}, {"placeholder", "names, descriptions, names of CUDA  ( / )"}, {"autocomplete", "off"}});
        html_.close().line_end();
        html_.open("div", {{"class", "filters"}});
        put_choice("topic", "Topic", "all topics", topics);
        put_choice("instruction", "Instruction", "any instruction", names);
        put_choice("program", "Program", "whatever it does", {programs.begin(), programs.end()});
        put_choice("verdict", "Verdict", "any verdict", {verdicts.begin(), verdicts.end()});
        html_.open("label").leaf("input", {{"type", "checkbox"}, {"id", "rests"}}).text(" rests on a reading").close();
        html_.open("label").leaf("input", {{"type", "checkbox"}, {"id", "observed"}}).text(" ran on a GPU").close();
        html_.element("button", {{"type", "reset"}}, "Clear").close().line_end();
        html_.open("p", {{"id", "found"}, {"role", "status"}}).close().close().line_end();
    }

    void put_questions() {
        if (index_.asked.empty()) return;
        html_.open("section", {{"class", "questions"}, {"aria-labelledby", "questions"}});
        html_.element("h2", {{"id", "questions"}}, "By question").line_end();
        const std::string* heading = nullptr;
        for (size_t i = 0; i < index_.asked.size(); ++i) {
            const LibraryQuestion& question = *index_.asked[i].question;
            if (heading == nullptr || *heading != question.heading) {
                if (heading != nullptr) html_.close().close().line_end();
                heading = &question.heading;
                html_.open("details", {{"open", "open"}}).element("summary", question.heading).open("ul").line_end();
            }
            put_question(index_.asked[i], i);
        }
        html_.close().close().close().line_end();
    }

    void put_question(const IndexQuestion& asked, size_t number) {
        html_.open("li", {{"id", question_anchor(number)}});
        html_.open("span", {{"class", "question"}});
        put_inline(html_, asked.question->text);
        html_.close().text(" ").open("span", {{"class", "tests"}});
        for (const Link& test : asked.tests) html_.text(&test == &asked.tests.front() ? "" : ", ").link(test.target, test.text);
        html_.close();
        if (!asked.question->answer.empty()) {
            html_.text(" ").open("span", {{"class", "answer"}});
            put_inline(html_, asked.question->answer);
            html_.close();
        }
        html_.close().line_end();
    }

    // What CUDA is in PTX, as far as tests have it: each row leads to the tests with its instructions.
    void put_cuda() {
        bool any = false;
        for (const CudaGroup& group : cuda_groups()) {
            bool open = false;
            for (const CudaRow& row : group.rows) {
                const std::set<std::string> found = found_instructions(row);
                if (found.empty()) continue;
                if (!any) {
                    html_.open("section", {{"class", "cuda"}, {"aria-labelledby", "cuda"}});
                    html_.element("h2", {{"id", "cuda"}}, "By what CUDA is in PTX").line_end();
                }
                if (!open) {
                    html_.open("details").open("summary");
                    put_inline(html_, group.title);
                    html_.close().open("ul").line_end();
                }
                any = open = true;
                put_cuda_row(row, found);
            }
            if (open) html_.close().close().line_end();
        }
        if (any) html_.close().line_end();
    }

    // Of the row's instructions, those that some test has.
    std::set<std::string> found_instructions(const CudaRow& row) const {
        std::set<std::string> found;
        for (const std::string_view instruction : cuda_instructions(row)) {
            const auto spelled = resolve(dotted_name(instruction));
            const Spelling* spelling = std::get_if<Spelling>(&spelled);
            if (spelling && instructions_.count(spelling->form->mnemonic) > 0) found.insert(spelling->form->mnemonic);
        }
        return found;
    }

    void put_cuda_row(const CudaRow& row, const std::set<std::string>& found) {
        std::string numbers;
        for (const std::string& name : found) numbers += (numbers.empty() ? "" : " ") + std::to_string(instructions_.at(name));
        html_.open("li", {{"data-i", numbers}, {"data-n", cuda_name(row)}}).element("code", row.cuda);
        for (const std::string_view instruction : cuda_instructions(row)) html_.text(" ").element("code", {{"class", "ptx"}}, instruction);
        if (!row.note.empty()) {
            html_.text(" ").open("span", {{"class", "answer"}});
            put_inline(html_, row.note);
            html_.close();
        }
        html_.text(" ").open("span", {{"class", "tests"}});
        const std::string* last = nullptr;
        for (const std::string& name : found) {
            html_.text(last ? ", " : "").link("#instruction=" + name, "tests with " + name);
            last = &name;
        }
        html_.close().close().line_end();
    }

    void put_tests() {
        html_.open("section", {{"class", "tests"}, {"aria-labelledby", "tests"}});
        html_.element("h2", {{"id", "tests"}}, "All tests").line_end();
        put_legend();
        for (size_t i = 0; i < index_.rows.size(); ++i) {
            const std::string& topic = index_.rows[i].topic;
            if (i == 0 || index_.rows[i - 1].topic != topic) {
                html_.open("section", {{"class", "topic"}, {"data-topic", topic}});
                html_.element("h3", {{"id", topic_anchor(topic)}}, topic);
                if (const LibraryQuestion* about = about_folder(index_.questions, topic)) {
                    html_.open("p");
                    put_inline(html_, about->text);
                    html_.close();
                }
                html_.open("ul").line_end();
            }
            put_row(index_.rows[i]);
            if (i + 1 == index_.rows.size() || index_.rows[i + 1].topic != topic) html_.close().close().line_end();
        }
        html_.close().line_end();
    }

    void put_legend() {
        const auto means = [&](Conduct::Kind kind, std::string_view meaning) {
            html_.element("span", {{"class", "v " + std::string(name(kind))}}, spoken(std::string(name(kind)))).text(" ").text(meaning);
        };
        html_.open("p", {{"class", "legend"}}).text("What each program does: ");
        means(Conduct::Kind::goes_wrong, "by undefined behaviour, or a thread that waits for ever; ");
        means(Conduct::Kind::can_happen, "means the end that the test asks about; ");
        means(Conduct::Kind::races, "means that two accesses race, and nothing else; ");
        means(Conduct::Kind::safe, "means none of these. A star stands where that rests on a reading of the ISA.");
        html_.close().line_end();
    }

    void put_row(const IndexRow& row) {
        std::string numbers;
        for (const std::string& name : row.instructions) numbers += (numbers.empty() ? "" : " ") + std::to_string(instructions_.at(name));
        const std::string marks = std::string(row.rests ? "r" : "") + (row.observed ? "o" : "");
        html_.open("li", {{"data-p", row.program},
                          {"data-v", row.verdict, row.verdict != "ok"},
                          {"data-m", marks, !marks.empty()},
                          {"data-i", numbers, !numbers.empty()}});
        html_.link(row.page.target, row.page.text);
        html_.open("span", {{"class", "v " + row.program}}).text(spoken(row.program) + (row.rests ? "*" : ""));
        if (row.verdict != "ok" && row.verdict != row.program) html_.text(" ").element("em", "claim: " + row.verdict);
        html_.close();
        if (!row.doc.empty()) {
            html_.open("span", {{"class", "d"}});
            put_inline(html_, row.doc);
            html_.close();
        }
        html_.close().line_end();
    }

    const Site& site_;
    const IndexPage& index_;
    std::map<std::string, size_t> instructions_;
    Html html_;
};

}  // namespace

std::string index_page(const Site& site, const IndexPage& index) {
    return IndexWriter(site, index).run();
}

}  // namespace litmus
