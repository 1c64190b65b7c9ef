// One process and one pipe for each errand; the text is whole when the process says so by its status. Another status, or a signal, tells
// whether a limit or a fault has ended it.
#include "view/serve/errands.h"

#include <poll.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstring>
#include <new>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>

#include "base/budget.h"

namespace litmus {

namespace {

[[noreturn]] void fail(const char* what) {
    throw std::system_error(errno, std::generic_category(), what);
}

bool put_all(int to, const std::string& text) {
    for (size_t done = 0; done < text.size();) {
        const ssize_t n = write(to, text.data() + done, text.size() - done);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        done += static_cast<size_t>(n);
    }
    return true;
}

// Asks the system to kill this process when the server, which started it, ends: by a signal the server ends without a word. If it has
// ended before the system was asked, this process has another parent by now.
void end_with(pid_t server) {
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (getppid() != server) _exit(1);
}

constexpr int gave_all = 0, out_of_memory = 3;

// The fault that a process died of. Empty: it gave all, or a limit has ended it. Beyond its time a process gets SIGXCPU and then
// SIGKILL, which the system also sends where memory ends.
std::string fault_in(int status) {
    if (WIFSIGNALED(status)) {
        const int number = WTERMSIG(status);
        if (number == SIGXCPU || number == SIGKILL) return {};
        return "signal " + std::to_string(number) + " (" + strsignal(number) + ")";
    }
    const int code = WEXITSTATUS(status);
    return code == gave_all || code == out_of_memory ? "" : "exit status " + std::to_string(code);
}

// In the new process.
[[noreturn]] void work_and_end(const std::function<std::string()>& work, int to, const ErrandLimits& limits) {
    const auto seconds = static_cast<rlim_t>(std::ceil(limits.seconds));
    const rlimit time{seconds, seconds + 1}, memory{limits.bytes, limits.bytes}, none{0, 0};
    setrlimit(RLIMIT_CPU, &time);
    setrlimit(RLIMIT_AS, &memory);
    setrlimit(RLIMIT_CORE, &none);
    std::signal(SIGXCPU, SIG_DFL);
    try {
        if (put_all(to, work())) _exit(gave_all);
    } catch (const std::bad_alloc&) {
        _exit(out_of_memory);
    } catch (...) {  // what went wrong here is nobody else's; who sent it out hears that nothing came back
    }
    _exit(1);
}

}  // namespace

double ErrandLimits::on_the_clock(size_t cores) const {
    return 1.5 * seconds * std::max(1.0, static_cast<double>(at_once) / static_cast<double>(std::max<size_t>(1, cores)));
}

Errands::~Errands() {
    for (Out& one : out_) end(one);
}

Errands::Name Errands::send(std::function<std::string()> work) {
    waiting_.emplace_back(++last_, std::move(work));
    start();
    return last_;
}

void Errands::start() {
    while (!waiting_.empty() && out_.size() < ErrandLimits::at_once) {
        std::array<int, 2> ends{};
        if (pipe(ends.data()) != 0) fail("pipe");
        const pid_t server = getpid(), process = fork();
        if (process < 0) fail("fork");
        if (process == 0) {
            end_with(server);
            close(ends[0]);
            for (const Out& other : out_) close(other.pipe);
            work_and_end(waiting_.front().second, ends[1], limits_);
        }
        close(ends[1]);
        out_.push_back({waiting_.front().first, process, ends[0], now() + limits_.on_the_clock(std::thread::hardware_concurrency()), {}});
        waiting_.erase(waiting_.begin());
    }
}

void Errands::end(Out& one) {
    kill(one.process, SIGKILL);
    waitpid(one.process, nullptr, 0);
    close(one.pipe);
}

void Errands::call_back(Name name) {
    std::erase_if(waiting_, [&](const auto& one) { return one.first == name; });
    const auto one = std::find_if(out_.begin(), out_.end(), [&](const Out& o) { return o.name == name; });
    if (one == out_.end()) return;
    end(*one);
    out_.erase(one);
    start();
}

bool Errands::wait(int input, std::vector<Return>& back) {
    std::vector<pollfd> watched{{input, POLLIN, 0}};
    double until = now() + 3600;
    for (const Out& one : out_) {
        watched.push_back({one.pipe, POLLIN, 0});
        until = std::min(until, one.until);
    }
    const int milliseconds = static_cast<int>(std::max(0.0, 1000 * (until - now()))) + 1;
    if (poll(watched.data(), watched.size(), milliseconds) < 0 && errno != EINTR) fail("poll");
    std::vector<Out> still;
    for (size_t i = 0; i < out_.size(); ++i) {
        Out& one = out_[i];
        bool ended = now() > one.until;
        std::optional<std::string> text;
        if (watched[i + 1].revents != 0) {
            std::array<char, 65536> bytes{};
            const ssize_t n = read(one.pipe, bytes.data(), bytes.size());
            if (n > 0) one.text.append(bytes.data(), static_cast<size_t>(n));
            if (n == 0) {
                int status = 0;
                waitpid(one.process, &status, 0);
                close(one.pipe);
                if (WIFEXITED(status) && WEXITSTATUS(status) == gave_all) text = std::move(one.text);
                back.push_back({one.name, std::move(text), fault_in(status)});
                continue;
            }
        }
        if (ended) {
            end(one);
            back.push_back({one.name, std::nullopt});
        } else {
            still.push_back(std::move(one));
        }
    }
    out_ = std::move(still);
    start();
    return watched[0].revents != 0;
}

}  // namespace litmus
