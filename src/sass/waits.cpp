// For each acquire and each access behind it, a search for a way around the wait.
#include "sass/waits.h"

#include <algorithm>

#include "sass/code.h"
#include "sass/flow.h"

namespace litmus::sass {

namespace {

class Waits {
public:
    Waits(const Function& function, const std::vector<uint64_t>& acquire, const std::vector<uint64_t>& access)
        : code_(function.code), acquire_(acquire), access_(access) {}

    // Some read of the acquire is not waited for, or what the caches hold is not forgotten before the access reads through them.
    bool before_read() const {
        const bool cached = reads_through_caches(code_, access_.front());
        return std::any_of(acquire_.begin(), acquire_.end(), [&](uint64_t at) {
            if (forgets_caches(code_, at)) return false;
            const std::optional<unsigned> result = scoreboards_at(code_, at).result;
            if (result && reaches(at, [&](uint64_t a) { return (scoreboards_at(code_, a).awaited >> *result & 1U) != 0; })) return true;
            return result && cached && forgets() && reaches(at, [&](uint64_t a) { return forgets_caches(code_, a); });
        });
    }

    bool before_end() const {
        const auto is_further = [&](uint64_t a) {
            return a != acquire_.front() && std::find(acquire_.begin(), acquire_.end(), a) != acquire_.end();
        };
        if (acquire_.size() > 1 && reaches(acquire_.front(), is_further)) return true;
        return forgets() && reads_through_caches(code_, access_.front()) &&
               reaches(acquire_.front(), [&](uint64_t a) { return forgets_caches(code_, a); });
    }

private:
    bool forgets() const {
        return std::any_of(acquire_.begin(), acquire_.end(), [&](uint64_t at) { return forgets_caches(code_, at); });
    }
    // Whether a thread can come to the access from there without one that `waits`. The access may wait itself.
    template <class Waiting>
    bool reaches(uint64_t from, const Waiting& waits) const {
        return can_reach(
            code_, from, [&](uint64_t at) { return at == access_.front() && !waits(at); }, waits);
    }

    const std::string& code_;
    const std::vector<uint64_t>& acquire_;
    const std::vector<uint64_t>& access_;
};

}  // namespace

std::vector<Unwaited> unwaited(const Function& function, const Order& order, const std::vector<Acquires>& acquires) {
    std::vector<Unwaited> found;
    for (size_t a = 0; a < acquires.size(); ++a) {
        if (acquires[a] == Acquires::no || order.places[a].empty()) continue;
        for (size_t access = a + 1; access < acquires.size(); ++access) {
            if (order.places[access].empty() || order.places[access].front() < order.places[a].front()) continue;
            const Waits waits(function, order.places[a], order.places[access]);
            if (acquires[a] == Acquires::when_read ? waits.before_read() : waits.before_end()) found.push_back({a, access});
        }
    }
    return found;
}

}  // namespace litmus::sass
