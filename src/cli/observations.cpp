// Files are taken as a whole or not at all.
#include "cli/observations.h"

#include <algorithm>

namespace litmus {

namespace {

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

}  // namespace

Observations read_observations(const std::vector<std::string>& files, double seconds) {
    Observations result;
    std::vector<SourcePtr> sources;
    for (const std::string& path : files) {
        try {
            const SourcePtr source = gpu::read_observed_source(path, Budget(seconds));
            for (const SourcePtr& earlier : sources)
                if (earlier->text == source->text)
                    throw Failure(nullptr, {}, "'" + path + "' is the same as '" + earlier->name + "'", "a run counts once: name it once");
            sources.push_back(source);
            const gpu::ObservedFile file = gpu::parse_observed(source);
            std::vector<ObservedDevice> with_file = result.devices;
            add_file(with_file, file);
            result.devices = std::move(with_file);  // all of a file or nothing
            result.files.push_back(path);
            result.skipped.insert(result.skipped.end(), file.header.skipped.begin(), file.header.skipped.end());
        } catch (const Failure& failure) {
            result.errors.insert(result.errors.end(), failure.diagnostics().begin(), failure.diagnostics().end());
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
