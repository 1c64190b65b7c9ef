// Pairs of statements that are not ordered are kept, for in the end those count of which one has an address that names the block. The
// named one comes first: blocks come to their first choices before any block goes on behind its own, but for those that poll.
#include "sweep/exchange.h"

#include <algorithm>
#include <iterator>
#include <unordered_set>

#include "kernel/special.h"

namespace litmus::sweep {

namespace {

uint64_t mixed(uint64_t hash, uint64_t value) {
    constexpr uint64_t odd = 0x9e3779b97f4a7c15;
    hash = (hash ^ value) * odd;
    return hash ^ hash >> 29;
}

}  // namespace

bool Exchange::fits(const Task& task) {
    return task.geometry.blocks() > 1 && task.geometry.cluster(1) != task.geometry.cluster(0) && task.options.gpus == 1 &&
           task.launch.unlaunched == 0 && task.running == nullptr;
}

void Exchange::go(uint32_t block, uint32_t warp, Lanes lanes) {
    if (!is_fresh(block)) return;
    uint64_t& way = ways_[{block, warp}];
    ways_of_blocks_[block] -= mixed(way, warp);
    way = mixed(way, lanes);
    ways_of_blocks_[block] += mixed(way, warp);
}

std::vector<bool> Exchange::stood_for() const {
    std::vector<bool> result(chosen_.size());
    std::unordered_set<uint64_t> ways;
    for (uint32_t block = 0; block < chosen_.size(); ++block)
        result[block] = is_fresh(block) && !ways.insert(ways_of_blocks_[block]).second;
    return result;
}

bool Exchange::is_name(const std::string& special) {
    const auto [known, fresh] = names_.try_emplace(special, false);
    const auto in_block = [&](uint32_t block) {
        return kernel::special_register(special, task_.geometry.seat(block, 0), task_.launch, task_.layout);
    };
    for (uint32_t block = 1; fresh && block < task_.geometry.blocks() && !known->second; ++block)
        known->second = in_block(block) != in_block(0);
    return known->second;
}

bool Exchange::is_behind(const Thread& thread, uint32_t statement, Accesses& others, const Clock& known) const {
    uint32_t& version = others.behind[{thread.index, statement}];
    if (version == others.version) return true;
    for (const auto& [block, accesses] : others.by_block)
        if (!known.covers(accesses)) return false;
    version = others.version;
    return true;
}

void Exchange::touch(const Thread& thread, size_t array, std::span<const std::pair<uint64_t, uint64_t>> ranges, const Access& access,
                     const Clock& known) {
    std::map<uint32_t, Accesses>& all = arrays_[array];
    Accesses& own = all[access.statement];
    own.writes = own.writes || access.writes;
    own.late = own.late || !is_fresh(thread.seat.block);
    for (const auto& [begin, bytes] : ranges) own.bytes.add(begin, begin + bytes);
    for (auto& [statement, others] : all) {
        if ((!own.writes && !others.writes) || others.unordered.contains(access.statement)) continue;
        if (named_.contains(statement) && is_behind(thread, access.statement, others, known)) continue;
        others.unordered.insert(access.statement);
    }
    Clock& done = own.by_block[thread.seat.block];
    if (done[access.component] < access.number) {
        done.raise(access.component, access.number);
        ++own.version;
    }
}

// A statement whose address names the block may lead to other arrays in other blocks. Then an order with those in one array says nothing.
std::optional<std::pair<uint32_t, uint32_t>> Exchange::find() const {
    std::map<uint32_t, size_t> arrays;  // of each statement
    for (const auto& [array, all] : arrays_)
        for (const auto& [statement, own] : all) ++arrays[statement];
    for (const auto& [array, all] : arrays_)
        for (const uint32_t statement : named_) {
            const auto own = all.find(statement);
            if (own == all.end()) continue;
            for (const auto& [other, others] : all) {
                const bool is_ordered = arrays.at(statement) == 1 && !own->second.unordered.contains(other);
                if (others.late && !is_ordered && (own->second.writes || others.writes) && own->second.bytes.meet(others.bytes))
                    return std::pair(statement, other);
            }
        }
    return std::nullopt;
}

}  // namespace litmus::sweep
