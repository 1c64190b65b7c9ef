// The log tells which places are shared, awaited or read strongly.
#include "sweep/slice_scene.h"

#include <algorithm>

#include "ptx/traits.h"
#include "sweep/slice_question.h"

namespace litmus::sweep {

namespace {

using What = Event::What;

constexpr size_t most_shares = 16;
constexpr int64_t most_barriers = 16;  // of a block (ISA 9.7.13.1)

Type type_of(uint32_t bytes) {
    return bytes == 8 ? Type::u64 : bytes == 2 ? Type::u16 : Type::u32;
}

}  // namespace

Groups groups_of(Op op) {
    switch (kind(op)) {
        case Traits::Kind::copy:
        case Traits::Kind::copy_commit:
        case Traits::Kind::copy_wait:
            return Groups::copies;
        case Traits::Kind::mma:
        case Traits::Kind::mma_commit:
        case Traits::Kind::mma_wait:
            return Groups::products;
        default:
            return Groups::bulk;
    }
}

bool by_multimem(const Event& event) {
    return event.op && is_multimem(*event.op);
}

bool from_registers(const Event& event) {
    return event.op == Op::st_async || event.op == Op::red_async;
}

bool is_in_group(const Event& copy) {
    return !copy.mbarrier && !from_registers(copy);
}

std::string Names::fresh(std::string name, const std::string& more) {
    while (!taken_.insert(name).second) name += more;
    return name;
}

std::string Names::numbered(const std::string& word, size_t& number) {
    std::string name;
    do name = word + std::to_string(number++);
    while (!taken_.insert(name).second);
    return name;
}

Scene::Scene(const Ground& ground, const Story& story) : ground_(ground), story_(story) {
    if (story.is_named()) find_shares();
    find_objects();
    if (story.is_named()) {
        require_arrivals();
        find_flags_of_named();
        require_writers();
    } else {
        find_flags();
    }
    number_barriers();
    if (story.byte) data.push_back({*story.byte, names.fresh(name_of(*story.byte), "_data")});
}

const Scene::Touches& Scene::touches_of(const Event& event) const {
    static const Touches none;
    const auto found = touched_.find(static_cast<size_t>(&event - story_.log.data()));
    return found == touched_.end() ? none : found->second;
}

bool Scene::concerns(const Event& copy) const {
    const bool stays = is_in_group(copy) && groups_of(*copy.op) == Groups::bulk;
    if (story_.is_named()) return !touches_of(copy).empty() || (story_.leaves && stays);
    return copy.reads || copy.writes || story_.is_about(copy.mbarrier) || (story_.question == Question::exit && stays);
}

bool Scene::is_initialised_here(const Memory& object) const {
    return story_.initialised.contains(object) || (story_.question == Question::life && story_.is_about(object));
}

std::string Scene::name_of(const Memory& memory) const {
    std::string name = ground_.object_of(memory).name;
    if (memory.offset > 0) name += "_" + std::to_string(memory.offset);
    // each block has one of its own, with counts of its own
    if (ground_.geometry.blocks() > 1 && ground_.is_shared(memory)) name += "_b" + std::to_string(memory.block);
    return name;
}

// ---- what named threads share

void Scene::add_edges(Edges& edges, const Stretch& stretch, Touch touch) const {
    auto& here = edges[{stretch.from.object, stretch.from.block}];
    here.push_back({stretch.from.offset, true, touch});
    here.push_back({stretch.from.offset + stretch.bytes, false, touch});
}

void Scene::find_shares() {
    Edges edges;
    for (size_t e = 0; e < story_.log.size(); ++e) {
        const Event& event = story_.log[e];
        if (!story_.is_here(event)) continue;
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
            if (!ends_here && is_shared_by(open))
                add_share(known, open, {where.first, where.second, here[i].at}, here[i + 1].at - here[i].at);
        }
    }
}

// Whether two threads touch it, or an asynchronous operation and another one, and one of them writes.
bool Scene::is_shared_by(const std::multiset<Touch>& touches) const {
    std::set<std::pair<bool, size_t>> who;
    bool writes = false;
    for (const auto& [number, writing] : touches) {
        const bool is_copy = story_.log[number].what == What::copy;
        who.emplace(is_copy, is_copy ? number : story_.log[number].thread);
        writes = writes || writing;
    }
    return writes && who.size() > 1;
}

