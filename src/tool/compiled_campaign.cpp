// First everything goes through the assembler, then the model is asked about examples of each sort of change, then what is forbidden is
// reduced.
#include "tool/compiled_campaign.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include "analysis/compiled/campaign.h"
#include "base/budget.h"
#include "base/visible.h"
#include "language/syntax/native/print.h"
#include "language/syntax/read.h"
#include "print/columns.h"
#include "tool/batch.h"
#include "tool/rewrite.h"

namespace litmus {

namespace {

using namespace compiled;

constexpr size_t together = 96;    // threads of one run of the assembler
constexpr size_t most_judged = 2;  // examples of a sort
constexpr double judge_seconds = 20;

// One run of the assembler.
struct CompiledRun {
    const sass::Assembler* assembler = nullptr;
    int level = 0;
    std::string target;
    gpu::Body body = gpu::Body::plain;
    size_t from = 0, to = 0;  // of the trials
};

struct Sort {
    uint64_t seen = 0;
    std::vector<Changed> examples;
    bool forbidden = false, unknown = false;
};

struct Found {
    Changed smallest;
    Judged judged;
    std::set<std::string> sorts;
    std::set<std::string> settings;
};

class Campaign {
public:
    Campaign(const CampaignOptions& options, unsigned jobs, const Settings& settings, Output& out)
        : options_(options),
          jobs_(jobs),
          settings_(settings),
          out_(out),
          family_("ptx", {}),
          operations_(operations()),
          passages_(operations_.size()) {}

    int run() {
        make_trials();
        const double start = now();
        assemble_all();
        const double assembled = now();
        judge_all();
        const double judged = now();
        reduce_all();
        report(assembled - start, judged - assembled, now() - judged);
        return !found_.empty() ? 1 : 0;
    }

private:
    void make_trials() {
        each_of(options_.triples, triples(operations_), [&](size_t n) { trials_.push_back(triple(operations_, n)); });
        each_of(options_.waits, waits(operations_), [&](size_t n) { trials_.push_back(compiled::wait(operations_, n)); });
        for (size_t n = 0; n < options_.random; ++n) trials_.push_back(random_trial(operations_, options_.seed.value_or(1), n));
    }

    // So many of all numbers, far from each other; all of them where as many are wanted.
    template <class Make>
    static void each_of(size_t wanted, size_t all, const Make& make) {
        constexpr size_t step = 7919;  // a prime
        for (size_t n = 0; n < std::min(wanted, all); ++n) make(wanted >= all ? n : n * step % all);
    }

    std::vector<CompiledRun> runs() const {
        std::vector<CompiledRun> list;
        for (const std::string& target : settings_.targets)
            for (const sass::Assembler& assembler : settings_.assemblers)
                for (const int level : settings_.levels)
                    for (const gpu::Body body : settings_.bodies)
                        for (size_t from = 0; from < trials_.size(); from += together)
                            list.push_back({&assembler, level, target, body, from, std::min(from + together, trials_.size())});
        return list;
    }

    void assemble_all() {
        const std::vector<CompiledRun> list = runs();
        std::vector<Batch> batches(list.size());
        Progress progress(list.size());
        const auto make_worker = [&]() -> Job {
            return [&](size_t n) {
                const CompiledRun& run = list[n];
                const int sm = run.target.rfind("sm_90", 0) == 0 ? 90 : 100;
                std::vector<Trial> trials;
                std::copy_if(trials_.begin() + static_cast<std::ptrdiff_t>(run.from), trials_.begin() + static_cast<std::ptrdiff_t>(run.to),
                             std::back_inserter(trials), [&](const Trial& trial) { return trial.sm <= sm; });
                batches[n] = compiled::assemble(trials, *run.assembler, run.level, run.target, run.body);
            };
        };
        run_batch(list.size(), workers_for(jobs_), make_worker, [&](size_t n) {
            take(std::exchange(batches[n], {}));
            progress.at(n + 1);
            return true;
        });
    }

    void take(const Batch& batch) {
        assembled_ += batch.assembled;
        refused_ += batch.refused;
        strays_ += batch.strays;
        changed_ += batch.changed.size();
        for (const Trial& trial : batch.kept_triples) count(trial, {}, passages_[trial.middle]);
        for (const Changed& changed : batch.changed) {
            if (changed.trial.is_triple) count(changed.trial, changed.changes, passages_[changed.trial.middle]);
            const Test test = parse(changed.trial);
            for (const compiled::Change& change : changed.changes) {
                Sort& sort = sorts_[sort_of(test, change)];
                ++sort.seen;
                if (sort.examples.size() >= most_judged) continue;
                sort.examples.push_back(changed);
            }
        }
    }

