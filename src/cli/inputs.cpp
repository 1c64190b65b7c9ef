// Walking directories and reading tests; nothing here stops at the first bad file.
#include "cli/inputs.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "syntax/read.h"

namespace litmus {

namespace {

namespace fs = std::filesystem;

constexpr size_t max_input_bytes = size_t{16} << 20;  // as read_source

bool is_test_file(const fs::path& path) {
    return path.extension() == ".litmus" || path.extension() == ".test";
}

// Throws fs::filesystem_error where a directory cannot be entered.
std::vector<std::string> walk(const std::string& directory) {
    std::vector<std::string> files;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(directory))
        if (is_test_file(entry.path()) && entry.is_regular_file()) files.push_back(entry.path().string());
    std::sort(files.begin(), files.end());
    return files;
}

std::vector<std::string> files_under(const std::string& directory) {
    std::vector<std::string> files;
    try {
        files = walk(directory);
    } catch (const fs::filesystem_error& error) {
        throw Failure(nullptr, {}, "cannot walk '" + directory + "': " + error.code().message());
    }
    if (files.empty()) throw Failure(nullptr, {}, "no .litmus or .test file in '" + directory + "'");
    return files;
}

SourcePtr read_stdin() {
    std::string text;
    char buffer[1 << 16];
    while (const size_t count = std::fread(buffer, 1, sizeof buffer, stdin)) {
        text.append(buffer, count);
        if (text.size() > max_input_bytes) throw Failure(nullptr, {}, "standard input exceeds 16 MiB");
    }
    if (std::ferror(stdin) != 0) throw Failure(nullptr, {}, "cannot read standard input");
    return make_source("<stdin>", std::move(text));
}

InputFile read_file(const std::string& path) {
    const std::string shown = path == "-" ? "<stdin>" : path;
    try {
        return {shown, path == "-" ? read_stdin() : read_source(path), std::nullopt};
    } catch (const Failure& failure) {
        return {shown, nullptr, failure};
    }
}

}  // namespace

std::vector<InputFile> read_inputs(const std::vector<std::string>& names) {
    std::vector<InputFile> files;
    for (const std::string& name : names) {
        std::error_code ignored;
        if (name == "-" || !fs::is_directory(name, ignored)) {
            files.push_back(read_file(name));
            continue;
        }
        try {
            for (const std::string& path : files_under(name)) files.push_back(read_file(path));
        } catch (const Failure& failure) {
            files.push_back({name, nullptr, failure});
        }
    }
    return files;
}

std::vector<Input> parse_inputs(const std::vector<InputFile>& files) {
    std::vector<Input> inputs;
    for (const InputFile& file : files) {
        if (file.failure) {
            inputs.push_back({file.file, nullptr, file.failure});
            continue;
        }
        try {
            for (Test& test : parse_tests(file.source)) inputs.push_back({file.file, std::make_shared<const Test>(std::move(test)), {}});
        } catch (const Failure& failure) {
            inputs.push_back({file.file, nullptr, failure});
        }
    }
    return inputs;
}

}  // namespace litmus
