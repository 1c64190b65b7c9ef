// The writer of HTML: what is text stays text.
#include "view/page/html.h"

#include <doctest/doctest.h>

#include <stdexcept>

namespace litmus {

TEST_CASE("text becomes no markup, in content and in attributes") {
    Html html;
    html.open("p", {{"title", "a \"quoted\" <b>"}}).text("1 < 2 && 3 > 2").close();
    CHECK(html.take() == "<p title=\"a &quot;quoted&quot; &lt;b&gt;\">1 &lt; 2 &amp;&amp; 3 &gt; 2</p>");
    CHECK(escaped(std::string("a\x1b[0m\x00z", 7)) == "a\xEF\xBF\xBD[0m\xEF\xBF\xBDz");
    CHECK(escaped("a\xe2\x80\xae"
                  "b\xc2\x9b"
                  "c\n\td") ==
          "a\xEF\xBF\xBD"
          "b\xEF\xBF\xBD"
          "c\n\td");  // marks of direction, C1
}

TEST_CASE("an attribute that is not given is left out") {
    Html html;
    html.leaf("input", {{"type", "checkbox"}, {"checked", "checked", false}});
    CHECK(html.take() == "<input type=\"checkbox\">");
}

TEST_CASE("what is opened has to be closed, and nothing else") {
    Html html;
    html.open("p");
    CHECK_THROWS_AS(html.take(), std::logic_error);
    html.close();
    CHECK_THROWS_AS(html.close(), std::logic_error);
}

}  // namespace litmus
