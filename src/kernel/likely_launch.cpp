// One pass along the text. A register may hold the number of the thread, of its warp, or of another unit of threads. A comparison with such
// a number says how many there are. nvcc writes `threadIdx.x / 32` as a shift.
#include "kernel/likely_launch.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <string_view>
#include <vector>

namespace litmus::kernel {

namespace {

constexpr uint32_t lanes_of_warp = 32, warpgroup = 128, most_threads_of_block = 1024, most_ranks = 8;

bool has_word(const Statement& statement, std::string_view begin) {
    return std::any_of(statement.words.begin(), statement.words.end(), [&](const std::string& word) { return word.starts_with(begin); });
}

bool reads(const std::vector<Argument>& arguments, std::string_view special) {
    return std::any_of(arguments.begin(), arguments.end(), [&](const Argument& argument) {
        return (argument.kind == Argument::Kind::special && argument.name == special) || reads(argument.elements, special);
    });
}
bool reads(const Function& entry, std::string_view special) {
    return std::any_of(entry.code.begin(), entry.code.end(), [&](const Statement& one) { return reads(one.arguments, special); });
}

bool is_register(const Argument& argument) {
    return argument.kind == Argument::Kind::reg && argument.reg >= 0;
}

// The threads that the code says there are.
class NamedThreads {
public:
    explicit NamedThreads(const Function& entry) : unit_(entry.registers.size()), of_block_(entry.registers.size()) {
        for (const Statement& statement : entry.code) {
            if (statement.words.empty()) continue;
            meet(statement);
            if (statement.arguments.empty()) continue;
            compare(statement);
            follow(statement);
        }
    }

    uint32_t count() const {
        const uint32_t whole = (most_ + lanes_of_warp - 1) / lanes_of_warp * lanes_of_warp;
        return std::min(needs_warpgroups_ ? (whole + warpgroup - 1) / warpgroup * warpgroup : whole, most_threads_of_block);
    }

private:
    void note(uint64_t threads) {
        if (threads <= most_threads_of_block) most_ = std::max(most_, static_cast<uint32_t>(threads));
    }

    // A barrier counts threads (9.7.13.1). A warpgroup executes some instructions together (9.7.15, 9.7.19.5), and the four warps of one
    // access tensor memory, each a quarter (9.7.16.8.1).
    void meet(const Statement& statement) {
        const auto& words = statement.words;
        needs_warpgroups_ = needs_warpgroups_ || words[0] == "wgmma" || words[0] == "setmaxnreg" ||
                            (words[0] == "tcgen05" && words.size() > 1 && (words[1] == "ld" || words[1] == "st"));
        if (words[0] != "bar" && words[0] != "barrier") return;
        const size_t counts = has_word(statement, "red") ? 2 : 1;
        if (has_word(statement, "cluster") || has_word(statement, "warp") || statement.arguments.size() <= counts) return;
        const Argument& count = statement.arguments[counts];
        if (count.kind == Argument::Kind::immediate) note(count.bits);
    }

    // A comparison tells threads from others, which are there, too. Those of single threads are often halves of a block, of two parts.
    void compare(const Statement& statement) {
        const auto& words = statement.words;
        const auto& arguments = statement.arguments;
        if (words[0] != "setp" || arguments.size() < 3 || !is_register(arguments[1])) return;
        const uint32_t unit = unit_[static_cast<size_t>(arguments[1].reg)];
        if (unit == 0 || arguments[2].kind != Argument::Kind::immediate || arguments[2].bits >= most_threads_of_block) return;
        const bool is_beyond =
            has_word(statement, "gt") || has_word(statement, "hi") || has_word(statement, "le") || has_word(statement, "ls");
        const uint64_t threads = (arguments[2].bits + (is_beyond ? 2 : 1)) * unit;
        note(unit == 1 ? std::bit_ceil(threads) : threads);
    }

