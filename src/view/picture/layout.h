// Where everything in a picture stands: plain numbers, in CSS pixels from the upper left corner.
//
// Text is measured by its number of characters: every letter is taken to be 0.61 of the font's size wide, which is at least what
// usual monospace fonts have (0.55 to 0.602). So nothing depends on the fonts of a machine, and the same scene has the same layout.
#pragma once

#include <string>
#include <vector>

#include "view/picture/scene.h"

namespace litmus::picture {

// ---- text ---------------------------------------------------------------------------------------

inline constexpr double source_size = 12, row_size = 11, label_size = 10.5, title_size = 14;
inline constexpr double letter_width = 0.61;  // of the font's size

double text_width(std::string_view text, double font_size);
// In lines of at most so many characters, broken at spaces where there are any.
std::vector<std::string> wrapped(const std::string& text, size_t most);

// ---- shapes -------------------------------------------------------------------------------------

struct Point {
    double x = 0, y = 0;
};

struct Box {
    double x = 0, y = 0, width = 0, height = 0;
    double right() const { return x + width; }
    double bottom() const { return y + height; }
};
bool overlap(const Box& a, const Box& b);

// Cubic Bezier curves and straight lines, one after the other: a straight line has its inner points on it.
struct Curve {
    Point from, first, second, to;
};
Point at(const Curve& curve, double t);

// ---- the layout ---------------------------------------------------------------------------------

struct CardBox {
    Box box;
    double source_y = 0;        // the base line of the source
    std::vector<double> row_y;  // the middles of the rows
    double note_y = 0;          // the base line of the note
};

struct ColumnBox {
    Box box;  // from the title to the end of the picture's body
};

struct FrameBox {
    Box box;
    std::string label;
    size_t depth = 0;  // 0: outermost
};

struct LinkPath {
    std::vector<Curve> curves;
    Box label;  // of no size where there is no label
};

struct PictureLayout {
    std::vector<CardBox> cards;               // as the scene has them
    std::vector<ColumnBox> columns;           // as the scene has them
    std::vector<LinkPath> links;              // as the scene has them
    std::vector<FrameBox> frames;             // outer ones first
    std::vector<std::string> title, caption;  // in lines
    Box body;                                 // all but title, caption and legend
    double width = 0, height = 0;
};

PictureLayout layout_of(const Scene& scene);

// ---- its parts ----------------------------------------------------------------------------------

inline constexpr double card_padding = 8, source_height = 17, row_height = 17, note_height = 15, chip_width = 17;
inline constexpr size_t note_characters = 44;  // of a line of a note
inline constexpr double title_height = 18, caption_height = 15;
inline constexpr double column_head = 40;   // of a column: its title and subtitle
inline constexpr double pass_distance = 9;  // between links that pass between the same two cards

// The size of a card and the places of its lines, its upper left corner being at 0, 0.
CardBox measured(const Card& card);

// How far down each card begins, the first ones at 0. `room`: by card, how much must at least be free above it.
std::vector<double> heights(const Scene& scene, const std::vector<CardBox>& cards, const std::vector<double>& room);

// Where the links lead, the cards being where they are. `room` grows where more links pass above a card than there is room for;
// then the cards must be placed again.
std::vector<LinkPath> routed(const Scene& scene, const PictureLayout& layout, std::vector<double>& room);

// Puts labels on the links, beside all cards.
void place_labels(const Scene& scene, PictureLayout& layout);

}  // namespace litmus::picture
