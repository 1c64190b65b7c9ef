// The supervisor's loop, and the notes in a shared anonymous mapping.
#include "gpu/run/supervise.h"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <iostream>
#include <memory>
#include <stdexcept>

namespace litmus::gpu {

static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler and another process write it");

Notes::Notes(size_t tasks) : bytes_(sizeof(State) + tasks) {
    void* memory = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        throw std::runtime_error(std::string("no memory to share with the process that runs tests: ") + std::strerror(errno));
    state_ = new (memory) State;
    bool* flags = reinterpret_cast<bool*>(static_cast<char*>(memory) + sizeof(State));
    std::uninitialized_fill_n(flags, tasks, false);
    done_ = {flags, tasks};
}

Notes::~Notes() {
    munmap(state_, bytes_);
}

bool Notes::all_done() const {
    return std::all_of(done_.begin(), done_.end(), [](bool done) { return done; });
}

void Notes::worsen(int status) const {
    state_->status = std::max(state_->status, status);
}

namespace {

// Without a supervisor nobody would hear of an interrupt.
void become_worker(pid_t supervisor) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_IGN);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != supervisor) std::_Exit(1);  // it ended before that
}

// As waitpid gives it.
int end_of(pid_t worker) {
    int status = 0;
    while (waitpid(worker, &status, 0) < 0)
        if (errno != EINTR) throw std::runtime_error(std::string("waitpid: ") + std::strerror(errno));
    return status;
}

}  // namespace

int supervise(const Notes& notes, const std::function<int()>& work, const std::function<void(size_t, const std::string&)>& died) {
    while (!notes.all_done()) {
        notes->at = Notes::nothing;
        std::cout.flush();  // or the worker would print it again
        const pid_t supervisor = getpid(), worker = fork();
        if (worker < 0) throw std::runtime_error(std::string("cannot start the process that runs tests: ") + std::strerror(errno));
        if (worker == 0) {
            become_worker(supervisor);
            return work();
        }
        const int end = end_of(worker);
        if (WIFEXITED(end) && WEXITSTATUS(end) != go_on) return WEXITSTATUS(end);
        const std::string signal = WIFSIGNALED(end) ? strsignal(WTERMSIG(end)) : "";
        if (notes->at == Notes::nothing)
            throw std::runtime_error("the process that runs tests was ended before the first: " + (signal.empty() ? "it gave up" : signal));
        if (!signal.empty()) died(notes->at, signal);
        notes.done(notes->at);
        if (notes->interrupted) return 130;
    }
    return notes->status;
}

}  // namespace litmus::gpu
