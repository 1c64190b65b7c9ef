// Which elements of bulk operations become events.
//
// A bulk operation touches many elements, and most of them have the same fate. What decides it is which operations touch an element, and
// in which role: as that which is read, or in which destination. An operation that moves an element links it to its counterpart, so the
// fate of both is one. All elements that hang together by such links are a *strand*. Two strands are alike if the same operations touch
// them in the same way; all that can happen to one can then happen to the other. These become events:
//
//   * the strands with an element that is named: that an instruction accesses which is no bulk operation, that the claim or the filter
//     speaks of, or whose changing value is a factor of a product that the model knows;
//   * of all others, one of each kind, unless a strand is there already which the same operations touch in the same way, and others, too.
//     What races on the lesser one races on the greater. This does not hold of values that nobody may read: what else is written to the
//     greater one may hide them.
//
// Which elements an operation touches is known when its address is: from the operand, from a register that `mapa` wrote, from the map
// that a tensor copy reads, at each place of a multicast or of a multimem address. So nothing is guessed from the text. A run of the
// builder notes the elements of each operation (Sweep), and makes events of those that are kept, at first of none. From what it noted
// follows what must be kept; if that is more, the builder runs again. The second run is the last unless a value that was constant
// in the first decides where control goes or where an access does.
#include "event/bulk_elements.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "event/draft.h"

namespace litmus {

namespace {

// A row of a sweep, by their numbers; and its elements, numbered within the strand in the order in which they are met. -1: it has none.
struct Link {
    size_t sweep, row;
    std::vector<int> elements;
};
using Strand = std::vector<Link>;  // by sweep, then by row

class Strands {
public:
    explicit Strands(const Sweeps& sweeps) : sweeps_(sweeps) {
        for (const auto& sweep : sweeps)
            for (const Sweep::Row& row : sweep->rows) {
                if (row.from) places_.push_back(*row.from);
                places_.insert(places_.end(), row.to.begin(), row.to.end());
            }
        std::sort(places_.begin(), places_.end());
        places_.erase(std::unique(places_.begin(), places_.end()), places_.end());
        above_.resize(places_.size());
        std::iota(above_.begin(), above_.end(), size_t{0});
        for (const auto& sweep : sweeps)
            for (const Sweep::Row& row : sweep->rows) {
                const std::vector<size_t> all = numbers(row);
                for (const size_t one : all) above_[root(one)] = root(all.front());
            }
    }

    // All strands, in the order in which operations come to them.
    std::vector<Strand> all() {
        std::vector<Strand> strands;
        std::map<size_t, size_t> known;               // root: its strand
        std::vector<int> number(places_.size(), -1);  // in its strand
        std::vector<int> count;                       // of elements, by strand
        for (size_t s = 0; s < sweeps_.size(); ++s)
            for (size_t r = 0; r < sweeps_[s]->rows.size(); ++r) {
                const Sweep::Row& row = sweeps_[s]->rows[r];
                const std::vector<size_t> elements = numbers(row);
                if (elements.empty()) continue;
                const auto [at, fresh] = known.try_emplace(root(elements.front()), strands.size());
                if (fresh) {
                    strands.emplace_back();
                    count.push_back(0);
                }
                Link link{s, r, {}};
                if (!row.from) link.elements.push_back(-1);
                for (const size_t e : elements) {
                    if (number[e] < 0) number[e] = count[at->second]++;
                    link.elements.push_back(number[e]);
                }
                strands[at->second].push_back(std::move(link));
            }
        return strands;
    }

private:
    std::vector<size_t> numbers(const Sweep::Row& row) const {
        std::vector<size_t> result;
        const auto add = [&](const ElementPlace& place) {
            result.push_back(static_cast<size_t>(std::lower_bound(places_.begin(), places_.end(), place) - places_.begin()));
        };
        if (row.from) add(*row.from);
        for (const ElementPlace& place : row.to) add(place);
        return result;
    }

    size_t root(size_t element) {
        while (above_[element] != element) element = above_[element] = above_[above_[element]];
        return element;
    }