    // The unit that a result counts. `a * b + thread` is a rank of several dimensions, or, where blocks count in it, one of the grid.
    void follow(const Statement& statement) {
        const auto& words = statement.words;
        const auto& arguments = statement.arguments;
        const Argument& result = arguments[0].kind == Argument::Kind::pair ? arguments[0].elements[0] : arguments[0];
        if (!is_register(result) || arguments.size() < 2) return;
        const auto unit_of = [&](const Argument& argument) -> uint32_t {
            if (argument.kind == Argument::Kind::special) return argument.name == "%tid.x" ? 1 : 0;
            return is_register(argument) ? unit_[static_cast<size_t>(argument.reg)] : 0;
        };
        const auto is_of_block = [&](const Argument& argument) {
            if (argument.kind == Argument::Kind::special) return argument.name.starts_with("%ctaid");
            return is_register(argument) && of_block_[static_cast<size_t>(argument.reg)];
        };
        uint32_t unit = 0;
        if (words[0] == "mov" || words[0] == "cvt" || words[0] == "shfl") unit = unit_of(arguments[1]);
        if (words[0] == "shr" && arguments.size() > 2 && arguments[2].kind == Argument::Kind::immediate && arguments[2].bits < most_shift)
            unit = unit_of(arguments[1]) << arguments[2].bits;
        const bool is_sum = words[0] == "mad" && arguments.size() > 3;
        if (is_sum && !is_of_block(arguments[1]) && !is_of_block(arguments[2])) unit = unit_of(arguments[3]);
        unit_[static_cast<size_t>(result.reg)] = unit;
        of_block_[static_cast<size_t>(result.reg)] = words[0] == "mov" && is_of_block(arguments[1]);
    }

    static constexpr uint64_t most_shift = 9;
    std::vector<uint32_t> unit_;  // by register: threads in one of what it counts; 0: it counts none
    std::vector<bool> of_block_;  // by register: it has the number of the block
    uint32_t most_ = lanes_of_warp;
    bool needs_warpgroups_ = false;
};

// Whether two blocks would write to the same places: none asks who it is, nor for anything that another block may leave. A function that
// is called may ask.
bool is_for_one_block(const Function& entry) {
    bool writes = false;
    for (const Statement& statement : entry.code) {
        const auto& words = statement.words;
        if (words.empty()) continue;
        const bool asks = std::any_of(statement.arguments.begin(), statement.arguments.end(), [](const Argument& argument) {
            return argument.kind == Argument::Kind::special &&
                   (argument.name.find("cta") != std::string::npos || argument.name.find("cluster") != std::string::npos);
        });
        const bool is_access = words[0] == "ld" || words[0] == "st";
        const bool is_strong = is_access && (has_word(statement, "relaxed") || has_word(statement, "acquire") ||
                                             has_word(statement, "release") || has_word(statement, "volatile"));
        if (asks || is_strong || words[0] == "atom" || words[0] == "red" || words[0] == "call") return false;
        writes = writes || (words[0] == "st" && !has_word(statement, "shared") && !has_word(statement, "local"));
    }
    return writes;
}

}  // namespace

// Who reads the third index and not how large that dimension is takes a rank of all three, or looks for the first thread.
Dimensions likely_block(const Function& entry) {
    const uint32_t threads = NamedThreads(entry).count();
    const bool has_third = reads(entry, "%tid.z");
    if (has_third && reads(entry, "%ntid.z") && reads(entry, "%ctaid.z")) return {4, 4, 4};
    if (has_third || !reads(entry, "%tid.y")) return {threads, 1, 1};
    return threads > lanes_of_warp ? Dimensions{lanes_of_warp, threads / lanes_of_warp, 1} : Dimensions{8, 8, 1};
}

// A rank of all blocks is the number of one.
Dimensions likely_grid(const Function& entry) {
    if (is_for_one_block(entry)) return {1, 1, 1};
    const bool has_third = reads(entry, "%ctaid.z");
    if (has_third && reads(entry, "%nctaid.x") && reads(entry, "%nctaid.y")) return {2, 1, 1};
    return {2, has_third || reads(entry, "%ctaid.y") ? 2U : 1U, has_third ? 2U : 1U};
}

uint32_t likely_cluster(const Function& entry) {
    uint64_t ranks = 1;
    for (const Statement& statement : entry.code) {
        const auto is_about_rank = [](const Argument& argument) {
            return argument.kind == Argument::Kind::special && argument.name.starts_with("%cluster_");
        };
        const auto& words = statement.words;
        if (words.empty()) continue;
        const bool is_about_others = words[0] == "mapa" || words[0] == "getctarank" || has_word(statement, "multicast::cluster") ||
                                     has_word(statement, "cta_group::2") ||
                                     (words[0] == "barrier" && words.size() > 1 && words[1] == "cluster") ||
                                     (words.size() > 1 && (words[0] == "st" || words[0] == "red") && words[1] == "async") ||
                                     std::any_of(statement.arguments.begin(), statement.arguments.end(), is_about_rank);
        if (is_about_others) ranks = std::max<uint64_t>(ranks, 2);
        if (words[0] == "mapa" && statement.arguments.size() > 2 && statement.arguments[2].kind == Argument::Kind::immediate &&
            statement.arguments[2].bits < most_ranks)
            ranks = std::max(ranks, std::bit_ceil(statement.arguments[2].bits + 1));
    }
    return static_cast<uint32_t>(ranks);
}

}  // namespace litmus::kernel
