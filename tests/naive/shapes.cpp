// Each shape is a small story that works, most of whose parts are drawn: which fence, which scope, whether at all. At the
// end a line is dropped, doubled or exchanged with its neighbour now and then.
#include "shapes.h"

#include <algorithm>
#include <stdexcept>

#include "language/syntax/native/print.h"
#include "random_async.h"
#include "story.h"

namespace litmus::naive {
namespace {

struct Shape {
    std::string name;
    void (*tell)(Story&);
};

const std::vector<Shape>& all_shapes() {
    static const std::vector<Shape> all = {
        {"initialise", initialise},
        {"again", again},
        {"token", travelling_token},
        {"kept-token", kept_token},
        {"counts", counts},
        {"remote", remote},
        {"polling", polling},
        {"polling-copy", polling_copy},
        {"restricted", restricted},
        {"aliased", aliased},
        {"given-back", given_back},
        {"exits", exits},
        {"copies", copies},
        {"registers", registers},
        {"ring", ring},
        {"lanes", lanes},
        {"votes", votes},
        {"buffering", buffering},
        {"multicast", multicast},
        {"wide", wide},
        {"groups", groups},
        {"addresses", addresses},
        {"tiles", tiles},
        {"maps", maps},
        {"rows", rows},
        {"columns", columns},
        {"boxes", boxes},
        {"crossing", crossing},
        {"places", places},
        {"grids", grids},
        {"timeouts", timeouts},
        {"matrices", matrices},
        {"scaled", scaled},
        {"quotients", quotients},
        {"pairs", pair_of_ctas},
        {"together", together},
    };
    return all;
}

}  // namespace

const std::vector<std::string>& shapes() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> result;
        for (const Shape& s : all_shapes()) result.push_back(s.name);
        result.insert(result.end(), async_kinds().begin(), async_kinds().end());
        result.push_back("plain");
        return result;
    }();
    return names;
}

std::string random_shape(const std::string& shape, uint64_t seed) {
    for (const Shape& s : all_shapes()) {
        if (s.name != shape) continue;
        Story story(seed);
        s.tell(story);
        story.spoil();
        return story.text(shape + "-" + std::to_string(seed));
    }
    if (shape == "plain") {
        RandomOptions options;
        options.memory_events = 6;
        options.aliases = seed % 4 == 0;
        options.floats = false;  // that a NaN hides what it is added to is no dependency here, and one to the checker
        return print(random_program(seed, options));
    }
    const std::vector<std::string>& kinds = async_kinds();
    if (std::find(kinds.begin(), kinds.end(), shape) != kinds.end()) return random_async(seed, shape);
    throw std::logic_error("no shape of this name: " + shape);
}

}  // namespace litmus::naive
