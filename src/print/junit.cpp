// JUnit XML, as the plugins of CI servers read it (Jenkins' junit-10.xsd): attributes xml_escaped, what XML cannot hold made visible.
#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>
#include <utility>

#include "base/visible.h"
#include "print/cases.h"

namespace litmus {

namespace {

// Text for an attribute or an element. Of what XML 1.0 does not allow (section 2.2) visible() leaves U+FFFE and U+FFFF.
std::string xml_escaped(std::string_view text) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 7> escapes{{{"&", "&amp;"},
                                                                                    {"<", "&lt;"},
                                                                                    {">", "&gt;"},
                                                                                    {"\"", "&quot;"},
                                                                                    {"'", "&apos;"},
                                                                                    {"\xef\xbf\xbe", "\\ufffe"},
                                                                                    {"\xef\xbf\xbf", "\\uffff"}}};
    const std::string plain = visible(text);
    std::string result;
    for (size_t at = 0; at < plain.size();) {
        const auto escape =
            std::find_if(escapes.begin(), escapes.end(), [&](const auto& e) { return plain.compare(at, e.first.size(), e.first) == 0; });
        result += escape == escapes.end() ? std::string_view(plain).substr(at, 1) : escape->second;
        at += escape == escapes.end() ? 1 : escape->first.size();
    }
    return result;
}

std::string attribute(std::string_view name, std::string_view value) {
    return " " + std::string(name) + "=\"" + xml_escaped(value) + "\"";
}

std::string seconds(double value) {
    std::array<char, 64> buffer{};
    std::snprintf(buffer.data(), buffer.size(), "%.3f", value);
    return buffer.data();
}

// "litmus.async.proxy-raw" of litmus/async/proxy-raw/x.litmus: what viewers show as a package.
std::string class_name(const std::string& file) {
    const size_t slash = file.rfind('/');
    std::string name = slash == std::string::npos ? "litmus" : file.substr(0, slash);
    std::replace(name.begin(), name.end(), '/', '.');
    return name.substr(std::min(name.find_first_not_of('.'), name.size()));
}

class JUnitWriter : public CaseWriter {
public:
    std::string put(const Case& one) override {
        ++tests_;
        failures_ += one.outcome == Case::Outcome::failed ? 1 : 0;
        errors_ += one.outcome == Case::Outcome::broken ? 1 : 0;
        seconds_ += one.seconds;
        cases_ += "    <testcase" + attribute("name", one.name) + attribute("classname", class_name(one.file)) +
                  attribute("time", seconds(one.seconds));
        std::string inner;
        if (one.outcome != Case::Outcome::passed) inner = element(one);
        inner += output(one);
        cases_ += inner.empty() ? "/>\n" : ">\n" + inner + "    </testcase>\n";
        return {};
    }

    std::string end() override {
        const std::string counts = attribute("tests", std::to_string(tests_)) + attribute("failures", std::to_string(failures_)) +
                                   attribute("errors", std::to_string(errors_)) + attribute("time", seconds(seconds_));
        return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite" + attribute("name", "litmus") + counts + ">\n" +
               cases_ + "  </testsuite>\n</testsuites>\n";
    }

private:
    static std::string where(const CaseFinding& finding) { return finding.file + ":" + std::to_string(finding.begin.line); }

    // What decides: the first finding at the level of an error.
    static std::string element(const Case& one) {
        const std::string name = one.outcome == Case::Outcome::failed ? "failure" : "error";
        for (const CaseFinding& finding : one.findings)
            if (finding.level == CaseFinding::Level::error)
                return "      <" + name + attribute("message", finding.message) + attribute("type", finding.rule) + ">" +
                       xml_escaped(where(finding)) + "</" + name + ">\n";
        return "      <" + name + "/>\n";
    }

    static std::string output(const Case& one) {
        std::string lines;
        for (const CaseFinding& finding : one.findings)
            lines += xml_escaped(where(finding) + ": " + finding.rule + ": " + finding.message) + "\n";
        return lines.empty() ? lines : "      <system-out>" + lines + "</system-out>\n";
    }

    std::string cases_;
    size_t tests_ = 0, failures_ = 0, errors_ = 0;
    double seconds_ = 0;
};

}  // namespace

// <testsuites> with one <testsuite> that has its counts at its head: all is written at the end. A broken case is an <error>, a failed
// one a <failure>.
std::unique_ptr<CaseWriter> junit_writer(const CaseRun&) {
    return std::make_unique<JUnitWriter>();
}

}  // namespace litmus
