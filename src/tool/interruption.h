// What a signal that ends the program leaves behind: nothing that is half done.
#pragma once

#include <shared_mutex>
#include <string>

namespace litmus {

// Call it before there are other threads. The signals that ask a program to end (SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU, SIGALRM,
// SIGUSR1, SIGUSR2), those of them that it was not told to ignore, end it from then on with the status 128 and their number: at once, but
// when no Uninterrupted lives, and after what is Unfinished is removed.
void prepare_signals();

// While it lives no signal ends the program. For what is short, and to be done as a whole or not at all.
class Uninterrupted {
public:
    Uninterrupted();

private:
    std::shared_lock<std::shared_mutex> lock_;
};

// A folder that is removed when a signal ends the program while this lives.
class Unfinished {
public:
    explicit Unfinished(std::string folder);
    ~Unfinished();
    Unfinished(const Unfinished&) = delete;
    Unfinished& operator=(const Unfinished&) = delete;

private:
    std::string folder_;
};

}  // namespace litmus
