// A scene as it is being made: where each event stands is looked up while links are drawn between events.
#pragma once

#include <map>
#include <utility>

#include "view/picture/scene.h"

namespace litmus::picture {

struct Sketch {
    const Drawing& drawing;
    const PictureOptions& options;
    const Drawn drawn;
    Scene scene = {};
    std::map<size_t, Spot> spot_of = {};             // event -> its row
    std::vector<Step> steps = {};                    // what is shown strong: the breach, or what no order explains
    std::map<size_t, size_t> state_of = {};          // write to an mbarrier object -> the card of the state that it brings about
    std::map<int, size_t> thread_column = {};        // of each thread,
    std::map<int, size_t> operations_column = {};    // of what its asynchronous operations do,
    std::map<int, size_t> object_column = {};        // of each mbarrier object, by its cell
    std::vector<std::vector<size_t>> in_order = {};  // by column: its cards from top to bottom, as far as that is known

    const Program& program() const { return drawing.program; }
    const Event& event(size_t e) const { return drawing.program.events[e]; }
    bool on_mbarrier(size_t e) const;
    std::string letter(size_t e) const;  // also of events that have none: "init x", "exit P1"
};

// All of it. Throws OverBudget when the budget of the program is spent.
Sketch sketch_of(const Drawing& drawing, const PictureOptions& options);

// Its parts: the columns, and the cards in them.
void add_columns(Sketch& sketch);
void add_cards(Sketch& sketch);
// A card for an initial write or an exit, unless it has one.
Spot spot_for(Sketch& sketch, size_t event);
// The links between the cards, and from these what should not stand above what.
void add_links(Sketch& sketch);

// The steps of a shortest cycle of program order, of issuing and the inner order of asynchronous operations, and of reads-from,
// coherence and from-reads: where there is one, no order in which the events happen one after the other explains the
// execution. Empty where there is none.
std::vector<Step> unexplained_cycle(const Drawn& drawn, const Execution& execution);

// An instruction as it is written, on one line and without comments. Where that is longer than `most` characters, qualifiers are
// left out, the less telling first.
std::string short_source(const Test& test, const Instruction& instruction, size_t most);

}  // namespace litmus::picture
