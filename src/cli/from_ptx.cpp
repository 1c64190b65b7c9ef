// PTX to a test, and on to check's pipeline.
#include "cli/from_ptx.h"

#include "kernel/arguments.h"
#include "kernel/module.h"

namespace litmus {

int from_ptx(const Options& options, Output& out) {
    const Budget budget(options.timeout, options.memory);
    const ReadLimits limits{.most_bytes = size_t{64} << 20, .budget = budget};
    const SourcePtr source = read_source(options.inputs.front(), limits);
    const kernel::Module module = kernel::read_module(source);
    const auto read = [&](const std::string& path) { return read_source(path, limits)->text; };
    const kernel::Launch launch = kernel::launch_of(module, options.from_ptx.launch, read);
    out.put("read: " + launch.entry + "\n");
    throw Failure(source, {}, "this kernel was read, but is not evaluated yet");
}

}  // namespace litmus
