// What all pages of a site have in common: the head, the line above with the ways to its parts, the line below.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "view/page/html.h"

namespace litmus {

// A place of the site that every page leads to.
struct SitePart {
    std::string name;    // "Tests"
    std::string target;  // "index.html", from the site's root
};

struct Site {
    std::vector<SitePart> parts;
    std::string made;             // by which version of the tool, under which model and reading
    std::string laboratory = {};  // "laboratory.html", from the site's root; empty: there is none
};

// Where a page stands.
struct PageHead {
    std::string path;        // "tests/mp/mp.html", from the site's root
    std::string title;       // of the window
    std::string part;        // the name of the part that it belongs to
    std::string kind;        // the class of its body: "test", "index"
    std::string about = {};  // a sentence, for search engines; empty: none
};

// "../../style.css" on the page `from`, of a path from the site's root; what follows a `#` stays.
std::string relative_to(const std::string& from, const std::string& target);

// Where the laboratory opens with this text, on the page `from`; empty where there is no laboratory, or the text is too long for an
// address.
std::string laboratory_link(const Site& site, const std::string& from, std::string_view text);

// The whole page: `content` stands in its <main>.
std::string framed(const Site& site, const PageHead& head, std::string_view content);

// As an address may have it: RFC 4648, section 5, without padding.
std::string base64url(std::string_view bytes);

}  // namespace litmus
