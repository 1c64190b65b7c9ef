// How pictures look: the style sheet that each of them carries.
#pragma once

#include <string_view>

namespace litmus::picture {

// Colours are taken from the variables of the page, where it has them, and have light and dark values of their own.
extern const std::string_view picture_style;

}  // namespace litmus::picture
