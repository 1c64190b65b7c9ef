// The words of a PTX file (PTX ISA 9.1, section 4).
//
// Tokens are made as they are asked for, so that a file of any size takes no memory for them.
#pragma once

#include <deque>
#include <string>
#include <string_view>

#include "base/budget.h"
#include "base/source.h"

namespace litmus::kernel {

struct PtxToken {
    enum class Kind : uint8_t {
        end,
        word,    // an identifier: `ld`, `%r1`, `$L__BB0_2`
        dotted,  // `.reg`, `.shared::cta`, `.2d`
        number,  // `12`, `0xffU`, `0f3F800000`, `1.5e-3`
        string,  // text with its quotes
        symbol,  // `[`, `<<`
    };
    Kind kind = Kind::end;
    std::string_view text;  // as written; of the source, which must live as long
    Span span;
    bool is(std::string_view written) const { return text == written && kind != Kind::end && kind != Kind::string; }
};

// Walks through the tokens of a source. Throws OverBudget where the budget is found spent.
class Cursor {
public:
    explicit Cursor(SourcePtr source, const Budget& budget = {}) : source_(std::move(source)), text_(source_->text), budget_(budget) {}

    // The token so many places ahead. Throws Failure where the text there is no token; the next call goes on behind it.
    const PtxToken& peek(size_t ahead = 0);
    PtxToken take();
    bool at(std::string_view written) { return peek().is(written); }
    bool accept(std::string_view written);
    PtxToken expect(std::string_view written, const std::string& where);  // where: "after the operands"
    PtxToken expect(PtxToken::Kind kind, const std::string& what);
    // What follows the last token that was taken, up to one of these characters or the end. Nothing may have been looked at since.
    std::string_view take_text(std::string_view until);
    // Leaves out a token, even one that is none.
    void skip();

    uint32_t taken() const { return taken_; }  // where the last token that was taken ends
    const SourcePtr& source() const { return source_; }

    [[noreturn]] void fail(Span span, std::string message, std::string hint = {}) const;
    [[noreturn]] void fail_expected(const std::string& what);

private:
    PtxToken next();
    PtxToken token(PtxToken::Kind kind, size_t length);
    void skip_blanks();
    size_t number_length() const;

    SourcePtr source_;
    std::string_view text_;
    Budget budget_;
    size_t tokens_ = 0;  // that were made
    size_t at_ = 0;
    uint32_t taken_ = 0;
    std::deque<PtxToken> ahead_;
};

}  // namespace litmus::kernel
