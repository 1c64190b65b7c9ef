// An entry is a file: the digest of what follows, the result's line, the question. It gets its name when it is whole.
#include "cli/cache.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "base/hash.h"
#include "base/visible.h"
#include "cli/pipeline.h"
#include "cli/rewrite.h"
#include "report/json.h"

namespace litmus {

namespace {

namespace fs = std::filesystem;

std::string bytes_of(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// Two builds of one version can answer differently: the bytes of the executable are what tells them apart.
std::string build_of_tool() {
    return LITMUS_VERSION "-" + digits(fnv1a(bytes_of("/proc/self/exe")));
}

}  // namespace

Cache::Cache(const std::string& folder) : folder_(fs::path(folder) / build_of_tool()) {
    std::error_code error;
    fs::create_directories(folder_, error);
    if (error) throw Failure(nullptr, {}, "cannot make the folder '" + folder_ + "': " + error.message(), "name another with --cache");
}

std::string Cache::path_of(const std::string& question) const {
    const std::string key = key_of(question);
    return fs::path(folder_) / key.substr(0, 2) / key.substr(2);
}

std::optional<Result> Cache::find(const std::string& question, const SourcePtr& source) const {
    const std::string entry = bytes_of(path_of(question));
    const size_t line = entry.find('\n') + 1, text = entry.find('\n', line) + 1;
    if (line == 0 || text == 0) return std::nullopt;
    if (entry.compare(0, line - 1, digits(fnv1a(std::string_view(entry).substr(line)))) != 0) return std::nullopt;
    if (entry.compare(text, std::string::npos, question) != 0) return std::nullopt;
    return parse_line(std::string_view(entry).substr(line, text - 1 - line), source);
}

void Cache::keep(const std::string& question, const Result& result) {
    if (result.partial || result.judgement.verdict == Verdict::error) return;
    const std::string body = json_line(result) + "\n" + question;
    try {
        const fs::path path = path_of(question);
        fs::create_directories(path.parent_path());
        write_file(path, digits(fnv1a(body)) + "\n" + body);
    } catch (const std::exception& error) {
        const std::lock_guard lock(mutex_);
        if (!complained_) std::fprintf(stderr, "litmus: note: a result could not be kept in '%s'\n", visible(folder_).c_str());
        complained_ = true;
    }
}

}  // namespace litmus
