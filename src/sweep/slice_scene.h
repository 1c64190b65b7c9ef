// The places of a test, out of the story of its threads. These are mbarrier objects with their counts, flags with their first values, data,
// and the numbers of barriers. The files of slice.h alone include it.
//
// Counts and bytes are those of the threads and copies that are there. A phase that does not end lacks here what it lacks in the kernel: an
// arrival or half a copy. Named threads have all places that they share. Places that the same events touch are one.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sweep/slice_story.h"

namespace litmus::sweep {

inline constexpr uint64_t copied_bytes = 16;  // of a bulk copy, the least (ISA 9.7.9.25.4)

// The groups by which a copy without an mbarrier object is waited for.
enum class Groups : uint8_t { none, copies, bulk, products };
Groups groups_of(Op op);

bool by_multimem(const Event& event);
bool from_registers(const Event& event);
// A copy for which only its group tells that it is over.
bool is_in_group(const Event& copy);

// Names that nothing else in the test has: locations and registers have names of their own, whatever arrays are called.
class Names {
public:
    std::string fresh(std::string name, const std::string& more);
    std::string numbered(const std::string& word, size_t& number);

private:
    std::set<std::string> taken_;
};

// An mbarrier object.
struct Object {
    std::string name;
    std::map<uint32_t, int64_t> arrivals, bytes;  // of what is here, by phase
    int64_t count = 1;
    std::optional<uint32_t> open = {};  // a phase that lacks arrivals
    friend bool operator==(const Object&, const Object&) = default;
};

// A place that one thread here reads strongly and another one writes.
struct Flag {
    std::string name;
    Type type = Type::u32;
    uint64_t first = 0;  // what it holds before
};

// Data that weak accesses and copies touch.
struct Data {
    Memory at;  // the first place
    std::string name;
    Type type = Type::u32;                                // of an access
    std::vector<std::pair<Memory, uint64_t>> parts = {};  // of named threads: beginnings and sizes of all such places
};

class Scene {
public:
    // Throws Missing.
    Scene(const Ground& ground, const Story& story);

    // By number of the data, and whether the event writes there.
    using Touches = std::vector<std::pair<size_t, bool>>;
    const Touches& touches_of(const Event& event) const;
    // Whether the test has this asynchronous operation.
    bool concerns(const Event& copy) const;
    // Whether the test has the initialisation of this object.
    bool is_initialised_here(const Memory& object) const;
    // The number of a barrier that counts its threads, in this turn, and how many come.
    std::pair<int64_t, uint64_t> barrier_of(const Event& event) const { return barriers_.at(turn_of(event)); }

    Names names;
    std::vector<Data> data;  // of a race one
    std::map<Memory, Object> objects;
    std::map<Memory, Flag> flags;

private:
    using Touch = std::pair<size_t, bool>;  // number of an event, and whether it writes
    struct Edge {
        uint64_t at = 0;
        bool begins = false;
        Touch touch;
    };
    using Edges = std::map<std::pair<size_t, uint32_t>, std::vector<Edge>>;  // by object and block
    using Barrier = std::pair<uint32_t, int64_t>;                            // by block and number
    using Turn = std::pair<Barrier, uint32_t>;

    void find_shares();
    void add_edges(Edges& edges, const Stretch& stretch, Touch touch) const;
    bool is_shared_by(const std::multiset<Touch>& touches) const;
    void add_share(std::map<std::multiset<Touch>, size_t>& known, const std::multiset<Touch>& touches, const Memory& at, uint64_t bytes);
    void find_objects();
    std::map<Memory, Object> objects_in(std::span<const Event> run) const;
    void leave_open(const Tally& tally);
    void require_arrivals();
    bool is_awaited(const Memory& object, uint32_t phase) const;
    void find_flags();
    void find_flags_of_named();
    void require_settled(const std::vector<const Event*>& all, const Event& first) const;
    void require_writers() const;
    uint64_t first_value(const Memory& place) const;
    void number_barriers();
    void lack_a_warp(std::map<Turn, std::set<uint32_t>>& turns) const;
    Turn turn_of(const Event& event) const { return {{ground_.block_of(event), event.number}, event.generation}; }
    std::string name_of(const Memory& memory) const;

    const Ground& ground_;
    const Story& story_;
    std::map<size_t, Touches> touched_;                      // by number of an event
    std::map<Turn, std::pair<int64_t, uint64_t>> barriers_;  // number and threads
};

}  // namespace litmus::sweep