    static Test parse(const Trial& trial) { return parse_tests(make_source("trial", test_text("trial", trial.lines, {}))).at(0); }

    struct Asked {
        Sort* sort = nullptr;
        std::string name;
        Changed* changed = nullptr;
        Judged judged;
    };

    void judge_all() {
        for (auto& [name, sort] : sorts_)
            for (Changed& changed : sort.examples) asked_.push_back({&sort, name, &changed, {}});
        Progress progress(asked_.size());
        const auto make_worker = [&]() -> Job {
            return [&](size_t n) {
                Solver solver;
                asked_[n].judged = judge(*asked_[n].changed, family_, solver, judge_seconds);
            };
        };
        run_batch(asked_.size(), workers_for(jobs_), make_worker, [&](size_t n) {
            const Fate fate = asked_[n].judged.ruling.fate;
            asked_[n].sort->forbidden = asked_[n].sort->forbidden || fate == Fate::forbidden;
            if (fate == Fate::unknown) {
                asked_[n].sort->unknown = true;
                ++reasons_[asked_[n].judged.ruling.reason];
            }
            progress.at(n + 1);
            return true;
        });
    }

    const sass::Assembler& assembler_of(const Changed& changed) const {
        return *std::find_if(settings_.assemblers.begin(), settings_.assemblers.end(),
                             [&](const sass::Assembler& a) { return a.name == changed.setting.assembler; });
    }

    void reduce_all() {
        std::vector<size_t> list;
        for (size_t n = 0; n < asked_.size(); ++n)
            if (asked_[n].judged.ruling.fate == Fate::forbidden) list.push_back(n);
        std::vector<std::optional<std::pair<Changed, Judged>>> smallest(list.size());
        Progress progress(list.size());
        const auto make_worker = [&]() -> Job {
            return [&](size_t n) {
                Solver solver;
                const Changed& changed = *asked_[list[n]].changed;
                smallest[n] = reduced(changed, assembler_of(changed), family_, solver, judge_seconds);
            };
        };
        run_batch(list.size(), workers_for(jobs_), make_worker, [&](size_t n) {
            if (smallest[n]) {
                auto& [changed, judged] = *smallest[n];
                const std::string key = class_of(judged.test, judged.changes);
                const std::string setting =
                    "-O" + std::to_string(changed.setting.level) + " " + changed.setting.target + " " + changed.setting.body;
                const auto [at, is_new] = found_.emplace(key, Found{changed, judged, {}, {}});
                if (!is_new && changed.trial.lines.size() < at->second.smallest.trial.lines.size()) {
                    at->second.smallest = changed;
                    at->second.judged = judged;
                }
                at->second.sorts.insert(asked_[list[n]].name);
                at->second.settings.insert(setting);
            } else {
                ++not_again_;
            }
            progress.at(n + 1);
            return true;
        });
    }

    void report(double assembling, double judging, double reducing) {
        const size_t forbidden =
            static_cast<size_t>(std::count_if(sorts_.begin(), sorts_.end(), [](const auto& s) { return s.second.forbidden; }));
        const size_t unknown = static_cast<size_t>(
            std::count_if(sorts_.begin(), sorts_.end(), [](const auto& s) { return s.second.unknown && !s.second.forbidden; }));
        const auto seconds = [](double s) { return std::to_string(std::lround(s)) + " s"; };
        size_t number_of_triples = 0;
        for (const Trial& trial : trials_) number_of_triples += trial.is_triple ? 1 : 0;
        std::string text = counted(number_of_triples, "triple") + " of " + counted(operations_.size(), "operation") + ", " +
                           counted(trials_.size() - number_of_triples - options_.random, "wait") + ", " +
                           counted(options_.random, "random thread") + ", assembled " + std::to_string(assembled_) + " times in " +
                           seconds(assembling) + "; " + std::to_string(refused_) + " were refused, in " + std::to_string(strays_) +
                           " some code has no owner\n";
        text += std::to_string(changed_) + " were changed, in " + counted(sorts_.size(), "sort") + "; of each " +
                std::to_string(most_judged) + " at most were judged, " + std::to_string(asked_.size()) + " in " + seconds(judging) + ": " +
                counted(forbidden, "sort") + " forbidden, " + std::to_string(unknown) + " unknown, the others allowed\n";
        text += "reduced in " + seconds(reducing) + " to " + std::to_string(found_.size()) + (found_.size() == 1 ? " class" : " classes") +
                "; " + std::to_string(not_again_) + " are forbidden only beside others\n";
        for (const auto& [reason, times] : reasons_) text += "unknown, " + std::to_string(times) + " times: " + visible(reason) + "\n";
        text += table();
        size_t number = 0;
        for (const auto& [key, found] : found_) text += class_text(++number, key, found);
        out_.put(text);
    }

