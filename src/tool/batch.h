// Many jobs on a few workers, their results taken in order.
#pragma once

#include <cstddef>
#include <functional>

namespace litmus {

using Job = std::function<void(size_t index)>;

// Runs jobs 0..count-1. Each worker calls `make_worker` once, in its own thread, and runs jobs with
// what it returns, so a worker can own what must not be shared. `done` is called in the calling
// thread for 0, 1, 2, ... as soon as those have run; when it returns false no further job is
// started. At most 1,024 results wait for `done`, so that what they take does not grow with the number of jobs. Jobs must not throw; an
// exception of `make_worker` ends the batch and is rethrown. One worker runs in the calling thread.
void run_batch(size_t count, size_t workers, const std::function<Job()>& make_worker, const std::function<bool(size_t)>& done);

// How many workers to use where `asked` were asked for: one per core for 0.
size_t workers_for(unsigned asked);

}  // namespace litmus
