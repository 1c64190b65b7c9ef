// A finding stands under each line that it is about, with the access that is made there.
#include "view/page/kernel_page.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>

#include "analysis/kernel/report.h"
#include "analysis/sweep/report.h"
#include "analysis/verdict/text.h"
#include "base/visible.h"
#include "kernel/source_name.h"
#include "view/page/assets.h"
#include "view/page/html.h"
#include "view/page/pieces.h"
#include "view/picture/style.h"

namespace litmus {

namespace {

std::string name_of_file(const std::string& path) {
    return std::filesystem::path(path).filename().string();
}

std::vector<KernelPage::At> places_of(const Result& result, const std::vector<Result::Access>& accesses) {
    std::vector<KernelPage::At> places;
    for (const Result::Access& access : accesses)
        places.push_back(access.origin ? KernelPage::At{access.origin.file, access.origin.line, access.text}
                                       : KernelPage::At{result.file, static_cast<int>(access.begin.line), access.text});
    return places;
}

KernelPage::Finding finding_of(const kernel::Module& module, const std::string& title, const std::vector<sweep::Place>& places,
                               const Advised& advised) {
    KernelPage::Finding finding{title, {}, {}};
    for (const sweep::Place& place : places) {
        finding.lines.push_back(text_of(module, place));
        if (place.statement == nullptr) continue;
        const kernel::Line line = kernel::shown_line(module, place.statement->origin);
        const auto file = module.files.find(line.file);
        if (file != module.files.end()) finding.at.push_back({file->second, line.line, finding.lines.back()});
    }
    const std::string advice = text_of(advised);
    if (advice.empty()) return finding;
    finding.lines.push_back("advice: " + advice);
    if (!finding.at.empty()) finding.at.push_back({finding.at.back().file, finding.at.back().line, finding.lines.back()});
    return finding;
}

class KernelWriter {
public:
    explicit KernelWriter(const KernelPage& page) : page_(page) {
        for (const KernelPage::Finding& finding : page.findings)
            for (const KernelPage::At& at : finding.at) {
                std::vector<std::string>& said = at_[{name_of_file(at.file), at.line}];
                const std::string text = finding.title + ": " + at.text;
                if (std::find(said.begin(), said.end(), text) == said.end()) said.push_back(text);
            }
    }

