// All bodies of all threads make one module for each target, since most of the time of ptxas is its start.
#include "analysis/compiled/assemble.h"

#include <stdexcept>

#include "gpu/emit/emit.h"
#include "sass/cubin.h"

namespace litmus::compiled {

namespace {

class Runs {
public:
    Runs(const Test& test, const Settings& settings) : test_(test), settings_(settings) {}

    std::vector<Assembled> run() {
        for (const std::string& target : settings_.targets)
            for (const sass::Assembler& assembler : settings_.assemblers)
                for (const int level : settings_.levels) {
                    bare(assembler, level, target);
                    if (settings_.harness) harness(assembler, level, target);
                }
        return std::move(all_);
    }

private:
    void bare(const sass::Assembler& assembler, int level, const std::string& target) {
        const size_t first = all_.size();
        for (const gpu::Body body : settings_.bodies) all_.push_back({{assembler.name, level, target, std::string(name(body))}, {}, {}});
        std::string refused;
        try {
            std::vector<gpu::BareThread> threads;
            for (const gpu::Body body : settings_.bodies)
                for (size_t t = 0; t < test_.threads.size(); ++t) threads.push_back({&test_, t, body});
            const gpu::BareModule module = gpu::emit_bare(threads, target);
            const sass::Cubin cubin = sass::read_cubin(sass::assemble(assembler, module.ptx, target, level));
            for (size_t k = 0; k < threads.size(); ++k)
                all_[first + k / test_.threads.size()].codes.push_back(read_thread(test_, threads[k].thread, module.entries[k].lines, cubin,
                                                                                   sass::function_named(cubin, module.entries[k].name)));
        } catch (const Failure& failure) {
            refused = failure.diagnostics().front().message;
        } catch (const std::runtime_error& error) {
            refused = error.what();
        }
        if (refused.empty()) return;
        for (size_t i = first; i < all_.size(); ++i) {
            all_[i].codes.clear();
            all_[i].refused = refused;
        }
    }

    void harness(const sass::Assembler& assembler, int level, const std::string& target) {
        Assembled one{{assembler.name, level, target, "harness"}, {}, {}};
        try {
            const bool newer = target.rfind("sm_9", 0) != 0;
            const gpu::Emitted emitted = newer ? gpu::emit(test_, 100) : gpu::emit(test_);
            const sass::Cubin cubin = sass::read_cubin(sass::assemble(assembler, emitted.ptx, target, level));
            for (size_t t = 0; t < test_.threads.size(); ++t) {
                const sass::Function& function = sass::function_named(cubin, gpu::kernel_of_thread(emitted.plan, t));
                one.codes.push_back(read_thread(test_, t, emitted.lines, cubin, function));
            }
        } catch (const Failure& failure) {
            one.refused = failure.diagnostics().front().message;
        } catch (const std::runtime_error& error) {
            one.refused = error.what();
        }
        all_.push_back(one);
    }

    const Test& test_;
    const Settings& settings_;
    std::vector<Assembled> all_;
};

}  // namespace

std::vector<Assembled> assemble(const Test& test, const Settings& settings) {
    return Runs(test, settings).run();
}

}  // namespace litmus::compiled
