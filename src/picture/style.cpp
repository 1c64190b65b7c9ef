// The style sheet of a picture. The hues of relations are those of Okabe and Ito, told apart by people with any kind of colour vision.
#include "picture/style.h"

namespace litmus::picture {

const std::string_view picture_style = R"(
.litmus-picture{--p-paper:var(--paper,#fff);--p-ink:var(--ink,#1d2330);--p-faint:var(--faint,#6b7280);--p-line:var(--line,#cbd0d8);
--p-accent:var(--accent,#b4560f);--p-bad:var(--bad,#c01c28);--p-card:#fff;--p-frame:#f6f7f9;--p-frame-2:#eef0f4;
--p-read:#d5e8f7;--p-write:#fde3cc;--p-other:#e6e8ec;--p-rf:#0a66a6;--p-co:#c2500a;--p-fr:#8f3f72;--p-sync:#00805a;--p-sc:#8a6a00;--p-bar:#2f7ea8;
--p-async:var(--async,#6d3fb3);--p-async-soft:#f4effb;--p-state:#00805a;--p-state-soft:#edf7f3;
font-family:ui-monospace,"DejaVu Sans Mono",Menlo,Consolas,"Liberation Mono",monospace;font-size:12px;color:var(--p-ink)}
)"
                                       R"(
@media (prefers-color-scheme:dark){.litmus-picture{--p-paper:var(--paper,#14171c);--p-ink:var(--ink,#e7e9ee);--p-faint:var(--faint,#9aa3b2);--p-line:var(--line,#3a414d);
--p-accent:var(--accent,#f0a35e);--p-bad:var(--bad,#ff6b6b);--p-card:#1d222a;--p-frame:#191d24;--p-frame-2:#1f242d;
--p-read:#1d3f5c;--p-write:#5a3414;--p-other:#343b47;--p-rf:#66b3ea;--p-co:#f08a4b;--p-fr:#d98fbd;--p-sync:#3ecf9f;--p-sc:#d9b23c;--p-bar:#74bde0;
--p-async:var(--async,#b794f4);--p-async-soft:#241d33;--p-state:#3ecf9f;--p-state-soft:#16282280}}
)"
                                       R"(
.litmus-picture .paper{fill:var(--p-paper)}
.litmus-picture text{fill:var(--p-ink)}
.litmus-picture .title{font-size:14px;font-weight:700}
.litmus-picture .caption{font-size:10.5px;fill:var(--p-faint)}
.litmus-picture .frame-even{fill:var(--p-frame);stroke:var(--p-line)}
.litmus-picture .frame-odd{fill:var(--p-frame-2);stroke:var(--p-line)}
.litmus-picture .frame-label{font-size:10.5px;fill:var(--p-faint)}
.litmus-picture .column-title{font-size:14px;font-weight:700;text-anchor:middle}
.litmus-picture .column-subtitle{font-size:10.5px;fill:var(--p-faint);text-anchor:middle}
.litmus-picture .lane{fill:var(--p-state-soft);stroke:none}
.litmus-picture .operations .lane{fill:var(--p-async-soft)}
.litmus-picture .operations .column-title{fill:var(--p-async)}
.litmus-picture .mbarrier .column-title{fill:var(--p-state)}
.litmus-picture .box{fill:var(--p-card);stroke:var(--p-line)}
.litmus-picture .operation .box,.litmus-picture .completion .box{stroke:var(--p-async)}
.litmus-picture .state-card .box{stroke:var(--p-state)}
.litmus-picture .missing .box{fill:none;stroke:var(--p-accent);stroke-dasharray:5 4;stroke-width:1.6}
.litmus-picture .missing text{fill:var(--p-accent)}
.litmus-picture .stays .box{fill:none;stroke:var(--p-bad);stroke-dasharray:5 4;stroke-width:1.6}
.litmus-picture .initial .box,.litmus-picture .exit .box{fill:none;stroke-dasharray:2 3}
.litmus-picture .marked .box{stroke:var(--p-alarm);stroke-width:2.2}
.litmus-picture.alarm-bad{--p-alarm:var(--p-bad)}
.litmus-picture.alarm-accent{--p-alarm:var(--p-accent)}
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
)"
                                       R"(
.litmus-picture .edge{--p-edge:var(--p-faint)}
.litmus-picture .edge path.line{stroke:var(--p-edge);stroke-width:1.5}
.litmus-picture .edge .head{fill:var(--p-edge)}
.litmus-picture .edge .hit{fill:none;stroke:transparent;stroke-width:12}
.litmus-picture .edge .pill{fill:var(--p-paper);opacity:.92}
.litmus-picture .edge .label{font-size:10.5px;text-anchor:middle;fill:var(--p-edge)}
.litmus-picture .edge.rf{--p-edge:var(--p-rf)}
.litmus-picture .edge.co{--p-edge:var(--p-co)}
.litmus-picture .edge.fr{--p-edge:var(--p-fr)}
.litmus-picture .edge.sc{--p-edge:var(--p-sc)}
.litmus-picture .edge.bar,.litmus-picture .edge.grp{--p-edge:var(--p-bar)}
.litmus-picture .edge.iss,.litmus-picture .edge.aio{--p-edge:var(--p-async)}
.litmus-picture .edge.iss path.line{stroke-dasharray:3 3;stroke-width:1.2}
.litmus-picture .edge.update,.litmus-picture .edge.sees{--p-edge:var(--p-state)}
.litmus-picture .edge.update path.line{stroke-width:1.1}
.litmus-picture .edge.sync{--p-edge:var(--p-sync)}
.litmus-picture .edge.fr path.line{stroke-dasharray:6 3}
.litmus-picture .edge.po,.litmus-picture .edge.short.co{--p-edge:var(--p-line)}
.litmus-picture.has-strong .edge{opacity:.55}
.litmus-picture.has-strong .edge.strong,.litmus-picture.has-strong .legend .edge{opacity:1}
.litmus-picture .edge.strong{--p-edge:var(--p-alarm)}
.litmus-picture .edge.strong path.line{stroke-width:2.6}
.litmus-picture .edge.strong .label{font-weight:700}
.litmus-picture .edge.no-order path.line{stroke-dasharray:8 5}
.litmus-picture .edge:focus,.litmus-picture .edge:hover{opacity:1;outline:none}
.litmus-picture .edge:focus path.line,.litmus-picture .edge:hover path.line{stroke-width:3.2}
.litmus-picture .legend-name{font-size:10.5px;font-weight:700}
.litmus-picture .legend-words{font-size:10.5px;fill:var(--p-faint)}
@media print{.litmus-picture .paper{fill:none}}
)";

}  // namespace litmus::picture
