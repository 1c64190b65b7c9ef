// Files are taken as a whole or not at all.
#include "tool/observations.h"

#include <algorithm>
#include <filesystem>
#include <functional>

#include "base/own_files.h"

namespace litmus {

namespace {

namespace fs = std::filesystem;

constexpr size_t most_bytes = size_t{512} << 20;  // of all files together

// Throws the failure again, naming the file.
[[noreturn]] void rethrow(const Failure& failure, const std::string& file) {
    throw Failure(nullptr, {}, file + ": " + failure.diagnostics().front().message);
}

template <typename T>
void add_once(std::vector<T>& values, const T& value) {
    if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
}

void add_file(std::vector<ObservedDevice>& devices, const gpu::ObservedFile& file) {
    const gpu::RunHeader& h = file.header;
    auto device = std::find_if(devices.begin(), devices.end(), [&](const ObservedDevice& d) { return d.name == h.device && d.sm == h.sm; });
    if (device == devices.end()) device = devices.insert(devices.end(), {h.device, h.sm, {}, {}, {}});
    add_once(device->drivers, h.driver);
    for (const gpu::Observation& o : file.observations) {
        const auto [at, is_new] = device->place.emplace(o.hash, device->tests.size());
        if (is_new) {
            device->tests.push_back({Tally(o), file.file});
            continue;
        }
        try {
            device->tests[at->second].tally.add(o);
        } catch (const Failure& failure) {
            rethrow(failure, file.file);
        }
    }
}

std::vector<std::string> files_of(const std::vector<std::string>& names, const std::function<void(const Failure&)>& pass_over) {
    std::vector<std::string> files;
    for (const std::string& name : names) {
        std::error_code ignored;
        if (!fs::is_directory(name, ignored)) {
            files.push_back(name);
            continue;
        }
        std::vector<std::string> inside;
        for (const fs::directory_entry& entry : fs::directory_iterator(name, ignored))
            if (entry.path().extension() == ".json") inside.push_back(entry.path().string());
        std::sort(inside.begin(), inside.end());
        if (inside.empty()) throw Failure(nullptr, {}, "no .json file in '" + name + "'", "name what `litmus-gpu run -o` wrote");
        for (const std::string& file : inside) {
            try {
                require_own(file, name);  // nobody named it
                files.push_back(file);
            } catch (const Failure& failure) {
                pass_over(failure);
            }
        }
    }
    return files;
}

}  // namespace

Observations read_observations(const std::vector<std::string>& names, double seconds) {
    Observations result;
    std::vector<SourcePtr> sources;
    size_t left = most_bytes;
    const auto add_errors = [&](const Failure& failure) {
        result.errors.insert(result.errors.end(), failure.diagnostics().begin(), failure.diagnostics().end());
    };
    for (const std::string& path : files_of(names, add_errors)) {
        try {
            const SourcePtr source = gpu::read_observed_source(path, Budget(seconds));
            for (const SourcePtr& earlier : sources)
                if (earlier->text == source->text)
                    throw Failure(nullptr, {}, "'" + path + "' is the same as '" + earlier->name + "'", "a run counts once: name it once");
            if (source->text.size() > left)
                throw Failure(nullptr, {}, "cannot read '" + path + "': the files are larger than 512 MiB together");
            left -= source->text.size();
            sources.push_back(source);
            const gpu::ObservedFile file = gpu::parse_observed(source);
            std::vector<ObservedDevice> with_file = result.devices;
            add_file(with_file, file);
            result.devices = std::move(with_file);  // all of a file or nothing
            result.files.push_back(path);
            result.skipped.insert(result.skipped.end(), file.header.skipped.begin(), file.header.skipped.end());
        } catch (const Failure& failure) {
            add_errors(failure);
        }
    }
    return result;
}

Comparison compared(const Prediction& prediction, const Runs& runs) {
    try {
        return compare(prediction, runs.tally.sum());
    } catch (const Failure& failure) {
        rethrow(failure, runs.from);
    }
}

}  // namespace litmus
