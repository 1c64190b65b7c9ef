// Walking directories and reading tests; nothing here stops at the first bad file.
#include "tool/inputs.h"

#include <algorithm>
#include <filesystem>

#include "base/paths.h"
#include "language/syntax/read.h"

namespace litmus {

namespace {

namespace fs = std::filesystem;

bool is_test_file(const fs::path& path) {
    return path.extension() == ".litmus" || path.extension() == ".test";
}

InputFile unreadable(const std::string& file, const std::string& why) {
    return {file, nullptr, Failure(nullptr, {}, "cannot read '" + file + "': " + why)};
}

InputFile read_file(const std::string& path, double seconds) {
    const std::string shown = path == "-" ? "<stdin>" : path;
    try {
        return {shown, read_source(path, {.budget = Budget(seconds)}), std::nullopt};
    } catch (const Failure& failure) {
        return {shown, nullptr, failure};
    }
}

// The tests below one directory. What cannot be entered or read stands in the list as a failure and costs no other file
// anything. A link to a test that lies elsewhere is passed over: a repository could have links to anything, and what was
// asked for is what the directory holds.
class Walk {
public:
    Walk(const std::string& directory, FilesRead& result) : directory_(directory), result_(result) {
        std::error_code error;
        root_ = fs::canonical(directory, error);
        if (error) {
            result_.files.push_back(unreadable(directory, error.message()));
            return;
        }
        visit(directory);
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
        if (is_inside(target, root_) && is_test_file(target)) return result_.files.push_back({path.string(), nullptr, std::nullopt});
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
};

}  // namespace

FilesRead list_inputs(const std::vector<std::string>& names, double seconds) {
    FilesRead result;
    for (const std::string& name : names) {
        std::error_code ignored;
        const fs::file_status status = fs::status(name, ignored);
        if (name != "-" && fs::is_directory(status))
            Walk(name, result);
        else if (name != "-" && fs::is_regular_file(status))
            result.files.push_back({name, nullptr, std::nullopt});
        else
            result.files.push_back(read_file(name, seconds));
    }
    return result;
}

InputFile read_input(InputFile file) {
    return file.source || file.failure ? std::move(file) : read_file(file.file, 0);
}

// A parsed test takes about fifty times the memory of its text.
FilesRead read_inputs(const std::vector<std::string>& names, double seconds) {
    FilesRead result = list_inputs(names, seconds);
    size_t left = size_t{64} << 20;
    for (InputFile& file : result.files) {
        file = read_input(std::move(file));
        if (!file.source) continue;
        if (file.source->text.size() > left)
            file = unreadable(file.file, "the files are larger than 64 MiB together");
        else
            left -= file.source->text.size();
    }
    return result;
}

std::vector<Input> parse_input(const InputFile& file) {
    std::vector<Input> inputs;
    try {
        if (file.failure) throw Failure(*file.failure);
        std::vector<Test> tests = parse_tests(file.source);
        for (Test& test : tests)
            inputs.push_back({file.file, std::make_shared<const Test>(std::move(test)), {}, file.source, inputs.size() + 1, tests.size()});
    } catch (const Failure& failure) {
        inputs.push_back({file.file, nullptr, failure, file.source});
    }
    return inputs;
}

std::vector<Input> parse_inputs(const std::vector<InputFile>& files) {
    std::vector<Input> inputs;
    for (const InputFile& file : files)
        for (Input& input : parse_input(file)) inputs.push_back(std::move(input));
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
