// How the page of a report looks: by day and by night, on wide and narrow screens, and on paper.
#pragma once

namespace linn::app {

inline constexpr const char* kPageStyle = R"css(
:root { color-scheme: light dark; --text: #1b1f24; --faint: #59636e; --line: #d1d9e0; --page: #ffffff; --panel: #f6f8fa; --link: #0550ae; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6edf3; --faint: #9198a1; --line: #3d444d; --page: #0d1117; --panel: #151b23; --link: #79b8ff; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 73rem; background: var(--page); color: var(--text);
  font: 16px/1.55 system-ui, "Segoe UI", "Helvetica Neue", Arial, sans-serif; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .3rem; }
h2 { font-size: 1.3rem; margin: 0 0 .6rem; line-height: 1.3; }
a { color: var(--link); }
header p { color: var(--faint); margin: .2rem 0 1rem; }
dl.facts { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; margin: 0 0 1rem; font-size: .9rem; }
dl.facts dt { color: var(--faint); }
dl.facts dd { margin: 0; overflow-wrap: anywhere; }
nav ol { columns: 18rem; padding-left: 1.2rem; font-size: .92rem; }
section { border-top: 1px solid var(--line); margin-top: 2.2rem; padding-top: 1.4rem; }
.scroll { overflow-x: auto; margin: 1rem 0 .4rem; }
table { border-collapse: collapse; font-size: .83rem; font-variant-numeric: tabular-nums; min-width: 50%; }
caption { text-align: left; color: var(--faint); padding-bottom: .4rem; }
th, td { padding: .3rem .55rem; text-align: right; vertical-align: top; white-space: nowrap; }
th[scope=row], thead tr:first-child th:first-child { text-align: left; }
td.text, thead th.text { text-align: left; }
thead th { border-bottom: 1px solid var(--text); font-weight: 600; white-space: normal; vertical-align: bottom; }
thead th[scope=colgroup] { text-align: center; border-bottom: 1px solid var(--line); }
tbody th { font-weight: 500; }
tr.rule th, tr.rule td { border-top: 1px solid var(--line); }
tbody tr:last-child th, tbody tr:last-child td { border-bottom: 1px solid var(--text); }
td small { display: block; color: var(--faint); font-size: .75rem; }
td .missing { color: var(--faint); font-style: italic; }
p.note, figcaption { color: var(--faint); font-size: .86rem; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(13rem, 100%), 1fr)); gap: .5rem; }
figure { margin: 1rem 0; }
figure.wide { grid-column: 1 / -1; max-width: 46rem; }
figure svg { display: block; width: 100%; height: auto; max-height: 30rem; }
footer.made { font-size: .84rem; color: var(--faint); margin-top: .8rem; }
details { margin-top: .3rem; }
summary { cursor: pointer; }
pre { background: var(--panel); border: 1px solid var(--line); border-radius: 6px; padding: .6rem .8rem; overflow-x: auto;
  font-size: .8rem; line-height: 1.45; color: var(--text); }
@media (max-width: 40rem) { body { padding: 1rem .75rem 3rem; font-size: 15px; } h1 { font-size: 1.5rem; } th, td { padding: .25rem .5rem; } }
@media print {
  :root { --text: #000; --faint: #444; --line: #bbb; --page: #fff; --panel: #fff; --link: #000; }
  body { max-width: none; padding: 0; font-size: 10.5pt; }
  nav, details { display: none; }
  section { break-inside: avoid-page; }
  figure, table { break-inside: avoid; }
  .scroll { overflow: visible; }
  table { font-size: 7.5pt; }
  td small { font-size: 6.5pt; }
  th, td { padding: .15rem .3rem; }
  pre { white-space: pre-wrap; overflow-wrap: anywhere; }
}
)css";

}  // namespace linn::app
