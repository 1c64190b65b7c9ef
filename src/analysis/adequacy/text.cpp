// A table of parts.
#include "analysis/adequacy/text.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/visible.h"
#include "print/columns.h"

namespace litmus {

namespace {

using Json = nlohmann::ordered_json;

std::string place_of(const ModelPart& part) {
    return part.source->name + ":" + std::to_string(position(*part.source, part.span.begin).line);
}

// "needed by 12 tests, such as mp-fence; 10 of them by their verdict"
std::string standing(const PartReport& part, bool counted_all) {
    if (part.needed > 0 && !part.known.empty()) return "said to be redundant, and needed by " + part.test;
    if (part.needed > 0 && !counted_all) return "needed by " + part.test;
    if (part.needed > 0)
        return "needed by " + counted(part.needed, "test") + ", such as " + part.test + "; " + std::to_string(part.noticed) +
               " of them by their verdict";
    if (!part.takes_part) return "changes no constraint";
    if (!part.known.empty()) return "redundant: " + part.known;
    return part.undecided > 0 ? "not decided for " + counted(part.undecided, "test") : "needed by no test";
}

std::string line_of(const PartReport& part, bool counted_all) {
    return visible(place_of(part.part)) + ": " + visible(part.part.id) + "\n    " + visible(standing(part, counted_all)) + "\n";
}

}  // namespace

bool is_settled(const PartReport& part) {
    return !part.takes_part || (part.needed > 0) != !part.known.empty();
}

int exit_status(const AdequacyReport& report) {
    int status = 0;
    for (const PartReport& part : report.parts)
        if (!is_settled(part)) status = combine_status(status, part.undecided > 0 && part.needed == 0 ? 3 : 1);
    return status;
}

std::string adequacy_text(const AdequacyReport& report, const TextStyle& style, bool verbose) {
    std::string text;
    for (const PartReport& part : report.parts)
        if (verbose || !is_settled(part)) text += line_of(part, report.counted);
    const auto count = [&](auto holds) { return static_cast<size_t>(std::count_if(report.parts.begin(), report.parts.end(), holds)); };
    const size_t needed = count([](const PartReport& p) { return p.needed > 0; });
    const size_t contradicted = count([](const PartReport& p) { return p.needed > 0 && !p.known.empty(); });
    const size_t open = count([](const PartReport& p) { return !is_settled(p) && p.undecided > 0; });
    const size_t known = count([](const PartReport& p) { return p.needed == 0 && p.takes_part && !p.known.empty(); });
    const size_t idle = count([](const PartReport& p) { return p.needed == 0 && !p.takes_part; });
    const size_t unneeded = report.parts.size() - needed - open - known - idle;
    if (!text.empty()) text += "\n";
    text += visible(report.model) + ", " + counted(report.parts.size(), "part") + ", " + counted(report.tests, "test") + ": " +
            std::to_string(needed) + " needed";
    if (known > 0) text += ", " + std::to_string(known) + " redundant";
    if (contradicted > 0) text += ", " + std::to_string(contradicted) + " said to be redundant and needed";
    if (idle > 0) text += ", " + std::to_string(idle) + (idle == 1 ? " changes" : " change") + " no constraint";
    if (open > 0) text += ", " + std::to_string(open) + " not decided";
    text += ", " + painted(std::to_string(unneeded) + " needed by no test", unneeded > 0 ? "31" : "32", style);
    return text + "\n";
}

std::vector<std::string> adequacy_json(const AdequacyReport& report) {
    std::vector<std::string> lines;
    const auto text_or_null = [](const std::string& text) { return text.empty() ? Json() : Json(text); };
    for (const PartReport& p : report.parts) {
        const Position at = position(*p.part.source, p.part.span.begin);
        const Json object = {{"model", report.model},
                             {"file", p.part.source->name},
                             {"line", at.line},
                             {"column", at.column},
                             {"part", p.part.id},
                             {"kind", name(p.part.kind)},
                             {"within", p.part.within},
                             {"text", p.part.text},
                             {"needed", p.needed},
                             {"noticed", report.counted ? Json(p.noticed) : Json()},
                             {"undecided", p.undecided},
                             {"test", text_or_null(p.test)},
                             {"test_file", text_or_null(p.file)},
                             {"known", text_or_null(p.known)},
                             {"takes_part", p.takes_part}};
        lines.push_back(object.dump(-1, ' ', true, Json::error_handler_t::replace));
    }
    return lines;
}

}  // namespace litmus
