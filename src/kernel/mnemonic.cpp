// Looked up by binary search in the rows, sorted by their names when the
// program is compiled.
#include "kernel/mnemonic.h"

#include <algorithm>

namespace litmus::kernel {

Mnemonic mnemonic_of(std::string_view word) {
    static constexpr auto sorted = [] {
        auto rows = mnemonic_rows::all;
        std::sort(rows.begin(), rows.end(), [](const MnemonicRow& a, const MnemonicRow& b) { return a.name < b.name; });
        return rows;
    }();
    const auto at =
        std::lower_bound(sorted.begin(), sorted.end(), word, [](const MnemonicRow& r, std::string_view w) { return r.name < w; });
    return at != sorted.end() && at->name == word ? at->mnemonic : Mnemonic::other;
}

}  // namespace litmus::kernel
