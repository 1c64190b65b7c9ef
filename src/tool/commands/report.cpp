// `litmus report`: a site of static HTML.
//
// Tests are read at once, since pages lead to each other; each is studied on a worker, which writes its page. What is kept of a test
// is its row in the index, and what the page of the readings needs.
#include <filesystem>
#include <map>
#include <mutex>
#include <set>

#include "analysis/verdict/conduct.h"
#include "analysis/verdict/verdict.h"
#include "base/own_files.h"
#include "base/visible.h"
#include "print/columns.h"
#include "tool/batch.h"
#include "tool/command.h"
#include "tool/course.h"
#include "tool/laboratory.h"
#include "tool/options.h"
#include "tool/output.h"
#include "tool/readings_weighed.h"
#include "tool/results.h"
#include "tool/shelf.h"
#include "tool/site.h"
#include "tool/study.h"
#include "view/page/assets.h"
#include "view/page/lesson_page.h"
#include "view/page/packed.h"
#include "view/page/readings_page.h"
#include "view/picture/style.h"

namespace litmus::report_command {

namespace {

constexpr const char* footer = R"(
Writes index.html with search, filters and questions, a page for each test under tests/, and readings.html. The pages need no network
and no server: open DIR/index.html. The folder is made beside its place and put there when it is whole. A folder that an earlier report
wrote is replaced; a folder with other files is refused. The same tests give the same bytes.
A page has the source of the test, its verdict and what the verdict rests on, every outcome with a picture of an execution or with the
reason why it cannot be, how often each GPU showed the outcome, what else can come up, and the repair. A file that does not parse has a
page with its errors.
Questions come from the file questions.md beside the tests or above, if there is one (litmus/questions.md is an example).
The search finds names of CUDA, too (__syncthreads, memcpy_async), with their PTX and the tests that have it.
With --timeout S, each step of a test (the check, the reasons, the readings, what is missing) gets S seconds.
With --lab, the site has laboratory.html, too: an editor with the checker in the page itself. There you change a test, step through an
execution and switch readings. Each page of a test leads there. --lab needs a litmus that was built with emscripten.

Examples:
  litmus report litmus --observed litmus/observed --lab -o site
  litmus report mp.litmus -o site --reading weakest

Exit status: 0 all claims hold; 1 some claim does not hold, or something came up unclaimed; 2 bad input, or a folder that cannot be
written; 3 undecided (2 before 1 before 3).
)";

struct Options : TestOptions {
    std::vector<std::string> inputs;
    std::string into;                   // the folder for the pages
    std::vector<std::string> observed;  // what GPUs did: files, or folders of such
    bool lab = false;                   // with the laboratory
    unsigned jobs = 0;
};

void define(CLI::App& app, Options& options) {
    add_inputs(app, options.inputs);
    require(add_text(app, "-o,--output", options.into, "DIR", "The folder for the pages, which is replaced as a whole"));
    add_several(app, "--observed", options.observed, "FILE|DIR", "What GPUs did: what `litmus-gpu run -o` wrote, or folders of such files");
    add_flag(app, "--lab", options.lab, "Add the laboratory, a page in which tests are changed and checked");
    add_model(app, options);
    add_deciding(app, options);
    add_jobs(app, options.jobs);
}

namespace fs = std::filesystem;

const Link compiling{"ptxas", "compiled.html"};

class Reporter {
public:
    Reporter(const Options& options, ModelFamily& family, const Observations& observed, const Shelf& shelf, SiteFolder& folder)
        : options_(options),
          family_(family),
          observed_(observed),
          shelf_(shelf),
          folder_(folder),
          lessons_(read_course(shelf)),
          on_compiling_(read_page_on_compiling(shelf)),
          taught_(tests_of(lessons_)),
          kept_(shelf.size()) {
        const std::string reading = options.reading.empty() ? "default" : options.reading;
        site_.made = "litmus " LITMUS_VERSION ", model " + family.by_default().name + ", reading " + reading;
        site_.parts = {{"Tests", "index.html"}, {"Readings", "readings.html"}};
        if (!lessons_.empty()) site_.parts.insert(site_.parts.begin() + 1, {"Lessons", "lessons.html"});
        if (on_compiling_) site_.parts.push_back({compiling.text, compiling.target});
        for (const auto& [file, repair] : taught_)
            if (const auto test = shelf.find(file)) in_lessons_[*test] = repair;
        if (!options.lab) return;
        site_.laboratory = "laboratory.html";
        site_.parts.push_back({"Laboratory", site_.laboratory});
        folder_.write(site_.laboratory, laboratory_page());
    }