    std::string table() const {
        std::map<std::string, Passage> by_kind;
        for (size_t n = 0; n < operations_.size(); ++n) {
            Passage& sum = by_kind[operations_[n].kind];
            const Passage& one = passages_[n];
            sum.triples += one.triples;
            sum.dropped += one.dropped;
            sum.merged += one.merged;
            sum.earlier += one.earlier;
            sum.later += one.later;
            sum.unwaited += one.unwaited;
        }
        std::string text =
            "\n| between the accesses | triples | one dropped | one merged | the second before it | the first after it | not waited for "
            "|\n"
            "|---|---|---|---|---|---|---|\n";
        for (const auto& [kind, p] : by_kind) {
            if (p.triples == 0) continue;
            text += "| `" + kind + "` |";
            for (const uint64_t n : {p.triples, p.dropped, p.merged, p.later, p.earlier, p.unwaited})
                text += " " + std::to_string(n) + " |";
            text += "\n";
        }
        return text;
    }

    std::string class_text(size_t number, const std::string& key, const Found& found) {
        const Ruling& ruling = found.judged.ruling;
        uint64_t seen = 0;
        for (const std::string& sort : found.sorts) seen += sorts_.at(sort).seen;
        std::string text = "\n" + std::to_string(number) + ". " + key + "\n   seen " + std::to_string(seen) + " times; " +
                           (ruling.outcome.empty() ? "undefined: " + ruling.hazard : ruling.outcome) + "; " +
                           (found.judged.race_free == Truth::yes ? "race-free" : "with a race");
        if (found.judged.readings != Reading::Base::weakest)
            text += "; under the " + std::string(litmus::name(found.judged.readings)) + " readings";
        text += "\n   reduced at";
        for (const std::string& setting : found.settings) text += " [" + setting + "]";
        text += "\n";
        for (const compiled::Change& change : found.judged.changes) text += "   " + visible(in_words(found.judged.test, change)) + "\n";
        for (const Thread& thread : found.judged.test.threads) {
            text += "   " + thread.name + "\n";
            for (const Instruction& i : thread.body) text += "     " + print(i) + ";\n";
        }
        if (!ruling.why.cases.empty())
            for (const Explanation::Way& way : ruling.why.cases.front().ways)
                text += "   breaks " + way.axiom + " (ISA " + way.section + ")\n";
        if (!options_.into.empty()) write(number, key, found);
        return text;
    }

    void write(size_t number, const std::string& key, const Found& found) const {
        std::filesystem::create_directories(options_.into);
        Test test = found.judged.test;
        test.name = "class-" + std::to_string(number);
        test.doc = key;
        write_file((std::filesystem::path(options_.into) / (test.name + ".litmus")).string(), print(test));
    }

    const CampaignOptions& options_;
    const unsigned jobs_;
    const Settings& settings_;
    Output& out_;
    ModelFamily family_;
    const std::vector<Operation> operations_;
    std::vector<Trial> trials_;
    std::vector<Passage> passages_;  // by operation
    std::map<std::string, Sort> sorts_;
    std::vector<Asked> asked_;
    std::map<std::string, Found> found_;
    std::map<std::string, uint64_t> reasons_;
    uint64_t assembled_ = 0, refused_ = 0, strays_ = 0, changed_ = 0, not_again_ = 0;
};

}  // namespace

int compiled_campaign(const CampaignOptions& options, unsigned jobs, const Settings& settings, Output& out) {
    return Campaign(options, jobs, settings, out).run();
}

}  // namespace litmus
