// Where a location lies, and who reaches it.
#include "syntax/dsl_rules.h"

namespace litmus::dsl {

Rules::Rules(const Test& of, bool is_complete) : test(of), complete(is_complete) {
    for (const Thread& thread : test.threads) ctas.emplace(thread.at.cta, thread.at);
    for (const Location& location : test.locations)
        if (location.cta) ctas.emplace(*location.cta, Placement{0, 0, *location.cta, 0, 0, false});
}

void Rules::report(Span span, std::string message, std::string hint) {
    found.push_back({Diagnostic::Level::error, test.source, span, std::move(message), std::move(hint)});
}

int Rules::owner(const Thread& thread, const Operand& operand, const Location& location) {
    return operand.cta >= 0 ? operand.cta : location.cta.value_or(thread.at.cta);
}

bool Rules::same_cluster(int cta, const Thread& thread) const {
    const auto place = ctas.find(cta);
    return place == ctas.end() || (place->second.gpu == thread.at.gpu && place->second.cluster == thread.at.cluster);
}

std::vector<int> Rules::cluster_of(const Thread& thread) const {
    std::vector<int> members;
    for (const auto& [cta, place] : ctas)
        if (place.gpu == thread.at.gpu && place.cluster == thread.at.cluster) members.push_back(cta);
    return members;
}

bool Rules::check_instance(Span span, int cta, const Location& location) {
    if (cta < 0) return true;
    if (location.space == Space::global)
        report(span, "`" + location.name + "` lies in global memory: it has no instances");
    else if (location.cta && *location.cta != cta)
        report(span, "`" + location.name + "` lies in cta" + std::to_string(*location.cta) + " only");
    else if (!ctas.count(cta) && complete)
        report(span, "the test has no cta" + std::to_string(cta));
    else
        return true;
    return false;
}

bool Rules::check_reach(const Thread& thread, const Operand& operand, const Location& location, std::string_view space) {
    const int cta = owner(thread, operand, location);
    if (cta == thread.at.cta) return true;
    const std::string where = "`" + location.name + "` lies in the shared memory of cta" + std::to_string(cta);
    if (space == "shared" || space == "shared::cta") {
        report(operand.span,
               where + ", and `." + std::string(space) + "` reaches that of cta" + std::to_string(thread.at.cta) + " only (ISA 5.1.7)",
               "write `.shared::cluster`");
        return false;
    }
    if (!same_cluster(cta, thread)) {
        report(operand.span, where + ", which is not in the cluster of thread `" + thread.name + "` (ISA 5.1.7)");
        return false;
    }
    return true;
}

bool Rules::check_named_space(const Operand& operand, const Location& location, std::string_view space) {
    const bool shared = location.space == Space::shared;
    if (shared && space == "global") {
        report(operand.span, "`" + location.name + "` lies in shared memory, and the instruction says `.global`",
               "write `.shared::cta` or `.shared::cluster`");
        return false;
    }
    if (!shared && !space.empty() && space != "global") {
        report(operand.span, "`" + location.name + "` lies in global memory, and the instruction says `." + std::string(space) + "`",
               "write `.global`");
        return false;
    }
    return true;
}

std::string near_hint(const std::string& name, const std::vector<std::string>& known) {
    const std::string nearest_name = nearest(name, known);
    return nearest_name.empty() ? "" : "the nearest is `" + nearest_name + "`";
}

}  // namespace litmus::dsl
