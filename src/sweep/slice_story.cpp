// Runs of the sweep, each with its log, until the story is whole.
#include "sweep/slice_story.h"

#include <algorithm>
#include <map>
#include <memory>

#include "kernel/arguments.h"
#include "kernel/program.h"
#include "sweep/representatives.h"
#include "sweep/slice_question.h"

namespace litmus::sweep {

namespace {

using What = Event::What;

constexpr size_t most_threads = 8;
constexpr size_t most_named = 16;          // threads, where they are named
constexpr size_t most_chosen = 8;          // threads, where one for each thing that is done is taken
constexpr uint32_t most_looked_at = 4096;  // threads of a launch, then
constexpr size_t most_runs = 24;

// A loop that only waits is as good as its last round: those before found the same, and nothing of the thread lies between.
void leave_out_rounds(std::vector<Event>& log) {
    std::map<uint32_t, const Event*> next;  // by thread
    std::vector<Event> kept;
    for (auto event = log.rbegin(); event != log.rend(); ++event) {
        const Event*& behind = next[event->thread];
        const bool is_read =
            (event->what == What::access || event->what == What::flag) && (event->reads || !event->read_from.empty()) && !event->writes;
        const bool again = is_read && behind != nullptr && behind->what == event->what && behind->statement == event->statement &&
                           behind->place == event->place && behind->read == event->read && behind->read_from == event->read_from &&
                           event->written_to.empty() && !behind->writes;
        behind = &*event;
        if (!again) kept.push_back(*event);
    }
    log.assign(kept.rbegin(), kept.rend());
}

class OfFinding {
public:
    OfFinding(const Ground& ground, const Finding& finding) : ground_(ground), finding_(finding) {
        const Asked asked = asked_of(finding.breach);
        story_.question = asked.question;
        if (!asked.why.empty()) throw Missing{std::string(asked.why)};
    }

    Story tell() {
        if (is_race() && !finding_.byte) throw Missing{"it is about no place that such a test has"};
        if (std::any_of(finding_.places.begin(), finding_.places.end(), [](const Place& place) { return place.earlier; }))
            throw Missing{"an access of an earlier launch"};
        // of a wait the second place says what it was told to wait for
        const bool waits = story_.question == Question::hang;
        for (const Place& place : finding_.places)
            if (!waits || story_.threads.empty()) story_.threads.insert(number_of(place));
        if (is_race()) story_.byte = finding_.byte;
        if (waits) story_.lacks = finding_.tally;
        if (finding_.breach == Breach::few_threads) story_.waits_for_warp = number_of(finding_.places.front());
        do {
            if (story_.threads.size() > most_threads) throw Missing{"it would have more than " + std::to_string(most_threads) + " threads"};
            look();
        } while (take_in());
        for (const Place& place : finding_.places)
            if (is_race() && !touches(place)) throw Missing{"an operation on the place is none that a test of this kind has"};
        if (is_race() && overlaps_in_part()) throw Missing{"strong accesses of two sizes to one place"};
        return std::move(story_);
    }

private:
    bool is_race() const { return story_.question == Question::race; }
    uint32_t number_of(const Place& place) const { return place.seat.block * ground_.geometry.threads() + place.seat.thread; }

    void look() {
        Options options = ground_.options;
        options.schedule = finding_.schedule;
        options.watch = Watch{story_.threads, story_.byte, finding_.number};
        Swept swept = sweep(ground_.module, ground_.launch, options);
        story_.log = std::move(swept.log);
        find_subject();
        if (finding_.breach == Breach::few_threads || finding_.breach == Breach::few_in_cluster) add_absent(swept.findings);
        leave_out_rounds(story_.log);
    }

    // The object that the finding is about; of one that is initialised again, that of the second initialisation.
    void find_subject() {
        if (is_race() || story_.about) return;
        if (finding_.tally) story_.about = finding_.tally->object;
        if (finding_.byte) story_.about = finding_.byte;
        if (finding_.breach != Breach::initialised_again) return;
        const Place& last = finding_.places.back();
        for (const Event& event : story_.log)
            if (event.what == What::init && event.statement == last.statement && event.thread == number_of(last))
                story_.about = event.mbarrier;
    }

    // Who does not come to a barrier waits elsewhere: had it exited, nobody would wait for it.
    void add_absent(const std::vector<Finding>& findings) {
        const kernel::Seat& waits = finding_.places.front().seat;
        for (const Finding& other : findings) {
            if (other.kind != Kind::stuck || other.places.empty()) continue;
            const kernel::Seat& seat = other.places.front().seat;
            const bool is_near = finding_.breach == Breach::few_threads ? seat.block == waits.block : seat.cluster == waits.cluster;
            if (is_near && !asked_of(other.breach).why.empty()) throw Missing{"who does not come waits for what no test has"};
            if (is_near && story_.threads.size() < most_threads)
                grown_ = story_.threads.insert(number_of(other.places.front())).second || grown_;
        }
    }

