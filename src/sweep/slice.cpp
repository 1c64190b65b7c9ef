// Threads are taken in until none is missing, each time with a new log; then each event becomes an instruction.
#include "sweep/slice.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "kernel/arguments.h"
#include "kernel/layout.h"
#include "kernel/make.h"
#include "kernel/program.h"
#include "language/syntax/native/print.h"
#include "language/syntax/read.h"
#include "ptx/traits.h"
#include "sweep/representatives.h"

namespace litmus::sweep {

namespace {

using What = Event::What;
using kernel::number_operand;
using kernel::reg_operand;

constexpr size_t most_threads = 8;
constexpr size_t most_named = 16;          // threads, where they are named
constexpr size_t most_chosen = 8;          // threads, where one for each thing that is done is taken
constexpr uint32_t most_looked_at = 4096;  // threads of a launch, then
constexpr size_t most_runs = 24;
constexpr size_t most_shares = 16;
constexpr size_t most_instructions = 400;
constexpr int64_t most_barriers = 16;  // of a block (ISA 9.7.13.1)
constexpr uint64_t copied_bytes = 16;  // of a bulk copy, the least (ISA 9.7.9.25.4)
constexpr int elements = 4;            // of 4 bytes: so many words a copy has

// Why there is no test; for this file alone.
struct Missing {
    std::string why;
};

Operand address(const std::string& name, int cta = -1) {
    Operand operand;
    operand.kind = Operand::Kind::address;
    operand.name = name;
    operand.cta = cta;
    return operand;
}

Operand sink() {
    Operand operand;
    operand.kind = Operand::Kind::sink;
    return operand;
}

// The question of a test about a finding of this kind; else why there is none.
struct Asked {
    Question question = Question::race;
    std::string_view why = {};  // not empty: there is none
};

constexpr Asked asked_of(Breach breach) {
    constexpr Asked of_schedule{{}, "it says which phase or turn is meant, and the model has no flag for that"};
    constexpr Asked of_one{{}, "an instruction breaks a rule by itself, whatever others do"};
    switch (breach) {
        case Breach::never_initialised:
        case Breach::not_known_initialised:
        case Breach::initialised_again:
            return {Question::life};
        case Breach::arrivals:
        case Breach::phase_of_bytes:
        case Breach::phase_of_copy:
        case Breach::bytes_unexpected:
        case Breach::phase_of_arrival:
        case Breach::phase_over:
        case Breach::wait_late:
        case Breach::wait_at_once:
        case Breach::barrier_turn:
            return of_schedule;
        case Breach::unordered:
        case Breach::incomplete:
        case Breach::proxy:
        case Breach::alias:
        case Breach::overlap:
        case Breach::uncached:
        case Breach::tensor_map:
        case Breach::tensor_memory:
            return {Question::race};
        case Breach::end_unseen:
            return {Question::state};
        case Breach::few_arrivals:
        case Breach::few_bytes:
        case Breach::many_bytes:
        case Breach::no_first_arrival:
        case Breach::no_arrival:
        case Breach::few_threads:
        case Breach::few_in_cluster:
            return {Question::hang};
        case Breach::copy_at_exit:
            return {Question::exit};
        case Breach::invalidated:
            return {{}, "an mbarrier object is invalidated"};
        case Breach::stuck:
            return {{}, "a loop that goes round is no wait of a test"};
        case Breach::few_lanes:
        case Breach::few_lanes_at_barrier:
            return {{}, "the lanes that do not come are not known"};
        case Breach::request_after_failure:
        case Breach::no_answer:
            return {{}, "it is about requests for clusters that have not started"};
        case Breach::block_not_begun:
        case Breach::block_ended:
            return {{}, "it is about the life of a block"};
        case Breach::trap:
        case Breach::barrier_mixed:
        case Breach::cluster_arrival:
        case Breach::byte_count:
        case Breach::over_object:
        case Breach::misaligned:
        case Breach::out_of_range:
        case Breach::outside_mask:
        case Breach::absent_lane:
        case Breach::exited_lanes:
        case Breach::half_warpgroup:
        case Breach::foreign_state:
        case Breach::completes_phase:
        case Breach::own_block:
        case Breach::no_cluster:
        case Breach::same_group:
        case Breach::object_elsewhere:
        case Breach::not_global:
        case Breach::foreign_block:
        case Breach::not_generic:
        case Breach::product_unfenced:
        case Breach::product_open:
        case Breach::load_open:
        case Breach::allocation:
        case Breach::not_allocated:
        case Breach::kept:
        case Breach::foreign_lanes:
        case Breach::mixed_groups:
            return of_one;
    }
    return of_one;
}

// How a test is called, and what it says of itself.
struct Title {
    const char* name;
    const char* doc;
};

constexpr Title title_of(Question question) {
    switch (question) {
        case Question::race:
            return {"race", "What leads to a race that a sweep found."};
        case Question::life:
            return {"use", "What leads to the use of an object that is not initialised."};
        case Question::state:
            return {"operation", "An operation on an object that the ISA forbids in this state."};
        case Question::hang:
            return {"hang", "A wait that nothing ends."};
        case Question::exit:
            return {"exit", "A thread that exits while a copy is in flight."};
        case Question::named:
            return {"threads", "Some threads of a kernel, as a run of all its threads has them."};
    }
    return {"", ""};
}

// Why a test of named threads does not show such a finding of the run; empty: it does, where they have to do with it.
constexpr std::string_view why_not_of_named(Breach breach) {
    switch (breach) {
        case Breach::overlap:
        case Breach::tensor_map:
        case Breach::tensor_memory:
            return "the run finds a race at what such a test does not have";
        case Breach::few_bytes:
        case Breach::many_bytes:
        case Breach::few_threads:
        case Breach::few_in_cluster:
            return "a thread waits for bytes or threads that such a test is scaled by";
        case Breach::wait_late:
        case Breach::wait_at_once:
            return {};
        default:
            return asked_of(breach).why;
    }
}

// The groups by which a copy without an mbarrier object is waited for.
enum class Groups : uint8_t { none, copies, bulk, products };

Groups groups_of(Op op) {
    switch (op) {
        case Op::async_copy:
        case Op::async_commit:
        case Op::async_wait:
            return Groups::copies;
        case Op::wgmma_mma:
        case Op::wgmma_commit:
        case Op::wgmma_wait:
            return Groups::products;
        default:
            return Groups::bulk;
    }
}

class Maker {
public:
    Maker(const kernel::Module& module, const kernel::Launch& launch, const Options& options, const Finding& finding)
        : module_(module),
          launch_(launch),
          options_(options),
          finding_(finding),
          byte_(asked_of(finding.breach).question == Question::race ? finding.byte : std::nullopt),
          asked_(asked_of(finding.breach)),
          geometry_(launch),
          layout_(module, launch, kernel::entry_named(module, launch.entry), options.budget) {}

    // Of named threads.
    Maker(const kernel::Module& module, const kernel::Launch& launch, const Options& options,
          const std::vector<std::pair<uint32_t, uint32_t>>& threads)
        : module_(module),
          launch_(launch),
          options_(options),
          asked_{Question::named},
          geometry_(launch),
          layout_(module, launch, kernel::entry_named(module, launch.entry), options.budget) {
        for (const auto& [block, thread] : threads) {
            if (block >= geometry_.blocks() || thread >= geometry_.threads()) throw Missing{"a thread is none of the launch"};
            threads_.insert(block * geometry_.threads() + thread);
        }
        if (threads_.size() > most_named) throw Missing{"it would have more than " + std::to_string(most_named) + " threads"};
    }

