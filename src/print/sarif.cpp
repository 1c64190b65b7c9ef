// SARIF 2.1.0 (OASIS, 27 March 2020): what code-scanning pages read. The results are written one a line, as they come.
#include <nlohmann/json.hpp>

#include "base/visible.h"
#include "print/cases.h"

namespace litmus {

namespace {

using Json = nlohmann::ordered_json;

std::string dumped(const Json& value) {
    return value.dump(-1, ' ', true, Json::error_handler_t::replace);
}

// A relative path stays one, so that it is looked up in the repository; what a URI cannot hold is %-escaped.
std::string uri(const std::string& file) {
    constexpr std::string_view plain = "-._~/0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    constexpr std::string_view hexadecimal = "0123456789ABCDEF";
    std::string result = file.rfind('/', 0) == 0 ? "file://" : "";
    for (const char c : file) {
        const auto byte = static_cast<unsigned char>(c);
        if (plain.find(c) != std::string_view::npos)
            result += c;
        else
            result += {'%', hexadecimal[byte >> 4U], hexadecimal[byte & 15U]};
    }
    return result;
}

std::string_view level_name(CaseFinding::Level level) {
    return level == CaseFinding::Level::error ? "error" : level == CaseFinding::Level::warning ? "warning" : "note";
}

Json location_json(const std::string& file, Position begin, Position end) {
    // Columns count code points, from 1, and the end is exclusive, as they do here.
    Json region = {{"startLine", begin.line}, {"startColumn", begin.column}};
    if (end.line > begin.line || end.column > begin.column) {
        region["endLine"] = end.line;
        region["endColumn"] = end.column;
    }
    return {{"physicalLocation", {{"artifactLocation", {{"uri", uri(file)}}}, {"region", region}}}};
}

Json result_json(const CaseFinding& finding) {
    Json object = {{"ruleId", finding.rule},
                   {"level", level_name(finding.level)},
                   {"message", {{"text", visible(finding.message)}}},
                   {"locations", Json::array({location_json(finding.file, finding.begin, finding.end)})},
                   {"partialFingerprints", {{"litmus/v1", finding.fingerprint}}}};
    if (!finding.cause.empty()) object["properties"] = {{"cause", finding.cause}};
    for (const Related& related : finding.related) {
        Json location = location_json(related.file, related.begin, related.end);
        location["message"] = {{"text", visible(related.message)}};
        object["relatedLocations"].push_back(std::move(location));
    }
    return object;
}

class SarifWriter : public CaseWriter {
public:
    SarifWriter(const std::string& version, const std::vector<Rule>& rules) {
        Json driver = {{"name", "litmus"}, {"version", version}, {"rules", Json::array()}};
        for (const Rule& rule : rules) driver["rules"].push_back({{"id", rule.id}, {"shortDescription", {{"text", rule.text}}}});
        tool_ = dumped({{"driver", driver}});
    }

    std::string begin() override {
        return "{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\"version\":\"2.1.0\",\"runs\":[{\n\"tool\":" + tool_ +
               ",\n\"columnKind\":\"unicodeCodePoints\",\n\"results\":[";
    }

    std::string put(const Case& one) override {
        std::string text;
        for (const CaseFinding& finding : one.findings) {
            text += (any_ ? ",\n" : "\n") + dumped(result_json(finding));
            any_ = true;
        }
        return text;
    }

    std::string end() override { return "\n]}]}\n"; }

private:
    std::string tool_;
    bool any_ = false;
};

}  // namespace

// One run of the tool `litmus` in its version, with a result for each finding.
std::unique_ptr<CaseWriter> sarif_writer(const CaseRun& run) {
    return std::make_unique<SarifWriter>(run.version, run.rules);
}

}  // namespace litmus
