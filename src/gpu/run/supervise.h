// Work that outlives the process it runs in: after a kernel has faulted or hangs, only the end of its process frees the device.
//
// A supervisor, which never opens the driver, forks a worker that does the tasks in their order. A worker that cannot go on saves
// what it has and ends; the supervisor takes the task it was at for done and forks the next, which goes on with the others. Both
// know of the tasks through notes in memory that they share. Each worker but the last does away with a task, so this ends.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <span>
#include <string>

namespace litmus::gpu {

// What the supervisor and all workers know of one another, in memory that they share. Made before the first worker.
class Notes {
public:
    static constexpr size_t nothing = static_cast<size_t>(-1);
    struct State {
        std::atomic<bool> interrupted = false;  // written by the supervisor's signal handler
        bool announced = false;                 // some worker has opened the device
        bool saved = false;                     // some worker has written the output
        int status = 0;                         // exit status so far
        size_t at = nothing;                    // the task that the worker is at
    };

    explicit Notes(size_t tasks);  // throws std::runtime_error
    ~Notes();
    Notes(const Notes&) = delete;
    Notes& operator=(const Notes&) = delete;

    State* operator->() const { return state_; }
    bool is_done(size_t task) const { return done_[task]; }
    void done(size_t task) const { done_[task] = true; }
    bool all_done() const;
    // The higher exit status is the worse.
    void worsen(int status) const;

private:
    size_t bytes_;
    State* state_;
    std::span<bool> done_;  // behind the state
};

// With this status a worker ends that asks for another to go on behind the task it is at.
inline constexpr int go_on = 77;

// Calls `work` in one worker after the other, until one ends with another status than go_on or all tasks are done. `died` is told, in
// the supervisor, of a worker that a signal has ended: its task, and the signal's description. Returns in the supervisor and, with
// what `work` returned, in each worker: the exit status. A worker ignores SIGINT, and ends when the supervisor does.
// Throws std::runtime_error when there can be no worker, or when one was ended by a signal before its first task.
int supervise(const Notes& notes, const std::function<int()>& work, const std::function<void(size_t, const std::string&)>& died);

}  // namespace litmus::gpu
