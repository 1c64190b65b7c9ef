// The strong accesses of a run as one line, and whether every execution has them in a line.
//
// A search may run each order of the strong accesses of a kernel, one after the other (explore.h). These stand for all executions if each
// execution has a line of all accesses in which every read finds the last write. Each run is asked whether that is so, as far as it has
// come. A clock says what comes before what in the line (Time::line): what comes before in time, and what meets in one place.
//
// * Robust. Suppose an access finds, or comes before, another write than the last one, w. If w does not come before it in the line, the
//   access may as well stand before w: that is another order, which is run, too. If w comes before it by causality, or if its thread has
//   met w or a later write in this place itself, the axioms forbid it (ISA 8.10.1, 8.10.5, 8.10.6). Anything else breaks the premise, as a
//   store that waits behind a read of another place does (A. Bouajjani, E. Derevenetc and R. Meyer, Checking and enforcing robustness
//   against TSO, 2013).
// * Not early. A line has each read behind the write that it finds. So no writes may come about in a circle, each behind a read that finds
//   the one before. A circle has a read of one place before a write of another in some of its threads, or before one of the same place. If
//   these pairs make no circle of places, there is none. If they do, either of two things forbids it. Each write waits for a loop that the
//   read of its pair ends: that would be a circle of dependencies (8.10.4). Or causality leads from each read to the write of its pair.
//   Reads of all places but one then have to acquire what each write there has released. Then writes of the last place would be in a circle
//   of causality, which coherence forbids (8.10.1).
// * Places that decide nothing. Strong accesses may be in no order at a place where nothing is decided by what they give (Decisions). Such
//   places are in no line, unless somebody waits there: what comes behind the wait may be part of a circle. A vector is in the line with
//   one of its elements, or as one access (is_whole).
// * One lane of a warp. An instruction of several lanes is run as one step, and its lanes are threads. Where lanes are chosen one by one,
//   this is asked of those that load together. Other accesses of several lanes are at places that decide nothing.
//
// model/sweep.md has the premises, and a sketch of the proof. `sweep_differential --shape orders` asks the model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "sweep/byte_set.h"
#include "sweep/circles.h"
#include "sweep/clock.h"
#include "sweep/lanes.h"
#include "sweep/spot.h"
#include "sweep/task.h"
#include "sweep/thread.h"

namespace litmus::sweep {

// Whether one of the places is among these bytes.
bool has_some(const std::set<Memory>& places, const Memory& from, uint64_t bytes);

// A strong access to memory by its thread, which a schedule may choose.
bool is_in_line(const Step& step);
bool is_chosen(const Step& step);  // likewise, and it is one access to each of its places
// A strong vector that is taken for one access where need be, as GPUs do it. An H200 tore none of 7e10 that were read while they were
// written, in its own memory, in another GPU's, or in the shared memory of a peer. Two stores in place of one were torn in each of these
// settings.
bool is_whole(const Step& step);
bool is_fence_sc(const Step& step);

// Fences of sequential consistency have one order (ISA 8.10.2). So they are accesses to one place, each of which reads and writes it.
inline constexpr Memory place_of_fences{SIZE_MAX, 0, 0};

class Line {
public:
    explicit Line(const Task& task) : task_(task) {}

    struct Kind {
        bool reads = false, writes = false;
        uint16_t sum = 0;      // of a reduction that gives nothing: Step::sum
        uint8_t settled = 0;   // a read that finds the same in every order: bit i of element i
        bool awaits = false;   // a read that ends a loop: another value would lead back to it
        bool ignores = false;  // an atomic operation whose read does not decide what it writes
    };
    // Threads of a block begin new lives (lives.h). A later access may be weak because of this life: that is found out now.
    void end_life(std::span<const Thread> threads);
    // Lanes that make their next accesses in one step, by a choice; none: whoever makes one, nobody has chosen.
    void choose_lanes(Lanes lanes) { chosen_ = lanes; }
    // Before the thread makes a strong access there. Its clock then has what the access comes behind. Gives how many elements of it decide,
    // or are waited for, each in its own order.
    uint32_t access(Thread& thread, const Spot& spot, const Step& step, Kind kind);
    void fence(const Thread& thread, const Step& step);
    void order_fence(Thread& thread, const Step& step);  // likewise, before it has the order of a fence.sc

