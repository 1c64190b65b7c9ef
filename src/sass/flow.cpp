// A search over instructions, each visited once.
#include "sass/flow.h"

#include <vector>

#include "sass/code.h"

namespace litmus::sass {

namespace {

using Asked = std::function<bool(uint64_t)>;

class Search {
public:
    Search(std::string_view code, const Asked& is_wanted, const Asked& blocks)
        : code_(code), is_wanted_(is_wanted), blocks_(blocks), seen_(code.size() / instruction_bytes) {}

    void enter(uint64_t address) {
        const uint64_t number = address / instruction_bytes;
        if (address % instruction_bytes != 0 || number >= seen_.size() || seen_[number]) return;
        seen_[number] = true;
        open_.push_back(address);
    }

    void leave(uint64_t address) {
        const Next next = next_of(code_, address);
        if (next.falls_through) enter(address + instruction_bytes);
        if (next.branch) enter(*next.branch);
        if (next.by_table) enter_all_blocks();
    }

    // What a table leads to begins behind an instruction that does not go on to the next.
    void enter_all_blocks() {
        for (uint64_t at = instruction_bytes; at < code_.size(); at += instruction_bytes)
            if (!next_of(code_, at - instruction_bytes).falls_through) enter(at);
    }

    bool run() {
        while (!open_.empty()) {
            const uint64_t address = open_.back();
            open_.pop_back();
            if (is_wanted_(address)) return true;
            if (!blocks_(address)) leave(address);
        }
        return false;
    }

private:
    const std::string_view code_;
    const Asked& is_wanted_;
    const Asked& blocks_;
    std::vector<bool> seen_;
    std::vector<uint64_t> open_;
};

}  // namespace

bool can_reach(std::string_view code, uint64_t from, const Asked& is_wanted, const Asked& blocks) {
    Search search(code, is_wanted, blocks);
    search.leave(from);
    return search.run();
}

bool can_reach_from_entry(std::string_view code, const Asked& is_wanted, const Asked& blocks) {
    Search search(code, is_wanted, blocks);
    search.enter(0);
    return search.run();
}

}  // namespace litmus::sass
