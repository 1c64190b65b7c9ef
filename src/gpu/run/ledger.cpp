// The whole file each time: histograms are small.
#include "gpu/run/ledger.h"

#include <filesystem>
#include <stdexcept>

#include "base/budget.h"
#include "base/source.h"

namespace litmus::gpu {

std::string text_of_file(const std::string& path, const std::string& purpose) {
    constexpr size_t most_bytes = size_t{128} << 20;
    constexpr double longest = 60;
    try {
        return read_source(path, {most_bytes, Budget(longest)})->text;
    } catch (const Failure& failure) {
        throw std::runtime_error(failure.diagnostics().front().message + purpose);
    }
}

bool is_replaced(const std::string& output) {
    std::error_code ignored;
    return !std::filesystem::exists(output, ignored) || std::filesystem::is_regular_file(output, ignored);
}

bool Ledger::write(const std::vector<Observation>& running, bool even_empty) {
    written_at_ = now();
    if (output_.empty()) return false;
    std::vector<Observation> all = observations_;
    all.insert(all.end(), running.begin(), running.end());
    std::error_code ignored;
    if (all.empty() && !even_empty && std::filesystem::exists(output_, ignored)) return false;
    write_file(output_, earlier_.empty() ? to_json(header_, all) : to_json(header_, all, earlier_));
    seconds_to_write_ = now() - written_at_;
    written_at_ += seconds_to_write_;
    return is_replaced(output_);
}

}  // namespace litmus::gpu
