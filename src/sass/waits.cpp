// For each acquire and each access behind it, a search for a way around the wait.
#include "sass/waits.h"

#include <algorithm>

#include "sass/code.h"
#include "sass/flow.h"

namespace litmus::sass {

namespace {

class Waits {
public:
    Waits(const Function& function, const std::vector<uint64_t>& acquire, const Acquires& how, const std::vector<uint64_t>& access)
        : code_(function.code), acquire_(acquire), shared_(how.shared), wide_(how.wide), access_(access) {}

    // Some read of the acquire is not waited for.
    bool before_read() const {
        return any_read([&](uint64_t at, unsigned result) {
            return reaches(at, [&](uint64_t a) { return (scoreboards_at(code_, a).awaited >> result & 1U) != 0; });
        });
    }

    bool before_end() const {
        const auto is_further = [&](uint64_t a) {
            return a != acquire_.front() && std::find(acquire_.begin(), acquire_.end(), a) != acquire_.end();
        };
        return acquire_.size() > 1 && reaches(acquire_.front(), is_further);
    }

    // The access reads through a cache that does not forget between what the acquire reads, or begins with, and the access.
    bool stale() const {
        const auto forgets = [&](uint64_t a) { return forgets_caches(code_, a); };
        if (!reads_through_caches(code_, access_.front())) return false;
        if (!wide_ && std::none_of(acquire_.begin(), acquire_.end(), forgets)) return false;
        if (!scoreboards_at(code_, acquire_.front()).result && !forgets(acquire_.front()) && reaches(acquire_.front(), forgets))
            return true;
        return any_read([&](uint64_t at, unsigned) { return reaches(at, forgets); });
    }

private:
    // Of the reads that a thread comes to.
    template <class Asked>
    bool any_read(const Asked& asked) const {
        return std::any_of(acquire_.begin(), acquire_.end(), [&](uint64_t at) {
            const std::optional<unsigned> result = forgets_caches(code_, at) ? std::nullopt : scoreboards_at(code_, at).result;
            return result && comes_to(at) && asked(at, *result);
        });
    }

    bool comes_to(uint64_t read) const {
        if (shared_ || read == acquire_.front()) return true;
        return can_reach(
            code_, acquire_.front(), [&](uint64_t at) { return at == read; }, [&](uint64_t at) { return asks_for_space(code_, at); });
    }

    // Whether a thread can come to the access from there without one that `waits`. The access may wait itself.
    template <class Waiting>
    bool reaches(uint64_t from, const Waiting& waits) const {
        return can_reach(
            code_, from, [&](uint64_t at) { return at == access_.front() && !waits(at); },
            [&](uint64_t at) { return waits(at) || (!shared_ && asks_for_space(code_, at)); });
    }

    const std::string& code_;
    const std::vector<uint64_t>& acquire_;
    const bool shared_, wide_;
    const std::vector<uint64_t>& access_;
};

}  // namespace

std::vector<Unwaited> unwaited(const Function& function, const Order& order, const std::vector<Acquires>& acquires) {
    using How = Acquires::How;
    std::vector<Unwaited> found;
    for (size_t a = 0; a < acquires.size(); ++a) {
        if (acquires[a].how == How::no || order.places[a].empty()) continue;
        for (size_t access = a + 1; access < acquires.size(); ++access) {
            if (order.places[access].empty() || order.places[access].front() < order.places[a].front()) continue;
            const Waits waits(function, order.places[a], acquires[a], order.places[access]);
            if (acquires[a].how == How::when_read ? waits.before_read() : waits.before_end())
                found.push_back({a, access, false});
            else if (waits.stale())
                found.push_back({a, access, true});
        }
    }
    return found;
}

}  // namespace litmus::sass
