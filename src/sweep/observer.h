// The observer: what is ordered before what, and which accesses race.
//
// It is told what threads do, one step after the other: accesses, fences, meetings, exits. It knows nothing of registers, of what memory
// holds, or of where a thread stands. Its findings go into the account. Other observers know of barriers, mbarrier objects and the like;
// they tell this one what threads learn by these.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "sweep/account.h"
#include "sweep/decisions.h"
#include "sweep/effort.h"
#include "sweep/exchange.h"
#include "sweep/line.h"
#include "sweep/lives.h"
#include "sweep/mbarrier.h"
#include "sweep/past.h"
#include "sweep/presence.h"
#include "sweep/spot.h"
#include "sweep/task.h"
#include "sweep/thread.h"

namespace litmus::sweep {

class Observer {
public:
    Observer(const Task& task, Account& account, Decisions& decisions, Effort& effort);

    // ---- threads, and the components of clocks
    Thread& thread(size_t number) { return threads_[number]; }
    const Thread& thread(size_t number) const { return threads_[number]; }
    size_t new_component() { return components_++; }
    Queue& queue(std::optional<Queue>& queue);
    // Lanes that meet, each at its own statement: what each knew, all know from here on, or know it in time alone.
    void meet(size_t first, Lanes lanes, std::span<const size_t> at);
    void meet_in_time(size_t first, Lanes lanes);
    bool exit(Thread& thread);                                                  // true: it was the last one of its block
    Lanes live(size_t first) const { return live_[warp_of(threads_[first])]; }  // of a warp, by its thread of lane 0
    Lanes exited(size_t first) const { return exited_[warp_of(threads_[first])]; }
    const Presence& presence() const { return presence_; }
    // Changes of memory and of what synchronises: a run that changes nothing any more only spins.
    struct Changes {
        uint64_t all = 0;
        uint64_t inner = 0;  // which only their own block sees: of its shared memory, and ends of its barriers
        uint64_t reads = 0;  // weak ones of what other blocks may write
        uint64_t outer() const { return all - inner + reads; }
    };
    const Changes& changes() const { return changes_; }
    void note_change() { ++changes_.all; }
    void note_inner_change() {
        ++changes_.all;
        ++changes_.inner;
    }
    void take_back_to(const Changes& changes) { changes_ = changes; }  // nobody can tell that there were more

    // ---- accesses (races.cpp)
    // A piece of memory is there from now on; pieces are numbered as they come.
    void add_memory(size_t object, bool shared);
    const Past& past(size_t number) const { return pasts_[number]; }
    uint64_t accesses() const { return accesses_; }
    Access own_access(const Thread& thread, const Step& step, bool writes) const;
    // As its thread does it, in its proxy: an asynchronous write needs no fence after a read that comes before it. If some strong writes
    // are not ordered with it, what it finds depends on the order. If some of them are unlike, what is left depends on it, too.
    Unordered touch(const Spot& spot, uint64_t bytes, const Access& access, const Step& step);
    // The same of several ranges of its object, wherever the spot is.
    Unordered touch(const Spot& object, std::span<const std::pair<uint64_t, uint64_t>> ranges, const Access& access, const Step& step);
    // An access to another block's shared memory: that block has to have begun, and must not end before.
    void reach(const Access& access, const Spot& spot, const Step& step);
    Clash clash_of(const Access& earlier, const Access& later, const Shadow& shadow, uint64_t at) const;
    // A read is performed when something waits for its value (code.h): in a warp, by its thread of lane 0.
    void perform(const Thread& first, Lanes lanes, uint32_t statement);
    void read_pending(Thread& thread, const Step& step);

