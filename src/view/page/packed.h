// A page with its pictures put together at its end, a tenth as long.
#pragma once

#include <string>

namespace litmus {

// In the place of each picture (`<svg` to `</svg>`) stands a sentence with its number, `data-picture`, and at the end of the body is
// `<script type="text/plain" id="pictures">` with all of them, deflated, in base64url. The script of the page puts them back (page.js).
// Pictures that are the same are there once. A page without pictures stays as it is.
std::string packed(const std::string& page);

}  // namespace litmus
