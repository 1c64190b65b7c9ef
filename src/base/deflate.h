// Text made smaller, as every browser reads it (RFC 1951).
#pragma once

#include <string>
#include <string_view>

namespace litmus {

// The bytes as a raw DEFLATE stream: what `new DecompressionStream("deflate-raw")` of a page and zlib's inflate() give back. The same bytes
// give the same stream, everywhere.
std::string deflated(std::string_view bytes);

}  // namespace litmus
