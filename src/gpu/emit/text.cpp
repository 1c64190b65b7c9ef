// Lines of PTX.
#include "gpu/emit/text.h"

#include "base/visible.h"

namespace litmus::gpu {

void PtxText::line(std::string_view code, std::string_view comment) {
    std::string out = code.empty() ? std::string() : std::string(static_cast<size_t>(depth_) * 4, ' ') + std::string(code);
    if (!comment.empty() && out.size() > column_) {
        this->comment(comment);
    } else if (!comment.empty()) {
        out.resize(column_, ' ');
        out += "  // " + visible(comment);
    }
    text_ += out + "\n";
    ++lines_;
}

void PtxText::comment(std::string_view text) {
    text_ += std::string(static_cast<size_t>(depth_) * 4, ' ') + (text.empty() ? "//" : "// ") + visible(text) + "\n";
    ++lines_;
}

void PtxText::label(std::string_view name) {
    text_ += std::string(name) + ":\n";
    ++lines_;
}

void PtxText::append(const PtxText& other) {
    for (const Mark& m : other.marks_) marks_.push_back({m.thread, m.instruction, m.line + lines_});
    text_ += other.text_;
    lines_ += other.lines_;
}

}  // namespace litmus::gpu
