// Where each test of a report has its page, and what leads to it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tool/inputs.h"
#include "view/page/index_page.h"

namespace litmus {

// The tests in the order of the site: by topic, within one as they were named.
class Shelf {
public:
    // Reads `questions.md`, where it stands in the folder of the tests or above. Throws Failure for a mistake in it.
    explicit Shelf(std::vector<Input> inputs);

    size_t size() const { return inputs_.size(); }
    const Input& input(size_t test) const { return inputs_[test]; }
    const std::string& topic(size_t test) const { return places_[test].topic; }
    Link page(size_t test) const;  // by the test's name
    const std::vector<LibraryQuestion>& questions() const { return questions_; }
    // Those about single tests, of which some are here.
    const std::vector<IndexQuestion>& asked() const { return asked_; }

    // The folder that names start from.
    const std::string& root() const { return root_; }
    // The test of this file, from that folder; none: it is not here.
    std::optional<size_t> find(const std::string& file) const;

    // Puts in where the page stands: its path, its neighbours, the repair, the questions. What it says of a file that was named from the
    // root of the machine becomes a name from the folder around `root`: who reads a page has another machine.
    void place(TestPage& page, size_t test) const;

private:
    struct Place {
        std::string path;   // of the page
        std::string name;   // from the library's folder, without extension: "async/proxy-raw/raw-bar-unfenced"
        std::string topic;  // "async/proxy-raw"
    };
    void hide_machine(TestPage& page, const Input& input) const;
    void find_root();
    void assign_places();
    void read_questions();
    std::optional<size_t> named(const std::string& name, size_t from) const;

    std::vector<Input> inputs_;
    std::string root_;  // the folder that names start from
    bool has_questions_ = false;
    std::vector<Place> places_;
    std::vector<LibraryQuestion> questions_;
    std::vector<IndexQuestion> asked_;
    std::map<size_t, std::vector<Link>> answers_;       // by test
    std::map<std::string, std::vector<size_t>> tests_;  // by name
    std::map<size_t, std::vector<size_t>> mended_by_;
};

}  // namespace litmus
