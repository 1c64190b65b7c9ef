// Numbers have one digit behind the point: less is not seen.
#include "view/picture/shapes.h"

#include <cmath>
#include <cstdlib>

namespace litmus::picture {

std::string in_xml(std::string_view text) {
    std::string out;
    for (const char c : text) {
        switch (c) {
            case '&':
                out += "&amp;";
                break;
            case '<':
                out += "&lt;";
                break;
            case '>':
                out += "&gt;";
                break;
            case '"':
                out += "&quot;";
                break;
            default:
                out += c;
        }
    }
    return out;
}

std::string number(double value) {
    const auto tenths = static_cast<long long>(std::llround(value * 10));
    const long long whole = std::llabs(tenths) / 10, rest = std::llabs(tenths) % 10;
    return (tenths < 0 ? "-" : "") + std::to_string(whole) + (rest > 0 ? "." + std::to_string(rest) : "");
}

std::string attribute(std::string_view name, std::string_view value) {
    return " " + std::string(name) + "=\"" + in_xml(value) + "\"";
}

std::string point(Point p) {
    return number(p.x) + "," + number(p.y);
}

std::string rectangle(const Box& box, double radius, std::string_view style) {
    return "<rect" + attribute("class", style) + " x=\"" + number(box.x) + "\" y=\"" + number(box.y) + "\" width=\"" + number(box.width) +
           "\" height=\"" + number(box.height) + "\" rx=\"" + number(radius) + "\"/>";
}

std::string text_at(Point where, std::string_view style, std::string_view text) {
    return "<text" + attribute("class", style) + " x=\"" + number(where.x) + "\" y=\"" + number(where.y) + "\">" + in_xml(text) + "</text>";
}

}  // namespace litmus::picture