    // Some thread arrives at each object that is waited for, and some thread writes each flag that is read. One is taken for each
    // instruction of a block that does so: the one that does it most often.
    bool take_in() {
        std::set<Memory> awaited, read;
        if (story_.question == Question::state && story_.about) awaited.insert(*story_.about);
        for (const Event& event : story_.log) {
            if (event.what == What::wait && story_.is_here(event)) awaited.insert(*event.mbarrier);
            if (event.what == What::flag && event.reads && story_.is_here(event)) read.insert(*event.place);
        }
        using Role = std::pair<const kernel::Statement*, uint32_t>;
        std::map<Role, std::map<uint32_t, size_t>> roles;  // threads with how often they do it
        for (const Event& event : story_.log)
            if (((event.what == What::arrive || event.what == What::expect) && awaited.contains(*event.mbarrier)) ||
                (event.what == What::flag && event.writes && read.contains(*event.place)))
                ++roles[{event.statement, ground_.block_of(event)}][event.thread];
        const size_t before = story_.threads.size();
        for (const auto& [role, players] : roles) {
            if (std::any_of(players.begin(), players.end(), [&](const auto& player) { return story_.threads.contains(player.first); }))
                continue;
            story_.threads.insert(
                std::max_element(players.begin(), players.end(), [](const auto& a, const auto& b) { return a.second < b.second; })->first);
        }
        return story_.threads.size() > before || std::exchange(grown_, false);
    }

    // Whether the log has what this place did to the byte; a test without it would say nothing of the race.
    bool touches(const Place& place) const {
        return std::any_of(story_.log.begin(), story_.log.end(),
                           [&](const Event& event) { return event.statement == place.statement && (event.reads || event.writes); });
    }
    // Accesses of the test have one size. Two strong ones race by the sizes of their elements alone (8.7.1).
    bool overlaps_in_part() const {
        const std::optional<Clash>& clash = finding_.clash;
        return clash && clash->earlier.scope != Scope::none && clash->later.scope != Scope::none &&
               clash->earlier.size != clash->later.size;
    }

    const Ground& ground_;
    const Finding& finding_;
    Story story_;
    bool grown_ = false;  // by who does not come to a barrier
};

class OfNamed {
public:
    OfNamed(const Ground& ground, const std::vector<std::pair<uint32_t, uint32_t>>& threads) : ground_(ground) {
        story_.question = Question::named;
        for (const auto& [block, thread] : threads) {
            if (block >= ground.geometry.blocks() || thread >= ground.geometry.threads()) throw Missing{"a thread is none of the launch"};
            story_.threads.insert(block * ground.geometry.threads() + thread);
        }
        if (story_.threads.size() > most_named) throw Missing{"it would have more than " + std::to_string(most_named) + " threads"};
    }

    Story tell() {
        require_no_tensor_memory();
        if (story_.threads.empty()) choose_threads();
        look_at_everything();
        require_whole_products();
        find_initialised();
        return std::move(story_);
    }

private:
    // The log says nothing of accesses to tensor memory, nor of what its instructions read.
    void require_no_tensor_memory() const {
        for (const kernel::Function& function : ground_.module.functions)
            for (const kernel::Statement& statement : function.code)
                if (!statement.words.empty() && statement.words.front() == "tcgen05") throw Missing{"it uses tensor memory"};
    }

    // One for each thing that threads do.
    void choose_threads() {
        const uint32_t all = ground_.geometry.blocks() * ground_.geometry.threads();
        if (all > most_looked_at)
            throw Missing{"of a launch of more than " + std::to_string(most_looked_at) + " threads those of a test have to be named"};
        std::set<uint32_t> everybody;
        for (uint32_t thread = 0; thread < all; ++thread) everybody.insert(everybody.end(), thread);
        Options options = ground_.options;
        options.watch = Watch{.threads = std::move(everybody), .byte = {}, .everything = true};
        story_.threads = representatives(sweep(ground_.module, ground_.launch, options).log, ground_.geometry.threads(), most_chosen);
        if (story_.threads.empty()) throw Missing{"no thread accesses memory"};
    }

    // A run; and more where others may have these threads do something else. These are the contrary order, the other way where a clock
    // decides, and orders of the strong accesses that depart once from the usual one (explore.h).
    void look_at_everything() {
        const Swept first = add_run({});
        story_.open = first.conditions;
        if (first.conditions.empty() && !first.timed && !first.elects) return;
        const Swept contrary = add_run({.order = Schedule::Order::contrary});
        if (first.timed || contrary.timed)
            for (const Schedule::Order order : {Schedule::Order::first, Schedule::Order::contrary}) add_run({.order = order, .late = true});
        if (first.contended || contrary.contended) add_departures();
    }

