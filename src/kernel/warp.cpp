// Who stands where, what each exchange gives, and who goes on (warp.h).
#include "kernel/warp.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace litmus::kernel {

namespace {

using Lanes = std::vector<std::unique_ptr<Walker>>;
using MeetingKey = std::tuple<std::string, uint32_t, size_t>;  // name, mask, turn

MeetingKey meeting_of(const Parked& parked) {
    return {parked.words, parked.mask, parked.turn};
}

bool stands_at(Walker& lane, const MeetingKey& meeting) {
    return std::any_of(lane.parked().begin(), lane.parked().end(), [&](const Parked& p) { return meeting_of(p) == meeting; });
}

bool has_word(const std::string& dotted, const std::string& word) {
    return ("." + dotted + ".").find("." + word + ".") != std::string::npos;
}

// Whether it comes whatever it reads: no path of it has ended without, or stands elsewhere.
bool surely_comes(Walker& lane, const MeetingKey& meeting) {
    return !lane.has_ended() &&
           std::all_of(lane.parked().begin(), lane.parked().end(), [&](const Parked& p) { return meeting_of(p) == meeting; });
}

// What a lane brings as its n-th operand: the word, if it surely comes and brings the same on all paths.
Word brought(Walker& lane, const MeetingKey& meeting, size_t n) {
    std::optional<Word> word;
    if (!surely_comes(lane, meeting)) return {true, true, 0};
    for (Parked& parked : lane.parked()) {
        if (meeting_of(parked) != meeting) continue;
        const Word own = lane.operand(parked, n);
        if (!own.known || own.opaque || (word && word->bits != own.bits)) return {true, true, 0};
        word = own;
    }
    return word.value_or(Word{true, true, 0});
}

// ---- what each exchange gives ----------------------------------------------------------------------------------------------------------

// shfl.sync (9.7.9.6): the lane that the mode names, within the segment that the clamp and the segment mask in c describe.
struct ShuffleSource {
    uint32_t lane = 0;
    bool inside = true;
};
ShuffleSource source_lane(const std::string& words, uint32_t lane, uint32_t b, uint32_t c) {
    const uint32_t clamp = c & 31, segment = c >> 8 & 31;
    const uint32_t most = (lane & segment) | (clamp & ~segment), least = lane & segment;
    b &= 31;
    ShuffleSource source{lane, true};
    if (has_word(words, "up")) {
        source.inside = static_cast<int>(lane) - static_cast<int>(b) >= static_cast<int>(most);
        source.lane = lane - b;
    } else if (has_word(words, "down")) {
        source.lane = lane + b;
        source.inside = source.lane <= most;
    } else if (has_word(words, "bfly")) {
        source.lane = lane ^ b;
        source.inside = source.lane <= most;
    } else {
        source.lane = least | (b & ~segment);
        source.inside = source.lane <= most;
    }
    if (!source.inside) source.lane = lane;
    return source;
}

struct Outcome {
    std::vector<Word> results;
    std::string note;
};

constexpr const char* unknown_exchange =
    "a value that other lanes bring, or whether they come, is not known before the kernel runs: it stands for any value";

constexpr size_t most_fragments = 4;  // registers of `ldmatrix` (9.7.14.5.15)

Outcome shuffle(Lanes& lanes, const MeetingKey& meeting, Walker& own, Parked& parked) {
    const Word b = own.operand(parked, 2), c = own.operand(parked, 3);
    if (!b.known || !c.known || b.opaque || c.opaque) return {{{true, true, 0}, {true, true, 0}}, unknown_exchange};
    const ShuffleSource source = source_lane(parked.words, own.seat().lane(), static_cast<uint32_t>(b.bits), static_cast<uint32_t>(c.bits));
    const bool comes = source.lane < lanes.size() && (parked.mask >> source.lane & 1) != 0;
    const Word value = comes ? brought(*lanes[source.lane], meeting, 1) : Word{true, true, 0};
    return {{value, known_word(source.inside ? 1 : 0)}, value.opaque ? unknown_exchange : ""};
}

// vote.sync and match.sync compare what the lanes bring.
Outcome compare(Lanes& lanes, const MeetingKey& meeting, Walker& own, Parked& parked) {
    const bool votes = parked.words.rfind("vote", 0) == 0;
    uint32_t ballot = 0, equal = 0, present = 0;
    const Word mine = brought(own, meeting, 1);
    for (uint32_t lane = 0; lane < lanes.size(); ++lane) {
        if ((parked.mask >> lane & 1) == 0 || !stands_at(*lanes[lane], meeting)) continue;
        const Word word = brought(*lanes[lane], meeting, 1);
        if (word.opaque || mine.opaque) return {{{true, true, 0}, {true, true, 0}}, unknown_exchange};
        present |= 1U << lane;
        if (word.bits != 0) ballot |= 1U << lane;
        if (word.bits == mine.bits) equal |= 1U << lane;
    }
    if (!votes) {
        const bool all = equal == present;
        if (has_word(parked.words, "any")) return {{known_word(equal)}, ""};
        return {{known_word(all ? present : 0), known_word(all ? 1 : 0)}, ""};
    }
    if (has_word(parked.words, "ballot")) return {{known_word(ballot)}, ""};
    if (has_word(parked.words, "any")) return {{known_word(ballot != 0 ? 1 : 0)}, ""};
    if (has_word(parked.words, "uni")) return {{known_word(ballot == 0 || ballot == present ? 1 : 0)}, ""};
    return {{known_word(ballot == present ? 1 : 0)}, ""};
}

Outcome outcome(Lanes& lanes, const MeetingKey& meeting, Walker& own, Parked& parked) {
    if (parked.words.rfind("stmatrix", 0) == 0) return {};
    if (parked.words.rfind("ldmatrix", 0) == 0)
        return {std::vector<Word>(most_fragments, {true, true, 0}),
                "what the lanes get of matrices is not computed: it stands for any value"};
    return parked.words.rfind("shfl", 0) == 0 ? shuffle(lanes, meeting, own, parked) : compare(lanes, meeting, own, parked);
}

// ---- who goes on -----------------------------------------------------------------------------------------------------------------------

// All paths of all lanes that stand at the meeting go on with their results.
void hold(Lanes& lanes, const MeetingKey& meeting) {
    std::vector<std::tuple<Walker*, Parked, Outcome>> going;
    for (auto& lane : lanes)
        for (Parked& parked : lane->parked())
            if (meeting_of(parked) == meeting) going.emplace_back(lane.get(), parked, outcome(lanes, meeting, *lane, parked));
    for (auto& lane : lanes) std::erase_if(lane->parked(), [&](const Parked& p) { return meeting_of(p) == meeting; });
    for (auto& [lane, parked, result] : going) lane->resume(std::move(parked), result.results, result.note);
}

// elect.sync: the lowest lane of the mask; its number, and whether it is this one.
bool elect(Walker& lane) {
    auto& parked = lane.parked();
    const auto at = std::find_if(parked.begin(), parked.end(), [](const Parked& p) { return p.words.rfind("elect", 0) == 0; });
    if (at == parked.end()) return false;
    uint32_t leader = 0;
    while (leader < 31 && (at->mask >> leader & 1) == 0) ++leader;
    Parked going = std::move(*at);
    parked.erase(at);
    lane.resume(std::move(going), {known_word(leader), known_word(lane.seat().lane() == leader ? 1 : 0)},
                "`elect.sync` is taken to elect the lowest lane of its mask, " + std::to_string(leader));
    return true;
}

// activemask: the lanes that stand there for the same number of times.
bool answer_activemask(Lanes& lanes) {
    for (auto& lane : lanes)
        for (const Parked& parked : lane->parked()) {
            if (parked.words.rfind("activemask", 0) != 0) continue;
            const MeetingKey meeting = meeting_of(parked);
            uint32_t mask = 0;
            for (size_t l = 0; l < lanes.size(); ++l)
                if (stands_at(*lanes[l], meeting)) mask |= 1U << l;
            for (auto& other : lanes) {
                std::vector<Parked> going;
                for (Parked& p : other->parked())
                    if (meeting_of(p) == meeting) going.push_back(p);
                std::erase_if(other->parked(), [&](const Parked& p) { return meeting_of(p) == meeting; });
                for (Parked& p : going)
                    other->resume(std::move(p), {known_word(mask)}, "`activemask` is taken to give all lanes of the warp that come here");
            }
            return true;
        }
    return false;
}

// The lanes of the mask that have not ended and do not stand at the meeting.
std::vector<size_t> missing(Lanes& lanes, const MeetingKey& meeting) {
    std::vector<size_t> found;
    for (size_t lane = 0; lane < lanes.size(); ++lane) {
        const bool asked = (std::get<1>(meeting) >> lane & 1) != 0;
        if (asked && !lanes[lane]->parked().empty() && !stands_at(*lanes[lane], meeting)) found.push_back(lane);
    }
    return found;
}

bool hold_one(Lanes& lanes) {
    for (auto& lane : lanes)
        for (const Parked& parked : lane->parked()) {
            if (parked.words.rfind("activemask", 0) == 0) continue;
            const MeetingKey meeting = meeting_of(parked);
            if (!missing(lanes, meeting).empty()) continue;
            hold(lanes, meeting);
            return true;
        }
    return false;
}

[[noreturn]] void complain(Lanes& lanes) {
    for (auto& lane : lanes)
        for (const Parked& parked : lane->parked()) {
            std::string names;
            for (const size_t absent : missing(lanes, meeting_of(parked))) names += (names.empty() ? "" : ", ") + std::to_string(absent);
            lane->fail(
                parked.state,
                "lane " + std::to_string(lane->seat().lane()) + " waits at `" + parked.words + "` for lanes that do not come: " + names,
                "the mask names lanes that take another way");
        }
    throw std::logic_error("a warp that does not go on waits for nobody");
}

}  // namespace

void run_warp(Lanes& lanes) {
    for (;;) {
        for (auto& lane : lanes) do
                lane->run();
            while (elect(*lane));
        const bool waiting = std::any_of(lanes.begin(), lanes.end(), [](const auto& lane) { return !lane->parked().empty(); });
        if (!waiting) return;
        if (!hold_one(lanes) && !answer_activemask(lanes)) complain(lanes);
    }
}

}  // namespace litmus::kernel
