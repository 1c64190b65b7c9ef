// A line for each edit.
#include "analysis/repair/missing_text.h"

#include <algorithm>
#include <span>

#include "analysis/verdict/json_value.h"
#include "base/visible.h"

namespace litmus {

namespace {

// As many as people are told; JSON has all.
constexpr size_t most_instead = 2;  // of what does as well as one part
constexpr size_t most_ways = 1;     // of other ways

template <class T>
std::span<const T> first(const std::vector<T>& all, size_t most) {
    return std::span(all).first(std::min(all.size(), most));
}

std::string named(const Missing& missing) {
    return std::string(row(missing.fault).name) + ": " + visible(missing.sentence);
}

nlohmann::ordered_json one(const Missing& missing) {
    nlohmann::ordered_json object = {{"kind", row(missing.fault).name}, {"place", missing.where}, {"line", missing.line}};
    if (missing.origin) object["origin"] = origin_json(missing.origin);
    if (missing.after) object["after"] = origin_json(missing.after);
    object["what"] = missing.sentence;
    return object;
}

}  // namespace

std::string missing_text(const WhatIsMissing& missing, const std::string& command) {
    std::string text;
    for (const Missing& part : missing.best) {
        text += "missing: " + named(part);
        for (const Missing& other : first(part.instead, most_instead)) text += "; or " + named(other);
        if (part.instead.size() > most_instead) text += "; or another of " + std::to_string(part.instead.size() - most_instead);
        text += "\n";
    }
    for (const WhatIsMissing::Way& way : first(missing.otherwise, most_ways)) {
        text += way.dearer ? "under the weakest readings, too, missing:" : "or missing:";
        for (const Missing& part : way.parts) text += (&part == &way.parts.front() ? " " : "; and ") + named(part);
        text += "\n";
    }
    return text.empty() || command.empty() ? text : text + "`" + command + "` has the patch\n";
}

nlohmann::ordered_json missing_json(const std::vector<Missing>& parts, bool with_instead) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const Missing& part : parts) {
        list.push_back(one(part));
        if (with_instead) list.back()["instead"] = missing_json(part.instead, false);
    }
    return list;
}

nlohmann::ordered_json otherwise_json(const WhatIsMissing& missing) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const WhatIsMissing::Way& way : missing.otherwise)
        list.push_back({{"dearer", way.dearer}, {"missing", missing_json(way.parts, false)}});
    return list;
}

}  // namespace litmus
