// Instances of locations, as a text names them.
#include "syntax/native/dsl_rules.h"

#include "base/nearest.h"

namespace litmus::dsl {

Rules::Rules(const Test& of, bool is_complete) : test(of), complete(is_complete), ctas(ctas_of(of)) {}

void Rules::report(Span span, std::string message, std::string hint) {
    found.push_back({Diagnostic::Level::error, test.source, span, std::move(message), std::move(hint)});
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

std::string near_hint(const std::string& name, const std::vector<std::string>& known) {
    const std::string nearest_name = nearest(name, {known.begin(), known.end()});
    return nearest_name.empty() ? "" : "the nearest is `" + nearest_name + "`";
}

}  // namespace litmus::dsl
