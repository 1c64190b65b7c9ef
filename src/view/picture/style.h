// How pictures look: the style sheet that each of them carries.
#pragma once

#include <string>

namespace litmus::picture {

// Colours are taken from the variables of the page, where it has them, and have light and dark values of their own.
// A page that sets `data-theme` on its root decides; without it the reader's preference. Paper is light.
std::string picture_style();

}  // namespace litmus::picture
