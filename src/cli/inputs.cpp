// Walking directories and reading tests; nothing here stops at the first bad file.
#include "cli/inputs.h"

#include <algorithm>
#include <filesystem>

#include "base/paths.h"
#include "syntax/read.h"

namespace litmus {

namespace {

namespace fs = std::filesystem;

bool is_test_file(const fs::path& path) {
    return path.extension() == ".litmus" || path.extension() == ".test";
}

InputFile unreadable(const std::string& file, const std::string& why) {
    return {file, nullptr, Failure(nullptr, {}, "cannot read '" + file + "': " + why)};
}

// Reads files up to a size in all: a parsed test takes about fifty times the memory of its text.
class Reader {
public:
    explicit Reader(double seconds) : seconds_(seconds) {}

    InputFile read(const std::string& path) {
        const std::string shown = path == "-" ? "<stdin>" : path;
        try {
            SourcePtr source = read_source(path, {.budget = Budget(seconds_)});
            if (source->text.size() > left_) return unreadable(shown, "the files are larger than 64 MiB together");
            left_ -= source->text.size();
            return {shown, std::move(source), std::nullopt};
        } catch (const Failure& failure) {
            return {shown, nullptr, failure};
        }
    }

private:
    double seconds_;  // that a pipe may take
    size_t left_ = size_t{64} << 20;
};

// The tests below one directory. What cannot be entered or read stands in the list as a failure and costs no other file
// anything. A link to a test that lies elsewhere is passed over: a repository could have links to anything, and what was
// asked for is what the directory holds.
class Walk {
public:
    Walk(const std::string& directory, Reader& reader, FilesRead& result) : directory_(directory), result_(result) {
        std::error_code error;
        root_ = fs::canonical(directory, error);
        if (error) {
            result_.files.push_back(unreadable(directory, error.message()));
            return;
        }
        visit(directory);
        std::sort(files_.begin(), files_.end());
        for (const std::string& file : files_) result_.files.push_back(reader.read(file));
        std::sort(result_.files.begin() + static_cast<std::ptrdiff_t>(before_), result_.files.end(),
                  [](const InputFile& a, const InputFile& b) { return a.file < b.file; });
        if (result_.files.size() == before_) {
            const std::string what = "no .litmus or .test file in '" + directory + "'";
            result_.files.push_back({directory, nullptr, Failure(nullptr, {}, what)});
        }
    }

private:
    void visit(const fs::path& directory) {
        std::error_code error;
        fs::directory_iterator entry(directory, error);
        if (error) return result_.files.push_back(unreadable(directory.string(), error.message()));
        std::vector<fs::path> directories;
        for (; entry != fs::directory_iterator(); entry.increment(error)) {
            if (error) return result_.files.push_back(unreadable(directory.string(), error.message()));
            std::error_code ignored;
            if (entry->symlink_status(ignored).type() == fs::file_type::directory)
                directories.push_back(entry->path());
            else if (is_test_file(entry->path()))
                take(entry->path());
        }
        for (const fs::path& inner : directories) visit(inner);
    }

    void take(const fs::path& path) {
        std::error_code error;
        const fs::path target = fs::canonical(path, error);
        if (error) return result_.files.push_back(unreadable(path.string(), error.message()));
        if (!fs::is_regular_file(target, error)) return result_.files.push_back(unreadable(path.string(), "it is no regular file"));
        if (is_inside(target, root_) && is_test_file(target)) return files_.push_back(path.string());
        result_.warnings.push_back({Diagnostic::Level::warning,
                                    nullptr,
                                    {},
                                    "'" + path.string() + "' is skipped: it is a link to what is no test in '" + directory_ + "'",
                                    "name the file itself to check it"});
    }

    const std::string& directory_;
    FilesRead& result_;
    size_t before_ = result_.files.size();
    fs::path root_;
    std::vector<std::string> files_;
};

}  // namespace

FilesRead read_inputs(const std::vector<std::string>& names, double seconds) {
    FilesRead result;
    Reader reader(seconds);
    for (const std::string& name : names) {
        std::error_code ignored;
        if (name != "-" && fs::is_directory(name, ignored))
            Walk(name, reader, result);
        else
            result.files.push_back(reader.read(name));
    }
    return result;
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

const Input& chosen_test(const std::vector<Input>& inputs, const std::string& name) {
    const Input* chosen = nullptr;
    for (const Input& input : inputs) {
        if (input.failure) throw Failure(*input.failure);
        if (!name.empty() && input.test->name != name) continue;
        if (chosen != nullptr)
            throw Failure(nullptr, {}, "there are several tests", "name one: --test '" + inputs.front().test->name + "'");
        chosen = &input;
    }
    if (chosen == nullptr) throw Failure(nullptr, {}, "there is no test '" + name + "'");
    return *chosen;
}

}  // namespace litmus