void Scene::add_share(std::map<std::multiset<Touch>, size_t>& known, const std::multiset<Touch>& touches, const Memory& at,
                      uint64_t bytes) {
    const auto [found, is_new] = known.try_emplace(touches, data.size());
    if (is_new) {
        if (data.size() == most_shares) throw Missing{"they share more than " + std::to_string(most_shares) + " places"};
        data.push_back({at, {}, Type::u32, {}});
        for (const auto& [event, writes] : std::set<Touch>(touches.begin(), touches.end()))
            touched_[event].emplace_back(found->second, writes);
    }
    data[found->second].parts.emplace_back(at, bytes);
}

// ---- mbarrier objects

// Those that are waited for, and those that complete copies of the byte.
std::map<Memory, Object> Scene::objects_in(std::span<const Event> run) const {
    std::map<Memory, Object> found;
    for (const Event& event : run) {
        if (!story_.is_here(event) || !event.mbarrier) continue;
        const size_t times = story_.is_named() ? touches_of(event).size() : 1;
        const bool completes = event.what == What::copy && concerns(event);
        if (event.what != What::wait && !completes && !story_.is_about(event.mbarrier)) continue;
        Object& object = found[*event.mbarrier];
        if (completes) object.bytes[event.phase] += static_cast<int64_t>((from_registers(event) ? 4 : copied_bytes) * times);
    }
    for (const Event& event : run)
        if (event.what == What::arrive && story_.is_here(event) && found.contains(*event.mbarrier))
            found.at(*event.mbarrier).arrivals[event.phase] += event.number;
    return found;
}

void Scene::find_objects() {
    for (const auto& run : story_.by_run()) {
        std::map<Memory, Object> found = objects_in(run);
        if (run.data() != story_.log.data() && found != objects)
            throw Missing{"who arrives at an mbarrier object, or copies, depends on the order"};
        objects = std::move(found);
    }
    for (auto& [memory, object] : objects) {
        object.name = names.fresh(name_of(memory), "_");
        for (const auto& [phase, arrivals] : object.arrivals) object.count = std::max(object.count, arrivals);
    }
    if (story_.lacks && objects.contains(story_.lacks->object)) leave_open(*story_.lacks);
}

// The phase lacks here what it lacks in the kernel: an arrival, or some bytes; or some have come too many.
void Scene::leave_open(const Tally& tally) {
    Object& object = objects.at(tally.object);
    if (tally.arrivals > 0) {
        object.open = tally.phase;
        object.count = std::max(object.count, object.arrivals[tally.phase] + 1);
    } else {
        object.bytes[tally.phase] += (tally.bytes > 0 ? 1 : -1) * static_cast<int64_t>(copied_bytes / 2);
    }
}

// A phase for which one waits has here an arrival or a copy that it has in the run. One that lacks arrivals in the run lacks one here.
void Scene::require_arrivals() {
    std::map<std::pair<Memory, uint32_t>, int64_t> arrived;
    std::map<Memory, int64_t> counts;
    const std::span<const Event> run = story_.by_run().front();  // the others have the same arrivals
    for (const Event& event : run) {
        if (event.what == What::init) counts[*event.mbarrier] = event.number;
        if (event.what == What::arrive) arrived[{*event.mbarrier, event.phase}] += event.number;
    }
    for (const auto& [key, number] : arrived) {
        const auto object = objects.find(key.first);
        if (object == objects.end()) continue;
        const int64_t of_here = object->second.arrivals[key.second];
        if (number < counts[key.first]) {
            object->second.open = key.second;
            object->second.count = std::max(object->second.count, of_here + 1);
        } else if (of_here == 0 && is_awaited(key.first, key.second)) {
            throw Missing{"one waits for an mbarrier object at which none of them arrives"};
        }
    }
}

bool Scene::is_awaited(const Memory& object, uint32_t phase) const {
    return std::any_of(story_.log.begin(), story_.log.end(), [&](const Event& event) {
        return event.what == What::wait && story_.is_here(event) && event.mbarrier == object && event.phase == phase;
    });
}

// ---- flags

void Scene::find_flags() {
    std::map<Memory, std::set<uint32_t>> readers, writers;
    for (const Event& event : story_.log) {
        if (event.what != What::flag || !story_.is_here(event)) continue;
        if (event.reads) readers[*event.place].insert(event.thread);
        if (event.writes) writers[*event.place].insert(event.thread);
    }
    for (const auto& [place, who] : readers) {
        const std::set<uint32_t>& others = writers[place];
        if (others.empty() || (who == others && who.size() == 1)) continue;
        Flag& flag = flags[place];
        flag.name = names.fresh(name_of(place), "_flag");
        uint32_t bytes = 0;
        for (const Event& event : story_.log) {
            if (event.what != What::flag || event.place != place) continue;
            if (event.bytes == 0 || (bytes != 0 && event.bytes != bytes)) throw Missing{"a flag is accessed in parts"};
            bytes = event.bytes;
        }
        flag.type = type_of(bytes);
        flag.first = first_value(place);
    }
}