    Test make_of_named() {
        require_no_tensor_memory();
        if (threads_.empty()) choose_threads();
        look_at_everything();
        require_whole_products();
        find_initialised();
        find_shares();
        find_objects();
        require_arrivals();
        find_flags_of_named();
        require_writers();
        number_barriers();
        test_.name = launch_.entry;
        test_.doc = title_of(asks()).doc;
        test_.claims_racefree = true;
        declare();
        for (const uint32_t thread : threads_) add_thread(thread);
        return std::move(test_);
    }
    bool shares() const { return !shares_.empty(); }
    size_t runs() const { return ends_.size(); }
    std::vector<std::string> open() { return std::move(open_); }

    Test make() {
        if (!asked_.why.empty()) throw Missing{std::string(asked_.why)};
        if (is_race() && !finding_.byte) throw Missing{"it is about no place that such a test has"};
        if (std::any_of(finding_.places.begin(), finding_.places.end(), [](const Place& place) { return place.earlier; }))
            throw Missing{"an access of an earlier launch"};
        // of a wait the second place says what it was told to wait for
        for (const Place& place : finding_.places)
            if (asks() != Question::hang || threads_.empty()) threads_.insert(number_of(place));
        do {
            if (threads_.size() > most_threads) throw Missing{"it would have more than " + std::to_string(most_threads) + " threads"};
            look();
        } while (take_in());
        for (const Place& place : finding_.places)
            if (is_race() && !touches(place)) throw Missing{"an operation on the place is none that a test of this kind has"};
        if (is_race() && overlaps_in_part()) throw Missing{"strong accesses of two sizes to one place"};
        find_objects();
        find_flags();
        number_barriers();
        test_.name = title_of(asks()).name;
        test_.doc = title_of(asks()).doc;
        test_.claims_racefree = asks() != Question::hang;
        test_.claims_terminates = asks() == Question::hang;
        declare();
        for (const uint32_t thread : threads_) add_thread(thread);
        // nobody waits in an execution that ends so, and one that waits for ever may be left out
        if (asks() == Question::hang && goes_elsewhere_) throw Missing{"where its threads go depends on what they read"};
        return std::move(test_);
    }
    Question asks() const { return asked_.question; }
    std::vector<std::vector<const kernel::Statement*>> statements() { return std::move(statements_); }

private:
    bool is_race() const { return asks() == Question::race; }
    bool is_named() const { return asks() == Question::named; }
    uint32_t number_of(const Place& place) const { return place.seat.block * geometry_.threads() + place.seat.thread; }
    // Of a finding that is no race: the object that it is about.
    bool is_about(const std::optional<Memory>& object) const { return about_ && object == about_; }
    // Whether the test has this asynchronous operation.
    bool concerns(const Event& copy) const {
        if (is_named()) return !shares_of(copy).empty() || (leaves_ && stays_in_flight(copy));
        const bool leaves = asks() == Question::exit && stays_in_flight(copy);
        return copy.reads || copy.writes || is_about(copy.mbarrier) || leaves;
    }
    static bool stays_in_flight(const Event& copy) {
        return !copy.mbarrier && !from_registers(copy) && groups_of(*copy.op) == Groups::bulk;
    }

    // Whether the log has what this place did to the byte; a test without it would say nothing of the race.
    bool touches(const Place& place) const {
        return std::any_of(log_.begin(), log_.end(),
                           [&](const Event& event) { return event.statement == place.statement && (event.reads || event.writes); });
    }
    // Accesses of the test have one size. Two strong ones race by the sizes of their elements alone (8.7.1).
    bool overlaps_in_part() const {
        const std::optional<Clash>& clash = finding_.clash;
        return clash && clash->earlier.scope != Scope::none && clash->later.scope != Scope::none &&
               clash->earlier.size != clash->later.size;
    }
    bool is_here(const Event& event) const { return threads_.contains(event.thread); }

    void look() {
        Options options = options_;
        options.schedule = finding_.schedule;
        options.watch = Watch{threads_, is_race() ? finding_.byte : std::nullopt, finding_.number};
        Swept swept = sweep(module_, launch_, options);
        log_ = std::move(swept.log);
        find_subject();
        if (finding_.breach == Breach::few_threads || finding_.breach == Breach::few_in_cluster) add_absent(swept.findings);
        leave_out_rounds();
    }

    // The object that the finding is about; of one that is initialised again, that of the second initialisation.
    void find_subject() {
        if (is_race() || about_) return;
        if (finding_.tally) about_ = finding_.tally->object;
        if (finding_.byte) about_ = finding_.byte;
        if (finding_.breach != Breach::initialised_again) return;
        const Place& last = finding_.places.back();
        for (const Event& event : log_)
            if (event.what == What::init && event.statement == last.statement && event.thread == number_of(last)) about_ = event.mbarrier;
    }

    // Who does not come to a barrier waits elsewhere: had it exited, nobody would wait for it.
    void add_absent(const std::vector<Finding>& findings) {
        const kernel::Seat& waits = finding_.places.front().seat;
        for (const Finding& other : findings) {
            if (other.kind != Kind::stuck || other.places.empty()) continue;
            const kernel::Seat& seat = other.places.front().seat;
            const bool is_near = finding_.breach == Breach::few_threads ? seat.block == waits.block : seat.cluster == waits.cluster;
            if (is_near && !asked_of(other.breach).why.empty()) throw Missing{"who does not come waits for what no test has"};
            if (is_near && threads_.size() < most_threads) grown_ = threads_.insert(number_of(other.places.front())).second || grown_;
        }
    }

    // Of the rounds of a loop that only waits the last one is enough: those before found the same, and nothing of the thread lies between.
    void leave_out_rounds() {
        std::map<uint32_t, const Event*> next;  // by thread
        std::vector<Event> kept;
        for (auto event = log_.rbegin(); event != log_.rend(); ++event) {
            const Event*& behind = next[event->thread];
            const bool is_read =
                (event->what == What::access || event->what == What::flag) && (event->reads || !event->read_from.empty()) && !event->writes;
            const bool again = is_read && behind != nullptr && behind->what == event->what && behind->statement == event->statement &&
                               behind->place == event->place && behind->read == event->read && behind->read_from == event->read_from &&
                               event->written_to.empty() && !behind->writes;
            behind = &*event;
            if (!again) kept.push_back(*event);
        }
        log_.assign(kept.rbegin(), kept.rend());
    }

    // For each object that is waited for, and each flag that is read, one thread for each instruction of a block that arrives there or
    // writes it: the one that does so most often.
    bool take_in() {
        std::set<Memory> awaited, read;
        if (asks() == Question::state && about_) awaited.insert(*about_);
        for (const Event& event : log_) {
            if (event.what == What::wait && is_here(event)) awaited.insert(*event.mbarrier);
            if (event.what == What::flag && event.reads && is_here(event)) read.insert(*event.place);
        }
        using Role = std::pair<const kernel::Statement*, uint32_t>;
        std::map<Role, std::map<uint32_t, size_t>> roles;  // threads with how often they do it
        for (const Event& event : log_)
            if (((event.what == What::arrive || event.what == What::expect) && awaited.contains(*event.mbarrier)) ||
                (event.what == What::flag && event.writes && read.contains(*event.place)))
                ++roles[{event.statement, event.thread / geometry_.threads()}][event.thread];
        const size_t before = threads_.size();
        for (const auto& [role, players] : roles) {
            if (std::any_of(players.begin(), players.end(), [&](const auto& player) { return threads_.contains(player.first); })) continue;
            threads_.insert(
                std::max_element(players.begin(), players.end(), [](const auto& a, const auto& b) { return a.second < b.second; })->first);
        }
        return threads_.size() > before || std::exchange(grown_, false);
    }

