// Errands: work that a server sends out, each in a process of its own, so that it can go on listening.
//
// Whatever a text makes the checker do, time and memory of it end with the process, and so does a fault. To call an errand back is to
// kill its process; the next key that somebody types does that. No errand outlives its server, however that ends (Linux).
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace litmus {

struct ErrandLimits {
    double seconds = 10;                  // of a processor
    size_t bytes = size_t{2} << 30;       // of memory
    static constexpr size_t at_once = 4;  // processes

    // For an answer that takes a search or two of at most so many seconds, and says itself where one was not enough.
    static ErrandLimits of_searches(double seconds) { return {.seconds = 3 * seconds + 2}; }
    // On the clock: half as much again as of a processor, and as many times that as there are processes for each of the cores.
    double on_the_clock(size_t cores) const;
};

class Errands {
public:
    // What an errand is known by.
    using Name = int;

    explicit Errands(ErrandLimits limits) : limits_(limits) {}
    // Of those that start from now on.
    void limit(ErrandLimits limits) { limits_ = limits; }
    Errands(const Errands&) = delete;
    Errands& operator=(const Errands&) = delete;
    ~Errands();

    // `work` is done in another process, once there is room for it; what it gives comes back as text.
    Name send(std::function<std::string()> work);
    // Nothing comes back of this one. It need not be there.
    void call_back(Name name);

    // An errand that came back, with the text that it gave. There is no text where its process ended before: by a limit, or by a fault,
    // which is then said ("signal 11 (Segmentation fault)").
    struct Return {
        Name name = 0;
        std::optional<std::string> text;
        std::string fault = {};
    };
    // Waits until `input` can be read, or an errand has come back. Gives whether `input` can be read; -1: there is none.
    bool wait(int input, std::vector<Return>& back);

private:
    struct Out {
        Name name = 0;
        pid_t process = 0;
        int pipe = -1;
        double until = 0;  // on the clock
        std::string text;
    };
    void start();
    void end(Out& one);

    ErrandLimits limits_;
    std::vector<Out> out_;
    std::vector<std::pair<Name, std::function<std::string()>>> waiting_;
    Name last_ = 0;
};

}  // namespace litmus
