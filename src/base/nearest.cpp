// Edit distance, and the nearest of some words by it.
#include "base/nearest.h"

#include <algorithm>
#include <utility>

namespace litmus {
namespace {

constexpr size_t longest_compared = 80;
constexpr size_t change = 2;  // what one letter costs

size_t replacing(char a, char b) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; };
    return a == b ? 0 : lower(a) == lower(b) ? change / 2 : change;
}

}  // namespace

// row[j] is the cost between the first i letters of a and the first j of b.
size_t edit_cost(std::string_view a, std::string_view b) {
    if (std::max(a.size(), b.size()) > longest_compared) return change * std::max(a.size(), b.size());
    std::vector<size_t> row(b.size() + 1);
    for (size_t j = 0; j <= b.size(); ++j) row[j] = change * j;
    for (size_t i = 1; i <= a.size(); ++i) {
        size_t diagonal = std::exchange(row[0], change * i);
        for (size_t j = 1; j <= b.size(); ++j) {
            const size_t replaced = diagonal + replacing(a[i - 1], b[j - 1]);
            diagonal = row[j];
            row[j] = std::min({replaced, row[j] + change, row[j - 1] + change});
        }
    }
    return row[b.size()];
}

std::string nearest(std::string_view word, const std::vector<std::string_view>& candidates, Near near) {
    if (word.size() < near.shortest) return {};
    size_t least = change * (std::max<size_t>(1, word.size() / 3) + near.more) + 1;
    std::string_view found;
    for (const std::string_view candidate : candidates)
        if (const size_t cost = edit_cost(word, candidate); cost < least) {
            least = cost;
            found = candidate;
        }
    return std::string(found);
}

}  // namespace litmus
