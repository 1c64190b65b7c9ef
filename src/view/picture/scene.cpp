// Making a scene: columns, cards, links, and the sentences above them.
#include "view/picture/scene.h"

#include <cctype>
#include <utility>

#include "analysis/verdict/hazards.h"
#include "base/visible.h"
#include "view/picture/sketch.h"

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
    if (axiom.meaning.empty()) return text;
    const size_t colon = axiom.meaning.find(": ");  // behind the title of the section
    return text + ": " + (colon == std::string::npos ? axiom.meaning : axiom.meaning.substr(colon + 2));
}

void add_caption(Sketch& sketch) {
    Scene& scene = sketch.scene;
    if (sketch.drawing.breach != nullptr) {
        scene.caption.push_back(breach_caption(sketch.drawing));
    } else if (!sketch.steps.empty()) {
        const bool alone = sketch.operations_column.empty();
        scene.caption.push_back("No interleaving of the threads" + std::string(alone ? "" : " and their asynchronous operations") +
                                " explains this: the marked steps form a cycle.");
        scene.alarm = "weak";
    } else if (sketch.drawing.hazard != nullptr) {
        const HazardText text = explain(sketch.drawing.program, *sketch.drawing.hazard);
        const RelationWords& race = words_of("race");
        if (text.kind == Hazard::Kind::race)
            scene.caption.push_back(upper_first(std::string(race.meaning)) + " (ISA " + std::string(race.section) + ")");
        for (const std::string& line : text.lines)
            if (text.kind != Hazard::Kind::race) scene.caption.push_back(visible(line));
    }
}

}  // namespace

Sketch sketch_of(const Drawing& drawing, const PictureOptions& options) {
    Sketch sketch{drawing, options, drawn(drawing)};
    sketch.scene.title = visible(drawing.title);
    sketch.scene.shows_title = options.title;
    if (!sketch.scene.title.empty() && sketch.scene.title.back() == ':') sketch.scene.title.pop_back();
    sketch.steps = sketch.drawn.steps;
    if (drawing.breach == nullptr && drawing.hazard == nullptr) sketch.steps = unexplained_cycle(sketch.drawn, drawing.execution);
    add_columns(sketch);
    add_cards(sketch);
    add_links(sketch);
    add_caption(sketch);
    return sketch;
}

Scene scene_of(const Drawing& drawing, const PictureOptions& options) {
    return std::move(sketch_of(drawing, options).scene);
}

}  // namespace litmus::picture
