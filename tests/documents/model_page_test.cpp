// model/README.md lists every set and relation that a model finds built in.
#include <doctest/doctest.h>

#include "documents/repository.h"
#include "event/program.h"

TEST_CASE("model/README.md lists every built-in set and relation") {
    const std::string page = documents::contents("model/README.md");
    const size_t begin = page.find("## Built-in sets"), end = page.find("## Your own model");
    REQUIRE(begin < end);
    REQUIRE(end != std::string::npos);
    const std::string tables = page.substr(begin, end - begin);
    for (const litmus::BaseName& base : litmus::base_names()) {
        const std::string name(base.name);
        CHECK_MESSAGE(tables.find("`" + name + "`") != std::string::npos, "nothing is said of ", name);
    }
}
