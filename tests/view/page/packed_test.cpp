// The pictures of a page, put together at its end.
#include "view/page/packed.h"

#include <doctest/doctest.h>

#include "base/deflate.h"
#include "view/page/frame.h"

namespace litmus {
namespace {

TEST_CASE("pictures go to the end of a page, those that are the same once") {
    const std::string a = "<svg class=\"a\"><g/></svg>\n", b = "<svg class=\"b\"><g/></svg>\n";
    const std::string page = packed("<body><p>1</p>" + a + "<p>2</p>" + b + a + "<p>3</p></body>\n");
    const auto place = [](const char* number) {
        return "<p class=\"packed\" data-picture=\"" + std::string(number) +
               "\">The script of this page draws the picture that stands here.</p>";
    };
    CHECK(page == "<body><p>1</p>" + place("0") + "<p>2</p>" + place("1") + place("0") +
                      "<p>3</p><script type=\"text/plain\" id=\"pictures\">" + base64url(deflated(a + b)) + "</script>\n</body>\n");
}

TEST_CASE("a page without pictures stays as it is") {
    CHECK(packed("<body><p>1</p></body>") == "<body><p>1</p></body>");
}

}  // namespace
}  // namespace litmus
