// One thread waits for signals, which no other takes: what it does may allocate and lock, as no handler of a signal may.
#include "tool/interruption.h"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

namespace litmus {

namespace {

// Of this process, as signals are. It outlives everything, since a signal may come at any time.
struct Shared {
    std::shared_mutex ending;  // held by what is not to be interrupted, and by the end
    std::mutex mutex;
    std::set<std::string> unfinished;  // under mutex
};

Shared& shared() {
    static Shared& shared = *new Shared;
    return shared;
}

void end_at_signal(const sigset_t& waited) {
    int number = 0;
    if (sigwait(&waited, &number) != 0) return;
    const std::unique_lock ending(shared().ending);
    const std::lock_guard lock(shared().mutex);
    std::error_code ignored;
    for (const std::string& folder : shared().unfinished) std::filesystem::remove_all(folder, ignored);
    std::_Exit(128 + number);
}

}  // namespace

void prepare_signals() {
    sigset_t waited;
    sigemptyset(&waited);
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU, SIGALRM, SIGUSR1, SIGUSR2}) {
        struct sigaction given {};
        if (sigaction(number, nullptr, &given) == 0 && given.sa_handler != SIG_IGN) sigaddset(&waited, number);
    }
    pthread_sigmask(SIG_BLOCK, &waited, nullptr);  // in all threads that are made from now on
    try {
        std::thread(end_at_signal, waited).detach();
    } catch (const std::system_error&) {  // the machine gives no more threads: signals end the program as they ever do
        pthread_sigmask(SIG_UNBLOCK, &waited, nullptr);
    }
}

Uninterrupted::Uninterrupted() : lock_(shared().ending) {}

Unfinished::Unfinished(std::string folder) : folder_(std::move(folder)) {
    const std::lock_guard lock(shared().mutex);
    shared().unfinished.insert(folder_);
}

Unfinished::~Unfinished() {
    const std::lock_guard lock(shared().mutex);
    shared().unfinished.erase(folder_);
}

}  // namespace litmus
