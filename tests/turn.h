// What takes minutes over the whole library is asked of a part of it in turn, a third, a sixth or a twelfth, of another one each day; of
// all of it with LITMUS_ALL=1 in the environment, and of the same part each day with LITMUS_TURN=0, 1, ... Some tests are quick, and slow
// with sanitizers: they ask everything, and with LITMUS_BRIEF=1 a twentieth.
#pragma once

#include <chrono>
#include <cstdlib>
#include <string>

namespace litmus {

class Turn {
public:
    explicit Turn(size_t parts = 3) : parts_(parts) {
        if (std::getenv("LITMUS_ALL") != nullptr) parts_ = 1;
        const auto hours = std::chrono::duration_cast<std::chrono::hours>(std::chrono::system_clock::now().time_since_epoch()).count();
        const char* const asked = std::getenv("LITMUS_TURN");
        turn_ = (asked != nullptr ? std::strtoul(asked, nullptr, 10) : static_cast<size_t>(hours / 24)) % parts_;
    }
    // Whether the one with this number is asked this time.
    bool has(size_t number) const { return number % parts_ == turn_; }
    bool whole() const { return parts_ == 1; }  // everything is asked
    // As `--shard` names it: I/N.
    std::string shard() const { return std::to_string(turn_ + 1) + "/" + std::to_string(parts_); }
    // How many are asked at least, where `all` are expected of the whole: parts of the library differ a little.
    size_t share(size_t all) const { return parts_ == 1 ? all : all / parts_ * 3 / 4; }

private:
    size_t parts_, turn_ = 0;
};

inline Turn turn_in_brief() {
    return Turn(std::getenv("LITMUS_BRIEF") != nullptr ? 20 : 1);
}

}  // namespace litmus
