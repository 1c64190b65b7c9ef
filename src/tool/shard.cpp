// Shards by content, and the convention of build systems (Bazel's test encyclopedia, "Test sharding").
#include "tool/shard.h"

#include <charconv>
#include <cstdlib>
#include <fstream>

#include "base/hash.h"

namespace litmus {

namespace {

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? std::string() : value;
}

size_t number_in(const char* name, size_t least, size_t most) {
    const std::string text = variable(name);
    size_t value = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || rest != text.data() + text.size() || value < least || value > most)
        throw Failure(nullptr, {}, std::string("the environment has ") + name + "='" + text + "', which is no number of a shard",
                      "TEST_TOTAL_SHARDS is the number of shards, TEST_SHARD_INDEX is below it; or use --shard I/N");
    return value;
}

}  // namespace

bool is_in(const Share& share, const InputFile& file) {
    return share.whole() || fnv1a(file.source ? file.source->text : file.file) % share.count == share.index - 1;
}

Share share_of(const std::optional<Share>& asked) {
    if (asked) return *asked;
    if (variable("TEST_TOTAL_SHARDS").empty()) return {};
    const size_t count = number_in("TEST_TOTAL_SHARDS", 1, Share::most);
    const size_t index = number_in("TEST_SHARD_INDEX", 0, count - 1);
    const std::string status = variable("TEST_SHARD_STATUS_FILE");
    if (!status.empty() && !std::ofstream(status, std::ios::app))
        throw Failure(nullptr, {}, "cannot make TEST_SHARD_STATUS_FILE, '" + status + "'");
    return {index + 1, count};
}

std::string xml_output_file() {
    return variable("XML_OUTPUT_FILE");
}

}  // namespace litmus
