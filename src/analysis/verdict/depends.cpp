// Minimal sets of readings, by shrinking.
//
// Every reading only adds orderings, so an answer that a set of readings changes stays changed when more are
// switched on. Such a family of sets is known by its minimal members, and each is found by shrinking a larger
// one, half of it at a time (QuickXplain: Junker, AAAI 2004): a minimal set of k out of n readings takes about
// k log(n/k) questions. When some minimal sets are known, there is another one exactly when some set that contains
// none of them changes the answer. It is enough to try the largest such sets: all readings but one of each known set.
#include "analysis/verdict/depends.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace litmus {

namespace {

using Numbers = std::set<size_t>;  // numbers of disputed readings

Numbers united(Numbers a, const Numbers& b) {
    a.insert(b.begin(), b.end());
    return a;
}

bool meet(const Numbers& a, const Numbers& b) {
    return std::any_of(a.begin(), a.end(), [&](size_t i) { return b.count(i) > 0; });
}

class Minimiser {
public:
    Minimiser(const std::vector<std::string>& weakest, const std::vector<std::string>& disputed, const AskUnder& ask)
        : weakest_(weakest), disputed_(disputed), ask_(ask) {}

    Dependence run() {
        answer({});
        while (result_.known) {
            const std::vector<Numbers> candidates = avoiding();
            const auto next = std::find_if(candidates.begin(), candidates.end(), [&](const Numbers& set) { return changes(set); });
            if (next == candidates.end() || !result_.known) break;
            found_.push_back(shrink(*next));
            meet_with(found_.back());
        }
        std::sort(found_.begin(), found_.end(), [](const Numbers& a, const Numbers& b) {
            return std::lexicographical_compare(a.rbegin(), a.rend(), b.rbegin(), b.rend());  // those of the first readings first
        });
        for (const Numbers& set : found_) result_.flips.push_back(names(set));
        return std::move(result_);
    }

private:
    std::vector<std::string> names(const Numbers& set) const {
        std::vector<std::string> result;
        for (const size_t i : set) result.push_back(disputed_[i]);
        return result;
    }

    int answer(const Numbers& set) {
        const auto known = answers_.find(set);
        if (known != answers_.end()) return known->second;
        std::vector<std::string> readings = weakest_;
        for (const std::string& name : names(set)) readings.push_back(name);
        const int given = ask_(readings);
        result_.known = result_.known && given >= 0;
        return answers_[set] = given;
    }
    bool changes(const Numbers& set) { return answer(set) != answer({}); }

    // A minimal part of `rest` that changes the answer when `kept` is on as well. `rest` and `kept` together change it.
    // `kept_alone`: ask first whether `kept` changes it without any of `rest`.
    Numbers shrink(const Numbers& rest, const Numbers& kept = {}, bool kept_alone = false) {
        if (kept_alone && changes(kept)) return {};
        if (rest.size() < 2) return rest;
        const auto middle = std::next(rest.begin(), static_cast<std::ptrdiff_t>(rest.size() / 2));
        const Numbers first(rest.begin(), middle), second(middle, rest.end());
        const Numbers of_second = shrink(second, united(kept, first), true);
        return united(of_second, shrink(first, united(kept, of_second), !of_second.empty()));
    }

    // Of the minimal sets that meet each known one those that meet `found`, too: each as it is, or with one reading more (Berge's
    // algorithm).
    void meet_with(const Numbers& found) {
        std::set<Numbers> grown;
        for (const Numbers& set : meeting_) {
            if (meet(set, found)) {
                grown.insert(set);
                continue;
            }
            for (const size_t i : found) grown.insert(united(set, {i}));
        }
        meeting_.clear();
        for (const Numbers& set : grown) {
            const bool minimal = std::none_of(grown.begin(), grown.end(), [&](const Numbers& smaller) {
                return smaller.size() < set.size() && std::includes(set.begin(), set.end(), smaller.begin(), smaller.end());
            });
            if (minimal) meeting_.insert(set);
        }
    }

    // The largest sets that contain no known one: all but a minimal set of readings that meets each.
    std::vector<Numbers> avoiding() const {
        std::vector<Numbers> result;
        for (const Numbers& out : meeting_) {
            Numbers rest;
            for (size_t i = 0; i < disputed_.size(); ++i)
                if (out.count(i) == 0) rest.insert(i);
            result.push_back(std::move(rest));
        }
        return result;
    }

    const std::vector<std::string>& weakest_;
    const std::vector<std::string>& disputed_;
    const AskUnder& ask_;
    std::map<Numbers, int> answers_;
    std::vector<Numbers> found_;
    std::set<Numbers> meeting_{Numbers{}};  // the minimal sets of readings that meet each of `found_`
    Dependence result_;
};

}  // namespace

Dependence depends_on(const std::vector<std::string>& weakest, const std::vector<std::string>& disputed, const AskUnder& ask) {
    return Minimiser(weakest, disputed, ask).run();
}

}  // namespace litmus
