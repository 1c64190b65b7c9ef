// The rooms of src/: includes go one way, and every file says what it is for.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <regex>
#include <sstream>

#include "documents/repository.h"

namespace {

using documents::File;

// From the first room to the last; src/README.md says what is in each. A file of src/ itself comes after all of them, but
// for the options, which the command line reads.
const std::vector<std::string> rooms = {"base",     "ptx",     "test", "syntax", "kernel",  "gen",    "event",
                                        "cat",      "sass",    "gpu",  "solve",  "explain", "repair", "report",
                                        "compiled", "picture", "page", "lab",    "options", "cli",    "main"};

// The room of a path below src/.
std::string room_of(const std::string& path) {
    const size_t slash = path.find('/');
    if (slash != std::string::npos) return path.substr(0, slash);
    return path.rfind("options", 0) == 0 ? "options" : "main";
}

std::ptrdiff_t place(const std::string& room) {
    const auto found = std::find(rooms.begin(), rooms.end(), room);
    REQUIRE_MESSAGE(found != rooms.end(), "no room is called ", room);
    return found - rooms.begin();
}

std::vector<File> sources() {
    return documents::files_below({"src"}, {".h", ".cpp"});
}

}  // namespace

TEST_CASE("a room includes only rooms before it") {
    const std::regex include("#include \"([^\"]+)\"");
    size_t seen = 0;
    for (const File& file : sources()) {
        const std::string from = room_of(file.path.substr(4));
        for (std::sregex_iterator at(file.text.begin(), file.text.end(), include), end; at != end; ++at, ++seen) {
            const std::string header = (*at)[1];
            CHECK_MESSAGE(documents::exists("src/" + header), file.path, " includes ", header, ", not named from src/");
            CHECK_MESSAGE(place(room_of(header)) <= place(from), file.path, " includes ", header);
        }
    }
    CHECK(seen > 300);
}

TEST_CASE("every file of src/ begins with what it is for") {
    for (const File& file : sources()) CHECK_MESSAGE(file.text.rfind("// ", 0) == 0, file.path);
    for (const File& file : documents::files_below({"tests"}, {".h", ".cpp"})) CHECK_MESSAGE(file.text.rfind("// ", 0) == 0, file.path);
}

// Two types of one name would share their destructor and their containers, whichever the linker keeps (C++20, 6.3, the one-definition
// rule), and no compiler says so: it sees one file at a time.
TEST_CASE("a type is defined once in its namespace") {
    const std::regex line(
        R"(^(?:(?:inline )?(namespace)(?: ([\w:]+))? \{|(\}  // namespace).*|(?:struct|class|enum class) (\w+)(?: final)?(?: : [^;]*)? \{)$)");
    std::map<std::string, std::string> defined;  // to its file
    for (const File& file : sources()) {
        std::vector<std::string> spaces;
        std::istringstream lines(file.text);
        std::smatch found;
        for (std::string text; std::getline(lines, text);) {
            if (!std::regex_match(text, found, line)) continue;
            if (found[1].matched) {
                spaces.push_back(found[2].matched ? found[2].str() : "in " + file.path);
            } else if (found[3].matched) {
                REQUIRE_MESSAGE(!spaces.empty(), file.path);
                spaces.pop_back();
            } else {
                std::string name;
                for (const std::string& space : spaces) name += space + "::";
                const auto [other, first] = defined.try_emplace(name + found[4].str(), file.path);
                CHECK_MESSAGE(first, name, found[4].str(), " of ", other->second, " is defined in ", file.path, ", too");
            }
        }
    }
    CHECK(defined.size() > 400);
}

// src/README.md names rooms, files and functions; what it names is there.
TEST_CASE("what src/README.md names exists") {
    const std::string page = documents::contents("src/README.md");
    std::string all;
    for (const File& file : sources()) all += file.text;
    for (const File& file : documents::files_below({"model"}, {".cat"})) all += file.text;
    const std::regex code("`([^`\n]+)`");
    const std::regex path("[a-z_]+(/[A-Za-z_.]+)+");
    const std::regex name("[A-Za-z_]+(::[a-z_]+)?");
    size_t names = 0;
    for (std::sregex_iterator at(page.begin(), page.end(), code), end; at != end; ++at) {
        const std::string what = (*at)[1];
        if (std::regex_match(what, path)) {
            CHECK_MESSAGE((documents::exists(what) || documents::exists("src/" + what)), "there is no ", what);
        } else if (std::regex_match(what, name)) {
            const std::string last = what.substr(what.find("::") == std::string::npos ? 0 : what.find("::") + 2);
            const bool file = documents::exists("src/" + what) || documents::exists(what);
            CHECK_MESSAGE((file || std::regex_search(all, std::regex("\\b" + last + "\\b"))), "nothing is called ", what);
            ++names;
        }
    }
    CHECK(names > 40);
}

TEST_CASE("./dev promote runs every test that has something to promote") {
    const std::string lists = documents::contents("tests/CMakeLists.txt");
    const std::regex line("set_tests_properties\\(([a-z_ ]+) PROPERTIES LABELS golden\\)");
    std::smatch labelled;
    REQUIRE(std::regex_search(lists, labelled, line));
    const std::string names = " " + labelled[1].str() + " ";
    const std::regex asks("getenv\\(\"LITMUS_PROMOTE\"\\)");
    size_t seen = 0;
    for (const File& file : documents::files_below({"tests"}, {".cpp", ".h"})) {
        if (!std::regex_search(file.text, asks)) continue;
        ++seen;
        const std::string folder = file.path.substr(6, file.path.find('/', 6) - 6);
        CHECK_MESSAGE(names.find(" " + folder + " ") != std::string::npos, file.path, " is not among those labelled golden");
    }
    CHECK(seen >= 4);
}