// Shares with strong accesses hold what they hold in the run.
void Scene::find_flags_of_named() {
    for (Data& share : data) {
        share.name = names.fresh(name_of(share.at), "_data");
        std::vector<const Event*> strong, all;
        for (const auto& [number, shares] : touched_)
            for (const auto& [one, writes] : shares)
                if (&data[one] == &share) all.push_back(&story_.log[number]);
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
        Flag& flag = flags[share.at];
        flag.name = share.name;
        flag.type = share.type = type_of(first.bytes);
        flag.first = first_value(share.at);
    }
}

// Nobody overwrites what one of them waits for behind that.
void Scene::require_settled(const std::vector<const Event*>& all, const Event& first) const {
    const bool awaits = std::any_of(all.begin(), all.end(), [](const Event* event) { return event->settled; });
    if (!awaits) return;
    for (const Event* const event : all)
        if (event->what == What::access && !event->written_to.empty()) throw Missing{"what one waits for is written weakly, too"};
    for (const auto& run : story_.by_run())
        for (const Event& event : run) {
            if (event.what != What::flag || event.place != first.place || !event.writes) continue;
            const bool is_over = std::any_of(all.begin(), all.end(), [&](const Event* waits) {
                return waits->settled && waits->thread != event.thread && waits >= run.data() && waits < &event;
            });
            if (is_over) throw Missing{"what one waits for is overwritten later"};
        }
}

// Only these threads write what one of them waits for, and what decides where they go. Who is left out might order their accesses.
void Scene::require_writers() const {
    std::set<Memory> awaited;
    for (const Event& event : story_.log)
        if (event.what == What::flag && event.reads && event.place && story_.is_here(event) && (event.settled || story_.has_ways()))
            awaited.insert(*event.place);
    for (const Event& event : story_.log)
        if (event.what == What::flag && event.writes && event.place && !story_.is_here(event) && awaited.contains(*event.place))
            throw Missing{story_.has_ways() ? "what one reads is written by other threads, too"
                                            : "what one waits for is written by other threads, too"};
}

// The first value of a place is what is read there first, in some run; else something that nobody reads.
uint64_t Scene::first_value(const Memory& place) const {
    std::set<uint64_t> found;
    for (const Event& event : story_.log) {
        if (event.what != What::flag || event.place != place || !event.reads) continue;
        if (!event.read) throw Missing{"what a flag holds is not computed"};
        found.insert(*event.read);
    }
    const auto is_of_place = [&](const Event& event) { return event.what == What::flag && event.place == place; };
    for (const auto& run : story_.by_run()) {
        const auto first = std::find_if(run.begin(), run.end(), is_of_place);
        if (first != run.end() && first->reads) return *first->read;
    }
    uint64_t value = 0;
    while (found.contains(value)) ++value;
    return value;
}

// ---- barriers with numbers

// A barrier at whose turns different warps meet becomes one for each such set of warps.
void Scene::number_barriers() {
    std::map<Turn, std::set<uint32_t>> turns;
    for (const Event& event : story_.log)
        if (event.what == What::barrier && event.counted && story_.is_here(event))
            turns[turn_of(event)].insert(event.thread % ground_.geometry.threads() / 32);
    lack_a_warp(turns);
    std::map<uint32_t, std::set<int64_t>> taken;  // by block
    for (const Event& event : story_.log)
        if (event.what == What::barrier && story_.is_here(event)) taken[ground_.block_of(event)].insert(event.number);
    std::map<std::pair<Barrier, std::set<uint32_t>>, int64_t> numbers;
    std::set<Barrier> kept;
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
void Scene::lack_a_warp(std::map<Turn, std::set<uint32_t>>& turns) const {
    if (!story_.waits_for_warp) return;
    const auto last = std::find_if(story_.log.rbegin(), story_.log.rend(), [&](const Event& event) {
        return event.what == What::barrier && event.thread == *story_.waits_for_warp;
    });
    if (last == story_.log.rend() || !last->counted) return;
    turns[turn_of(*last)].insert(UINT32_MAX);
}

}  // namespace litmus::sweep
