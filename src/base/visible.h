// Text of others made harmless to look at.
//
// Names, file names and lines of input are printed to terminals, logs and other tools' comments. There a control character
// acts, a bidirectional one reorders what is read, and a line that begins with `::` is a command to GitHub's runners (one
// with `##[` or `##vso[` in it, to Azure's).
#pragma once

#include <string>
#include <string_view>

namespace litmus {

// Whether the text begins with a character that acts, and the bytes that it has: C0, DEL and C1; Unicode's bidirectional controls (UAX 9,
// 2.7), line and paragraph separators. 0: it does not.
size_t acting(std::string_view text);

// `text` on one line with everything of that kind escaped: `\n`, `\x1b`, `\u202e`; bytes that are no UTF-8 are `\xff`. Text
// without any is unchanged, a backslash too: this is for people, and is not read back.
std::string visible(std::string_view text);

// The same of a text of several lines, which stay lines.
std::string visible_lines(std::string_view text);

}  // namespace litmus