    // ---- named threads ----------------------------------------------------------------------------------------------------------------

    // Places that the same events touch.
    struct Share {
        Memory at;                                       // the first one
        std::vector<std::pair<Memory, uint64_t>> parts;  // beginnings and sizes
        std::string name;
        std::string type = "u32";
    };

    bool is_at_place() const { return byte_.has_value(); }
    // Whether the test has the initialisation of this object.
    bool is_initialised_here(const Memory& object) const {
        return initialised_.contains(object) || (asks() == Question::life && is_about(object));
    }
    const std::vector<std::pair<size_t, bool>>& shares_of(const Event& event) const {
        static const std::vector<std::pair<size_t, bool>> none;
        const auto found = touched_.find(static_cast<size_t>(&event - log_.data()));
        return found == touched_.end() ? none : found->second;
    }
    // How often the test has this copy.
    size_t times(const Event& copy) const { return is_named() ? shares_of(copy).size() : 1; }

    // The log says nothing of accesses to tensor memory, nor of what its instructions read.
    void require_no_tensor_memory() const {
        for (const kernel::Function& function : module_.functions)
            for (const kernel::Statement& statement : function.code)
                if (!statement.words.empty() && statement.words.front() == "tcgen05") throw Missing{"it uses tensor memory"};
    }

    // One for each thing that threads do.
    void choose_threads() {
        const uint32_t all = geometry_.blocks() * geometry_.threads();
        if (all > most_looked_at)
            throw Missing{"of a launch of more than " + std::to_string(most_looked_at) + " threads those of a test have to be named"};
        std::set<uint32_t> everybody;
        for (uint32_t thread = 0; thread < all; ++thread) everybody.insert(everybody.end(), thread);
        Options options = options_;
        options.watch = Watch{.threads = std::move(everybody), .byte = {}, .everything = true};
        threads_ = representatives(sweep(module_, launch_, options).log, geometry_.threads(), most_chosen);
        if (threads_.empty()) throw Missing{"no thread accesses memory"};
    }

    // A run; and more where others may have these threads do something else. These are the contrary order, the other way where a clock
    // decides, and orders of the strong accesses that depart once from the usual one (explore.h).
    void look_at_everything() {
        const Swept first = add_run({});
        open_ = first.conditions;
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
            for (uint32_t taken = 1; taken < chosen[number].alternatives && ends_.size() < most_runs; ++taken)
                add_run(by({{number, taken}}));
    }

    Swept add_run(const Schedule& schedule) {
        Options options = options_;
        options.schedule = schedule;
        options.watch = Watch{.threads = threads_, .byte = {}, .everything = true};
        Swept swept = sweep(module_, launch_, options);
        for (const Finding& found : swept.findings) {
            if (const std::string_view why = why_not_of_named(found.breach); !why.empty())
                throw Missing{"\"" + found.text + "\" is found in the run: " + std::string(why)};
            leaves_ = leaves_ || found.breach == Breach::copy_at_exit;
        }
        if (!swept.uneven.empty()) throw Missing{"not all threads come to a barrier"};
        std::vector<Event> before = std::exchange(log_, std::move(swept.log));
        leave_out_rounds();
        wait_for_grid();
        log_.insert(log_.begin(), before.begin(), before.end());
        ends_.push_back(log_.size());
        return swept;
    }

    // The events of each run; of a finding there is one.
    std::vector<std::span<const Event>> by_run() const {
        std::vector<std::span<const Event>> runs;
        size_t begin = 0;
        for (const size_t end : ends_) {
            runs.emplace_back(log_.data() + begin, end - begin);
            begin = end;
        }
        if (ends_.empty()) runs.emplace_back(log_);
        return runs;
    }
    // Whether other runs may have these threads do something else.
    bool has_ways() const { return ends_.size() > 1; }

    // A product is one operation of a warpgroup. The test has it in one thread, and another one that waits for it would know nothing of it.
    void require_whole_products() const {
        constexpr uint32_t warpgroup = 128;
        std::map<std::pair<uint32_t, uint32_t>, uint32_t> threads;  // by block and warpgroup
        for (const Event& event : log_) {
            if (event.op != Op::wgmma_mma || !is_here(event)) continue;
            const std::pair key(event.thread / geometry_.threads(), event.thread % geometry_.threads() / warpgroup);
            if (threads.try_emplace(key, event.thread).first->second != event.thread)
                throw Missing{"two of its threads issue the products of one warpgroup"};
        }
    }

    // The barrier of the grid waits by a loop that compares with what the thread has found before. Its last round finds what it waits for.
    void wait_for_grid() {
        if (layout_.workspace() == 0) return;
        const size_t workspace = layout_.find("global", layout_.workspace(), 0)->object;
        std::map<uint32_t, const kernel::Statement*> next;  // by thread
        std::vector<Event> kept;
        for (auto event = log_.rbegin(); event != log_.rend(); ++event) {
            const bool waits =
                event->what == What::flag && event->does == Operator::none && event->reads && event->place->object == workspace;
            const bool again = waits && next[event->thread] == event->statement;
            next[event->thread] = event->statement;
            if (again) continue;
            kept.push_back(*event);
            kept.back().settled = event->settled || waits;
        }
        log_.assign(kept.rbegin(), kept.rend());
    }

    void find_initialised() {
        for (const auto& run : by_run()) {
            initialised_.clear();
            for (const Event& event : run)
                if (event.what == What::init && is_here(event) && !initialised_.insert(*event.mbarrier).second)
                    throw Missing{"an mbarrier object is initialised twice"};
        }
    }

    using Touch = std::pair<size_t, bool>;  // number of an event, and whether it writes
    struct Edge {
        uint64_t at = 0;
        bool begins = false;
        Touch touch;
    };
    using Edges = std::map<std::pair<size_t, uint32_t>, std::vector<Edge>>;  // by object and block

    void add_edges(Edges& edges, const Stretch& stretch, Touch touch) const {
        auto& here = edges[{stretch.from.object, stretch.from.block}];
        here.push_back({stretch.from.offset, true, touch});
        here.push_back({stretch.from.offset + stretch.bytes, false, touch});
    }

    void find_shares() {
        Edges edges;
        for (size_t e = 0; e < log_.size(); ++e) {
            const Event& event = log_[e];
            if (!is_here(event)) continue;
            if (event.what == What::flag && event.bytes == 0) throw Missing{"a strong access of several elements"};
            if (by_multimem(event)) throw Missing{"a multimem address"};
            if (event.what == What::flag && event.reads) add_edges(edges, {*event.place, event.bytes}, {e, false});
            if (event.what == What::flag && event.writes) add_edges(edges, {*event.place, event.bytes}, {e, true});
            for (const Stretch& stretch : event.read_from) add_edges(edges, stretch, {e, false});
            for (const Stretch& stretch : event.written_to) add_edges(edges, stretch, {e, true});
        }
        std::map<std::multiset<Touch>, size_t> known;
        for (auto& [where, here] : edges) {
            std::stable_sort(here.begin(), here.end(), [](const Edge& a, const Edge& b) { return a.at < b.at; });
            std::multiset<Touch> open;
            for (size_t i = 0; i < here.size(); ++i) {
                if (here[i].begins)
                    open.insert(here[i].touch);
                else
                    open.erase(open.find(here[i].touch));
                const bool ends_here = i + 1 == here.size() || here[i + 1].at == here[i].at;
                if (!ends_here && is_shared(open))
                    add_share(known, open, {where.first, where.second, here[i].at}, here[i + 1].at - here[i].at);
            }
        }
    }

