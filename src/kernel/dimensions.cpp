// Dimensions of a launch against those that the kernel asks for (see dimensions.h).
#include "kernel/dimensions.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

namespace litmus::kernel {
namespace {

constexpr uint64_t most_block = 1024;       // threads
constexpr uint64_t most_cluster = 16;       // CTAs; more than 8 where the kernel is allowed a non-portable size
constexpr uint64_t most_threads = 1 << 16;  // that are run

// Where it is too large for 64 bits, the largest number: it is compared with limits that are far smaller.
uint64_t product(const Dimensions& dimensions) {
    uint64_t result = 0;
    const bool too_large = __builtin_mul_overflow(uint64_t{dimensions[0]} * dimensions[1], uint64_t{dimensions[2]}, &result);
    return too_large ? std::numeric_limits<uint64_t>::max() : result;
}

[[noreturn]] void fail(const std::string& option, const std::string& text, const std::string& message, const std::string& hint = {}) {
    throw Failure(make_source(option, text), {0, static_cast<uint32_t>(text.size())}, message, hint);
}

// "2,3": 2, 3 and 1.
Dimensions parse(const std::string& option, const std::string& text) {
    Dimensions result = {1, 1, 1};
    const char* at = text.data();
    const char* const end = at + text.size();
    for (size_t i = 0; i < result.size(); ++i) {
        const auto [rest, error] = std::from_chars(at, end, result[i]);
        if (error != std::errc() || result[i] == 0 || (rest != end && *rest != ',')) break;
        if (rest == end) {
            if (product(result) > std::numeric_limits<int32_t>::max()) fail(option, text, "these are more than a device takes");
            return result;
        }
        at = rest + 1;
    }
    fail(option, text, "expected one to three numbers from 1 on, with commas between", "as in " + option + " 2 or " + option + " 16,8");
}

// What the kernel says where the launch does not.
Dimensions take(Launch& launch, const std::string& option, const Dimensions& asked, const std::string& directive) {
    launch.taken.push_back(option + " " + text_of(asked) + ", as the kernel says (" + directive + ")");
    return asked;
}

// What is said, or else what the kernel asks for; both must agree.
std::optional<Dimensions> chosen(Launch& launch, const Module& module, const Function& entry, const std::string& option,
                                 const std::string& text, const Dimensions& asked, const std::string& directive) {
    const bool asks = asked[0] != 0;
    if (text.empty()) return asks ? std::optional(take(launch, option, asked, directive)) : std::nullopt;
    const Dimensions given = parse(option, text);
    if (asks && given != asked)
        throw Failure(module.source, entry.span,
                      "the kernel asks for " + option + " " + text_of(asked) + " (" + directive + "), and " + text_of(given) + " is given",
                      "leave out " + option);
    return given;
}

}  // namespace

std::string text_of(const Dimensions& dimensions) {
    size_t shown = dimensions.size();
    while (shown > 1 && dimensions[shown - 1] == 1) --shown;
    std::string text;
    for (size_t i = 0; i < shown; ++i) text += (i == 0 ? "" : ",") + std::to_string(dimensions[i]);
    return text;
}

void set_dimensions(Launch& launch, const Module& module, const Function& entry, const DimensionTexts& texts) {
    auto block = chosen(launch, module, entry, "--block", texts.block, entry.block, ".reqntid");
    const uint64_t most = product(entry.most_block);
    if (!block && most != 0) block = take(launch, "--block", entry.most_block, ".maxntid");
    if (!block)
        throw Failure(module.source, entry.span, "how many threads has a block of this kernel?",
                      "say it with --block, as in --block 64 or --block 16,8");
    if (texts.grid.empty())
        throw Failure(module.source, entry.span, "how many blocks is this kernel launched with?",
                      "say it with --grid, as in --grid 2 or --grid 2,2");
    const auto cluster = chosen(launch, module, entry, "--cluster", texts.cluster, entry.cluster, ".reqnctapercluster");
    if (!cluster && entry.explicit_cluster)
        throw Failure(module.source, entry.span, "this kernel is launched in clusters (.explicitcluster); of how many blocks?",
                      "say it with --cluster, as in --cluster 2");
    launch.grid = parse("--grid", texts.grid);
    launch.block = *block;
    launch.cluster = cluster.value_or(Dimensions{1, 1, 1});
    if (product(launch.block) > most_block || launch.block[2] > 64)
        fail("--block", text_of(launch.block), "a block has at most 1024 threads, and at most 64 in z");
    if (most != 0 && product(launch.block) > most)
        throw Failure(module.source, entry.span,
                      "the kernel is compiled for blocks of at most " + std::to_string(most) + " threads (.maxntid), and these have " +
                          std::to_string(product(launch.block)));
    if (product(launch.cluster) > most_cluster) fail("--cluster", text_of(launch.cluster), "a cluster has at most 16 blocks");
    for (size_t i = 0; i < launch.grid.size(); ++i)
        if (launch.grid[i] % launch.cluster[i] != 0)
            fail("--grid", texts.grid, "clusters of " + text_of(launch.cluster) + " blocks do not divide this grid",
                 "--grid counts blocks, not clusters");
    const uint64_t threads = product(launch.grid) * product(launch.block);  // of at most 2^31 blocks with 2^10 each
    if (threads > most_threads)
        fail("--grid", texts.grid,
             "these are " + std::to_string(threads) + " threads, and at most " + std::to_string(most_threads) + " are run",
             "few blocks show what many would: two that meet are often enough");
}

void set_unlaunched(Launch& launch, uint32_t clusters) {
    if (clusters * product(launch.cluster) >= product(launch.grid))
        throw Failure(nullptr, {}, "one cluster of the grid has started at least",
                      "say a smaller number with --unlaunched, or a larger grid");
    launch.unlaunched = clusters;
}

void require_cut(const Launch& launch, uint32_t gpus) {
    size_t last = 2;
    while (last > 0 && launch.grid[last] == 1) --last;
    if (launch.grid[last] % (gpus * launch.cluster[last]) != 0)
        throw Failure(nullptr, {}, "the grid cannot be cut into equal parts for " + std::to_string(gpus) + (gpus == 1 ? " GPU" : " GPUs"),
                      "its last dimension of more than one block is cut, between clusters");
}

}  // namespace litmus::kernel
