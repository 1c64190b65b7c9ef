// The claim is put into the text and all is read again, so that whatever goes by the text sees it.
#include "tool/subject.h"

#include "analysis/verdict/claim_text.h"
#include "language/syntax/outcome.h"
#include "language/syntax/read.h"

namespace litmus {

namespace {

std::string with_claim(const Test& test, const std::string& claim) {
    std::string text = test.source->text;
    if (test.claim.kind == Claim::Kind::none) return text + "\n" + claim;
    const Span old = test.claim.span;
    return text.replace(old.begin, old.end - old.begin, claim);
}

}  // namespace

Test with_outcome(const Test& test, const std::string& word, const std::string& outcome) {
    const Condition condition = parse_outcome(test, outcome);
    if (test.dialect != Dialect::native)
        throw Failure(test.source, {}, "--outcome puts a claim into the text of the test, which has to be in the DSL for that",
                      "`litmus fmt --to native` prints it so");
    const std::string text = with_claim(test, word + " " + condition_text(test, condition));
    return parse_tests(make_source(test.source->name, text)).at(0);
}

}  // namespace litmus
