// An entry is a file: the digest of what follows, the result's line, the question. It gets its name when it is whole.
//
// Why that is safe on a network file system, with any number of writers: it needs of it only that a file is made under a name that is
// free (O_EXCL), that closing it says whether it was written, and that renaming it is one step. No locks. Writers of one entry write
// the same answer to the same question; the last one stays. A reader sees one of them whole, or, should the file system show it old, torn
// or not at all, the digest says so, and the question is asked again. A writer that is killed leaves a file that is no entry, with a dot in
// its name; writers on other machines whose processes have the same number pass over it (fresh_neighbour).
#include "tool/cache.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "analysis/verdict/json.h"
#include "base/hash.h"
#include "base/own_files.h"
#include "base/visible.h"
#include "tool/pipeline.h"
#include "tool/rewrite.h"

namespace litmus {

namespace {

namespace fs = std::filesystem;

fs::file_type type_of(const fs::path& path) {
    std::error_code ignored;
    return fs::symlink_status(path, ignored).type();
}

// The bytes of an entry; none: there is no entry, whatever else is there.
std::string entry_at(const fs::path& path) {
    constexpr size_t most_bytes = size_t{64} << 20;
    if (type_of(path.parent_path()) != fs::file_type::directory || type_of(path) != fs::file_type::regular) return {};
    try {
        return read_regular(path.string(), most_bytes)->text;
    } catch (const Failure&) {
        return {};
    }
}

// Throws std::exception where that cannot be done, or something is there that is no entry.
void write_entry(const fs::path& path, const std::string& text) {
    fs::create_directories(path.parent_path());
    const fs::file_type there = type_of(path);
    if (type_of(path.parent_path()) != fs::file_type::directory || (there != fs::file_type::regular && there != fs::file_type::not_found))
        throw Failure(nullptr, {}, "'" + path.string() + "' is no entry");
    write_file(path, text);
}

}  // namespace

std::string build_of_tool() {
    std::ifstream file("/proc/self/exe", std::ios::binary);
    return LITMUS_VERSION "-" + digits(fnv1a(std::string(std::istreambuf_iterator<char>(file), {})));
}

Cache::Cache(const std::string& folder) : folder_(fs::path(folder) / build_of_tool()) {
    std::error_code error;
    fs::create_directories(folder_, error);
    if (!error && type_of(folder_) != fs::file_type::directory) error = std::make_error_code(std::errc::not_a_directory);  // a link
    if (error) throw Failure(nullptr, {}, "cannot make the folder '" + folder_ + "': " + error.message(), "name another with --cache");
}

std::string Cache::path_of(const std::string& question) const {
    const std::string key = key_of(question);
    return fs::path(folder_) / key.substr(0, 2) / key.substr(2);
}

std::optional<Result> Cache::find(const std::string& question, const SourcePtr& source) const {
    const std::string entry = entry_at(path_of(question));
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
        write_entry(path_of(question), digits(fnv1a(body)) + "\n" + body);
    } catch (const std::exception& error) {
        const std::lock_guard lock(mutex_);
        if (!complained_) std::fprintf(stderr, "litmus: note: a result could not be kept in '%s'\n", visible(folder_).c_str());
        complained_ = true;
    }
}

}  // namespace litmus