    int run() {
        Progress progress(shelf_.size(), Progress::In::logs_too);
        const auto make_worker = [&]() -> Job { return [&](size_t i) { write_test(i); }; };
        run_batch(shelf_.size(), workers_for(options_.jobs), make_worker, [&](size_t i) {
            progress.clear();
            complaints_.add(kept_[i].result);
            progress.at(i + 1);
            return failure_.empty();
        });
        progress.clear();
        complaints_.finish();
        if (!failure_.empty()) throw Failure(failure_);
        write_index();
        write_readings();
        write_lessons();
        if (on_compiling_)
            folder_.write(compiling.target,
                          article_page(site_, compiling, *on_compiling_, highlighter_, [](const std::string&) { return std::string(); }));
        folder_.write("style.css", std::string(asset("style.css")) + picture::picture_style());
        folder_.write("page.js", asset("page.js"));
        folder_.publish();
        return combine_status(status_, observed_.errors.empty() ? 0 : 2);
    }

private:
    // What is kept of a test.
    struct Kept {
        Result result;
        IndexRow row;
        std::optional<Prediction> prediction;
        std::vector<StudiedRun> runs;
        std::optional<TestPage> page;  // of a test that lessons speak of
    };

    // A worker's job: an error of writing ends the run.
    void write_test(size_t i) {
        const auto taught = in_lessons_.find(i);
        Study study = litmus::study(shelf_.input(i), family_, observed_, options_, taught != in_lessons_.end() && taught->second);
        kept_[i].result = study.page.result;  // as who runs this calls its files
        shelf_.place(study.page, i);
        try {
            folder_.write(study.page.path, packed(test_page(site_, study.page, highlighter_)));
        } catch (const Failure& failure) {
            const std::lock_guard<std::mutex> lock(mutex_);
            if (failure_.empty()) failure_ = failure.diagnostics();
        }
        Kept& kept = kept_[i];
        kept.row = row_of(study, i);
        kept.prediction = std::move(study.prediction);
        kept.runs = std::move(study.runs);
        if (taught != in_lessons_.end()) kept.page = std::move(study.page);
        const std::lock_guard<std::mutex> lock(mutex_);
        status_ = combine_status(status_, study.status);
    }

    IndexRow row_of(const Study& study, size_t i) const {
        const Result& result = study.page.result;
        const auto conduct = conduct_of(result);
        const std::string verdict(name(result.judgement.verdict));
        IndexRow row{shelf_.page(i), shelf_.topic(i), study.page.doc,      conduct ? std::string(name(conduct->kind)) : verdict,
                     verdict,        false,           !study.runs.empty(), {}};
        row.rests = result.reliance && !result.reliance->rests_on.empty();
        if (!shelf_.input(i).test) return row;
        std::set<std::string> mnemonics;
        for (const Thread& thread : shelf_.input(i).test->threads)
            for (const Instruction& instruction : thread.body) mnemonics.insert(instruction.mnemonic);
        row.instructions.assign(mnemonics.begin(), mnemonics.end());
        return row;
    }

    void write_index() {
        IndexPage index{{}, {}, shelf_.questions(), shelf_.asked()};
        if (!lessons_.empty()) index.first_lesson = Link{lessons_.front().title, lesson_link(lessons_.front()).target};
        for (const Kept& kept : kept_) index.rows.push_back(kept.row);
        folder_.write("index.html", index_page(site_, index));
    }