    // Whether two threads touch it, or an asynchronous operation and another one, and one of them writes.
    bool is_shared(const std::multiset<Touch>& touches) const {
        std::set<std::pair<bool, size_t>> who;
        bool writes = false;
        for (const auto& [number, writing] : touches) {
            const bool is_copy = log_[number].what == What::copy;
            who.emplace(is_copy, is_copy ? number : log_[number].thread);
            writes = writes || writing;
        }
        return writes && who.size() > 1;
    }

    void add_share(std::map<std::multiset<Touch>, size_t>& known, const std::multiset<Touch>& touches, const Memory& at, uint64_t bytes) {
        const auto [found, is_new] = known.try_emplace(touches, shares_.size());
        if (is_new) {
            if (shares_.size() == most_shares) throw Missing{"they share more than " + std::to_string(most_shares) + " places"};
            shares_.push_back({at, {}, {}});
            for (const auto& [event, writes] : std::set<Touch>(touches.begin(), touches.end()))
                touched_[event].emplace_back(found->second, writes);
        }
        shares_[found->second].parts.emplace_back(at, bytes);
    }

    // A phase for which one waits has here an arrival or a copy that it has in the run. One that lacks arrivals in the run lacks one here.
    void require_arrivals() {
        std::map<std::pair<Memory, uint32_t>, int64_t> arrived;
        std::map<Memory, int64_t> counts;
        const std::span<const Event> run = by_run().front();  // the others have the same arrivals
        for (const Event& event : run) {
            if (event.what == What::init) counts[*event.mbarrier] = event.number;
            if (event.what == What::arrive) arrived[{*event.mbarrier, event.phase}] += event.number;
        }
        for (const auto& [key, number] : arrived) {
            const auto object = objects_.find(key.first);
            if (object == objects_.end()) continue;
            const auto here = object->second.arrivals.find(key.second);
            const int64_t of_here = here == object->second.arrivals.end() ? 0 : here->second;
            if (number < counts[key.first]) {
                object->second.open = key.second;
                object->second.count = std::max(object->second.count, of_here + 1);
            } else if (of_here == 0 && is_awaited(key.first, key.second)) {
                throw Missing{"one waits for an mbarrier object at which none of them arrives"};
            }
        }
    }
    bool is_awaited(const Memory& object, uint32_t phase) const {
        return std::any_of(log_.begin(), log_.end(), [&](const Event& event) {
            return event.what == What::wait && is_here(event) && event.mbarrier == object && event.phase == phase;
        });
    }

    // Shares with strong accesses hold what they hold in the run.
    void find_flags_of_named() {
        for (Share& share : shares_) {
            share.name = fresh(name_of(share.at), "_data");
            std::vector<const Event*> strong, all;
            for (const auto& [number, shares] : touched_)
                for (const auto& [one, writes] : shares)
                    if (&shares_[one] == &share) all.push_back(&log_[number]);
            for (const Event* const event : all)
                if (event->what == What::flag) strong.push_back(event);
            if (strong.empty()) continue;
            const Event& first = *strong.front();
            for (const Event* const event : all) {
                if (event->what == What::copy) throw Missing{"a strong access to what is copied"};
                const bool is_whole = event->what != What::flag || (event->place == first.place && event->bytes == first.bytes);
                if (!is_whole || share.parts.size() > 1 || !(share.at == *first.place) || share.parts.front().second != first.bytes)
                    throw Missing{"strong accesses that overlap in part"};
            }
            if (first.bytes != 2 && first.bytes != 4 && first.bytes != 8)
                throw Missing{"a strong access of " + std::to_string(first.bytes) + " bytes"};
            require_settled(all, first);
            Flag& flag = flags_[share.at];
            flag.name = share.name;
            flag.bytes = first.bytes;
            flag.first = first_value(share.at);
            share.type = first.bytes == 8 ? "u64" : first.bytes == 2 ? "u16" : "u32";
        }
    }

    // Nobody overwrites what one of them waits for behind that.
    void require_settled(const std::vector<const Event*>& all, const Event& first) const {
        const bool awaits = std::any_of(all.begin(), all.end(), [](const Event* event) { return event->settled; });
        if (!awaits) return;
        for (const Event* const event : all)
            if (event->what == What::access && !event->written_to.empty()) throw Missing{"what one waits for is written weakly, too"};
        for (const auto& run : by_run())
            for (const Event& event : run) {
                if (event.what != What::flag || event.place != first.place || !event.writes) continue;
                const bool is_over = std::any_of(all.begin(), all.end(), [&](const Event* waits) {
                    return waits->settled && waits->thread != event.thread && waits >= run.data() && waits < &event;
                });
                if (is_over) throw Missing{"what one waits for is overwritten later"};
            }
    }

    // Only these threads write what one of them waits for, and what decides where they go. Who is left out might order their accesses.
    void require_writers() const {
        std::set<Memory> awaited;
        for (const Event& event : log_)
            if (event.what == What::flag && event.reads && event.place && is_here(event) && (event.settled || has_ways()))
                awaited.insert(*event.place);
        for (const Event& event : log_)
            if (event.what == What::flag && event.writes && event.place && !is_here(event) && awaited.contains(*event.place))
                throw Missing{has_ways() ? "what one reads is written by other threads, too"
                                         : "what one waits for is written by other threads, too"};
    }

    // The first value of a place is what is read there first, in some run; else something that nobody reads.
    uint64_t first_value(const Memory& place) const {
        std::set<uint64_t> found;
        for (const Event& event : log_) {
            if (event.what != What::flag || event.place != place || !event.reads) continue;
            if (!event.read) throw Missing{"what a flag holds is not computed"};
            found.insert(*event.read);
        }
        const auto is_of_place = [&](const Event& event) { return event.what == What::flag && event.place == place; };
        for (const auto& run : by_run()) {
            const auto first = std::find_if(run.begin(), run.end(), is_of_place);
            if (first != run.end() && first->reads) return *first->read;
        }
        uint64_t value = 0;
        while (found.contains(value)) ++value;
        return value;
    }

    // A name that nothing in the test has: locations and registers have names of their own, whatever arrays are called.
    std::string fresh(std::string name, const std::string& more) {
        while (!names_.insert(name).second) name += more;
        return name;
    }
    std::string numbered(const std::string& word, size_t& number) {
        std::string name;
        do name = word + std::to_string(number++);
        while (!names_.insert(name).second);
        return name;
    }
    std::string fresh_register(const std::string& letter = "r") { return numbered(letter, registers_); }

    void declare(const Share& share) {
        if (flags_.contains(share.at)) return;
        test_.locations.push_back(data_location(share.name, share.at));
    }

    // The event at each place that it shares, one after the other.
    void at_shares(litmus::Thread& thread, const Event& event, void (Maker::*write)(litmus::Thread&, const Event&)) {
        for (const auto& [number, writes] : shares_of(event)) {
            const Share& share = shares_[number];
            byte_ = share.at;
            data_ = share.name;
            type_ = share.type;
            Event one = event;
            one.reads = !writes;
            one.writes = writes;
            (this->*write)(thread, one);
        }
        byte_.reset();
    }

    // A store of what was read waits for its value, as something does in the kernel.
    void need(litmus::Thread& thread, const Event& event) {
        const auto read = found_.find(event.statement);
        if (read == found_.end()) return;
        put(thread, event, "st.weak.global.u32", {address(other(Space::global)), reg_operand(read->second)});
        found_.erase(read);
    }

    // ---- mbarrier objects -----------------------------------------------------------------------------------------------------------

    struct Object {
        std::string name;
        std::map<uint32_t, int64_t> arrivals, bytes;  // of what is here, by phase
        int64_t count = 1;
        std::optional<uint32_t> open = {};  // a phase that lacks arrivals
        friend bool operator==(const Object&, const Object&) = default;
    };

