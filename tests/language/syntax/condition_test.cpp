// The grammar of conditions, over marks of one character and atoms of one letter.
#include "language/syntax/condition.h"

#include <doctest/doctest.h>

#include <string>

using namespace litmus;

namespace {

class Letters : public ConditionParser {
public:
    explicit Letters(std::string text) : source_(make_source("text", std::move(text))) {}

private:
    bool accept(Mark mark) override {
        const char spelling[] = {'|', '&', '~', '(', '1', '0'};
        if (at_ == source_->text.size() || source_->text[at_] != spelling[static_cast<size_t>(mark)]) return false;
        ++at_;
        return true;
    }
    void close() override {
        if (at_ == source_->text.size() || source_->text[at_] != ')') throw Failure(source_, next(), "open");
        ++at_;
    }
    void comparison(Condition& atom) override {
        if (at_ == source_->text.size() || source_->text[at_] < 'a') throw Failure(source_, next(), "no atom");
        atom.left.name = source_->text[at_++];
    }
    void check_depth(int depth) override {
        if (depth > 3) throw Failure(source_, next(), "deep");
    }
    Span next() override { return {at_, at_ + 1}; }
    uint32_t last_end() const override { return at_; }

    SourcePtr source_;
    uint32_t at_ = 0;
};

// In prefix form, each condition with its place.
std::string text_of(const Condition& condition) {
    const std::string place = std::to_string(condition.span.begin) + "-" + std::to_string(condition.span.end);
    if (condition.kind == Condition::Kind::constant) return (condition.value ? "1@" : "0@") + place;
    if (condition.kind == Condition::Kind::atom) return condition.left.name + "@" + place;
    std::string text = condition.kind == Condition::Kind::negation ? "~" : condition.kind == Condition::Kind::conjunction ? "&" : "|";
    text += "@" + place + "(";
    for (const Condition& operand : condition.operands) text += (text.back() == '(' ? "" : " ") + text_of(operand);
    return text + ")";
}

std::string prefix_form(const std::string& text) {
    try {
        return text_of(Letters(text).parse());
    } catch (const Failure& failure) {
        return failure.diagnostics()[0].message + "@" + std::to_string(failure.diagnostics()[0].span.begin);
    }
}

}  // namespace

TEST_CASE("~ binds closer than /\\, which binds closer than \\/") {
    CHECK(prefix_form("a") == "a@0-1");
    CHECK(prefix_form("a|b&~c|1") == "|@0-8(a@0-1 &@2-6(b@2-3 ~@4-6(c@5-6)) 1@7-8)");
    CHECK(prefix_form("~a&0") == "&@0-4(~@0-2(a@1-2) 0@3-4)");
}

TEST_CASE("parentheses group, and leave nothing behind") {
    CHECK(prefix_form("((a))") == "a@2-3");
    CHECK(prefix_form("(a|b)&c") == "&@1-7(|@1-4(a@1-2 b@3-4) c@6-7)");
    CHECK(prefix_form("~(a&b)") == "~@0-6(&@2-5(a@2-3 b@4-5))");
}

TEST_CASE("what is missing, and what is nested too deeply, is said where it is") {
    CHECK(prefix_form("(a") == "open@2");
    CHECK(prefix_form("a|") == "no atom@2");
    CHECK(prefix_form("~~~a") == "~@0-4(~@1-4(~@2-4(a@3-4)))");
    CHECK(prefix_form("~(~(a))") == "deep@4");
}
