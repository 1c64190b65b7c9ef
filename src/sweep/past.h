// The past of a piece of memory: who touched it, and what its strong writes left and carry.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "ptx/operators.h"
#include "sweep/byte_set.h"
#include "sweep/clock.h"
#include "sweep/shadow.h"
#include "sweep/value.h"

namespace litmus::sweep {

// The change that a strong write makes; a store is an exchange. Those that are equal leave the same in any order.
struct Change {
    Operator does = Operator::exch;
    Type type = Type::b32;
    std::optional<uint64_t> by = {}, swapped = {};  // what cas compares with, and what it writes
    friend bool operator==(const Change&, const Change&) = default;
};

// A value that a strong write has left; `number` 0 of the access: it was there before.
struct Written {
    Value value;
    Access access;
    Change change;
    bool unordered = false;  // with another strong write before it
};

// The values of a word that strong writes have left.
struct WordPast {
    static constexpr size_t most = 64;  // that are looked at
    uint32_t bytes = 0;
    std::vector<Written> values;
};

// A reader of a strong write may acquire this: of the write, and of those from which atomic operations lead to it (ISA 8.9.2).
struct Release {
    std::map<std::pair<Scope, uint32_t>, Knowledge> within;  // by scope, and the number of its group; see Levels
    Time time;                                               // how far the threads had come
    Access by;
};

// The strong writes of other threads that come before an access in this run, and in another run may come after it.
enum class Unordered : uint8_t { none, alike, unlike };  // alike: reductions like the access itself, of one kind (Step::reduction)

struct Past {
    Shadow shadow;
    std::map<uint64_t, WordPast> written;  // by offset, where a strong write has written it
    ByteSet in_part;  // that strong writes of other words, or of several at once, have changed: what these left is not in `written`
    std::map<uint64_t, Release> releases;                // by offset: of the last strong write
    std::map<uint64_t, std::vector<Release>> published;  // of each of them, where the schedule has detours
    // From the first mbarrier object that was initialised here to the end of the last.
    uint64_t objects_begin = UINT64_MAX, objects_end = 0;

    // A weak write of these bytes ends what strong ones have left there.
    void forget(uint64_t begin, uint64_t end) {
        for (auto at = first_word(begin); at != written.end() && at->first < end;)
            at = at->first + at->second.bytes > begin ? written.erase(at) : std::next(at);
        releases.erase(releases.lower_bound(begin), releases.lower_bound(end));
        published.erase(published.lower_bound(begin), published.lower_bound(end));
    }
    // A strong write of these bytes, which are one word or are not.
    void change(uint64_t begin, uint64_t end, bool is_word) {
        for (auto at = first_word(begin); is_word && at != written.end() && at->first < end; ++at)
            is_word = at->first + at->second.bytes <= begin || (at->first == begin && at->second.bytes == end - begin);
        if (!is_word) in_part.add(begin, end);
    }

private:
    static constexpr uint64_t most_bytes = 16;  // of a word
    // The first one that may reach over this byte.
    std::map<uint64_t, WordPast>::iterator first_word(uint64_t begin) {
        return written.lower_bound(begin < most_bytes ? 0 : begin - most_bytes + 1);
    }
};

}  // namespace litmus::sweep
