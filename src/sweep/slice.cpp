// From a finding, or named threads, to a test: the story of the threads, the scene that it plays in, and each thread's ways written down.
#include "sweep/slice.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "language/syntax/native/print.h"
#include "language/syntax/read.h"
#include "sweep/slice_question.h"
#include "sweep/slice_scene.h"
#include "sweep/slice_story.h"
#include "sweep/slice_writer.h"

namespace litmus::sweep {

namespace {

using What = Event::What;

// Writes down the ways that a thread goes in the runs. Runs go one way until a strong read finds something else in them.
class Ways {
public:
    Ways(const Story& story, const Scene& scene, Writer& writer) : story_(story), scene_(scene), writer_(writer) {}

    void add(uint32_t thread) {
        writer_.begin_thread(thread);
        add_ways(ways_of(thread), 0, false);
        writer_.end_thread();
    }

private:
    // The events of a thread in a run.
    using Way = std::vector<const Event*>;

    static bool are_alike(const Way& a, const Way& b, size_t from) {
        return a.size() == b.size() &&
               std::equal(a.begin() + static_cast<ptrdiff_t>(from), a.end(), b.begin() + static_cast<ptrdiff_t>(from),
                          [](const Event* one, const Event* other) { return *one == *other; });
    }
    // Adds it, unless one is there that is alike from this place on.
    static void add_way(std::vector<Way>& ways, const Way& way, size_t from) {
        if (std::none_of(ways.begin(), ways.end(), [&](const Way& known) { return are_alike(known, way, from); })) ways.push_back(way);
    }

    std::vector<Way> ways_of(uint32_t thread) const {
        std::vector<Way> ways;
        for (const auto& run : story_.by_run()) {
            Way way;
            for (const Event& event : run)
                if (event.thread == thread) way.push_back(&event);
            add_way(ways, way, 0);
        }
        return ways;
    }

    // From this event on. Ways are one until a strong read finds something else in them. The value that this read finds decides about the
    // way. Where it finds what it found in no run, the test ends: nothing is known of that.
    void add_ways(std::vector<Way> ways, size_t at, bool is_aside) {
        for (; at < ways.front().size(); ++at) {
            const Event& event = *ways.front()[at];
            for (const Way& way : ways) require_one_event(way, at, event);
            if (is_aside && event.mbarrier && scene_.objects.contains(*event.mbarrier) && event.what != What::wait)
                throw Missing{"whether one arrives at an mbarrier object depends on the order"};
            writer_.add(event);
            const bool is_read = event.what == What::flag && event.reads && scene_.flags.contains(*event.place);
            if (!story_.has_ways() || !is_read || event.settled) continue;
            std::vector<Branch> branches = branches_of(ways, at);
            if (branches.size() == 1) {
                if (branches.front().found.size() == 1) writer_.trap_unless(event, *branches.front().found.begin());
                ways = std::move(branches.front().ways);
                continue;
            }
            return add_branches(event, std::move(branches), at + 1);
        }
        for (const Way& way : ways)
            if (way.size() > at) throw_unexplained();
        if (is_aside) writer_.put(*ways.front().back(), "exit", {});
    }

    [[noreturn]] static void throw_unexplained() {
        throw Missing{"other runs have one do something else, and no strong read of its own tells which"};
    }
    static void require_one_event(const Way& way, size_t at, const Event& event) {
        if (way.size() <= at) throw_unexplained();
        Event other = *way[at];
        if (event.settled && other.read != event.read) throw Missing{"a loop that waits finds something else in other runs"};
        other.read = event.read;
        if (!(other == event)) throw_unexplained();
    }

    struct Branch {
        std::set<uint64_t> found;  // by a strong read
        std::vector<Way> ways;     // that are taken then
    };
    static std::vector<Branch> branches_of(const std::vector<Way>& ways, size_t at) {
        std::map<uint64_t, std::vector<Way>> by_value;
        for (const Way& way : ways) add_way(by_value[*way[at]->read], way, at + 1);
        std::vector<Branch> branches;
        for (auto& of_value : by_value) {
            std::vector<Way>& taken = of_value.second;
            const auto is_same = [&](const Branch& one) {
                return one.ways.size() == taken.size() && std::all_of(taken.begin(), taken.end(), [&](const Way& way) {
                           return std::any_of(one.ways.begin(), one.ways.end(), [&](const Way& w) { return are_alike(w, way, at + 1); });
                       });
            };
            const auto known = std::find_if(branches.begin(), branches.end(), is_same);
            if (known == branches.end())
                branches.push_back({{of_value.first}, std::move(taken)});
            else
                known->found.insert(of_value.first);
        }
        return branches;
    }

    void add_branches(const Event& event, std::vector<Branch> branches, size_t at) {
        const std::string read = writer_.last_read();
        std::vector<std::string> labels;
        for (const Branch& branch : branches) {
            labels.push_back(writer_.new_label());
            for (const uint64_t value : branch.found) writer_.branch(event, read, value, labels.back());
        }
        writer_.put(event, "trap", {});
        const Writer::Found found = writer_.found();
        for (size_t b = 0; b < branches.size(); ++b) {
            writer_.put_label(labels[b]);
            writer_.set_found(found);
            add_ways(std::move(branches[b].ways), at, true);
        }
    }

    const Story& story_;
    const Scene& scene_;
    Writer& writer_;
};

Test test_of(const Ground& ground, const Story& story, Slice& slice) {
    Scene scene(ground, story);
    Writer writer(ground, story, scene);
    for (const uint32_t thread : story.threads) Ways(story, scene, writer).add(thread);
    const bool hangs = story.question == Question::hang;
    // nobody waits in an execution that ends so, and one that waits for ever may be left out
    if (hangs && writer.goes_elsewhere) throw Missing{"where its threads go depends on what they read"};
    writer.test.name = story.is_named() ? ground.launch.entry : title_of(story.question).name;
    writer.test.doc = title_of(story.question).doc;
    writer.test.claims_racefree = !hangs;
    writer.test.claims_terminates = hangs;
    slice.statements = std::move(writer.statements);
    if (story.is_named()) {
        slice.shares = !scene.data.empty();
        slice.runs = story.ends.size();
        slice.open = story.open;
    }
    return std::move(writer.test);
}

// `Subject`: a finding, or named threads.
template <typename Subject>
Slice slice_from(const kernel::Module& module, const kernel::Launch& launch, const Options& options, const Subject& subject,
                 Question question) {
    Slice slice;
    slice.question = question;
    try {
        const Ground ground(module, launch, options);
        slice.text = print(test_of(ground, story_of(ground, subject), slice));
        slice.test = parse_tests(make_source("race.litmus", slice.text)).front();
    } catch (const Missing& missing) {
        slice.text.clear();
        slice.why = missing.why;
    } catch (const Failure& failure) {
        slice.text.clear();
        slice.why = failure.diagnostics().front().message;
    }
    return slice;
}

}  // namespace

Slice slice_of(const kernel::Module& module, const kernel::Launch& launch, const Options& options, const Finding& finding) {
    return slice_from(module, launch, options, finding, asked_of(finding.breach).question);
}

Slice slice_of(const kernel::Module& module, const kernel::Launch& launch, const Options& options,
               const std::vector<std::pair<uint32_t, uint32_t>>& threads) {
    return slice_from(module, launch, options, threads, Question::named);
}

}  // namespace litmus::sweep