    // Those that are waited for, and those that complete copies of the byte.
    std::map<Memory, Object> objects_in(std::span<const Event> run) const {
        std::map<Memory, Object> objects;
        for (const Event& event : run) {
            if (!is_here(event) || !event.mbarrier) continue;
            const bool completes = event.what == What::copy && concerns(event);
            if (event.what != What::wait && !completes && !is_about(event.mbarrier)) continue;
            Object& object = objects[*event.mbarrier];
            if (completes) object.bytes[event.phase] += static_cast<int64_t>(bytes_of(event) * times(event));
        }
        for (const Event& event : run)
            if (event.what == What::arrive && is_here(event) && objects.contains(*event.mbarrier))
                objects.at(*event.mbarrier).arrivals[event.phase] += event.number;
        return objects;
    }

    void find_objects() {
        for (const auto& run : by_run()) {
            std::map<Memory, Object> found = objects_in(run);
            if (run.data() != log_.data() && found != objects_)
                throw Missing{"who arrives at an mbarrier object, or copies, depends on the order"};
            objects_ = std::move(found);
        }
        for (auto& [memory, object] : objects_) {
            object.name = fresh(name_of(memory), "_");
            for (const auto& [phase, arrivals] : object.arrivals) object.count = std::max(object.count, arrivals);
        }
        if (asks() == Question::hang && finding_.tally && objects_.contains(finding_.tally->object)) leave_open(*finding_.tally);
    }

    // The phase lacks here what it lacks in the kernel: an arrival, or some bytes; or some have come too many.
    void leave_open(const Tally& tally) {
        Object& object = objects_.at(tally.object);
        if (tally.arrivals > 0) {
            object.open = tally.phase;
            object.count = std::max(object.count, object.arrivals[tally.phase] + 1);
        } else {
            object.bytes[tally.phase] += (tally.bytes > 0 ? 1 : -1) * static_cast<int64_t>(copied_bytes / 2);
        }
    }

    // ---- flags, and barriers with numbers -------------------------------------------------------------------------------------------

    // A place that one thread here reads strongly and another one writes.
    struct Flag {
        std::string name;
        uint32_t bytes = 0;
        uint64_t first = 0;  // what it holds before
    };
    static std::string type_of(const Flag& flag) { return flag.bytes == 8 ? "u64" : flag.bytes == 2 ? "u16" : "u32"; }

    void find_flags() {
        std::map<Memory, std::set<uint32_t>> readers, writers;
        for (const Event& event : log_) {
            if (event.what != What::flag || !is_here(event)) continue;
            if (event.reads) readers[*event.place].insert(event.thread);
            if (event.writes) writers[*event.place].insert(event.thread);
        }
        for (const auto& [place, who] : readers) {
            const std::set<uint32_t>& others = writers[place];
            if (others.empty() || (who == others && who.size() == 1)) continue;
            Flag& flag = flags_[place];
            flag.name = fresh(name_of(place), "_flag");
            std::set<uint64_t> found;  // what was read
            bool first = true;
            for (const Event& event : log_) {
                if (event.what != What::flag || event.place != place) continue;
                if (event.bytes == 0 || (flag.bytes != 0 && event.bytes != flag.bytes)) throw Missing{"a flag is accessed in parts"};
                flag.bytes = event.bytes;
                if (event.reads && !event.read) throw Missing{"what a flag holds is not computed"};
                if (event.reads) found.insert(*event.read);
                if (first && event.reads) flag.first = *event.read;
                if (first && !event.reads) flag.first = UINT64_MAX;  // nobody has read it
                first = false;
            }
            if (flag.first == UINT64_MAX)
                for (flag.first = 0; found.contains(flag.first);) ++flag.first;
        }
    }

    // A barrier at whose turns different warps meet becomes one for each such set of warps.
    void number_barriers() {
        using Number = std::pair<uint32_t, int64_t>;  // block and number
        std::map<std::pair<Number, uint32_t>, std::set<uint32_t>> turns;
        for (const Event& event : log_)
            if (event.what == What::barrier && event.counted && is_here(event))
                turns[{{event.thread / geometry_.threads(), event.number}, event.generation}].insert(event.thread % geometry_.threads() /
                                                                                                     32);
        lack_a_warp(turns);
        std::map<uint32_t, std::set<int64_t>> taken;  // by block
        for (const Event& event : log_)
            if (event.what == What::barrier && is_here(event)) taken[event.thread / geometry_.threads()].insert(event.number);
        std::map<std::pair<Number, std::set<uint32_t>>, int64_t> numbers;
        std::set<Number> kept;
        for (const auto& [turn, warps] : turns) {
            const auto [at, fresh] = numbers.try_emplace({turn.first, warps}, turn.first.second);
            if (fresh && !kept.insert(turn.first).second) {
                int64_t free = 0;
                while (taken[turn.first.first].contains(free)) ++free;
                if (free >= most_barriers) throw Missing{"its barriers have too many sets of threads"};
                taken[turn.first.first].insert(free);
                at->second = free;
            }
            barriers_[turn] = {at->second, warps.size()};
        }
    }

    // At the turn in which a thread waits for ever one warp more is asked for than comes.
    void lack_a_warp(std::map<std::pair<std::pair<uint32_t, int64_t>, uint32_t>, std::set<uint32_t>>& turns) const {
        if (finding_.breach != Breach::few_threads) return;
        const uint32_t waits = number_of(finding_.places.front());
        const auto last = std::find_if(log_.rbegin(), log_.rend(),
                                       [&](const Event& event) { return event.what == What::barrier && event.thread == waits; });
        if (last == log_.rend() || !last->counted) return;
        turns[{{last->thread / geometry_.threads(), last->number}, last->generation}].insert(UINT32_MAX);
    }

    static bool by_multimem(const Event& event) { return event.op && is_multimem(*event.op); }
    static bool from_registers(const Event& event) { return event.op == Op::st_async || event.op == Op::red_async; }
    static uint64_t bytes_of(const Event& event) { return from_registers(event) ? 4 : copied_bytes; }

    // What the kernel allocates is none of the arrays that a test could declare.
    const kernel::Object& object_of(const Memory& memory) const {
        if (memory.object >= layout_.objects().size()) throw Missing{"it is about memory that the kernel allocates"};
        return layout_.objects()[memory.object];
    }
    std::string name_of(const Memory& memory) const {
        std::string name = object_of(memory).name;
        if (memory.offset > 0) name += "_" + std::to_string(memory.offset);
        // each block has one of its own, with counts of its own
        if (geometry_.blocks() > 1 && is_shared(memory)) name += "_b" + std::to_string(memory.block);
        return name;
    }
    bool is_shared(const Memory& memory) const { return object_of(memory).space == Space::shared; }

    // ---- memory ---------------------------------------------------------------------------------------------------------------------

    void declare() {
        if (is_race()) declare_data();
        for (Share& share : shares_) declare(share);
        for (const auto& [memory, object] : objects_) {
            Location location;
            location.name = object.name;
            location.space = Space::shared;
            location.is_mbarrier = true;
            location.type = Type::b64;
            location.init = {0};
            if (!is_initialised_here(memory)) location.arrivals = static_cast<uint32_t>(object.count);
            test_.locations.push_back(location);
        }
        for (const auto& [memory, flag] : flags_) {
            Location location;
            location.name = flag.name;
            location.type = flag.bytes == 8 ? Type::u64 : flag.bytes == 2 ? Type::u16 : Type::u32;
            location.init = {flag.first};
            if (is_shared(memory)) {
                location.space = Space::shared;
                location.cta = static_cast<int>(memory.block);
            }
            test_.locations.push_back(location);
        }
    }

