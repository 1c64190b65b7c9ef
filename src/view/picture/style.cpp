// The style sheet of a picture. The hues of relations are those of Okabe and Ito, told apart by people with any kind of colour vision.
#include "view/picture/style.h"

#include <array>
#include <string_view>

namespace litmus::picture {

namespace {

// A colour under its own name; where the page has a variable of the second name, that is taken, which has the page's theme.
struct Colour {
    std::string_view name, of_page, light, dark;
};
constexpr std::array<Colour, 27> colours{{
    {"paper", "paper", "#fff", "#14171c"},        {"card", "paper", "#fff", "#1f242d"},     {"frame", "raised", "#f4f5f8", "#1a1e25"},
    {"ink", "ink", "#1d2330", "#e7e9ee"},         {"faint", "faint", "#5d6675", "#a0a9b8"}, {"line", "line", "#c6ccd6", "#3f4652"},
    {"quiet", "", "#a0a8b6", "#667083"},          {"bad", "bad", "#c01c28", "#ff6b6b"},     {"weak", "warn", "#b4560f", "#f0a35e"},
    {"missing", "missing", "#b4560f", "#f0a35e"}, {"async", "async", "#6d3fb3", "#b794f4"}, {"generic", "generic", "#44546a", "#9fb2cc"},
    {"rf", "rf", "#0a66a6", "#66b3ea"},           {"co", "co", "#b84a06", "#f08a4b"},       {"fr", "fr", "#8f3f72", "#dd96c2"},
    {"sync", "sync", "#007a55", "#3ecf9f"},       {"sc", "", "#7d6000", "#d9b23c"},         {"bar", "", "#22709a", "#74bde0"},
    {"read", "", "#d5e8f7", "#1d4466"},           {"write", "", "#fde3cc", "#6a3d17"},      {"other", "", "#e3e6eb", "#3a4250"},
    {"lane-0", "", "#0a66a6", "#66b3ea"},         {"lane-1", "", "#d55e00", "#f08a4b"},     {"lane-2", "", "#6d3fb3", "#b794f4"},
    {"lane-3", "", "#a07a00", "#e0c050"},         {"lane-4", "", "#b03a76", "#ee92c4"},     {"lane-5", "", "#44546a", "#9fb2cc"},
}};

std::string declared(bool dark) {
    std::string text;
    for (const Colour& colour : colours) {
        const std::string value(dark ? colour.dark : colour.light);
        text += "--p-" + std::string(colour.name) + ":";
        text += colour.of_page.empty() ? value + ";" : "var(--" + std::string(colour.of_page) + "," + value + ");";
    }
    return ".litmus-picture{" + text + "}\n";
}

constexpr std::string_view rules = R"(
.litmus-picture{font-family:ui-monospace,"DejaVu Sans Mono",Menlo,Consolas,"Liberation Mono",monospace;font-size:12px;color:var(--p-ink)}
.litmus-picture .paper{fill:var(--p-paper)}
.litmus-picture text{fill:var(--p-ink)}
.litmus-picture .title{font-size:14px;font-weight:700}
.litmus-picture .caption{font-size:10.5px;fill:var(--p-faint)}
.litmus-picture .frame-even{fill:var(--p-frame);fill-opacity:.75;stroke:var(--p-line)}
.litmus-picture .frame-odd{fill:var(--p-frame);fill-opacity:.75;stroke:var(--p-line)}
.litmus-picture .frame-label{font-size:10.5px;fill:var(--p-faint)}
.litmus-picture .column-title{font-size:14px;font-weight:700;text-anchor:middle}
.litmus-picture .column-subtitle{font-size:10.5px;fill:var(--p-faint);text-anchor:middle}
.litmus-picture .lane{fill:var(--p-sync);fill-opacity:.07}
.litmus-picture .operations{--p-proxy:var(--p-generic)}
.litmus-picture .proxy-async{--p-proxy:var(--p-async)}
.litmus-picture .operations .lane{fill:var(--p-proxy);fill-opacity:.07}
.litmus-picture .operations .column-title{fill:var(--p-proxy)}
.litmus-picture .mbarrier .column-title{fill:var(--p-sync)}
.litmus-picture .box{fill:var(--p-card);stroke:var(--p-line)}
.litmus-picture .operation .box,.litmus-picture .completion .box{stroke:var(--p-proxy,var(--p-generic))}
.litmus-picture .state-card .box{stroke:var(--p-sync)}
.litmus-picture .missing .box{fill:none;stroke:var(--p-missing);stroke-dasharray:5 4;stroke-width:1.6}
.litmus-picture .missing text{fill:var(--p-missing)}
.litmus-picture .stays .box{fill:none;stroke:var(--p-bad);stroke-dasharray:5 4;stroke-width:1.6}
.litmus-picture .initial .box,.litmus-picture .exit .box{fill:none;stroke-dasharray:2 3}
.litmus-picture .marked .box{stroke:var(--p-alarm);stroke-width:2.2}
.litmus-picture.alarm-bad{--p-alarm:var(--p-bad)}
.litmus-picture.alarm-weak{--p-alarm:var(--p-weak)}
.litmus-picture .source{font-size:12px}
.litmus-picture .words,.litmus-picture .note{font-size:11px}
.litmus-picture .words{fill:var(--p-ink)}
.litmus-picture .note{fill:var(--p-faint)}
.litmus-picture .line{fill:none}
.litmus-picture text.line{font-size:9.5px;fill:var(--p-faint);text-anchor:end}
.litmus-picture .chip.read{fill:var(--p-read)}
.litmus-picture .chip.write{fill:var(--p-write)}
.litmus-picture .chip.other{fill:var(--p-other)}
.litmus-picture .letter{font-size:10px;text-anchor:middle;font-weight:600}
.litmus-picture .edge{--p-edge:var(--p-faint)}
.litmus-picture .edge path.line{stroke:var(--p-edge);stroke-width:1.5}
.litmus-picture .edge .head{fill:var(--p-edge)}
.litmus-picture .edge path.hit{fill:none;stroke:transparent;stroke-width:12}
.litmus-picture .edge .pill{fill:var(--p-paper);opacity:.92}
.litmus-picture .edge .label{font-size:10.5px;text-anchor:middle;fill:var(--p-edge)}
.litmus-picture .edge.rf{--p-edge:var(--p-rf)}
.litmus-picture .edge.co{--p-edge:var(--p-co)}
.litmus-picture .edge.fr{--p-edge:var(--p-fr)}
.litmus-picture .edge.sc{--p-edge:var(--p-sc)}
.litmus-picture .edge.bar,.litmus-picture .edge.grp{--p-edge:var(--p-bar)}
.litmus-picture .edge.iss,.litmus-picture .edge.aio{--p-edge:var(--p-async)}
.litmus-picture .edge.iss path.line{stroke-dasharray:3 3;stroke-width:1.2}
.litmus-picture .edge.update,.litmus-picture .edge.sees{--p-edge:var(--p-sync)}
.litmus-picture .edge.update path.line{stroke-width:1.1}
.litmus-picture .edge.sync{--p-edge:var(--p-sync)}
.litmus-picture .edge.fr path.line{stroke-dasharray:6 3}
.litmus-picture .edge.short{--p-edge:var(--p-quiet)}
.litmus-picture.has-strong .edge path{opacity:.5}
.litmus-picture.has-strong .edge.strong path,.litmus-picture.has-strong .legend .edge path,.litmus-picture .edge:focus path,.litmus-picture .edge:hover path{opacity:1}
.litmus-picture .edge path.glow{fill:none;stroke:var(--p-alarm);stroke-width:10;stroke-linecap:round;stroke-opacity:.28}
.litmus-picture .edge.no-order{--p-edge:var(--p-alarm)}
.litmus-picture .edge.strong.short{--p-edge:var(--p-ink)}
.litmus-picture .edge.strong path.line{stroke-width:2.6}
.litmus-picture .edge.strong .label{font-weight:700}
.litmus-picture .edge.no-order path.line{stroke-dasharray:8 5}
.litmus-picture .edge.no-order path.glow{stroke-opacity:.16}
.litmus-picture .edge:focus{outline:none}
.litmus-picture .edge:focus path.line,.litmus-picture .edge:hover path.line{stroke-width:3.2}
.litmus-picture .tick{stroke:var(--p-line);stroke-width:.6;stroke-dasharray:1 4;fill:none}
.litmus-picture .lane-title{font-size:12px;font-weight:700}
.litmus-picture .lane-words{font-size:9.5px;fill:var(--p-faint)}
.litmus-picture .verb{font-size:9.5px;font-weight:600}
.litmus-picture .object{font-size:9.5px}
.litmus-picture .row{--p-lane:var(--p-sync)}
.litmus-picture .lane-0{--p-lane:var(--p-lane-0)}
.litmus-picture .lane-1{--p-lane:var(--p-lane-1)}
.litmus-picture .lane-2{--p-lane:var(--p-lane-2)}
.litmus-picture .lane-3{--p-lane:var(--p-lane-3)}
.litmus-picture .lane-4{--p-lane:var(--p-lane-4)}
.litmus-picture .lane-5{--p-lane:var(--p-lane-5)}
.litmus-picture .name{fill:var(--p-lane);fill-opacity:.16}
.litmus-picture .block{fill:var(--p-lane);fill-opacity:.2;stroke:var(--p-lane);stroke-width:.8}
.litmus-picture .phase .block{fill-opacity:.08;stroke-dasharray:2 2}
.litmus-picture .phase.odd .block{fill-opacity:.26}
.litmus-picture .hold{fill:var(--p-lane);fill-opacity:.85}
.litmus-picture .step.marked .block{stroke:var(--p-alarm);stroke-width:2.4}
.litmus-picture .clash{fill:none;stroke:var(--p-bad);stroke-width:2}
.litmus-picture .legend-name{font-size:10.5px;font-weight:700}
.litmus-picture .legend-words{font-size:10.5px;fill:var(--p-faint)}
@media print{.litmus-picture .paper{fill:none}}
)";

}  // namespace

std::string picture_style() {
    return "\n" + declared(false) + "@media (prefers-color-scheme:dark){:root:not([data-theme=light]) " + declared(true) + "svg:root" +
           declared(true) + "}\n[data-theme=dark] " + declared(true) + "@media print{:root " + declared(false) + "svg:root" +
           declared(false) + "}" + std::string(rules);
}

}  // namespace litmus::picture
