// Where a thread comes by a guess, what is found says so.
#include "sweep/account.h"

#include <algorithm>

namespace litmus::sweep {

namespace {

std::vector<Stretch> stretches(const Spot& spot, const Ranges& ranges) {
    std::vector<Stretch> made;
    for (const auto& [at, bytes] : ranges)
        if (bytes > 0) made.push_back({memory_of(spot, at), bytes});
    return made;
}

}  // namespace

// ---- findings

void Account::find(Breach breach, const Filling& with, std::vector<Place> places, std::optional<Memory> byte, std::optional<Clash> clash,
                   bool of_scopes) {
    if (!of_scopes) findings_.note_wide();
    const bool guessed = is_guessed(places);
    findings_.add(breach, with, std::move(places), guessed, byte, std::move(clash));
}

bool Account::is_guessed(const std::vector<Place>& places) const {
    return std::any_of(places.begin(), places.end(), [&](const Place& place) {
        return !place.earlier && guessed_[place.seat.block * task_.geometry.threads() + place.seat.thread];
    });
}

void Account::find_in_phase(const Mbarrier& object, Breach breach, const Filling& with, std::vector<Place> places, int64_t brought) {
    findings_.note_wide();
    const bool guessed = is_guessed(places);
    if (Finding* const made = findings_.add(breach, with, std::move(places), guessed, {}, {}))
        made->tally =
            Tally{task_.place_of(object.init).statement, object.count, object.pending, object.bytes - brought, object.where, object.phase};
}

void Account::log_flag(Event event, const Thread& thread, const Spot& spot, const Step& step) {
    if (!log_.is_kept() || step.scope == Scope::none || log_.watches(memory_of(spot), uint64_t{step.bytes} * step.elements)) return;
    event.what = Event::What::flag;
    event.place = memory_of(spot);
    event.bytes = step.elements == 1 ? step.bytes : 0;
    log(event, thread, step);
}

void Account::log_copy(const Thread& thread, const Step& step, const Spot& from, const Ranges& read, const Spot& to, const Ranges& written,
                       const Mbarrier* by) {
    if (!log_.is_kept()) return;
    const auto watched = [&](const Spot& spot, const Ranges& ranges) {
        return std::any_of(ranges.begin(), ranges.end(),
                           [&](const auto& range) { return log_.watches(memory_of(spot, range.first), range.second); });
    };
    Event event{.what = Event::What::copy, .reads = watched(from, read), .writes = watched(to, written)};
    if (log_.has_everything()) {
        event.read_from = stretches(from, read);
        event.written_to = stretches(to, written);
    }
    if (by != nullptr) {
        event.mbarrier = by->where;
        event.phase = by->phase;
    }
    log(event, thread, step);
}

void Account::log_access(const Access& access, const Thread& thread, const Step& step, const Spot& spot, uint64_t bytes) {
    if (!log_.is_kept() || access.component != thread.component) return;
    if (log_.watches(memory_of(spot), bytes))
        log({.what = Event::What::access,
             .reads = !access.writes || step.writes_first,
             .writes = access.writes,
             .does = step.form ? operation(*step.form) : Operator::none},
            thread, step);
    if (!log_.has_everything() || access.scope != Scope::none) return;
    Event event{.what = Event::What::access};
    (access.writes ? event.written_to : event.read_from) = stretches(spot, {{spot.offset, bytes}});
    log(event, thread, step);
}

}  // namespace litmus::sweep
