#include "picture/svg.h"

namespace litmus {

std::string svg_picture(const Drawing& drawing, const PictureOptions&) {
    std::string text;
    for (const char c : execution_text(drawing)) {
        if (c == '<') text += "&lt;";
        else if (c == '&') text += "&amp;";
        else text += c;
    }
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" class=\"litmus-picture\" viewBox=\"0 0 400 300\"><title>" + text +
           "</title></svg>\n";
}

}  // namespace litmus