    void add_departures() {
        const auto by = [](std::vector<Choice> choices) {
            Schedule schedule;
            schedule.choices = std::make_shared<const std::vector<Choice>>(std::move(choices));
            return schedule;
        };
        const std::vector<ChosenAccess> chosen = add_run(by({})).chosen;
        for (uint32_t number = 0; number < chosen.size(); ++number)
            for (uint32_t taken = 1; taken < chosen[number].alternatives && story_.ends.size() < most_runs; ++taken)
                add_run(by({{number, taken}}));
    }

    Swept add_run(const Schedule& schedule) {
        Options options = ground_.options;
        options.schedule = schedule;
        options.watch = Watch{.threads = story_.threads, .byte = {}, .everything = true};
        Swept swept = sweep(ground_.module, ground_.launch, options);
        for (const Finding& found : swept.findings) {
            if (const std::string_view why = why_not_of_named(found.breach); !why.empty())
                throw Missing{"\"" + found.text + "\" is found in the run: " + std::string(why)};
            story_.leaves = story_.leaves || found.breach == Breach::copy_at_exit;
        }
        if (!swept.uneven.empty()) throw Missing{"not all threads come to a barrier"};
        std::vector<Event> before = std::exchange(story_.log, std::move(swept.log));
        leave_out_rounds(story_.log);
        wait_for_grid();
        story_.log.insert(story_.log.begin(), before.begin(), before.end());
        story_.ends.push_back(story_.log.size());
        return swept;
    }

    // The barrier of the grid waits by a loop that compares with what the thread has found before. Its last round finds what it waits for.
    void wait_for_grid() {
        if (ground_.layout.workspace() == 0) return;
        const size_t workspace = ground_.layout.find("global", ground_.layout.workspace(), 0)->object;
        std::map<uint32_t, const kernel::Statement*> next;  // by thread
        std::vector<Event> kept;
        for (auto event = story_.log.rbegin(); event != story_.log.rend(); ++event) {
            const bool waits =
                event->what == What::flag && event->does == Operator::none && event->reads && event->place->object == workspace;
            const bool again = waits && next[event->thread] == event->statement;
            next[event->thread] = event->statement;
            if (again) continue;
            kept.push_back(*event);
            kept.back().settled = event->settled || waits;
        }
        story_.log.assign(kept.rbegin(), kept.rend());
    }

    // A product is one operation of a warpgroup. The test has it in one thread, and another one that waits for it would know nothing of it.
    void require_whole_products() const {
        constexpr uint32_t warpgroup = 128;
        std::map<std::pair<uint32_t, uint32_t>, uint32_t> threads;  // by block and warpgroup
        for (const Event& event : story_.log) {
            if (event.op != Op::wgmma_mma || !story_.is_here(event)) continue;
            const std::pair key(ground_.block_of(event), event.thread % ground_.geometry.threads() / warpgroup);
            if (threads.try_emplace(key, event.thread).first->second != event.thread)
                throw Missing{"two of its threads issue the products of one warpgroup"};
        }
    }

    void find_initialised() {
        for (const auto& run : story_.by_run()) {
            story_.initialised.clear();
            for (const Event& event : run)
                if (event.what == What::init && story_.is_here(event) && !story_.initialised.insert(*event.mbarrier).second)
                    throw Missing{"an mbarrier object is initialised twice"};
        }
    }

    const Ground& ground_;
    Story story_;
};

}  // namespace

Ground::Ground(const kernel::Module& module_, const kernel::Launch& launch_, const Options& options_)
    : module(module_),
      launch(launch_),
      options(options_),
      geometry(launch),
      layout(module, launch, kernel::entry_named(module, launch.entry), options.budget) {}

const kernel::Object& Ground::object_of(const Memory& memory) const {
    if (memory.object >= layout.objects().size()) throw Missing{"it is about memory that the kernel allocates"};
    return layout.objects()[memory.object];
}

std::vector<std::span<const Event>> Story::by_run() const {
    std::vector<std::span<const Event>> runs;
    size_t begin = 0;
    for (const size_t end : ends) {
        runs.emplace_back(log.data() + begin, end - begin);
        begin = end;
    }
    if (ends.empty()) runs.emplace_back(log);
    return runs;
}

Story story_of(const Ground& ground, const Finding& finding) {
    return OfFinding(ground, finding).tell();
}

Story story_of(const Ground& ground, const std::vector<std::pair<uint32_t, uint32_t>>& threads) {
    return OfNamed(ground, threads).tell();
}

}  // namespace litmus::sweep
