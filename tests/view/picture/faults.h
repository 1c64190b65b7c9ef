// What can be wrong with a picture, looked for in its numbers and in its text.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "view/picture/layout.h"

namespace litmus::picture {

// What is wrong with a layout; empty: nothing.
std::vector<std::string> faults(const Scene& scene, const PictureLayout& layout);

// Why a text is no well-formed XML with entities of its own; empty: it is.
std::string xml_fault(const std::string& text);

}  // namespace litmus::picture
