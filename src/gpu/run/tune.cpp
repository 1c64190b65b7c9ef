// Random search and successive halving over configurations.
#include "gpu/run/tune.h"

#include <algorithm>
#include <utility>

namespace litmus::gpu {

namespace {

constexpr double share_of_search = 0.6;  // of the time; the rest is the finalists'

struct Candidate {
    Stress stress;
    Measured measured;
    Score score;
};

void add(Measured& to, const Measured& more) {
    to.seconds += more.seconds;
    for (const auto& [values, seen] : more.outcomes) {
        to.outcomes[values].count += seen.count;
        to.outcomes[values].wanted = seen.wanted;
    }
}

class Search {
public:
    Search(const Trial& trial, const TuneOptions& options, std::mt19937_64& random) : trial_(trial), options_(options), random_(random) {}

    Tuned run() {
        explore();
        choose();
        Tuned result;
        result.seconds = seconds_;
        result.trials = trials_;
        if (!best_.empty()) {
            result.best = best_.front().stress;
            result.score = best_.front().score;
        }
        result.in_turn = {result.best};
        while (trials_ > 0 && result.score.wanted == 0 && result.in_turn.size() < options_.in_turn)
            result.in_turn.push_back(sample(random_));
        return result;
    }

private:
    bool stopped() const { return options_.stop && options_.stop(); }

    void measure(Candidate& candidate, double seconds) {
        const Measured more = trial_(candidate.stress, seconds);
        seconds_ += more.seconds;
        ++trials_;
        add(candidate.measured, more);
        candidate.score = score_of(candidate.measured);
    }

    Stress next() {
        if (trials_ == 0) return {};
        if (best_.size() < options_.finalists || random_() % 2 == 0) return sample(random_);
        return varied(best_[random_() % ((best_.size() + 1) / 2)].stress, random_);
    }

    void sort() {
        std::stable_sort(best_.begin(), best_.end(), [](const Candidate& a, const Candidate& b) { return a.score > b.score; });
    }

    void explore() {
        while (!stopped() && seconds_ + options_.trial <= share_of_search * options_.seconds) {
            Candidate candidate{next(), {}, {}};
            measure(candidate, options_.trial);
            if (candidate.measured.seconds <= 0) return;  // the runner has nothing to offer
            best_.push_back(std::move(candidate));
            sort();
            if (best_.size() > options_.finalists) best_.pop_back();
        }
    }

    void choose() {
        size_t rounds = 0;
        for (size_t left = best_.size(); left > 1; left = (left + 1) / 2) ++rounds;
        const double share = rounds > 0 ? (options_.seconds - seconds_) / static_cast<double>(rounds) : 0;
        while (best_.size() > 1) {
            const double each = share / static_cast<double>(best_.size());
            for (Candidate& candidate : best_)
                if (!stopped() && each > 0) measure(candidate, each);
            sort();
            best_.resize((best_.size() + 1) / 2);
        }
    }

    const Trial& trial_;
    const TuneOptions& options_;
    std::mt19937_64& random_;
    std::vector<Candidate> best_;  // the best first
    double seconds_ = 0;
    size_t trials_ = 0;
};

}  // namespace

Score score_of(const Measured& measured) {
    Score score;
    uint64_t rarest = 0, rarest_wanted = 0;
    for (const auto& [values, seen] : measured.outcomes) {
        if (seen.count == 0) continue;
        rarest = score.outcomes++ == 0 ? seen.count : std::min(rarest, seen.count);
        if (seen.wanted) rarest_wanted = score.wanted++ == 0 ? seen.count : std::min(rarest_wanted, seen.count);
    }
    if (measured.seconds <= 0) return {};
    score.rate = static_cast<double>(rarest) / measured.seconds;
    score.wanted_rate = static_cast<double>(rarest_wanted) / measured.seconds;
    return score;
}

Tuned tune(const Trial& trial, const TuneOptions& options, std::mt19937_64& random) {
    return Search(trial, options, random).run();
}

Trial together(std::vector<Trial> trials) {
    return [trials = std::move(trials)](const Stress& stress, double seconds) {
        Measured all;
        for (size_t t = 0; t < trials.size(); ++t) {
            const Measured one = trials[t](stress, seconds / static_cast<double>(trials.size()));
            all.seconds += one.seconds;
            for (const auto& [values, seen] : one.outcomes) {
                std::vector<uint64_t> of_test = values;
                of_test.push_back(t);
                all.outcomes[of_test] = seen;
            }
        }
        return all;
    };
}

}  // namespace litmus::gpu