    const Sweeps& sweeps_;
    std::vector<ElementPlace> places_;  // all, sorted: an element's number is its place here
    std::vector<size_t> above_;         // towards the element that stands for the strand
};

// What is equal of strands that are alike.
std::vector<std::pair<size_t, std::vector<int>>> kind_of(const Strand& strand) {
    std::vector<std::pair<size_t, std::vector<int>>> kind;
    kind.reserve(strand.size());
    for (const Link& link : strand) kind.emplace_back(link.sweep, link.elements);
    return kind;
}

// Where the greater strand has the one row of this sweep; null: it has none, or several.
const Link* only_link(const Strand& strand, size_t sweep) {
    const auto [first, last] =
        std::equal_range(strand.begin(), strand.end(), Link{sweep, 0, {}}, [](const Link& a, const Link& b) { return a.sweep < b.sweep; });
    return last - first == 1 ? &*first : nullptr;
}

// Whether each operation that touches the lesser strand touches the greater one in the same way. Strands that one operation
// touches twice are not compared.
bool is_part_of(const Strand& lesser, const Strand& greater) {
    std::map<int, int> there, back;
    for (const Link& link : lesser) {
        const Link* other = only_link(greater, link.sweep);
        if (other == nullptr || only_link(lesser, link.sweep) == nullptr) return false;
        for (size_t n = 0; n < link.elements.size(); ++n) {
            const int a = link.elements[n], b = other->elements[n];
            if ((a < 0) != (b < 0)) return false;
            if (a >= 0 && (there.try_emplace(a, b).first->second != b || back.try_emplace(b, a).first->second != a)) return false;
        }
    }
    return true;
}

template <typename Function>
void for_each_element(const Sweep::Row& row, const Function& function) {
    if (row.from) function(*row.from);
    for (const ElementPlace& place : row.to) function(place);
}

// What instructions access one by one; of writes alone, if asked for.
std::set<ElementPlace> accessed_alone(const Draft& run, bool writes_only) {
    std::set<std::pair<int, int>> sweeping;
    for (const auto& sweep : run.sweeps) sweeping.emplace(sweep->thread, sweep->instruction);
    std::set<ElementPlace> result;
    for (const Event& e : run.events) {
        if (e.cell < 0 || e.thread < 0 || (writes_only && e.kind != Event::Kind::write)) continue;
        if (sweeping.count({e.thread, e.instruction}) > 0) continue;
        const Cell& cell = run.cells[static_cast<size_t>(e.cell)];
        result.insert({cell.location, cell.instance, cell.element});
    }
    return result;
}

// The factors of products that something writes.
std::set<ElementPlace> varying_factors(const Draft& run) {
    std::set<ElementPlace> factors, varying;
    for (const auto& sweep : run.sweeps)
        for (const Sweep::Row& row : sweep->rows)
            if (row.counted && row.from) factors.insert(*row.from);
    if (factors.empty()) return {};
    for (const ElementPlace& place : accessed_alone(run, true))
        if (factors.count(place) > 0) varying.insert(place);
    for (const auto& sweep : run.sweeps)
        for (const Sweep::Row& row : sweep->rows)
            for (const ElementPlace& place : row.to)
                if (factors.count(place) > 0) varying.insert(place);
    return varying;
}

}  // namespace

KeptElements::KeptElements(const Test& test) {
    if (test.filter) add_mentions(test, *test.filter);
    if (test.claim.kind != Claim::Kind::none) add_mentions(test, test.claim.condition);
}

bool KeptElements::contains(const Sweep::Row& row) const {
    bool kept = false;
    for_each_element(row, [&](const ElementPlace& place) { kept = kept || kept_.count(place) > 0; });
    return kept;
}

void KeptElements::add_mentions(const Test& test, const Condition& condition) {
    for (const Condition& part : condition.operands) add_mentions(test, part);
    if (condition.kind != Condition::Kind::atom) return;
    for (const Term* term : {&condition.left, &condition.right})
        if (term->kind == Term::Kind::location)
            mentions_.push_back({physical_location(test, location_index(test, term->name)), term->cta, term->element});
}

bool KeptElements::is_mentioned(const ElementPlace& place, const SymbolicRun& run) const {
    return std::any_of(mentions_.begin(), mentions_.end(), [&](const Mention& m) {
        if (m.location != place.location || m.element != place.element) return false;
        return m.cta < 0 || place.instance < 0 || run.ctas[static_cast<size_t>(place.instance)].cta == m.cta;
    });
}

bool KeptElements::grow(const Draft& run) {
    if (run.sweeps.empty()) return false;
    const size_t before = kept_.size() + varying_.size();
    const std::set<ElementPlace> alone = accessed_alone(run, false);
    varying_.merge(varying_factors(run));

    const std::vector<Strand> strands = Strands(run.sweeps).all();
    std::map<std::vector<std::pair<size_t, std::vector<int>>>, const Strand*> named, others;
    const auto row_of = [&](const Link& link) -> const Sweep::Row& { return run.sweeps[link.sweep]->rows[link.row]; };
    const auto keep = [&](const Strand& strand) {
        for (const Link& link : strand) for_each_element(row_of(link), [&](const ElementPlace& place) { kept_.insert(place); });
    };
    for (const Strand& strand : strands) {
        bool is_named = false;
        for (const Link& link : strand)
            for_each_element(row_of(link), [&](const ElementPlace& place) {
                is_named = is_named || alone.count(place) > 0 || varying_.count(place) > 0 || is_mentioned(place, run);
            });
        (is_named ? named : others).try_emplace(kind_of(strand), &strand);
        if (is_named) keep(strand);
    }

    std::vector<const Strand*> greatest;
    for (const auto& [kind, strand] : named) greatest.push_back(strand);
    std::vector<const Strand*> rest;
    for (const auto& [kind, strand] : others) rest.push_back(strand);
    std::stable_sort(rest.begin(), rest.end(), [](const Strand* a, const Strand* b) { return a->size() > b->size(); });
    for (const Strand* strand : rest) {
        const bool is_readable =
            std::none_of(strand->begin(), strand->end(), [&](const Link& link) { return run.sweeps[link.sweep]->indeterminate; });
        if (is_readable && std::any_of(greatest.begin(), greatest.end(), [&](const Strand* other) { return is_part_of(*strand, *other); }))
            continue;
        greatest.push_back(strand);
        keep(*strand);
    }
    return kept_.size() + varying_.size() > before;
}

}  // namespace litmus