    void declare_data() {
        const Memory& byte = *finding_.byte;
        data_ = fresh(name_of(byte), "_data");
        test_.locations.push_back(data_location(data_, byte));
    }

    // So large that a copy has room.
    Location data_location(const std::string& name, const Memory& at) const {
        Location data;
        data.name = name;
        data.count = elements;
        data.array = true;
        data.init.assign(elements, 0);
        data.type = Type::u32;
        if (is_shared(at)) {
            data.space = Space::shared;
            data.cta = static_cast<int>(at.block);
        }
        return data;
    }

    // Another place that a copy reads or writes, of its own; of shared memory, in this block.
    std::string other(Space space, uint32_t block = 0) {
        Location location;
        location.name = numbered("other", others_);
        location.space = space;
        if (space == Space::shared) location.cta = static_cast<int>(block);
        location.count = elements;
        location.array = true;
        location.init.assign(elements, 0);
        test_.locations.push_back(location);
        return location.name;
    }

    // ---- instructions ---------------------------------------------------------------------------------------------------------------

    void add_thread(uint32_t number) {
        const kernel::Seat seat = geometry_.seat(number / geometry_.threads(), number % geometry_.threads());
        litmus::Thread& thread = test_.threads.emplace_back();
        statements_.emplace_back();
        thread.name = geometry_.blocks() > 1 ? "b" + std::to_string(seat.block) + "t" + std::to_string(seat.thread)
                                             : "t" + std::to_string(seat.thread);
        thread.at.gpu = static_cast<int>(seat.block / (geometry_.blocks() / options_.gpus));
        thread.at.cluster = static_cast<int>(seat.cluster);
        thread.at.cta = static_cast<int>(seat.block);
        thread.at.warp = static_cast<int>(seat.warp());
        thread.at.lane = static_cast<int>(seat.lane());
        thread.at.warp_named = true;
        groups_ = Groups::none;
        found_.clear();
        for (const Event& event : log_)
            if (event.thread == number && event.what == What::copy && !event.mbarrier && !from_registers(event) && concerns(event)) {
                const Groups now = groups_of(*event.op);
                if (groups_ != Groups::none && groups_ != now) throw Missing{"a thread has copies in groups of two kinds"};
                groups_ = now;
            }
        add_ways(thread, ways_of(number), 0, false);
        thread.end_labels = std::exchange(labels_, {});
        if (thread.body.size() > most_instructions)
            throw Missing{"it would have more than " + std::to_string(most_instructions) + " instructions in a thread"};
    }

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
        for (const auto& run : by_run()) {
            Way way;
            for (const Event& event : run)
                if (event.thread == thread) way.push_back(&event);
            add_way(ways, way, 0);
        }
        return ways;
    }

