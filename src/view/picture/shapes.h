// Pieces of SVG.
#pragma once

#include <string>
#include <string_view>

#include "view/picture/layout.h"

namespace litmus::picture {

std::string in_xml(std::string_view text);
std::string number(double value);  // in tenths, without a zero at the end
std::string attribute(std::string_view name, std::string_view value);
std::string point(Point p);
std::string rectangle(const Box& box, double radius, std::string_view style);
std::string text_at(Point where, std::string_view style, std::string_view text);

}  // namespace litmus::picture
