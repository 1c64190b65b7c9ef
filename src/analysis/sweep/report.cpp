// A place is a thread and its instruction, with the line of CUDA where that is known.
#include "analysis/sweep/report.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "analysis/sweep/advice.h"
#include "analysis/sweep/advice_places.h"
#include "base/visible.h"
#include "kernel/program.h"
#include "print/columns.h"

namespace litmus {

namespace {

using nlohmann::ordered_json;
using sweep::Place;

constexpr const char* narrow_id = "narrow-wait";
constexpr const char* narrow_text = "A wait at .cta orders nothing between blocks (ISA 8.7.1).";

// "confirmed by the model with 3 threads"; empty: it was not to be asked.
std::string model_text(const SweptFinding& one) {
    if (!one.asked) return {};
    const std::string with = " with " + counted(one.confirmation.slice.test.threads.size(), "thread");
    if (one.confirmation.answer == Confirmation::Answer::yes) return "confirmed by the model" + with;
    if (one.confirmation.answer == Confirmation::Answer::no) return "not confirmed: the model finds nothing in its test" + with;
    const bool had_test = !one.confirmation.slice.text.empty();
    return (had_test ? "not confirmed: the model has no answer (" : "the model is not asked (") + one.confirmation.why + ")";
}

// "the sweep finds nothing then, and the model no race"; empty: it was not tried.
std::string tried_text(const Advised& advised) {
    if (!advised.by_sweep) return {};
    return std::string(advised.all_gone ? "the sweep then finds nothing" : "the sweep then does not find this") +
           (advised.by_model ? ", and the model no race" : "");
}

std::string sentence_of(const Advised& advised) {
    return advised.change + ": " + advised.why;
}

// A line or two of a paragraph.
std::string advised_text(const Advised& advised) {
    if (advised.change.empty()) return {};
    const std::string tried = tried_text(advised), see = advised.see.empty() ? "" : "see litmus/" + advised.see;
    std::string text = "  advice: " + visible(sentence_of(advised)) + "\n";
    if (!tried.empty()) text += "  tried: " + tried + (see.empty() ? "" : "; " + see) + "\n";
    if (tried.empty() && !see.empty()) text += "  " + see + "\n";
    return text;
}

// One cause is one paragraph: what follows from it has a line each, as long as these are few.
std::string consequences_text(const kernel::Module& module, const SweptKernel& kernel, size_t cause) {
    constexpr size_t most = 5;
    std::string text;
    size_t count = 0;
    for (const SweptFinding& one : kernel.findings) {
        if (one.cause != cause || ++count > most) continue;
        if (text.empty())
            text = one.advised.with                         ? "  the same change mends:\n"
                   : one.finding.kind == sweep::Kind::stuck ? "  others wait for these threads:\n"
                                                            : "  between the same synchronisation, and so perhaps of one cause:\n";
        text += "    " + visible(one.finding.text);
        for (const Place& place : one.finding.places)
            text += (&place == &one.finding.places.front() ? " (" : ", ") + visible(advised_line(module, place));
        text += one.finding.places.empty() ? "\n" : ")\n";
    }
    return count > most ? text + "    and " + std::to_string(count - most) + " more\n" : text;
}

ordered_json advised_json(const Advised& advised) {
    if (advised.with) return {{"with", *advised.with}};
    ordered_json object = {{"change", advised.change}, {"why", advised.why}};
    if (!advised.see.empty()) object["see"] = advised.see;
    object["tried"] = advised.by_model ? "sweep and model" : advised.by_sweep ? "sweep" : "no";
    if (advised.by_sweep) object["nothing_left"] = advised.all_gone;
    return object;
}

ordered_json place_json(const kernel::Module& module, const Place& place) {
    ordered_json object = {{"block", place.seat.block}, {"thread", place.seat.thread}};
    if (place.statement == nullptr) return object;
    object["instruction"] = kernel::dotted(place.statement->words);
    const kernel::Line line = kernel::shown_line(module, place.statement->origin);
    const auto file = module.files.find(line.file);
    if (line.line > 0 && file != module.files.end()) {
        object["file"] = file->second;
        object["line"] = line.line;
    }
    return object;
}

ordered_json places_json(const kernel::Module& module, const std::vector<Place>& places) {
    ordered_json list = ordered_json::array();
    for (const Place& place : places) list.push_back(place_json(module, place));
    return list;
}

// Where a tool shows a place.
Related shown(const kernel::Module& module, const std::string& ptx, const Place& place) {
    Related related{text_of(module, place), ptx, {1, 1}, {1, 2}};
    if (place.statement == nullptr) return related;
    const kernel::Line line = kernel::shown_line(module, place.statement->origin);
    const auto file = module.files.find(line.file);
    if (line.line > 0 && file != module.files.end()) {
        related.file = file->second;
        related.begin = {line.line, std::max(line.column, 1)};
        related.end = {line.line, std::max(line.column, 1) + 1};
    } else if (module.source) {
        related.begin = position(*module.source, place.statement->span.begin);
        related.end = {related.begin.line, related.begin.column + 1};
    }
    return related;
}

CaseFinding case_finding(const kernel::Module& module, const std::string& ptx, const std::string& rule, const std::string& message,
                         const std::vector<Place>& places) {
    CaseFinding finding;
    finding.rule = rule;
    finding.message = message;
    for (const Place& place : places) finding.related.push_back(shown(module, ptx, place));
    finding.file = ptx;
    finding.begin = {1, 1};
    finding.end = {1, 2};
    if (!finding.related.empty()) {
        finding.file = finding.related.back().file;
        finding.begin = finding.related.back().begin;
        finding.end = finding.related.back().end;
    }
    finding.fingerprint = rule + ":" + message;
    for (const Related& related : finding.related)
        finding.fingerprint += ":" + related.file.substr(related.file.rfind('/') + 1) + related.message.substr(related.message.rfind(':'));
    return finding;
}

// The lines of a paragraph: what was found, at which threads, and what the model says.
// The accesses that decide, in the order of a run: "block 0 at lock.cu:7, block 2 at lock.cu:7".
std::string order_text(const kernel::Module& module, const std::vector<Place>& order) {
    constexpr size_t most = 8;
    std::string text;
    for (size_t n = 0; n < std::min(order.size(), most); ++n) {
        const kernel::Seat& seat = order[n].seat;
        const std::string line = kernel::text_of(module, kernel::shown_line(module, order[n].statement->origin));
        text += (n > 0 ? ", " : "") + (seat.thread < 32 ? "" : "thread " + std::to_string(seat.thread) + " of ") + "block " +
                std::to_string(seat.block) + (line.empty() ? "" : " at " + line);
    }
    return text + (order.size() > most ? ", and " + std::to_string(order.size() - most) + " more" : "");
}

std::string found_text(const kernel::Module& module, const SweptFinding& one) {
    std::string text = visible(one.finding.text) + "\n";
    for (const Place& place : one.finding.places) text += "  " + visible(text_of(module, place)) + "\n";
    if (const std::string said = model_text(one); !said.empty()) text += "  " + visible(said) + "\n";
    if (!one.finding.order.empty()) text += "  in this order: " + visible(order_text(module, one.finding.order)) + "\n";
    return text;
}

// The same without what the model says.
ordered_json found_json(const kernel::Module& module, const SweptFinding& one) {
    ordered_json object = {
        {"kind", row_of(one.finding.kind).id}, {"text", one.finding.text}, {"places", places_json(module, one.finding.places)}};
    if (!one.finding.order.empty()) object["order"] = places_json(module, one.finding.order);
    return object;
}

CaseFinding case_of(const kernel::Module& module, const std::string& file, const SweptFinding& one) {
    const std::string said = model_text(one);
    return case_finding(module, file, row_of(one.finding.kind).id, one.finding.text + (said.empty() ? "" : " (" + said + ")"),
                        one.finding.places);
}

std::string unwritten_message(const sweep::Part& part) {
    return "bytes " + std::to_string(part.begin) + " to " + std::to_string(part.end - 1) + " of `" + visible(part.object) +
           "` are not written; in the launch that this one repeats they are";
}

// For other tools, behind the message.
std::string case_advice(const Advised& advised) {
    const std::string text = text_of(advised);
    return text.empty() ? text : "; advice: " + text;
}

}  // namespace

std::string orders_text(const SweptKernel& kernel) {
    if (kernel.orders == 1) return "one order of the threads";
    return (kernel.orders == 2 ? "two" : std::to_string(kernel.orders)) + std::string(" orders of the threads");
}

// "thread 0 of block 0 at ring.cu:38, called at main.cu:9: mbarrier.init.shared.b64"
std::string text_of(const kernel::Module& module, const sweep::Place& place) {
    std::string text = "thread " + std::to_string(place.seat.thread) + " of block " + std::to_string(place.seat.block) +
                       (place.earlier ? " of an earlier launch" : "");
    if (place.statement == nullptr) return text;
    const kernel::Origin& origin = place.statement->origin;
    const std::string line = kernel::text_of(module, kernel::shown_line(module, origin));
    const std::string outer = origin.empty() ? "" : kernel::text_of(module, origin.back());  // of the call that it was inlined at
    const std::string inner = origin.empty() ? "" : kernel::text_of(module, origin.front());
    return text + (line.empty() ? "" : " at " + line) + (inner.empty() || inner == line ? "" : " (" + inner + ")") +
           (outer.empty() || outer == line ? "" : ", called at " + outer) + ": " + kernel::dotted(place.statement->words);
}

std::string text_of(const Advised& advised) {
    if (advised.with || advised.change.empty()) return {};
    const std::string tried = tried_text(advised);
    return sentence_of(advised) + (tried.empty() ? "" : " (" + tried + ")");
}

std::string narrow_message(const SweptKernel& kernel) {
    return counted(kernel.out_of_scope, "finding") +
           " because waits, or what they wait for, are at .cta, which orders nothing between blocks (ISA 8.7.1); there is none under the "
           "reading "
           "`async-scope`";
}

std::string sweep_text(const kernel::Module& module, const SweptKernel& kernel) {
    std::string text;
    for (size_t f = 0; f < kernel.findings.size(); ++f) {
        const SweptFinding& one = kernel.findings[f];
        if (one.cause) continue;
        text += found_text(module, one) + advised_text(one.advised) + consequences_text(module, kernel, f);
    }
    if (kernel.out_of_scope > 0) {
        text += narrow_message(kernel) + "\n";
        for (const Place& place : kernel.narrow_waits) text += "  " + visible(text_of(module, place)) + "\n";
        text += advised_text(kernel.narrow);
    }
    if (kernel.again > 0) text += counted(kernel.again, "finding") + " that an earlier launch has, too: left out\n";
    if (!kernel.is_wrong()) text += kernel.again > 0 ? "nothing else found\n" : "nothing found\n";
    for (const SweptFinding& one : kernel.denied) text += "not sure: " + found_text(module, one);
    for (const sweep::Part& part : kernel.unwritten) text += unwritten_message(part) + "\n";
    for (const std::string& condition : kernel.conditions)
        text += "holds for " + orders_text(kernel) + " only: " + visible(condition) + "\n";
    for (const std::string& why : kernel.out_of_line)
        if (kernel.all_orders) text += "each order of the strong accesses was run, and others may come about: " + visible(why) + "\n";
    if (kernel.all_orders && !kernel.is_wrong() && kernel.is_sure())
        text += "each order of the strong accesses was run, " + std::string(kernel.exchanged ? "one for all that are alike, " : "") +
                std::to_string(kernel.orders) + " orders in all, and no others come about\n";
    for (const std::string& practice : kernel.practices)
        if (!kernel.is_wrong()) text += "this rests on a practice: " + visible(practice) + "\n";
    if (!kernel.conditions.empty() && !kernel.all_orders && !kernel.not_exchangeable.empty())
        text += "no block stands for those that are alike: " + visible(kernel.not_exchangeable) + "\n";
    return text + counted(static_cast<size_t>(kernel.instructions), "instruction") + " of warps, " +
           counted(static_cast<size_t>(kernel.accesses), "range") + " of bytes accessed\n";
}

std::string sweep_json(const kernel::Module& module, const std::string& file, const std::string& entry, const SweptKernel& kernel) {
    ordered_json findings = ordered_json::array();
    for (const SweptFinding& one : kernel.findings) {
        ordered_json object = found_json(module, one);
        const bool confirmed = one.confirmation.answer == Confirmation::Answer::yes;
        const bool denied = one.confirmation.answer == Confirmation::Answer::no;
        object["model"] = confirmed ? "confirmed" : denied ? "denied" : "not asked";
        if (one.cause) object["cause"] = *one.cause;
        if (!one.confirmation.why.empty()) object["why"] = one.confirmation.why;
        if (one.advised.with || !one.advised.change.empty()) object["advice"] = advised_json(one.advised);
        if (!one.confirmation.slice.text.empty()) object["test"] = one.confirmation.slice.text;
        findings.push_back(std::move(object));
    }
    ordered_json denied = ordered_json::array();
    for (const SweptFinding& one : kernel.denied) {
        denied.push_back(found_json(module, one));
        denied.back()["test"] = one.confirmation.slice.text;
    }
    ordered_json narrow = {{"findings", kernel.out_of_scope}, {"places", places_json(module, kernel.narrow_waits)}};
    if (kernel.out_of_scope > 0) narrow["advice"] = advised_json(kernel.narrow);
    ordered_json object = {{"file", file},
                           {"kernel", entry},
                           {"verdict", kernel.is_wrong()  ? "wrong"
                                       : kernel.is_sure() ? "ok"
                                                          : "depends"},
                           {"findings", std::move(findings)},
                           {"denied", std::move(denied)},
                           {"narrow_waits", std::move(narrow)},
                           {"conditions", kernel.conditions},
                           {"orders", kernel.orders},
                           {"all_orders", kernel.all_orders},
                           {"exchanged", kernel.exchanged},
                           {"other_orders", kernel.out_of_line},
                           {"practices", kernel.practices},
                           {"instructions", kernel.instructions},
                           {"accesses", kernel.accesses}};
    if (kernel.launch > 0) {
        ordered_json unwritten = ordered_json::array();
        for (const sweep::Part& part : kernel.unwritten)
            unwritten.push_back({{"object", part.object}, {"begin", part.begin}, {"end", part.end}});
        object["launch"] = kernel.launch;
        object["again"] = kernel.again;
        object["unwritten"] = std::move(unwritten);
    }
    return object.dump(-1, ' ', true, ordered_json::error_handler_t::replace);
}

Case sweep_case(const kernel::Module& module, const std::string& file, const std::string& entry, const SweptKernel& kernel) {
    Case one;
    one.file = file;
    one.name = entry + (kernel.launch > 0 ? ", launch " + std::to_string(kernel.launch) : "");
    one.outcome = kernel.is_wrong() ? Case::Outcome::failed : kernel.is_sure() ? Case::Outcome::passed : Case::Outcome::broken;
    for (const SweptFinding& found : kernel.findings) {
        one.findings.push_back(case_of(module, file, found));
        one.findings.back().message += case_advice(found.advised);
        if (found.cause) one.findings.back().cause = one.findings[*found.cause].fingerprint;  // causes stand first
    }
    for (const SweptFinding& denied : kernel.denied) {
        one.findings.push_back(case_of(module, file, denied));
        one.findings.back().level = CaseFinding::Level::warning;
    }
    if (kernel.out_of_scope > 0) {
        one.findings.push_back(case_finding(module, file, narrow_id, narrow_message(kernel), kernel.narrow_waits));
        one.findings.back().message += case_advice(kernel.narrow);
    }
    return one;
}

const std::vector<Rule>& sweep_rules() {
    static const std::vector<Rule> rules = [] {
        std::vector<Rule> made;
        for (const sweep::KindRow& one : sweep::kinds()) made.push_back({one.id, one.text});
        made.push_back({narrow_id, narrow_text});
        return made;
    }();
    return rules;
}

}  // namespace litmus