    // From this event on. Ways are one until a strong read finds something else in them. Which way is taken, what it finds decides. Where
    // it finds what it found in no run, the test ends: nothing is known of that.
    void add_ways(litmus::Thread& thread, std::vector<Way> ways, size_t at, bool is_aside) {
        for (; at < ways.front().size(); ++at) {
            const Event& event = *ways.front()[at];
            for (const Way& way : ways) require_one_event(way, at, event);
            if (is_aside && event.mbarrier && objects_.contains(*event.mbarrier) && event.what != What::wait)
                throw Missing{"whether one arrives at an mbarrier object depends on the order"};
            add(thread, event);
            const bool is_read = event.what == What::flag && event.reads && flags_.contains(*event.place);
            if (!has_ways() || !is_read || event.settled) continue;
            std::vector<Branch> branches = branches_of(ways, at);
            if (branches.size() == 1) {
                if (branches.front().found.size() == 1) trap_unless(thread, event, *branches.front().found.begin());
                ways = std::move(branches.front().ways);
                continue;
            }
            return add_branches(thread, event, std::move(branches), at + 1);
        }
        for (const Way& way : ways)
            if (way.size() > at) throw_unexplained();
        if (is_aside) put(thread, *ways.front().back(), "exit", {});
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

    void trap_unless(litmus::Thread& thread, const Event& event, uint64_t value) {
        const std::string differs = fresh_register("p");
        put(thread, event, "setp.ne." + type_of(flags_.at(*event.place)),
            {reg_operand(differs), reg_operand(read_), number_operand(value)});
        put(thread, event, "trap", {});
        thread.body.back().guard = Guard{differs, false};
    }

    void add_branches(litmus::Thread& thread, const Event& event, std::vector<Branch> branches, size_t at) {
        const std::string found = read_, type = type_of(flags_.at(*event.place));
        std::vector<std::string> labels;
        for (const Branch& branch : branches) {
            Operand target;
            target.kind = Operand::Kind::label;
            target.name = labels.emplace_back(numbered("L", branches_));
            for (const uint64_t value : branch.found) {
                const std::string equal = fresh_register("p");
                put(thread, event, "setp.eq." + type, {reg_operand(equal), reg_operand(found), number_operand(value)});
                put(thread, event, "bra", {target});
                thread.body.back().guard = Guard{equal, false};
            }
        }
        put(thread, event, "trap", {});
        const std::map<const kernel::Statement*, std::string> before = found_;
        for (size_t b = 0; b < branches.size(); ++b) {
            labels_.push_back(labels[b]);
            found_ = before;
            add_ways(thread, std::move(branches[b].ways), at, true);
        }
    }

    void put(litmus::Thread& thread, const Event& event, const std::string& dotted, std::vector<Operand> operands) {
        auto made = kernel::make(dotted, std::move(operands));
        if (!made) throw Missing{"the language of tests has no `" + dotted + "`"};
        const kernel::Line line = kernel::shown_line(module_, event.statement->origin);
        const auto file = module_.files.find(line.file);
        if (line.line > 0 && file != module_.files.end()) {
            made->origin = CudaLine{line.file, line.line, 0};
            test_.files[line.file] = file->second;
        }
        made->labels = std::exchange(labels_, {});
        thread.body.push_back(std::move(*made));
        statements_.back().push_back(event.statement);
    }

    void add(litmus::Thread& thread, const Event& event) {
        switch (event.what) {
            case What::access:
                return is_named() ? at_shares(thread, event, &Maker::access) : access(thread, event);
            case What::copy:
                if (!concerns(event)) return;
                return is_named() && !shares_of(event).empty() ? at_shares(thread, event, &Maker::copy) : copy(thread, event);
            case What::need:
                return need(thread, event);
            case What::flag:
                if (flags_.contains(*event.place)) flag(thread, event);
                return;
            case What::init:  // other objects are initialised before the test
                if (objects_.contains(*event.mbarrier) && is_initialised_here(*event.mbarrier))
                    put(thread, event, "mbarrier.init.shared::cta.b64",
                        {address(objects_.at(*event.mbarrier).name),
                         number_operand(static_cast<uint64_t>(objects_.at(*event.mbarrier).count))});
                return;
            case What::invalidate:
                throw Missing{"an mbarrier object is invalidated"};
            case What::arrive:
            case What::expect:
            case What::wait:
                if (objects_.contains(*event.mbarrier)) mbarrier(thread, event);
                return;
            case What::fence:
                if (!event.statement->arguments.empty()) throw Missing{"a fence of a place"};
                return put(thread, event, kernel::dotted(event.statement->words), {});
            case What::barrier: {
                std::vector<Operand> operands = {number_operand(static_cast<uint64_t>(event.number))};
                if (event.counted) {
                    const auto& [number, warps] = barriers_.at({{event.thread / geometry_.threads(), event.number}, event.generation});
                    operands = {number_operand(static_cast<uint64_t>(number)), number_operand(warps * 32)};
                }
                return put(thread, event, event.op == Op::bar_arrive ? "bar.arrive" : "bar.sync", std::move(operands));
            }
            case What::cluster: {
                std::vector<std::string> words = event.statement->words;
                std::erase(words, "aligned");
                return put(thread, event, kernel::dotted(words), {});
            }
            case What::warp:
                return put(thread, event, "bar.warp.sync", {number_operand(lanes_of(event))});
            case What::commit:
            case What::groups:
                if (groups_ != Groups::none && groups_of(*event.op) == groups_) wait_for_groups(thread, event);
                return;
        }
    }

    uint64_t lanes_of(const Event& event) const {
        const uint32_t first = event.thread - event.thread % geometry_.threads() % 32;
        uint64_t lanes = 0;
        for (uint32_t lane = 0; lane < 32; ++lane)
            if ((event.number >> lane & 1) != 0 && threads_.contains(first + lane)) lanes |= uint64_t{1} << lane;
        return lanes;
    }

    int cta_of(const Event& event, const Memory& memory) const {
        return event.thread / geometry_.threads() == memory.block ? -1 : static_cast<int>(memory.block);
    }
    // The window of shared memory, as the thread sees it.
    std::string window(const Event& event, const Memory& memory) const {
        return !is_shared(memory) ? "global" : cta_of(event, memory) < 0 ? "shared::cta" : "shared::cluster";
    }
    // The byte; of a finding that is no race another place, beside the object that completes the copy.
    Operand data(const Event& event) {
        if (!is_at_place()) return address(other(Space::shared, event.mbarrier->block), cta_of(event, *event.mbarrier));
        return address(data_, is_shared(*byte_) ? cta_of(event, *byte_) : -1);
    }
    // A multimem address that points to this location alone.
    Operand multimem_of(const std::string& location) {
        const auto [at, is_new] = multimem_.try_emplace(location);
        if (is_new) {
            Location made;
            made.name = at->second = fresh(location + "_all", "_");
            made.points_to = {location};
            test_.locations.push_back(std::move(made));
        }
        return address(at->second);
    }
    static std::string strength(const Event& event) {
        if (event.scope == Scope::none) return "weak";
        return std::string(name(event.sem)) + "." + std::string(name(event.scope));
    }
    // The same of a load that stands for an atomic operation which writes nothing.
    static std::string strength_of_load(const Event& event) {
        if (event.scope == Scope::none) return "weak";
        const bool acquires = event.sem == Sem::acquire || event.sem == Sem::acq_rel;
        return std::string(name(acquires ? Sem::acquire : Sem::relaxed)) + "." + std::string(name(event.scope));
    }

    void access(litmus::Thread& thread, const Event& event) {
        const std::string space = window(event, *byte_);
        if (by_multimem(event) && event.writes)
            return put(thread, event, "multimem.st." + strength(event) + ".global.u32", {multimem_of(data_), number_operand(1)});
        if (by_multimem(event))
            return put(thread, event, "multimem.ld_reduce." + strength(event) + ".global.add.u32",
                       {reg_operand(fresh_register()), multimem_of(data_)});
        if (event.writes && event.does != Operator::none) return update(thread, event, space);
        if (event.writes) return put(thread, event, "st." + strength(event) + "." + space + "." + type_, {data(event), number_operand(1)});
        const auto& words = event.statement->words;  // a read past the coherent caches is one in the test, too (9.7.9.9)
        const bool uncached = std::find(words.begin(), words.end(), "nc") != words.end();
        const std::string how = uncached ? space + ".nc" : strength_of_load(event) + "." + space;
        const std::string found = fresh_register();
        put(thread, event, "ld." + how + "." + type_, {reg_operand(found), data(event)});
        found_[event.statement] = found;
    }

    // By the operation of the kernel, of one word. A cas, which writes only where it finds what it compares with, is an addition.
    void update(litmus::Thread& thread, const Event& event, const std::string& space) {
        const OperatorRow& does = row(event.does == Operator::cas ? Operator::add : event.does);
        const std::string how =
            strength(event) + "." + space + "." + std::string(does.name) + (does.on == OperatorRow::Domain::bits ? ".b32" : ".u32");
        std::vector<Operand> operands = {data(event), number_operand(1)};
        if (event.reads) operands.insert(operands.begin(), reg_operand(fresh_register()));
        put(thread, event, (event.reads ? "atom." : "red.") + how, std::move(operands));
    }

    // The kernel may do something else after it has read something else. Nothing is known of that, so the test ends there.
    void flag(litmus::Thread& thread, const Event& event) {
        const Flag& flag = flags_.at(*event.place);
        const std::string type = type_of(flag);
        const std::string how = strength(event) + "." + window(event, *event.place) + ".";
        if (by_multimem(event) && event.reads) throw Missing{"a flag is read through a multimem address"};
        const Operand at =
            by_multimem(event) ? multimem_of(flag.name) : address(flag.name, is_shared(*event.place) ? cta_of(event, *event.place) : -1);
        const std::string through = by_multimem(event) ? "multimem." : "";
        if (event.writes && !event.operand) throw Missing{"what is written to a flag is not computed"};
        const std::string async = from_registers(event) ? ".async" : "";
        if (!event.reads && event.does == Operator::none)
            return put(thread, event, through + "st" + async + "." + how + type, {at, number_operand(*event.operand)});
        const std::string found = read_ = fresh_register();
        if (event.does == Operator::none) {
            put(thread, event, "ld." + how + type, {reg_operand(found), at});
            if (event.settled) {
                thread.body.back().await = true;
                thread.body.back().expect = Expectation{Operator::eq, number_operand(*event.read)};
                return;
            }
        } else {
            const std::string does = std::string(row(event.does).name) + "." + event.statement->words.back();
            if (!event.reads) return put(thread, event, through + "red" + async + "." + how + does, {at, number_operand(*event.operand)});
            std::vector<Operand> operands = {reg_operand(found), at};
            if (event.does == Operator::cas) operands.push_back(number_operand(*event.compared));
            operands.push_back(number_operand(*event.operand));
            put(thread, event, "atom." + how + does, std::move(operands));
        }
        if (is_named()) return;  // every order finds the same, or nothing hangs on it, or add_ways() looks at it
        trap_unless(thread, event, *event.read);
        goes_elsewhere_ = true;
    }

    void copy(litmus::Thread& thread, const Event& event) {
        if (by_multimem(event)) throw Missing{"an asynchronous operation on a multimem address"};
        if (!is_at_place() && stays_in_flight(event))
            return put(thread, event, "cp.async.bulk.global.shared::cta.bulk_group",
                       {address(other(Space::global)), address(other(Space::shared, event.thread / geometry_.threads())),
                        number_operand(copied_bytes)});
        const bool in_shared = is_at_place() && is_shared(*byte_);
        if (event.reads && in_shared && cta_of(event, *byte_) >= 0) throw Missing{"an operation that reads shared memory of another block"};
        if (event.reads && event.writes) throw Missing{"a copy of the byte to itself"};
        const Operand bytes = number_operand(copied_bytes);
        if (is_named() && event.writes && event.op && traits(*event.op).reduces && !from_registers(event)) return reduce(thread, event);
        if (event.op == Op::async_copy) {
            if (event.reads) throw Missing{"a cp.async that reads what is written"};
            return put(thread, event, "cp.async.cg.shared.global", {data(event), address(other(Space::global)), bytes});
        }
        if (from_registers(event) && !event.mbarrier)
            return put(thread, event,
                       event.op == Op::st_async ? "st.async." + strength(event) + ".global.u32"
                                                : "red.async." + strength(event) + ".global.add.u32",
                       {data(event), number_operand(1)});
        if (event.mbarrier) {
            const Operand by = address(objects_.at(*event.mbarrier).name, cta_of(event, *event.mbarrier));
            if (event.op == Op::st_async)
                return put(thread, event, "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32",
                           {data(event), number_operand(1), by});
            if (event.op == Op::red_async)
                return put(thread, event, "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32",
                           {data(event), number_operand(1), by});
            const bool to_peer = window(event, *event.mbarrier) == "shared::cluster";
            const std::string dotted =
                std::string("cp.async.bulk.shared::") + (to_peer ? "cluster" : "cta") + ".global.mbarrier::complete_tx::bytes";
            if (event.writes || !is_at_place()) return put(thread, event, dotted, {data(event), address(other(Space::global)), bytes, by});
            if (in_shared)
                return put(thread, event, "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes",
                           {address(other(Space::shared, event.mbarrier->block), cta_of(event, *event.mbarrier)), data(event), bytes, by});
            throw Missing{"a copy into shared memory that reads what is written"};
        }
        if (event.reads && in_shared)
            return put(thread, event, "cp.async.bulk.global.shared::cta.bulk_group", {address(other(Space::global)), data(event), bytes});
        if (event.writes && !in_shared)
            return put(thread, event, "cp.async.bulk.global.shared::cta.bulk_group",
                       {data(event), address(other(Space::shared, event.thread / geometry_.threads())), bytes});
        throw Missing{"a copy of a kind that has no plainer one"};
    }

    // A reduction in bulk of the byte.
    void reduce(litmus::Thread& thread, const Event& event) {
        const Operand from = address(other(Space::shared, event.thread / geometry_.threads())), bytes = number_operand(copied_bytes);
        if (!event.mbarrier)
            return put(thread, event, "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32", {data(event), from, bytes});
        put(thread, event, "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32",
            {data(event), from, bytes, address(objects_.at(*event.mbarrier).name, cta_of(event, *event.mbarrier))});
    }

    void wait_for_groups(litmus::Thread& thread, const Event& event) {
        const std::string words = groups_ == Groups::copies ? "cp.async" : "cp.async.bulk";
        if (event.what == What::commit) return put(thread, event, words + ".commit_group", {});
        const bool reads = std::count(event.statement->words.begin(), event.statement->words.end(), "read") > 0;
        put(thread, event, words + ".wait_group" + (reads ? ".read" : ""), {number_operand(static_cast<uint64_t>(event.number))});
    }

    void mbarrier(litmus::Thread& thread, const Event& event) {
        Object& object = objects_.at(*event.mbarrier);
        const Operand at = address(object.name, cta_of(event, *event.mbarrier));
        const std::string space = window(event, *event.mbarrier);
        if (event.what == What::wait) {
            put(thread, event, "mbarrier.try_wait.parity." + strength(event) + "." + space + ".b64", {at, number_operand(event.phase & 1)});
            thread.body.back().await = true;
            return;
        }
        if (event.what == What::expect) {
            int64_t& bytes = object.bytes[event.phase];
            if (bytes > 0)
                put(thread, event,
                    "mbarrier.expect_tx.relaxed." + std::string(space == "shared::cta" ? "cta" : "cluster") + "." + space + ".b64",
                    {at, number_operand(static_cast<uint64_t>(bytes))});
            bytes = 0;
            return;
        }
        if (event.op == Op::async_arrive) {
            const bool counts = event.number > 0;
            return put(thread, event, std::string("cp.async.mbarrier.arrive") + (counts ? ".noinc" : "") + ".shared::cta.b64", {at});
        }
        if (event.op != Op::mbarrier_arrive) throw Missing{"`" + kernel::dotted(event.statement->words) + "`"};
        // who is not here arrives together with the first who is
        const bool is_open = object.open == event.phase;
        const int64_t lacking = is_open ? 0 : object.count - std::exchange(object.arrivals[event.phase], object.count);
        std::vector<Operand> operands = {sink(), at};
        if (event.number + lacking > 1) operands.push_back(number_operand(static_cast<uint64_t>(event.number + lacking)));
        put(thread, event, "mbarrier.arrive." + strength(event) + "." + space + ".b64", std::move(operands));
    }

    const kernel::Module& module_;
    const kernel::Launch& launch_;
    const Options& options_;
    const Finding finding_ = {};       // of named threads: none
    std::optional<Memory> byte_ = {};  // the place that accesses are written about
    const Asked asked_;
    const kernel::Geometry geometry_;
    const kernel::MemoryLayout layout_;
    std::set<uint32_t> threads_;  // of the launch
    bool grown_ = false;          // by who does not come to a barrier
    std::optional<Memory> about_;
    std::vector<Event> log_;
    std::map<Memory, Object> objects_;
    std::map<Memory, Flag> flags_;
    // By block, number and turn of a barrier with a count: its number here, and its warps.
    std::map<std::pair<std::pair<uint32_t, int64_t>, uint32_t>, std::pair<int64_t, uint64_t>> barriers_;
    Test test_;
    std::vector<std::vector<const kernel::Statement*>> statements_;  // Slice::statements
    std::string data_;                                               // the location of the byte
    bool goes_elsewhere_ = false;                                    // a thread, where it reads something else than in the sweep
    Groups groups_ = Groups::none;                                   // of the thread that is written
    size_t others_ = 0, registers_ = 0, branches_ = 1;
    std::vector<std::string> labels_;              // of the next instruction
    std::string read_;                             // the register of the last read of a flag
    std::set<std::string> names_;                  // that locations and registers have
    std::map<std::string, std::string> multimem_;  // by location: the multimem address that points to it
    // Of named threads:
    std::vector<size_t> ends_;       // of the runs, in the log
    std::vector<std::string> open_;  // why other runs may have them do something else
    std::vector<Share> shares_;
    std::map<size_t, std::vector<std::pair<size_t, bool>>> touched_;  // by number of an event: shares, and whether it writes
    std::set<Memory> initialised_;                                    // objects
    bool leaves_ = false;                                             // the run finds a copy in flight at the end of a block
    std::string type_ = "u32";                                        // of a weak access
    std::map<const kernel::Statement*, std::string> found_;           // of the thread that is written: what its weak reads found last
};

}  // namespace

std::string_view why_no_test(Breach breach) {
    return asked_of(breach).why;
}

namespace {

// The slice from what `make` makes with the maker that it is given.
template <typename Make>
Slice slice_from(const Make& make) {
    Slice result;
    try {
        make(result);
        result.test = parse_tests(make_source("race.litmus", result.text)).front();
    } catch (const Missing& missing) {
        result.text.clear();
        result.why = missing.why;
    } catch (const Failure& failure) {
        result.text.clear();
        result.why = failure.diagnostics().front().message;
    }
    return result;
}

}  // namespace

Slice slice_of(const kernel::Module& module, const kernel::Launch& launch, const Options& options, const Finding& finding) {
    return slice_from([&](Slice& result) {
        Maker maker(module, launch, options, finding);
        result.question = maker.asks();
        result.text = print(maker.make());
        result.statements = maker.statements();
    });
}

Slice slice_of(const kernel::Module& module, const kernel::Launch& launch, const Options& options,
               const std::vector<std::pair<uint32_t, uint32_t>>& threads) {
    return slice_from([&](Slice& result) {
        result.question = Question::named;
        Maker maker(module, launch, options, threads);
        result.text = print(maker.make_of_named());
        result.statements = maker.statements();
        result.shares = maker.shares();
        result.runs = maker.runs();
        result.open = maker.open();
    });
}

}  // namespace litmus::sweep