    void write_readings() {
        const std::vector<std::string> on = family_.readings(options_.reading);
        std::vector<WeighedTest> tests;
        for (size_t i = 0; i < kept_.size(); ++i)
            tests.push_back({&shelf_.input(i), shelf_.page(i), &kept_[i].result, &kept_[i].prediction, &kept_[i].runs});
        folder_.write("readings.html", readings_page(site_, weigh_readings(family_.by_default(), on, observed_, tests), highlighter_));
    }

    static Link lesson_link(const Lesson& lesson) {
        return {std::to_string(lesson.number) + ". " + lesson.title, "lessons/" + lesson.name + ".html"};
    }

    void write_lessons() {
        if (lessons_.empty()) return;
        const std::map<std::string, TestPage> others = studied_apart();
        std::vector<Link> links;
        std::map<std::string, std::string> by_file;
        for (const Lesson& lesson : lessons_) {
            links.push_back(lesson_link(lesson));
            by_file[lesson.name + ".md"] = links.back().target;
        }
        const auto about = [&](const std::string& file) -> const TestPage* {
            const auto test = shelf_.find(file);
            if (test && kept_[*test].page) return &*kept_[*test].page;
            const auto other = others.find(file);
            return other == others.end() ? nullptr : &other->second;
        };
        const auto page_of = [&](const std::string& file) {
            const auto known = by_file.find(file);
            return known == by_file.end() ? std::string() : known->second;
        };
        for (size_t i = 0; i < lessons_.size(); ++i) {
            LessonPage page{links[i].target, &lessons_[i], {}, {}, about, page_of};
            if (i > 0) page.previous = links[i - 1];
            if (i + 1 < lessons_.size()) page.next = links[i + 1];
            folder_.write(page.path, packed(lesson_page(site_, page, highlighter_)));
        }
        folder_.write("lessons.html", lessons_page(site_, lessons_, links));
    }

    // What lessons speak of, and what is not on the shelf.
    std::map<std::string, TestPage> studied_apart() const {
        std::map<std::string, TestPage> pages;
        for (const auto& [file, repair] : taught_) {
            if (shelf_.find(file)) continue;
            const std::string path = (fs::path(shelf_.root()) / file).string();
            require_own(path, shelf_.root());
            for (const Input& input : parse_inputs(read_inputs({path}, options_.timeout).files)) {
                pages[file] = study(input, family_, observed_, options_, repair).page;
                pages[file].path.clear();
            }
        }
        return pages;
    }

    const Options& options_;
    ModelFamily& family_;
    const Observations& observed_;
    const Shelf& shelf_;
    SiteFolder& folder_;
    const std::vector<Lesson> lessons_;
    const std::optional<Article> on_compiling_;
    const std::map<std::string, bool> taught_;  // the tests that they speak of; true: a repair is told
    std::map<size_t, bool> in_lessons_;         // those that are here
    const Highlighter highlighter_;
    Site site_;
    std::vector<Kept> kept_;
    Complaints complaints_;
    std::mutex mutex_;
    std::vector<Diagnostic> failure_;  // of writing
    int status_ = 0;
};

int run(const Options& options, Output& out) {
    ModelFamily family(options.model, options.variants);
    family.readings(options.reading);  // a mistake in --reading comes before any work
    SiteFolder folder(options.into);
    const Observations observed = read_observations(options.observed, options.timeout);
    complain(observed.errors);
    const FilesRead read = read_inputs(options.inputs, options.timeout);
    complain(read.warnings);
    const Shelf shelf(parse_inputs(read.files));
    const int status = Reporter(options, family, observed, shelf, folder).run();
    out.put(counted(shelf.size(), "test") + ": " + visible((fs::path(options.into) / "index.html").string()) + "\n");
    return status;
}

}  // namespace

Command command() {
    return make_command("report", "Make a site of static HTML: a page for each test, an index, the readings", footer, define, run);
}

}  // namespace litmus::report_command
