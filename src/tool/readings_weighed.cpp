// A reading changes a test whose outcomes it changes, being switched on beside the weakest ones, or whose verdict it changes alone: a race
// has no outcome of its own. The smallest of these is shown. What is right either way is a test that says so by its name
// (litmus/readings/safe), or else the smallest repair of one of them; no reading changes it.
#include "tool/readings_weighed.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "analysis/conform/text.h"

namespace litmus {

namespace {

const ReadingEffect* effect_of(const WeighedTest& test, const std::string& reading) {
    if (!*test.prediction) return nullptr;
    for (const ReadingEffect& effect : (*test.prediction)->effects)
        if (effect.reading == reading && distinguishes(effect)) return &effect;
    return nullptr;
}

// The readings that change it.
std::set<std::string> readings_of(const WeighedTest& test) {
    std::set<std::string> changing;
    if (*test.prediction)
        for (const ReadingEffect& effect : (*test.prediction)->effects)
            if (distinguishes(effect) || !effect.decided) changing.insert(effect.reading);
    if (test.result->reliance)
        for (const std::vector<std::string>& set : test.result->reliance->depends.flips)
            if (set.size() == 1) changing.insert(set.front());
    return changing;
}

size_t instructions_of(const Test& test) {
    size_t count = 0;
    for (const Thread& thread : test.threads) count += thread.body.size();
    return count;
}

// "P0:r0=1" of "P0:r0=1;".
std::string ending(std::string outcome) {
    if (!outcome.empty() && outcome.back() == ';') outcome.pop_back();
    return outcome;
}

ReadingExample example_of(const WeighedTest& test) {
    ReadingExample example{test.page, {}};
    example.test.source = test.input->source;
    example.test.bare = bare_source(*test.input->test);
    example.test.result.test = test.input->test->name;
    return example;
}

class Scale {
public:
    Scale(const Model& model, const std::vector<std::string>& on, const Observations& observed, const std::vector<WeighedTest>& tests)
        : model_(model), on_(on), observed_(observed), tests_(tests) {
        for (size_t i = 0; i < tests.size(); ++i) {
            changing_.push_back(readings_of(tests[i]));
            if (tests[i].input->test && !tests[i].input->test->repairs.empty()) repairs_[tests[i].input->test->repairs].push_back(i);
        }
    }

    std::vector<PageReading> run() {
        for (const Reading& reading : model_.readings) add(reading);
        for (size_t d = 0; d < observed_.devices.size(); ++d) weigh_device(d);
        return std::move(pages_);
    }

private:
    void add(const Reading& reading) {
        PageReading page;
        page.reading = reading;
        page.on = std::find(on_.begin(), on_.end(), reading.name) != on_.end();
        std::vector<size_t> changed;
        for (size_t i = 0; i < tests_.size(); ++i) {
            if (!tests_[i].input->test || changing_[i].count(reading.name) == 0) continue;
            changed.push_back(i);
            page.tests.push_back(tests_[i].page);
        }
        if (!changed.empty()) page.smallest = smallest(changed, reading.name);
        page.safe = safe(reading.name, changed);
        pages_.push_back(std::move(page));
    }

    // Of tests of one size, the one that the fewest readings change; first those whose outcomes this one changes.
    ReadingExample smallest(const std::vector<size_t>& changed, const std::string& reading) const {
        const auto rank = [&](size_t i) {
            return std::tuple(effect_of(tests_[i], reading) == nullptr, instructions_of(*tests_[i].input->test), changing_[i].size());
        };
        const size_t best = *std::min_element(changed.begin(), changed.end(), [&](size_t a, size_t b) { return rank(a) < rank(b); });
        ReadingExample example = example_of(tests_[best]);
        if (const ReadingEffect* effect = effect_of(tests_[best], reading)) {
            example.undefined = effect->makes_defined;
            if (!effect->excludes.empty())
                example.outcome = ending(outcome_text((*tests_[best].prediction)->observables, effect->excludes.front()));
        }
        return example;
    }

    std::optional<ReadingExample> safe(const std::string& reading, const std::vector<size_t>& changed) const {
        for (size_t i = 0; i < tests_.size(); ++i)
            if (tests_[i].input->test && tests_[i].input->test->name == "reading-" + reading + "-safe" && in_every_reading(i))
                return example_of(tests_[i]);
        std::vector<size_t> repairs;
        for (const size_t i : changed) {
            const auto known = repairs_.find(tests_[i].input->test->name);
            if (known == repairs_.end()) continue;
            for (const size_t repair : known->second)
                if (in_every_reading(repair)) repairs.push_back(repair);
        }
        const auto size = [&](size_t i) { return instructions_of(*tests_[i].input->test); };
        const auto best = std::min_element(repairs.begin(), repairs.end(), [&](size_t a, size_t b) { return size(a) < size(b); });
        if (best == repairs.end()) return std::nullopt;
        return example_of(tests_[*best]);
    }

    bool in_every_reading(size_t test) const {
        const Result& result = *tests_[test].result;
        const bool decided = !result.reliance || (result.reliance->depends.known && result.reliance->depends.flips.empty());
        return result.judgement.verdict == Verdict::ok && changing_[test].empty() && decided;
    }

    // What one device says about each reading, and what the compiler made of the tests that it ran.
    void weigh_device(size_t device) {
        std::vector<Compared> compared;
        std::vector<size_t> ran;
        for (size_t i = 0; i < tests_.size(); ++i)
            for (const StudiedRun& run : *tests_[i].runs)
                if (run.device == device) {
                    compared.push_back({&**tests_[i].prediction, &run.comparison});
                    ran.push_back(i);
                }
        const std::vector<Evidence> all = weigh(model_, compared);
        for (size_t r = 0; r < all.size(); ++r) {
            const Evidence& evidence = all[r];
            ReadingOnDevice on{observed_.devices[device].name, evidence.verdict, evidence.tests.size(), evidence.instances, {}};
            for (const Evidence::Refutation& shown : evidence.refutations)
                on.refutations.push_back({tests_[ran[shown.test]].page,
                                          ending(outcome_text(compared[shown.test].prediction->observables, shown.outcome)), shown.count});
            pages_[r].devices.push_back(std::move(on));
            for (const size_t test : evidence.tests) add_compiled(pages_[r].compilers, tests_[ran[test]].page, *compared[test].comparison);
        }
    }

    static void add_compiled(ReadingOnCompilers& on, const Link& test, const Comparison& comparison) {
        for (const Seen& seen : comparison.seen) {
            on.in_order += seen.in_order;
            on.disturbed += seen.disturbed;
            on.unknown += seen.count - seen.in_order - seen.disturbed;
        }
        for (const std::string& what : comparison.disturbances) {
            const auto is_it = [&](const auto& known) { return known.test.target == test.target && known.what == what; };
            if (std::none_of(on.changes.begin(), on.changes.end(), is_it)) on.changes.push_back({test, what});
        }
    }

    const Model& model_;
    const std::vector<std::string>& on_;
    const Observations& observed_;
    const std::vector<WeighedTest>& tests_;
    std::vector<std::set<std::string>> changing_;         // by test
    std::map<std::string, std::vector<size_t>> repairs_;  // by the name of the test that they repair
    std::vector<PageReading> pages_;
};

}  // namespace

std::vector<PageReading> weigh_readings(const Model& model, const std::vector<std::string>& on, const Observations& observed,
                                        const std::vector<WeighedTest>& tests) {
    return Scale(model, on, observed, tests).run();
}

}  // namespace litmus
