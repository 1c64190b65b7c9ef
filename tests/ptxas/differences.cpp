// The reader of differences.txt: a title in brackets, then `key: value` lines, each key once.
#include "differences.h"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace litmus::ptxas {
namespace {

[[noreturn]] void fail(size_t line, const std::string& message) {
    throw std::runtime_error("differences.txt:" + std::to_string(line) + ": " + message);
}

void set(Difference& difference, const std::string& key, const std::string& value, size_t line) {
    std::string Difference::*const text = key == "forms" || key == "example" ? &Difference::pattern
                                          : key == "page"                    ? &Difference::page
                                          : key == "assembler"               ? &Difference::assembler
                                                                             : nullptr;
    if (value.empty()) fail(line, "`" + key + "` is empty");
    if (text && !(difference.*text).empty()) fail(line, "`" + key + "` stands twice");
    if (text)
        difference.*text = value;
    else if (key != "table" || (value != "accepts" && value != "refuses"))
        fail(line, "expected forms or example, table (accepts or refuses), page or assembler");
    if (key == "table") difference.accepted = value == "accepts";
    if (key == "example") difference.example = true;
    if (text == &Difference::pattern) difference.forms = std::regex(value);
}

void check(const Difference& difference, size_t line) {
    if (difference.pattern.empty() || difference.page.empty() || difference.assembler.empty())
        fail(line, "`" + difference.title + "` lacks forms, page or assembler");
    if (difference.page.rfind("9.7.", 0) != 0 || difference.page.find('"') == std::string::npos)
        fail(line, "a page is a section and a quotation");
    if (difference.accepted == (difference.assembler == "accepted") && !difference.example) fail(line, "that is no difference");
}

}  // namespace

Differences read_differences(const std::string& text) {
    Differences found;
    std::istringstream lines(text);
    size_t number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        const size_t colon = line.find(": ");
        if (line.empty() || line[0] == '#') continue;
        if (line.rfind("assembler ", 0) == 0 && found.classes.empty()) {
            found.release = line.substr(10);
        } else if (line[0] == '[' && line.back() == ']') {
            if (!found.classes.empty()) check(found.classes.back(), number);
            found.classes.emplace_back();
            found.classes.back().title = line.substr(1, line.size() - 2);
        } else if (colon != std::string::npos && !found.classes.empty()) {
            set(found.classes.back(), line.substr(0, colon), line.substr(colon + 2), number);
        } else {
            fail(number, "expected a title in brackets or `key: value`");
        }
    }
    if (found.classes.empty() || found.release.empty()) fail(number, "no release or no classes");
    check(found.classes.back(), number);
    return found;
}

Differences known_differences() {
    std::ifstream file(LITMUS_SOURCE_DIR "/tests/ptxas/differences.txt");
    std::stringstream text;
    text << file.rdbuf();
    return read_differences(text.str());
}

bool explains(const Difference& difference, const std::string& name, bool accepted, const std::string& message) {
    return !difference.example && difference.accepted == accepted && std::regex_match(name, difference.forms) &&
           (message.empty() ? difference.assembler == "accepted" : message.find(difference.assembler) != std::string::npos);
}

}  // namespace litmus::ptxas
