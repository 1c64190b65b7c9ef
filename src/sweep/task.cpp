// A kernel is decoded once; what may still run before it gets numbers behind its own.
#include "sweep/task.h"

#include <algorithm>
#include <set>
#include <utility>

#include "kernel/arguments.h"
#include "ptx/traits.h"
#include "sweep/grids.h"

namespace litmus::sweep {

namespace {

bool has_narrow_accesses(const std::vector<Step>& code, uint32_t gpus) {
    return std::any_of(code.begin(), code.end(), [&](const Step& step) {
        const auto kind = step.form ? traits(step.form->op).kind : Traits::Kind::load;
        const bool accesses = kind == Traits::Kind::load || kind == Traits::Kind::store || kind == Traits::Kind::atomic ||
                              kind == Traits::Kind::from_registers;
        return accesses && step.scope != Scope::none && widest(step.scope, gpus) != Scope::sys;
    });
}

std::vector<Scope> scopes_of(const std::vector<Step>& code, uint32_t gpus) {
    std::set<Scope> scopes;
    for (const Step& step : code)
        if (step.scope != Scope::none) scopes.insert(widest(step.scope, gpus));
    return {scopes.begin(), scopes.end()};
}

// Seats of earlier launches get numbers behind the own ones.
std::shared_ptr<const Running> numbered_behind(const Running& before, const kernel::Geometry& geometry) {
    auto result = std::make_shared<Running>(before);
    for (EarlierThread& thread : result->threads) {
        thread.seat.block += geometry.blocks();
        thread.seat.cluster += geometry.blocks() / geometry.cluster_size();
    }
    return result;
}

std::vector<kernel::Seat> seats_of(const kernel::Geometry& geometry, const Budget& budget) {
    std::vector<kernel::Seat> seats;
    for (uint32_t block = 0; block < geometry.blocks(); ++block) {
        budget.check();
        for (uint32_t thread = 0; thread < geometry.threads(); ++thread) seats.push_back(geometry.seat(block, thread));
    }
    return seats;
}

}  // namespace

Task::Task(const kernel::Module& its_module, const kernel::Launch& its_launch, const Options& its_options)
    : module(its_module),
      launch(its_launch),
      options(its_options),
      entry(kernel::entry_named(module, launch.entry)),
      layout(module, launch, entry, options.budget),
      geometry(launch),
      decoded(sweep::decoded(module, launch, options.budget, options.decoded)),
      linked(decoded->linked),
      code(decoded->code),
      seats(seats_of(geometry, options.budget)),
      groups(geometry, options.gpus),
      narrow(has_narrow_accesses(code, options.gpus)),
      scopes(scopes_of(code, options.gpus)),
      asks_wide(options.compares_scopes && options.in_scope && geometry.cluster_size() > 1),
      before((options.schedule.is_contrary() ? options.before_contrary : options.before).get()) {
    kernel::require_cut(launch, options.gpus);
    const bool overlaps = launch.programmatic && before != nullptr && before->running != nullptr;
    if (overlaps) running = numbered_behind(*before->running, geometry);
    if (overlaps && options.gpus > 1) throw Failure(module.source, {}, "programmatic dependent launches on several GPUs are not swept");
}

const kernel::Seat& Task::seat_of(uint32_t thread) const {
    return is_earlier(thread) ? running->threads[thread - seats.size()].seat : seats[thread];
}

const Step& Task::step_of(uint32_t statement) const {
    return statement < code.size() ? code[statement] : running->code[statement - code.size()];
}

Place Task::place_of(const Access& access) const {
    if (!is_earlier(access.thread)) return {seats[access.thread], code[access.statement].original};
    return {running->threads[access.thread - seats.size()].own_seat, step_of(access.statement).original, true};
}

}  // namespace litmus::sweep
