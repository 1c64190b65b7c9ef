// What stands in a picture, before it has coordinates: columns of cards, links between cards, and what should not stand above what.
//
// A card is an instruction with its events, a row each; what an asynchronous operation does stands in cards of its own, in a lane
// beside the thread that issues it; and an mbarrier object has a lane of the states that it goes through. Updates of an mbarrier
// object lead to the state that they bring about, and waits are reached from the state that they see, so the coherence order of
// the object needs no edges.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "view/picture/svg.h"

namespace litmus::picture {

// An event in a row of a card.
struct Mark {
    size_t event = 0;
    std::string letter;  // as Drawn::name has it
    std::string text;    // "W.rel.gpu f=1"; empty where the source of the card says it
};

struct Card {
    enum class Kind : uint8_t {
        instruction,  // an instruction of a thread
        operation,    // the data accesses of an asynchronous operation
        completion,   // its completion
        state,        // a state of an mbarrier object
        initial,      // an initial write that an edge leads from
        exit,         // the exit of a thread that an edge leads to
        stays,        // where a thread waits for ever
        missing,      // what a repair would put here
    };
    Kind kind = Kind::instruction;
    size_t column = 0;
    std::string source;                   // the instruction as written, shortened; of a state its phase
    int line = 0;                         // in the test's text; 0: none
    std::vector<std::vector<Mark>> rows;  // below the source; a first row without text stands beside it
    std::string note = {};                // a last row: what a state has pending
    bool marked = false;                  // the eye should meet it first
    std::string object = {};              // of a state: the mbarrier object
    std::string where = {};               // its line in words, with the line of CUDA where that is known
};

struct Column {
    enum class Kind : uint8_t { thread, operations, mbarrier };
    Kind kind = Kind::thread;
    std::string title, subtitle;
    std::vector<std::string> scopes = {};  // the frames that it stands in, outermost first
    Proxy proxy = Proxy::generic;          // of the operations
};

// A row of a card.
struct Spot {
    size_t card = 0, row = 0;
    friend bool operator==(const Spot&, const Spot&) = default;
};

struct Link {
    enum class Kind : uint8_t {
        beside,  // between columns, or past other cards of a column: routed through gutters
        down,    // from a card to the next one of its column
        inside,  // from a row of a card to the next one
    };
    Kind kind = Kind::beside;
    Spot from, to;
    std::string from_event, to_event;         // letters
    std::vector<std::string_view> relations;  // names; "update" and "sees" of mbarrier objects are no relations of models
    std::vector<std::string> meanings = {};   // one for each
    std::vector<std::string> sections = {};   // of the ISA, those that are known
    std::string label = {};                   // empty: none is shown
    bool both_ways = false;
    bool strong = false;   // the eye should meet it first
    bool missing = false;  // there is no such order: dashed
};

// What should not stand above what.
struct Order {
    enum class Kind : uint8_t {
        apart,  // the card of `below` wholly under that of `above`
        level,  // the row of `below` at the level of `above` or lower
        same,   // the two cards at one level
    };
    Spot above, below;
    Kind kind = Kind::level;
    int rank = 0;  // the most important have 0: one that contradicts those before it is left out
};

struct Scene {
    std::string title;
    bool shows_title = true;
    std::vector<std::string> caption;  // what there is to see, in sentences
    std::vector<Column> columns;       // from left to right, those of a scope together
    std::vector<Card> cards;
    std::vector<Link> links;
    std::vector<Order> orders;       // by their ranks
    std::string_view alarm = "bad";  // the colour of what is strong: "bad", or "weak" where nothing is wrong
};

// Throws OverBudget when the budget of the program is spent.
Scene scene_of(const Drawing& drawing, const PictureOptions& options);

}  // namespace litmus::picture
