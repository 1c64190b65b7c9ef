// The log of a run: the events that are watched (log.h), in their order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "sweep/code.h"
#include "sweep/log.h"

namespace litmus::sweep {

class EventLog {
public:
    explicit EventLog(const std::optional<Watch>& watch) : watch_(watch) {}

    bool is_kept() const { return watch_.has_value(); }
    bool has_everything() const { return watch_ && watch_->everything; }
    // Whether the byte that is watched is one of these.
    bool watches(const Memory& at, uint64_t bytes) const {
        if (!watch_ || !watch_->byte) return false;
        const Memory& byte = *watch_->byte;
        return at.object == byte.object && at.block == byte.block && byte.offset >= at.offset && byte.offset < at.offset + bytes;
    }
    // Adds to the event what its thread and its statement say.
    void add(Event event, uint32_t thread, const Step& step) {
        if (!watch_) return;
        event.thread = thread;
        event.statement = step.original;
        if (step.form) event.op = step.form->op;
        event.scope = step.scope;
        event.sem = step.sem;
        using What = Event::What;
        const bool of_all = event.what == What::arrive || event.what == What::expect || event.what == What::init ||
                            (event.what == What::flag && flags_++ < most_flags);
        if (of_all || watch_->threads.contains(thread)) events_.push_back(event);
    }
    std::vector<Event> take() { return std::exchange(events_, {}); }

private:
    static constexpr size_t most_flags = 10'000;  // of threads that are not watched
    const std::optional<Watch>& watch_;
    std::vector<Event> events_;
    size_t flags_ = 0;
};

}  // namespace litmus::sweep