    // ---- fences and flags (flags.cpp)
    void fence(Thread& thread, const Step& step);
    void observe(Thread& thread, const Release& release, const Word& word, const Step& step, Doubt doubt);
    void acquire(Thread& thread, const Seen& seen, Scope reach, const Step& step);
    void order_fence(Thread& thread, const Step& step);
    void fence_proxy(Thread& thread, const Step& step);
    // A vector releases what came before it. Its elements are in no order (ISA 8.2.4). So who finds one of them is behind no other one, but
    // where a read of the same vector takes it for one access. Gives what it releases, before it is made. None: it is no vector.
    using Released = std::optional<Knowledge>;
    static Released begin_release(Thread& thread, const Step& step);
    void publish(Thread& thread, const Spot& spot, const Step& step, const Released& before_it = std::nullopt);
    // Before a strong access, where a schedule chooses; and behind it.
    // Lanes that make their next accesses in one step, by a choice; none: whoever makes one, nobody has chosen.
    void choose_lanes(Lanes lanes);
    void enter_line(Thread& thread, const Spot& spot, const Step& step, Line::Kind kind);
    void leave_line(Thread& thread);
    const std::optional<Line>& line() const { return line_; }
    // A vector that was taken for one access; null: there is none.
    const kernel::Statement* whole() const { return whole_; }
    std::optional<Exchange>& exchange() { return exchange_; }
    const std::optional<Exchange>& exchange() const { return exchange_; }
    std::optional<Lives>& lives() { return lives_; }
    // These blocks, which are alike, begin new lives. Gives those of which something has changed by that.
    std::vector<uint32_t> begin_lives(const std::vector<uint32_t>& blocks) { return lives_->begin(blocks, *exchange_, *line_); }
    // `settled`: bit i: in every order element i finds the same write.
    void observe(Thread& thread, const Spot& spot, const Step& step, uint8_t settled);
    // An asynchronous write that releases, and that no object completes.
    std::pair<Access, Unordered> release_apart(Thread& thread, const Spot& to, const Step& step);
    bool is_of_grid(const Spot& spot) const;
    // The doubt that this element of it might give another value there.
    Doubt doubt_of_strong(const Spot& spot, const Step& step, uint32_t element = 0);
    void note_written(const Spot& spot, const Step& step, const Value& before, const Written& now);
    // The values other than the last one that a read of this word could find in other orders; none: that is not known.
    std::vector<Value> found_before(const Spot& spot, const Step& step) const;
    std::optional<std::vector<Value>> found_otherwise(const Thread& thread, const Spot& spot, const Step& step) const;
    // ---- reads of a detour (detours.h, flags.cpp)
    struct Findable {
        Value value;
        const Release* release = nullptr;  // of the write that left it; null: it was there before
    };
    // How many values strong writes have left in this word, with the one before.
    size_t writes_of(const Spot& spot) const;
    // The values that a strong read of the word may find which knows this, in their order. Empty: no strong write has written
    // it. None: they are not known.
    std::optional<std::vector<Findable>> may_find(const Clock& known, const Spot& spot, const Step& step) const;
    // The knowledge that a thread would have on some way, and what its reads have observed that nothing has acquired.
    struct Found {
        Knowledge known;
        Levels seen;
    };
    void find(Found& by, const Thread& thread, const Release& release, const Step& step) const;
    void acquire(Found& by, const Step& fence) const;
    // Whether a read races with nothing before if its thread knows this. It leaves no trace.
    bool may_read(const Knowledge& known, const Spot& spot, uint64_t bytes, const Access& access) const;
    // A read of which that was asked: what comes later may race with it.
    void note_read(const Thread& thread, const Spot& spot, uint64_t bytes, const Access& access);

    Mbarriers& mbarriers() { return mbarriers_; }
    const Mbarriers& mbarriers() const { return mbarriers_; }
    void begin_objects(const Spot& spot);  // an mbarrier object is initialised there

    // ---- tensor maps, which are read through a proxy of their own (flags.cpp)
    void read_map(const Thread& thread, const Spot& map, uint64_t address, const Access& reader, const Step& step);
    void release_map(Thread& thread, const Clock& released);  // what others of its warp know, too
    void acquire_map(Thread& thread, uint64_t address);

    // ---- launches that may still run (grids.cpp)
    void trigger(const Thread& thread);
    void wait_for_grids(Thread& thread);
    // `numbers`: by object, of the pieces of memory that launches have in common.
    std::shared_ptr<const Running> running(const std::vector<size_t>& numbers) const;

private:
    void begin_threads();
    size_t warp_of(const Thread& thread) const;
    std::optional<Access> unknown_before(const Thread& thread, const Spot& spot, uint64_t at, const Access& observed) const;
    void contend(const Access& earlier, const Access& access, const Spot& spot, uint64_t offset);
    void note_whole(const Thread& thread, const Access& by, const Step& step);
    FencedSpace space_of(const Thread& thread, const Spot& spot) const;
    bool is_given(const Causes& known, const Access& read) const;  // `read` was performed before an mbarrier object gave its place back
    // Whether the earlier of two unordered accesses was over. An asynchronous access needs no more.
    bool is_over(const Causes& known, const Access& earlier, const Access& access, const Spot& spot) const;
    // Whether it conflicts with an earlier one that it races with even if mbarrier objects synchronise whatever the scopes.
    bool races_in_wide(const Access& earlier, const Access& access, const Spot& spot) const;
    // An access that is no operation on the mbarrier object that lies there.
    void over_object(const Spot& spot, uint64_t bytes, const Access& access, const Step& step);
    Clash::Side side_of(const Access& access) const;
    void take_over_accesses(Past& past, size_t object) const;

    const Task& task_;
    Account& account_;
    Decisions& decisions_;
    Effort& effort_;
    std::vector<Thread> threads_;
    size_t components_ = 0;
    std::vector<Past> pasts_;                           // by piece of memory
    std::vector<std::map<uint32_t, Pending>> pending_;  // by warp and statement: reads that nothing has waited for yet
    std::map<uint32_t, Clock> triggers_;                // by block: what fences before its first trigger have released
    Mbarriers mbarriers_;
    std::vector<Lanes> live_, exited_;  // by warp
    Presence presence_;
    std::optional<Line> line_;                                // where a schedule chooses
    std::map<std::pair<Scope, uint32_t>, Knowledge> fences_;  // what fence.sc have released, where they are ordered; as in a Release
    const kernel::Statement* whole_ = nullptr;
    std::optional<Exchange> exchange_;               // where it chooses one of those that are alike
    std::optional<Lives> lives_;                     // likewise, again and again
    std::set<std::pair<uint32_t, uint32_t>> raced_;  // statements
    Changes changes_;
    uint64_t accesses_ = 0;
};

}  // namespace litmus::sweep