    // Two that are not ordered, in which piece of memory, and where. False: they are reductions of one kind that give nothing.
    bool note_contended(const Access& earlier, const Access& access, const Spot& spot, uint64_t offset);
    // A part of one of these.
    void note_part(const Memory& place, uint32_t part) { contended_[place].insert(part); }
    // A strong write, whether or not it is ordered with others.
    void note_write(const Memory& from, uint64_t bytes, const Step& step);
    // Where there were such that are not ordered, and their parts.
    const std::map<Memory, std::set<uint32_t>>& contended() const { return contended_; }
    // Where a read has ended a loop that waits, and finds the same in every order.
    const std::set<Memory>& waited() const { return waited_; }
    // One of these that is no single access of a thread, so that no schedule chooses it; null: there is none.
    const kernel::Statement* not_chosen() const;
    // A strong write of some of these bytes that no schedule chooses; null: there was none.
    const kernel::Statement* written_apart(const Memory& from, uint64_t bytes) const;
    // The first access that may be out of line; null: there is none.
    const kernel::Statement* weak() const { return weak_; }
    // One of several lanes of a warp whose accesses decide; null: there are none such.
    const kernel::Statement* of_lanes() const;
    // An access to a place with more writes than are looked at; null: there is none.
    const kernel::Statement* crowded() const { return crowded_; }
    const Circles& circles() const { return circles_; }

private:
    struct Write {
        size_t component = 0;
        uint32_t number = 0;
    };
    struct Extent {  // of an access
        uint64_t begin = 0, bytes = 0;
        uint32_t elements = 1;
        friend bool operator==(const Extent&, const Extent&) = default;
    };
    struct Meeting {  // of threads in one place
        std::vector<Write> writes;
        Clock written, read;              // what comes before the last write, and before the reads since, with these
        std::map<size_t, size_t> known;   // by life of a thread: how many of the writes are behind its own last access
        std::map<size_t, Lanes> lanes;    // by warp
        std::map<size_t, Lanes> settled;  // likewise, of reads that find the same in every order, as long as nobody writes later
        bool contended = false;
        const kernel::Statement* last = nullptr;
        uint16_t sum = 0;  // Kind::sum of all of them, if they are
        bool alike = true;
        std::optional<Extent> extent;              // of the last access
        bool mixed = false;                        // others have another one
        const kernel::Statement* whole = nullptr;  // a vector that is taken for one access
    };
    static constexpr uint32_t never = UINT32_MAX;
    struct Read {
        Write at;            // when it was made
        bool awaits = true;  // Kind::awaits of this one and those before it
        Write acquired;      // who is ordered behind this is so behind what this read and those before it have acquired; or never
    };
    struct Reads {  // of a place by a thread
        uint32_t thread = 0;
        Memory place;
        const kernel::Statement* by = nullptr;  // the last one
        std::vector<Read> each;
    };
    struct ReadBefore {                       // of a place by threads of one number in their blocks, in lives that are over
        bool awaits = true, acquired = true;  // of all of them
        const kernel::Statement* by = nullptr;
    };
    using Key = std::pair<size_t, uint64_t>;  // a piece of memory, and the offset in it

    bool reaches_all(Scope scope) const;
    // Strong accesses of so many bytes are in no order there. As far as earlier runs show, they decide something, or nothing.
    bool decides(const Memory& from, uint64_t bytes) const;
    bool decides_nothing(const Memory& from, uint64_t bytes) const;
    void meet(Thread& thread, const Key& key, const Memory& place, const Step& step, Kind kind);
    bool may_be_weak(const Thread& thread, const Meeting& meeting) const;
    void note_pairs(const Thread& thread, const Memory& place, const Step& step, Kind kind);

    // It is one of the launch. Where blocks begin new lives, it is one of its block.
    size_t warp_of(const Thread& thread) const;

    const Task& task_;
    std::map<Key, Meeting> meetings_;
    std::map<uint32_t, std::vector<Reads>> reads_;                    // by cluster
    std::map<std::pair<uint32_t, Memory>, ReadBefore> reads_before_;  // by the number of the thread in its block, and place
    std::set<std::pair<uint32_t, Key>> weak_before_;                  // likewise: an access of a later life there may be weak
    Lanes chosen_ = 0;
    std::map<size_t, Lanes> lanes_;  // with accesses other than sums, by warp
    const kernel::Statement *weak_ = nullptr, *not_chosen_ = nullptr, *crowded_ = nullptr;
    std::map<Memory, std::set<uint32_t>> contended_;
    std::set<Memory> waited_;
    // By object and block: where strong writes that no schedule chooses have written, and one of them.
    std::map<std::pair<size_t, uint32_t>, std::pair<ByteSet, const kernel::Statement*>> written_apart_;
    Circles circles_;
};

}  // namespace litmus::sweep
