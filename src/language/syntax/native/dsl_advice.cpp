// Hints for pasted code: by the first words of an instruction, and by directive.
#include "language/syntax/native/dsl_advice.h"

#include <algorithm>
#include <array>
#include <optional>
#include <variant>
#include <vector>

#include "ptx/cuda.h"

namespace litmus::dsl {
namespace {

struct Entry {
    std::string_view words;  // that the name begins with
    std::string_view hint;
};

constexpr std::array<Entry, 4> instructions = {{
    {"cp.async.bulk.relaxed", "it accesses elements of 16 bytes (PTX 9.3), as nothing does that is modelled"},
    {"call", "write the body of the function in its place"},
    {"mbarrier.wait", "write `await mbarrier.try_wait`, with the same qualifiers and operands"},
    {"fence.view.async", "write `fence.proxy.async`, its later name"},
}};

bool begins_with(std::string_view text, std::string_view words) {
    return text.substr(0, words.size()) == words && (text.size() == words.size() || text[words.size()] == '.');
}

bool has_word(std::string_view dotted, std::string_view word) {
    for (size_t begin = 0; begin <= dotted.size();) {
        const size_t end = std::min(dotted.find('.', begin), dotted.size());
        if (dotted.substr(begin, end - begin) == word) return true;
        begin = end + 1;
    }
    return false;
}

// The modes `.im2col::w`, whatever else is wrong in the name.
std::string column_advice(std::string_view dotted) {
    if (dotted.find(".im2col::w") == std::string_view::npos) return {};
    return "of the modes that copy columns `.im2col` is modelled, whose proxy and completion are the same";
}

// The proxy fence of tensor maps has two halves (ISA 9.7.13.4); where the text says neither, both are named.
std::string map_fence_advice(std::string_view dotted) {
    if (!begins_with(dotted, "fence.proxy.tensormap") && !begins_with(dotted, "fence.proxy.tensormap::generic")) return {};
    if (has_word(dotted, "acquire") || has_word(dotted, "release")) return {};
    return "nearest legal forms: fence.proxy.tensormap::generic.release.gpu, after the write of the map, and "
           "fence.proxy.tensormap::generic.acquire.gpu [tm], 128, before the copy (ISA 9.7.13.4)";
}

// Operations that an object elsewhere in the cluster does not support (ISA 9.7.13.15.8).
std::string remote_mbarrier_advice(std::string_view dotted) {
    if (!has_word(dotted, "shared::cluster")) return {};
    if (begins_with(dotted, "mbarrier.test_wait") || begins_with(dotted, "mbarrier.try_wait"))
        return "a thread waits on an object of its own CTA only: write `.shared::cta` (ISA 9.7.13.15.8)";
    for (const std::string_view own : {"mbarrier.init", "mbarrier.inval", "cp.async.mbarrier.arrive"})
        if (begins_with(dotted, own))
            return "`" + std::string(own) + "` is for an object of the executing CTA: write `.shared::cta` (ISA 9.7.13.15.8)";
    return {};
}

// How a test says what this name would.
std::string wording(std::string_view dotted, std::string_view pasted) {
    const Entry* best = nullptr;
    for (const Entry& entry : instructions)
        if (begins_with(dotted, entry.words) && (!best || entry.words.size() > best->words.size())) best = &entry;
    if (best) return std::string(best->hint);
    for (const auto advice : {column_advice, map_fence_advice, remote_mbarrier_advice})
        if (const std::string hint = advice(dotted); !hint.empty()) return hint;
    return cuda_hint(pasted);
}

bool is_legal(const std::string& dotted) {
    return std::holds_alternative<Spelling>(resolve(dotted));
}

// The words of the same kind that would be legal in the place of [begin, end), all else as it is. Empty: one or none.
std::string legal_words(std::string_view dotted, size_t begin, size_t end) {
    static const std::vector<std::vector<std::string_view>> kinds = {
        {"b8", "b16", "b32", "b64", "u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "f16", "bf16", "f16x2", "bf16x2", "f32", "f64"},
        {"add", "min", "max", "inc", "dec", "and", "or", "xor", "exch", "cas", "popc"},
        {"cta", "cluster", "gpu", "sys"},
        {"weak", "relaxed", "acquire", "release", "acq_rel", "sc"},
        {"v2", "v4", "v8"},
    };
    const std::string_view wrong = dotted.substr(begin, end - begin);
    std::string words;
    size_t count = 0;
    for (const auto& kind : kinds) {
        if (std::find(kind.begin(), kind.end(), wrong) == kind.end()) continue;
        for (const std::string_view word : kind) {
            if (!is_legal(std::string(dotted.substr(0, begin)) + std::string(word) + std::string(dotted.substr(end)))) continue;
            words += " ." + std::string(word);
            ++count;
        }
    }
    return count > 1 ? "legal here:" + words : "";
}

// ISA 9.7.13.6 and others: the additions of half-width types ask for a word of their own.
std::optional<Refusal> missing_noftz(std::string_view dotted) {
    const auto found = resolve(std::string(dotted) + ".noftz");
    const Spelling* spelled = std::get_if<Spelling>(&found);
    if (!spelled) return std::nullopt;
    std::string name = spelled->form->mnemonic;
    for (const std::string& qualifier : spelled->qualifiers) name += "." + qualifier;
    return Refusal{"`" + std::string(dotted) + "` lacks `.noftz`: it keeps subnormals (ISA " + spelled->form->section + ")",
                   "write " + name, 0, static_cast<uint32_t>(dotted.size())};
}

// A dot in place of an underscore, or an underscore in place of a dot: `wait_group_read`.
std::string with_other_joint(std::string_view dotted) {
    for (size_t i = 0; i < dotted.size(); ++i) {
        if (dotted[i] != '_' && dotted[i] != '.') continue;
        std::string other(dotted);
        other[i] = dotted[i] == '_' ? '.' : '_';
        const auto found = resolve(other);
        if (const Spelling* spelled = std::get_if<Spelling>(&found))
            return "nearest legal form: " + other + " (ISA " + spelled->form->section + ": " + spelled->form->box + ")";
    }
    return {};
}

// Hints to the caches where no global memory is accessed.
std::optional<Refusal> needless_hint(std::string_view dotted) {
    for (const std::string_view hint : {".L2::cache_hint", ".L2::64B", ".L2::128B", ".L2::256B"}) {
        const size_t at = dotted.find(hint);
        if (at == std::string_view::npos) continue;
        if (!is_legal(std::string(dotted.substr(0, at)) + std::string(dotted.substr(at + hint.size())))) continue;
        return Refusal{"`" + std::string(hint) + "` is for accesses to global memory", "leave it out", static_cast<uint32_t>(at + 1),
                       static_cast<uint32_t>(at + hint.size())};
    }
    return std::nullopt;
}

}  // namespace

Refusal advise(std::string_view dotted, std::string_view pasted, Refusal refusal) {
    if (auto better = missing_noftz(dotted)) return *better;
    if (auto better = needless_hint(dotted)) return *better;
    const std::string said = wording(dotted, pasted), words = legal_words(dotted, refusal.begin, refusal.end);
    if (!said.empty()) refusal.hint = said;
    if (begins_with(dotted, "fence.proxy.tensormap::generic") && !map_fence_advice(dotted).empty())
        refusal.message = "`" + std::string(dotted) + "` lacks `.release` or `.acquire`";
    if (const std::string better = with_other_joint(dotted); !better.empty()) refusal.hint = better;
    if (!words.empty()) refusal.hint = words + "; " + refusal.hint;
    return refusal;
}

std::string_view pasted_from(const Reader& in, size_t begin) {
    const std::string_view text = in.source->text;
    if (begin >= text.size()) return {};
    std::string_view pasted = text.substr(begin);
    pasted = pasted.substr(0, pasted.find_first_of(";\r\n"));
    return pasted.substr(0, pasted.find_last_not_of(" \t") + 1);
}

void refuse_cuda(Reader& in) {
    const DslToken first = in.lexer.peek();
    const bool starred = in.at("*");
    if (!starred && first.kind != DslToken::Kind::word) return;
    const std::string_view pasted = pasted_from(in, first.span.begin), name = pasted.substr(0, pasted.find_first_of("(< "));
    const size_t behind = std::min(pasted.find_first_not_of(' ', name.size()), pasted.size());
    const bool called = behind < pasted.size() && (pasted[behind] == '(' || pasted[behind] == '<');
    if (!starred && (!called || !begins_in_ptx(name))) return;  // of a name that is none of PTX advise() tells
    const std::string hint = cuda_hint(pasted);
    if (hint.empty()) return;
    const auto end = static_cast<uint32_t>(first.span.begin + (starred ? 1 : name.size()));
    in.fail({first.span.begin, end}, starred ? "an instruction does not begin with `*`" : "`" + std::string(name) + "` is called here",
            hint);
}

Advice directive_advice(std::string_view directive) {
    const std::string shown = "`." + std::string(directive) + "`";
    if (directive == "reg") return {"registers are not declared here", "put the `.reg` line into the body of a thread, or leave it out"};
    if (directive == "align") return {"`.align` stands after the state space", "write `.shared .align 16 .b8 s[64];`, or leave it out"};
    if (directive == "extern" || directive == "visible" || directive == "weak" || directive == "common")
        return {shown + ": a test has no linkage", "leave it out"};
    if (directive == "version" || directive == "address_size")
        return {shown + " is not written in a test", "leave it out: `litmus emit` writes it"};
    if (directive == "entry" || directive == "func" || directive == "param")
        return {shown + ": a test has threads, not kernels", "write `thread P0 @ cta0 { ... }`"};
    if (directive == "pragma" || directive == "maxntid" || directive == "reqntid" || directive == "minnctapersm")
        return {shown + " has no meaning in a test", "leave it out"};
    return {};
}

void refuse_directive(const Reader& in, const DslToken& token, std::string_view word) {
    const Advice advice = directive_advice(word);
    if (!advice.message.empty()) in.fail(token.span, advice.message, advice.hint);
}

}  // namespace litmus::dsl
