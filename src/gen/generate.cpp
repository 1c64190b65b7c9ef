// Cycles are made step by step, an access and the edge that leaves it, each fitting what came before. In order, all continuations
// are tried, and of a cycle's rotations the canonical one is taken. At random, one continuation is drawn at a time, first its
// family and then one of it, so that a family of many names (fences) does not crowd out one of few.
#include "gen/generate.h"

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <set>
#include <tuple>

#include "base/nearest.h"
#include "base/source.h"

namespace litmus::gen {

namespace {

template <class Named>
void require_named(const std::string& what, const std::vector<std::string>& asked, const std::vector<Named>& all,
                   const std::function<std::string_view(const Named&)>& name_of) {
    for (const std::string& word : asked) {
        std::vector<std::string_view> names;
        for (const Named& each : all) names.push_back(name_of(each));
        if (std::find(names.begin(), names.end(), word) != names.end()) continue;
        const std::string close = nearest(word, names);
        throw Failure(nullptr, {}, "no " + what + " is called `" + word + "`",
                      close.empty() ? "`litmus gen --list` has all" : "did you mean `" + close + "`?");
    }
}

bool contains(const std::vector<std::string>& words, const std::string& word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

// Which words may stand next to each other, among those that are wanted; edges and accesses are named by their indices.
class Grammar {
public:
    explicit Grammar(const Wanted& wanted) : wanted_(wanted) {
        const Vocabulary& all = vocabulary();
        const auto usable = [&](const std::string& family) {
            if (wanted.families.empty()) return family != not_ptx;
            const auto brings = [&](const std::string& named) { return named == family || contains(companions(named), family); };
            return is_plain(family) || std::any_of(wanted.families.begin(), wanted.families.end(), brings);
        };
        out_.resize(all.accesses.size());
        in_.resize(all.edges.size());
        for (size_t a = 0; a < all.accesses.size(); ++a) {
            if (!usable(all.accesses[a].family)) continue;
            accesses_.push_back(a);
            for (size_t e = 0; e < all.edges.size(); ++e) {
                if (!usable(all.edges[e].family)) continue;
                if (leaves(all.accesses[a], all.edges[e])) out_[a].push_back(e);
                if (enters(all.edges[e], all.accesses[a])) in_[e].push_back(a);
            }
        }
    }

    const std::vector<size_t>& starts() const { return accesses_; }
    const std::vector<size_t>& edges_after(size_t access) const { return out_[access]; }
    const std::vector<size_t>& accesses_after(size_t edge) const { return in_[edge]; }

    // Whether an edge may be the next of these steps, of which there will be so many. The shape, if any, names it.
    bool may_continue(const Cycle& cycle, size_t edge, size_t events, const std::vector<std::string>* shape) const {
        const Edge& next = vocabulary().edges[edge];
        if (shape != nullptr && next.shape != (*shape)[cycle.size() - 1]) return false;
        if (cycle.size() > 1 && !follows(edge_of(cycle[cycle.size() - 2]), next)) return false;
        return cycle.size() < events || (enters(next, access_of(cycle[0])) && follows(next, edge_of(cycle[0])));
    }

    // Closed, it begins where a thread does and has something that was asked for, and a test.
    bool accepts(const Cycle& cycle) const {
        const bool threads = std::any_of(cycle.begin(), cycle.end(), [](const Step& s) { return edge_of(s).external(); });
        const Edge& last = edge_of(cycle.back());
        if (threads ? !last.external() : !last.communicates()) return false;
        const auto asked_for = [&](const Step& s) {
            return contains(wanted_.families, edge_of(s).family) || contains(wanted_.families, access_of(s).family);
        };
        if (!wanted_.families.empty() && std::none_of(cycle.begin(), cycle.end(), asked_for)) return false;
        return proxies_change(cycle) && layout(cycle) && name(cycle).size() <= longest_name;
    }

private:
    // Where all accesses are the generic proxy's, at their own addresses, there is no proxy fence.
    static bool proxies_change(const Cycle& cycle) {
        return std::none_of(cycle.begin(), cycle.end(), [](const Step& s) { return edge_of(s).fences_proxies; }) ||
               std::any_of(cycle.begin(), cycle.end(), [](const Step& s) { return access_of(s).special; });
    }

    const Wanted& wanted_;
    std::vector<size_t> accesses_;
    std::vector<std::vector<size_t>> out_, in_;  // by access, by edge
};

// Where cycles are looked for: of so many events, and of this shape, if any, read from where a thread begins.
struct Frame {
    size_t events = 0;
    std::vector<std::string> shape;
    const std::vector<std::string>* shape_or_none() const { return shape.empty() ? nullptr : &shape; }
};

bool is_external_shape(const std::string& edge) {
    return edge == "Rfe" || edge == "Coe" || edge == "Fre" || edge.rfind("Sync", 0) == 0;
}

// The rotations of the shapes that are asked for, each once, the shortest first. A random sample of all cycles looks for those of
// well-known shapes besides, which are not often met by chance.
std::vector<Frame> frames(const Wanted& wanted) {
    const bool all_shapes = wanted.shapes.empty() && wanted.seed.has_value();
    std::vector<Frame> result;
    for (size_t n = 2; n <= wanted.most_events; ++n) {
        if (wanted.shapes.empty()) result.push_back({n, {}});
        std::set<std::vector<std::string>> rotations;
        for (const Shape& shape : shapes()) {
            if (!(all_shapes || contains(wanted.shapes, shape.name)) || shape.edges.size() != n) continue;
            const bool threads = std::any_of(shape.edges.begin(), shape.edges.end(), is_external_shape);
            std::vector<std::string> rotated = shape.edges;
            for (size_t i = 0; i < n; ++i) {
                if (threads ? is_external_shape(rotated.back()) : i == 0) rotations.insert(rotated);
                std::rotate(rotated.begin(), rotated.begin() + 1, rotated.end());
            }
        }
        for (const std::vector<std::string>& shape : rotations) result.push_back({n, shape});
    }
    return result;
}

// All cycles of a frame in the order of the vocabulary.
class InOrder {
public:
    InOrder(const Grammar& grammar, const std::function<bool(const Cycle&)>& take) : grammar_(grammar), take_(take) {}

    // False: no more are wanted.
    bool of_frame(const Frame& frame) {
        cycle_.clear();
        return extend(frame, grammar_.starts());
    }

private:
    bool extend(const Frame& frame, const std::vector<size_t>& accesses) {
        for (const size_t access : accesses) {
            cycle_.push_back({access, 0});
            for (const size_t edge : grammar_.edges_after(access)) {
                if (!grammar_.may_continue(cycle_, edge, frame.events, frame.shape_or_none())) continue;
                cycle_.back().edge = edge;
                const bool more = cycle_.size() < frame.events ? extend(frame, grammar_.accesses_after(edge)) : close();
                if (!more) return false;
            }
            cycle_.pop_back();
        }
        return true;
    }
    bool close() { return !grammar_.accepts(cycle_) || canonical(cycle_) != cycle_ || take_(cycle_); }

    const Grammar& grammar_;
    const std::function<bool(const Cycle&)>& take_;
    Cycle cycle_;
};

// Words that may come next, by family; a plain one is there several times.
using Choices = std::vector<std::vector<size_t>>;

template <class FamilyOf>
Choices by_family(const std::vector<size_t>& words, const FamilyOf& family_of) {
    std::map<std::string, std::vector<size_t>> families;
    for (const size_t word : words) families[family_of(word)].push_back(word);
    Choices result;
    for (const auto& [family, members] : families) result.insert(result.end(), is_plain(family) ? 4 : 1, members);
    return result;
}

class AtRandom {
public:
    AtRandom(const Grammar& grammar, uint64_t seed) : grammar_(grammar), random_(seed) {}

    // One cycle of a frame, or nothing: what was drawn does not close. In every other draw all threads are equally near.
    std::optional<Cycle> draw(const Frame& frame) {
        constexpr std::array distances = {Scope::cta, Scope::cluster, Scope::gpu, Scope::sys};
        const Scope near = below(2) == 0 ? Scope::none : distances[below(distances.size())];
        Cycle cycle;
        const Choices* accesses = &starts();
        while (cycle.size() < frame.events) {
            if (accesses->empty()) return std::nullopt;
            cycle.push_back({one_of(*accesses), 0});
            const Choices& edges =
                edges_after(cycle.back().access, frame.shape.empty() ? std::string() : frame.shape[cycle.size() - 1], near);
            if (edges.empty()) return std::nullopt;
            cycle.back().edge = one_of(edges);
            if (!grammar_.may_continue(cycle, cycle.back().edge, frame.events, nullptr)) return std::nullopt;
            accesses = &accesses_after(cycle.back().edge);
        }
        if (!grammar_.accepts(cycle)) return std::nullopt;
        return canonical(cycle);
    }

private:
    // The same numbers on every machine, which the distributions of the standard library do not promise.
    size_t below(size_t n) { return static_cast<size_t>(random_() % n); }
    size_t one_of(const Choices& choices) {
        const std::vector<size_t>& family = choices[below(choices.size())];
        return family[below(family.size())];
    }

    static const std::string& access_family(size_t access) { return vocabulary().accesses[access].family; }
    const Choices& starts() {
        if (starts_.empty()) starts_ = by_family(grammar_.starts(), access_family);
        return starts_;
    }
    const Choices& accesses_after(size_t edge) {
        const auto [at, fresh] = accesses_.try_emplace(edge);
        if (fresh) at->second = by_family(grammar_.accesses_after(edge), access_family);
        return at->second;
    }
    // Those of this shape, if one is named, that lead to no other thread or to one at this distance, if one is given.
    const Choices& edges_after(size_t access, const std::string& shape, Scope near) {
        const auto [at, fresh] = edges_.try_emplace({access, shape, near});
        if (!fresh) return at->second;
        std::vector<size_t> fitting;
        for (const size_t e : grammar_.edges_after(access)) {
            const Edge& edge = vocabulary().edges[e];
            if ((shape.empty() || edge.shape == shape) && (near == Scope::none || !edge.external() || edge.near == near))
                fitting.push_back(e);
        }
        return at->second = by_family(fitting, [](size_t e) { return vocabulary().edges[e].family; });
    }

    const Grammar& grammar_;
    std::mt19937_64 random_;
    Choices starts_;
    std::map<size_t, Choices> accesses_;
    std::map<std::tuple<size_t, std::string, Scope>, Choices> edges_;
};

// The frames in turn, a cycle of each, so that there are as many tests of a shape that is hard to meet by chance as of others.
void sample(const Grammar& grammar, const std::vector<Frame>& all, uint64_t seed, const std::function<bool(const Cycle&)>& take) {
    constexpr size_t attempts = 2000, patience = 100000;
    AtRandom random(grammar, seed);
    std::set<Cycle> seen;
    size_t misses = 0;
    for (size_t f = 0; !all.empty(); f = (f + 1) % all.size())
        for (size_t i = 0; i < attempts; ++i) {
            if (++misses > patience) return;
            const std::optional<Cycle> cycle = random.draw(all[f]);
            if (!cycle || !seen.insert(*cycle).second) continue;
            if (!take(*cycle)) return;
            misses = 0;
            break;
        }
}

}  // namespace

void each_cycle(const Wanted& wanted, const std::function<bool(const Cycle&)>& take) {
    require_named<std::string>("family", wanted.families, families(), [](const std::string& f) -> std::string_view { return f; });
    require_named<Shape>("shape", wanted.shapes, shapes(), [](const Shape& s) -> std::string_view { return s.name; });
    const Grammar grammar(wanted);
    const std::vector<Frame> all = frames(wanted);
    if (wanted.seed) return sample(grammar, all, *wanted.seed, take);
    InOrder in_order(grammar, take);
    for (const Frame& frame : all)
        if (!in_order.of_frame(frame)) return;
}

}  // namespace litmus::gen
