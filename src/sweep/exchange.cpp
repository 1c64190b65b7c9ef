// Pairs of statements that are not ordered are kept, for in the end those count of which one has an address that names the block, or the
// thread. The named one comes first: blocks come to their first choices before any block goes on behind its own, but for those that poll.
#include "sweep/exchange.h"

#include <algorithm>
#include <iterator>
#include <unordered_set>

#include "kernel/special.h"
#include "ptx/traits.h"
#include "sweep/line.h"

namespace litmus::sweep {

namespace {

bool is_of_block(const Step& step) {
    return step.form && traits(step.form->op).kind == Traits::Kind::cta_barrier;
}

// Products and the like, which the table lacks, are executed by a whole warp, too.
bool is_of_warp(const Step& step) {
    if (!step.form) return step.has("sync");
    const Traits::Kind kind = traits(step.form->op).kind;
    return kind == Traits::Kind::warp_barrier || kind == Traits::Kind::warp_reduction;
}

// A thread does it alone, in its own time, or it meets others of its block there.
bool is_plain(const Step& step) {
    if (!step.form || is_of_block(step) || is_of_warp(step)) return true;
    const Traits::Kind kind = traits(step.form->op).kind;
    return kind == Traits::Kind::load || kind == Traits::Kind::store || kind == Traits::Kind::atomic || kind == Traits::Kind::fence ||
           kind == Traits::Kind::arithmetic || kind == Traits::Kind::hint || kind == Traits::Kind::branch || kind == Traits::Kind::exit;
}

}  // namespace

bool Exchange::fits(const Task& task, Alike which) {
    const bool is_alone = task.options.gpus == 1 && task.launch.unlaunched == 0 && task.running == nullptr;
    const uint32_t blocks = task.geometry.blocks(), in_cluster = task.geometry.cluster_size();
    if (which == Alike::blocks) return is_alone && blocks > in_cluster;
    if (which == Alike::lives) return is_alone && in_cluster == 1 && blocks > 1;
    return which == Alike::threads && is_alone && in_cluster == 1 && task.seats.size() > 1 &&
           std::all_of(task.code.begin(), task.code.end(), is_plain);
}

Exchange::Exchange(const Task& task, Alike which) : task_(task), which_(which) {
    const size_t count = is_of_threads() ? task.seats.size() : task.geometry.blocks() / task.geometry.cluster_size();
    ways_.resize(count);
    chosen_.resize(count);
    if (!is_of_threads()) return;
    alike_.resize(count);
    late_blocks_.resize(task.geometry.blocks());
    std::transform(task.code.begin(), task.code.end(), std::back_inserter(meets_),
                   [](const Step& step) { return is_of_block(step) || is_of_warp(step); });
    const auto& objects = task.layout.objects();
    const bool in_warps = std::any_of(task.code.begin(), task.code.end(), is_of_warp);
    const bool in_blocks =
        std::any_of(task.code.begin(), task.code.end(), is_of_block) || (!task.scopes.empty() && task.scopes.front() < Scope::gpu) ||
        std::any_of(objects.begin(), objects.end(), [](const auto& one) { return one.space == Space::shared && !one.bytes.empty(); });
    for (size_t n = 0; n < count; ++n) {
        const kernel::Seat& seat = task.seats[n];
        ways_[n] = in_warps ? n - seat.lane() : in_blocks ? seat.block : 0;
    }
}

void Exchange::choose(uint32_t thread, const Memory& place) {
    if (is_of_threads() && is_fresh(thread)) {
        choosing_ = thread;
        ++counts_[alike_[thread] = way(thread, place)];
    }
    come_to_choice(thread);
}

void Exchange::learn(uint32_t thread, uint32_t from) {
    if (!is_fresh(from) || (strong_ == thread && from != thread)) come_to_choice(thread);
}

void Exchange::come_to_choice(uint32_t thread) {
    chosen_[one(thread)] = true;
    if (is_of_threads()) late_blocks_[task_.seats[thread].block] = true;
}

void Exchange::go(uint32_t first, Lanes lanes, Lanes on, uint32_t statement) {
    const kernel::Seat& seat = task_.seats[first];
    if (is_of_threads()) {
        if ((on & lanes) != 0 && meets_[statement] && late_blocks_[seat.block]) late_meeting_ = statement;
        for (const uint32_t lane : each(lanes))
            ways_[first + lane] = mixed(ways_[first + lane], uint64_t{statement} << 1 | (on >> lane & 1));
        return;
    }
    if (!is_fresh(first)) return;
    uint64_t &way = ways_of_warps_[{seat.block, seat.warp()}], &whole = ways_[one(first)];
    const uint64_t name = mixed(task_.geometry.rank(seat.block), seat.warp());
    whole -= mixed(way, name);
    way = mixed(way, on);
    whole += mixed(way, name);
}

void Exchange::leave_waiting(uint32_t thread, uint32_t statement) {
    if (!is_fresh(thread)) late_meeting_ = statement;
}

std::vector<bool> Exchange::stood_for() const {
    std::vector<bool> units(chosen_.size()), result;
    std::unordered_set<uint64_t> ways;
    for (size_t unit = 0; unit < units.size(); ++unit) units[unit] = !chosen_[unit] && !ways.insert(ways_[unit]).second;
    for (uint32_t block = 0; block < task_.geometry.blocks(); ++block) result.push_back(units[task_.geometry.cluster(block)]);
    return result;
}

bool Exchange::are_fresh(const std::vector<uint32_t>& blocks) const {
    return std::all_of(blocks.begin(), blocks.end(),
                       [&](uint32_t block) { return !chosen_[block] && ways_[block] == ways_[blocks.front()]; });
}

uint64_t Exchange::way(uint32_t thread, const Memory& place) const {
    return mixed(mixed(mixed(ways_[thread], place.object), place.block), place.offset);
}

uint32_t Exchange::counterpart(const kernel::Seat& seat) const {
    return task_.geometry.block_of_rank(0, task_.geometry.rank(seat.block)) * task_.geometry.threads() + seat.thread;
}

bool Exchange::is_name(const std::string& special) {
    const auto [known, fresh] = names_.try_emplace(special, false);
    const auto at = [&](const kernel::Seat& seat) { return kernel::special_register(special, seat, task_.launch, task_.layout); };
    for (const kernel::Seat& seat : task_.seats) {
        if (!fresh || known->second) break;
        if (is_of_threads() || counterpart(seat) == 0) known->second = at(seat) != at(task_.seats[0]);
    }
    return known->second;
}

// Who stands before a choice may be asked what it would touch. So a strong access counts when it is made.
bool Exchange::may_lead(uint32_t thread, const Step& step, Doubt doubt) {
    const bool is_weak = (step.name() == "ld" || step.name() == "st") && step.scope == Scope::none;
    if (!is_weak) {
        const bool may = is_of_threads() && is_in_line(step) && (is_fresh(thread) || choosing_ == thread);
        if (may) strong_ = thread;
        return may;
    }
    const uint32_t statement = task_.number_of(step);
    if (is_fresh(thread))
        named_.insert(statement);
    else if (is_of_threads() ? decides_late(thread, step, doubt, true) : (doubt & found_late) == 0)
        led_late_.insert(statement);
    else
        return false;
    return true;
}

bool Exchange::may_decide(uint32_t thread, const Step& step, Doubt doubt, bool executes) {
    return is_fresh(thread) || decides_late(thread, step, doubt, executes);
}

bool Exchange::decides_late(uint32_t thread, const Step& step, Doubt doubt, bool goes) {
    if (!is_of_threads() || (doubt & found_late) != 0 || alike_[thread] == 0) return false;
    const uint32_t statement = task_.number_of(step);
    const auto [at, is_first] = decisions_.try_emplace(mixed(mixed(alike_[thread], ways_[thread]), statement));
    Decision& one = at->second;
    if (is_first) one = {alike_[thread], statement, 0, 0, goes, false};
    if (is_first || one.last != thread) ++one.count;
    one.last = thread;
    one.differs = one.differs || one.goes != goes;
    return true;
}

std::optional<uint32_t> Exchange::late_decision() const {
    const auto bad = std::find_if(decisions_.begin(), decisions_.end(),
                                  [&](const auto& one) { return one.second.differs || one.second.count != counts_.at(one.second.alike); });
    return bad == decisions_.end() ? std::nullopt : std::optional(bad->second.statement);
}

bool Exchange::is_behind(const Thread& thread, uint32_t statement, Accesses& others, const Clock& known) const {
    uint32_t& version = others.behind[{thread.life, statement}];
    if (version == others.version) return true;
    for (const auto& [block, accesses] : others.by_block)
        if (!known.covers(accesses)) return false;
    version = others.version;
    return true;
}

void Exchange::Owners::touch(uint64_t begin, uint64_t end, uint32_t thread) {
    auto piece = pieces_.upper_bound(begin);
    if (piece != pieces_.begin() && std::prev(piece)->second.first > begin) --piece;
    while (begin < end) {
        if (piece == pieces_.end() || piece->first >= end) {
            pieces_.emplace_hint(piece, begin, std::pair(end, thread));
            return;
        }
        if (piece->first > begin) pieces_.emplace_hint(piece, begin, std::pair(piece->first, thread));
        const auto [until, owner] = piece->second;
        if (owner != thread) of_several_.add(std::max(begin, piece->first), std::min(end, until));
        begin = until;
        ++piece;
    }
}

bool Exchange::Owners::meet(const Owners& others) const {
    for (auto own = pieces_.begin(), other = others.pieces_.begin(); own != pieces_.end() && other != others.pieces_.end();) {
        const uint64_t begin = std::max(own->first, other->first), end = std::min(own->second.first, other->second.first);
        if (begin < end &&
            (own->second.second != other->second.second || of_several_.meet(begin, end) || others.of_several_.meet(begin, end)))
            return true;
        ++(own->second.first < other->second.first ? own : other);
    }
    return false;
}

void Exchange::touch(const Thread& thread, const Spot& spot, std::span<const std::pair<uint64_t, uint64_t>> ranges, const Access& access,
                     const Clock& known) {
    if (spot.shared && !is_of_threads()) return;
    if (access.scope != Scope::none && is_fresh(thread.index) && strong_ == thread.index) named_.insert(access.statement);
    if (access.by_name && !is_of_threads() && !is_fresh(thread.index)) {
        std::vector<bool>& threads = led_threads_[access.statement];
        threads.resize(task_.seats.size());
        threads[thread.index] = true;
    }
    OfArray& all = arrays_[{spot.object, spot.shared ? spot.block : 0}];
    Accesses& own = all[access.statement];
    own.writes = own.writes || access.writes;
    own.late = own.late || !is_fresh(thread.index);
    own.by_name = own.by_name && access.by_name;
    for (const auto& [begin, bytes] : ranges) {
        own.again = own.again || (is_of_threads() && own.bytes.meet(begin, begin + bytes));
        own.bytes.add(begin, begin + bytes);
        if (!is_of_threads()) own.owners.touch(begin, begin + bytes, thread.index);
    }
    const auto is_named = [&](uint32_t statement) {
        return named_.contains(statement) || (!is_of_threads() && led_late_.contains(statement));
    };
    for (auto& [statement, others] : all) {
        if ((!own.writes && !others.writes) || others.unordered.contains(access.statement)) continue;
        const bool asks = is_named(statement) || (!is_of_threads() && led_late_.contains(access.statement));
        if (asks && is_behind(thread, access.statement, others, known)) continue;
        others.unordered.insert(access.statement);
    }
    Clock& done = own.by_block[thread.seat.block];
    if (done[access.component] < access.number) {
        done.raise(access.component, access.number);
        ++own.version;
    }
}

// Whether one that names the block late, and another one, might race after an exchange.
bool Exchange::may_meet_late(uint32_t statement, const OfArray& all, uint32_t other, bool in_one_array) const {
    const Accesses &own = all.at(statement), &others = all.at(other);
    if ((!own.writes && !others.writes) || !own.bytes.meet(others.bytes)) return false;
    if (is_of_threads()) return other == statement ? own.again : true;
    if (own.by_name && others.by_name && !own.owners.meet(others.owners)) return false;
    return !in_one_array || own.unordered.contains(other) || others.unordered.contains(statement);
}

// A statement whose address names the block may lead to other arrays in other blocks. Then an order with those in one array says nothing.
std::optional<std::pair<uint32_t, uint32_t>> Exchange::find() const {
    std::map<uint32_t, std::set<size_t>> objects;  // of each statement
    for (const auto& [array, all] : arrays_)
        for (const auto& [statement, own] : all) objects[statement].insert(array.first);
    for (const auto& [array, all] : arrays_)
        for (const uint32_t statement : named_) {
            const auto own = all.find(statement);
            if (own == all.end()) continue;
            for (const auto& [other, others] : all) {
                const bool is_ordered = objects.at(statement).size() == 1 && !own->second.unordered.contains(other);
                if (others.late && !is_ordered && (own->second.writes || others.writes) && own->second.bytes.meet(others.bytes))
                    return std::pair(statement, other);
            }
        }
    for (const auto& [array, all] : arrays_)
        for (const uint32_t statement : led_late_) {
            if (!all.contains(statement)) continue;
            for (const auto& [other, others] : all)
                if (may_meet_late(statement, all, other, objects.at(statement).size() == 1)) return std::pair(statement, other);
        }
    return std::nullopt;
}

std::optional<uint32_t> Exchange::not_by_all() const {
    if (is_of_threads()) return std::nullopt;
    const auto lacks_some = [&](uint32_t statement) {
        const auto found = led_threads_.find(statement);
        if (found == led_threads_.end()) return true;
        const std::vector<bool>& by = found->second;
        for (size_t thread = 0; thread < by.size(); ++thread)
            if (by[thread] != by[counterpart(task_.seats[thread])]) return true;
        return false;
    };
    const auto bad = std::find_if(led_late_.begin(), led_late_.end(), lacks_some);
    return bad == led_late_.end() ? std::nullopt : std::optional(*bad);
}

}  // namespace litmus::sweep
