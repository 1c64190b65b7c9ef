// A line for each edit.
#include "report/missing.h"

#include "base/visible.h"

namespace litmus {

std::string missing_text(const std::vector<Missing>& missing, const std::string& file) {
    std::string text;
    for (const Missing& m : missing) text += "missing: " + std::string(row(m.fault).name) + ": " + visible(m.sentence) + "\n";
    return missing.empty() || file.empty() || file == "<stdin>" ? text : text + "`litmus repair " + visible(file) + "` has the patch\n";
}

nlohmann::ordered_json missing_json(const std::vector<Missing>& missing) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const Missing& m : missing)
        list.push_back({{"kind", row(m.fault).name}, {"place", m.where}, {"line", m.line}, {"what", m.sentence}});
    return list;
}

}  // namespace litmus
