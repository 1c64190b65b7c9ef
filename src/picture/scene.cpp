// Making a scene: columns, cards, links, and the sentences above them.
#include "picture/scene.h"

#include <cctype>
#include <utility>

#include "base/visible.h"
#include "picture/sketch.h"

namespace litmus::picture {

namespace {

std::string upper_first(std::string text) {
    if (!text.empty()) text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
    return text;
}

// "Forbidden by causality (ISA 8.10.6): no read takes its value from ..."
std::string breach_caption(const Drawing& drawing) {
    const Constraint& axiom = drawing.model.constraints[drawing.breach->constraint];
    std::string text = "Forbidden by " + axiom.name;
    if (!axiom.section.empty()) text += " (ISA " + axiom.section + ")";
    return axiom.meaning.empty() ? text : text + ": " + axiom.meaning;
}

void add_caption(Sketch& sketch) {
    Scene& scene = sketch.scene;
    if (sketch.drawing.breach != nullptr) {
        scene.caption.push_back(breach_caption(sketch.drawing));
    } else if (!sketch.steps.empty()) {
        scene.caption.push_back("No order of single steps explains this: what is drawn strong goes in a circle.");
        scene.alarm = "accent";
    } else if (sketch.drawing.hazard != nullptr && sketch.drawing.hazard->kind == Hazard::Kind::race) {
        const RelationWords& race = words_of("race");
        scene.caption.push_back(upper_first(std::string(race.meaning)) + " (ISA " + std::string(race.section) + ")");
    }
}

}  // namespace

Scene scene_of(const Drawing& drawing, const PictureOptions& options) {
    Sketch sketch{drawing, options, drawn(drawing)};
    sketch.scene.title = visible(drawing.title);
    sketch.steps = sketch.drawn.steps;
    if (drawing.breach == nullptr && drawing.hazard == nullptr) sketch.steps = unexplained_cycle(sketch.drawn, drawing.execution);
    add_columns(sketch);
    add_cards(sketch);
    add_links(sketch);
    add_caption(sketch);
    return std::move(sketch.scene);
}

}  // namespace litmus::picture
