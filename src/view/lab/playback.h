// An execution told one event after the other: an order in which its events can have taken effect.
//
// In a weak memory model there need not be one order of all events that explains every value: a read may return what another write
// has long overwritten, and an event may take effect before one that stands before it in its thread. So the order respects what no
// execution breaks (a read comes after the write whose value it takes, and after what its own existence and address rest on; an
// asynchronous operation after its issue; a wait at a barrier after the arrivals), and of the rest as much as it can, program order
// first. Where it cannot, the turn says so: that is where the test shows something weak.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/explain/drawing.h"

namespace litmus {

struct Turn {
    size_t event = 0;
    std::string name;   // its letter in the picture: "c"
    int thread = 0;     // that performs it, or issued it
    int line = 0;       // in the test's text; 0: none
    std::string words;  // "R.acq.gpu flag=1"
    std::string text;   // the instruction: "ld.acquire.gpu.u32 r0, [flag]"
    Proxy proxy = Proxy::generic;
    bool asynchronous = false;
    struct Change {
        size_t cell = 0;
        std::string value;  // as format_cell has it
    };
    std::optional<Change> change;    // what it leaves in memory
    std::vector<std::string> notes;  // what about it no simple order of events explains
};

struct Playback {
    struct Cell {
        std::string name;
        std::string initial;
        bool is_mbarrier = false;
    };
    std::vector<Cell> cells;  // as Program::cells
    std::vector<Turn> turns;
};

// All events that a picture of the execution shows, each once. `final_writes`, by cell: the writes taken as final, where that is known;
// coherence alone need not tell. The same execution gives the same order. Throws OverBudget when the budget of the program is spent.
Playback playback_of(const Drawing& drawing, const std::vector<size_t>& final_writes = {});

}  // namespace litmus
