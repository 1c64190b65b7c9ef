// Minimal sets of readings, by shrinking.
//
// Every reading only adds orderings, so an answer that a set of readings changes stays changed when more are
// switched on. Such a family of sets is known by its minimal members, and each is found by shrinking a larger
// one, half of it at a time (QuickXplain: Junker, AAAI 2004): a minimal set of k out of n readings takes about
// k log(n/k) questions. When some minimal sets are known, there is another one exactly when some set that contains
// none of them changes the answer. It is enough to try the largest such sets: all readings but one of each known set.
#include "explain/depends.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <utility>

namespace litmus {

namespace {

using Set = uint32_t;  // bit i: the i-th disputed reading

constexpr Set one(size_t i) {
    return Set{1} << i;
}

class Minimiser {
public:
    Minimiser(const std::vector<std::string>& weakest, const std::vector<std::string>& disputed, const AskUnder& ask)
        : weakest_(weakest), disputed_(disputed), ask_(ask), all_(one(disputed.size()) - 1) {}

    Dependence run() {
        answer(0);
        while (result_.known) {
            const std::vector<Set> candidates = avoiding();
            const auto next = std::find_if(candidates.begin(), candidates.end(), [&](Set set) { return changes(set); });
            if (next == candidates.end() || !result_.known) break;
            found_.push_back(shrink(*next));
        }
        std::sort(found_.begin(), found_.end());
        for (const Set set : found_) result_.flips.push_back(names(set));
        return std::move(result_);
    }

private:
    std::vector<std::string> names(Set set) const {
        std::vector<std::string> result;
        for (size_t i = 0; i < disputed_.size(); ++i)
            if ((set & one(i)) != 0) result.push_back(disputed_[i]);
        return result;
    }

    int answer(Set set) {
        const auto known = answers_.find(set);
        if (known != answers_.end()) return known->second;
        std::vector<std::string> readings = weakest_;
        for (const std::string& name : names(set)) readings.push_back(name);
        const int given = ask_(readings);
        result_.known = result_.known && given >= 0;
        return answers_[set] = given;
    }
    bool changes(Set set) { return answer(set) != answer(0); }

    // A minimal part of `rest` that changes the answer when `kept` is on as well. `rest` and `kept` together change it.
    // `kept_alone`: ask first whether `kept` changes it without any of `rest`.
    Set shrink(Set rest, Set kept = 0, bool kept_alone = false) {
        if (kept_alone && changes(kept)) return 0;
        const auto [first, second] = halves(rest);
        if (first == 0 || second == 0) return rest;
        const Set of_second = shrink(second, kept | first, true);
        const Set of_first = shrink(first, kept | of_second, of_second != 0);
        return of_first | of_second;
    }

    std::pair<Set, Set> halves(Set set) const {
        Set first = 0;
        for (int left = std::popcount(set) / 2; left > 0; --left) first |= set & ~first & (~(set & ~first) + 1);  // the lowest
        return {first, set & ~first};
    }

    bool hits_all(Set set) const {
        return std::all_of(found_.begin(), found_.end(), [&](Set f) { return (f & set) != 0; });
    }

    // The largest sets that contain no known one: all but a minimal set of readings that meets each.
    std::vector<Set> avoiding() const {
        std::vector<Set> result;
        for (Set out = 0; out <= all_; ++out) {
            if (!hits_all(out)) continue;
            bool minimal = true;
            for (size_t i = 0; i < disputed_.size() && minimal; ++i) minimal = (out & one(i)) == 0 || !hits_all(out & ~one(i));
            if (minimal) result.push_back(all_ & ~out);
        }
        return result;
    }

    const std::vector<std::string>& weakest_;
    const std::vector<std::string>& disputed_;
    const AskUnder& ask_;
    Set all_;
    std::map<Set, int> answers_;
    std::vector<Set> found_;
    Dependence result_;
};

}  // namespace

Dependence depends_on(const std::vector<std::string>& weakest, const std::vector<std::string>& disputed, const AskUnder& ask) {
    return Minimiser(weakest, disputed, ask).run();
}

}  // namespace litmus
