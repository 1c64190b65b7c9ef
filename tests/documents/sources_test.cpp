// The rooms of src/: includes go one way, and every file says what it is for.
#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "documents/repository.h"

namespace {

using documents::File;

// From the first room to the last, as the table of src/README.md has them: a folder, or a slice of one. What is in src/ itself comes last.
std::vector<std::string> rooms() {
    const std::string page = documents::contents("src/README.md");
    const std::regex row(R"(\n\| `([a-z_/]+)` \|)");
    std::vector<std::string> result;
    for (std::sregex_iterator at(page.begin(), page.end(), row), end; at != end; ++at) result.push_back((*at)[1]);
    result.emplace_back("");
    return result;
}

// The room of a path below src/: of those whose names its folder begins with, the longest.
std::string room_of(const std::vector<std::string>& rooms, const std::string& path) {
    for (std::string folder = path; !folder.empty();) {
        folder = folder.find('/') == std::string::npos ? "" : folder.substr(0, folder.rfind('/'));
        if (std::find(rooms.begin(), rooms.end(), folder) != rooms.end()) return folder;
    }
    return "";
}

std::vector<File> sources() {
    return documents::files_below({"src"}, {".h", ".cpp"});
}

// The words of a text: letters, digits and underscores.
std::set<std::string> words(const std::string& text) {
    const auto in_word = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
    std::set<std::string> found;
    for (auto at = std::find_if(text.begin(), text.end(), in_word); at != text.end();) {
        const auto end = std::find_if_not(at, text.end(), in_word);
        found.emplace(at, end);
        at = std::find_if(end, text.end(), in_word);
    }
    return found;
}

}  // namespace

TEST_CASE("a room includes only rooms before it") {
    const std::vector<std::string> all = rooms();
    const auto place = [&](const std::string& path) { return std::find(all.begin(), all.end(), room_of(all, path)) - all.begin(); };
    const std::regex include("#include \"([^\"]+)\"");
    std::set<std::string> inhabited;
    size_t seen = 0;
    for (const File& file : sources()) {
        const std::string from = file.path.substr(4);
        inhabited.insert(room_of(all, from));
        const bool of_no_room = room_of(all, from).empty() && from.find('/') != std::string::npos;
        CHECK_MESSAGE(!of_no_room, file.path, " lies in a folder that the table of src/README.md does not have");
        for (std::sregex_iterator at(file.text.begin(), file.text.end(), include), end; at != end; ++at, ++seen) {
            const std::string header = (*at)[1];
            CHECK_MESSAGE(documents::exists("src/" + header), file.path, " includes ", header, ", not named from src/");
            CHECK_MESSAGE(place(header) <= place(from), file.path, " includes ", header);
        }
    }
    CHECK(seen > 300);
    for (const std::string& room : all) CHECK_MESSAGE(inhabited.count(room) == 1, room, " of the table of src/README.md has no file");
}

// CMakeLists.txt links the rooms in an order of its own: the same.
TEST_CASE("the libraries are the rooms, in their order") {
    const std::string lists = documents::contents("CMakeLists.txt");
    std::vector<std::string> libraries;
    for (const char* name : {"core_rooms", "solve_rooms"}) {
        std::smatch found;
        const std::regex line("\nset\\(" + std::string(name) + " ([a-z ]+)\\)");
        REQUIRE(std::regex_search(lists, found, line));
        std::istringstream words(found[1].str());
        for (std::string word; words >> word;) libraries.push_back(word);
    }
    std::vector<std::string> folders;
    for (const std::string& room : rooms()) {
        const std::string folder = room.substr(0, room.find('/'));
        if (!folder.empty() && folder != "tool" && std::find(folders.begin(), folders.end(), folder) == folders.end())
            folders.push_back(folder);
    }
    CHECK(libraries == folders);
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
    const std::set<std::string> known = words(all);
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
            CHECK_MESSAGE((file || known.count(last) > 0), "nothing is called ", what);
            ++names;
        }
    }
    CHECK(names > 40);
}

TEST_CASE("./dev promote runs every test that has something to promote") {
    const std::string lists = documents::contents("tests/CMakeLists.txt");
    const std::regex line("set_tests_properties\\(([a-z_/ ]+) PROPERTIES LABELS golden\\)");
    std::smatch labelled;
    REQUIRE(std::regex_search(lists, labelled, line));
    const std::string names = " " + labelled[1].str() + " ";
    const std::regex asks("getenv\\(\"LITMUS_PROMOTE\"\\)");
    size_t seen = 0;
    for (const File& file : documents::files_below({"tests"}, {".cpp", ".h"})) {
        if (!std::regex_search(file.text, asks)) continue;
        ++seen;
        const std::string folder = file.path.substr(6, file.path.find('/', 6) - 6);
        const bool labelled_here =
            names.find(" " + folder + " ") != std::string::npos || names.find(" " + folder + "/") != std::string::npos;
        CHECK_MESSAGE(labelled_here, file.path, " is not among those labelled golden");
    }
    CHECK(seen >= 4);
}
