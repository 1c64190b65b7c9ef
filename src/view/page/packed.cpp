// The pictures of one test are much alike, and so are the parts of one picture: most of a page was what stands in it ten times.
#include "view/page/packed.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/deflate.h"
#include "view/page/frame.h"
#include "view/page/html.h"

namespace litmus {

std::string packed(const std::string& page) {
    constexpr std::string_view begins = "<svg ", ends = "</svg>\n", body_ends = "</body>";
    std::vector<std::string_view> pictures;
    std::string result;
    size_t done = 0;
    for (size_t from = page.find(begins); from != std::string::npos; from = page.find(begins, done)) {
        result += page.substr(done, from - done);
        done = page.find(ends, from) + ends.size();
        const std::string_view picture = std::string_view(page).substr(from, done - from);
        const auto known = std::find(pictures.begin(), pictures.end(), picture);
        const std::string number = std::to_string(known - pictures.begin());
        if (known == pictures.end()) pictures.push_back(picture);
        Html place;
        place.element("p", {{"class", "packed"}, {"data-picture", number}}, "The script of this page draws the picture that stands here.");
        result += place.take();
    }
    if (pictures.empty()) return page;
    std::string together;
    for (const std::string_view picture : pictures) together += picture;
    const size_t end = page.rfind(body_ends);
    result += page.substr(done, end - done);
    Html pack;
    pack.open("script", {{"type", "text/plain"}, {"id", "pictures"}}).markup(base64url(deflated(together))).close().line_end();
    return result + pack.take() + page.substr(end);
}

}  // namespace litmus