    std::string run() {
        html_.markup("<!DOCTYPE html>\n");
        html_.open("html", {{"lang", "en"}}).line_end().open("head");
        html_.leaf("meta", {{"charset", "utf-8"}});
        html_.leaf("meta", {{"http-equiv", "Content-Security-Policy"}, {"content", "default-src 'none'; style-src 'unsafe-inline'"}});
        html_.leaf("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}});
        html_.element("title", page_.kernel + " - litmus");
        html_.open("style").markup(std::string(asset("style.css")) + picture::picture_style()).close().close().line_end();
        html_.open("body", {{"class", "test kernel"}}).line_end().open("main", {{"id", "main"}}).line_end();
        put_head();
        put_findings();
        put_figure_of_it();
        put_missing();
        for (const KernelPage::Source& source : page_.sources) put_lines(source);
        html_.close().line_end();
        html_.open("footer").element("p", "Made by " + page_.made + ". Section numbers are those of PTX ISA 9.1.").close().line_end();
        html_.close().line_end().close().line_end();
        return html_.take();
    }

private:
    using Line = std::pair<std::string, int>;  // of a file, by its name without folders

    void put_head() {
        html_.element("h1", visible(page_.kernel)).line_end();
        html_.open("p", {{"class", std::string("verdict ") + page_.look}}).element("span", {{"class", "label"}}, "Verdict").text(" ");
        html_.element("strong", page_.claim).close().line_end();
        for (const std::string& line : page_.open) html_.element("p", {{"class", "alarm"}}, visible(line)).line_end();
        if (page_.judged.empty()) return;
        html_.open("details").element("summary", "What was judged").open("ul");
        for (const std::string& line : page_.judged) html_.element("li", visible(line));
        html_.close().close().line_end();
    }

    void put_findings() {
        if (page_.findings.empty()) return;
        html_.open("section", {{"class", "hazards"}, {"aria-labelledby", "found"}}).element("h2", {{"id", "found"}}, "What can go wrong");
        for (const KernelPage::Finding& finding : page_.findings) put_finding(finding.title, finding.lines);
        html_.close().line_end();
    }

    void put_finding(const std::string& title, const std::vector<std::string>& lines) {
        html_.element("h3", visible(title)).open("ul");
        for (const std::string& line : lines) html_.element("li", visible(line));
        html_.close().line_end();
    }

    void put_figure_of_it() {
        if (!page_.figure) return;
        html_.open("section", {{"aria-labelledby", "when"}}).element("h2", {{"id", "when"}}, "When it happens").line_end();
        put_figure(html_, *page_.figure);
        html_.close().line_end();
    }

    void put_missing() {
        if (page_.missing.empty()) return;
        html_.open("section", {{"class", "missing"}, {"aria-labelledby", "missing"}})
            .element("h2", {{"id", "missing"}}, "What would mend it")
            .open("ul");
        std::istringstream lines(page_.missing);
        for (std::string line; std::getline(lines, line);) html_.element("li", visible(line));
        html_.close().close().line_end();
    }

    void put_lines(const KernelPage::Source& source) {
        const std::string file = name_of_file(source.file);
        html_.open("section", {{"class", "source"}, {"aria-label", visible(file)}}).element("h2", visible(file));
        html_.open("pre", {{"tabindex", "0"}, {"aria-label", "The text of " + visible(file)}}).open("code");
        int number = 0;
        for (const std::string& line : source.lines) {
            const auto found = at_.find({file, ++number});
            const std::string digits = std::to_string(number);
            html_.open("span", {{"class", found == at_.end() ? "line" : "line lit"}, {"data-line", digits}, {"id", "L" + digits}});
            html_.text(line + "\n").close();
            if (found == at_.end()) continue;
            for (const std::string& text : found->second) html_.element("span", {{"class", "finding"}}, visible(text));
        }
        html_.close().close().close().line_end();
    }

    const KernelPage& page_;
    std::map<Line, std::vector<std::string>> at_;  // what stands below a line
    Html html_;
};

}  // namespace

KernelPage page_of(const std::vector<KernelLaunch>& launches, const KernelJudgement& judgement) {
    KernelPage page;
    page.kernel = kernel::source_name(launches.front().launch->entry);
    page.claim = claim_line(launches, judgement);
    page.look = judgement.claim == KernelClaim::right ? "ok" : judgement.claim == KernelClaim::wrong ? "no" : "unknown";
    for (const KernelJudgement::Open& one : judgement.open) page.open.push_back(one.what + "; to close it: " + one.closes);
    for (size_t n = 0; n < judgement.swept.size(); ++n)
        for (const SweptFinding& one : judgement.swept[n].findings)
            page.findings.push_back(finding_of(*launches[n].module, one.finding.text, one.finding.places, one.advised));
    for (size_t n = 0; n < judgement.swept.size(); ++n)
        if (judgement.swept[n].out_of_scope > 0)
            page.findings.push_back(finding_of(*launches[n].module, narrow_message(judgement.swept[n]), judgement.swept[n].narrow_waits,
                                               judgement.swept[n].narrow));
    if (!judgement.threads) return page;
    const Result& result = judgement.threads->result;
    page.judged = result.judged;
    for (const Result::Harm& harm : result.hazards) page.findings.push_back({harm.title, harm.lines, places_of(result, harm.accesses)});
    for (const Result::RacingPair& race : result.races)
        page.findings.push_back(
            {"race on " + race.location, {race.first.text, race.second.text}, places_of(result, {race.first, race.second})});
    return page;
}

std::string kernel_page(const KernelPage& page) {
    return KernelWriter(page).run();
}

}  // namespace litmus
