/** The style of a report, light and dark. It loads no other files, not even fonts. */
export const style = `
:root {
  color-scheme: light dark;
  --ground: #f6f7f9; --card: #ffffff; --text: #1b2430; --soft: #5a6675; --rule: #dde2e8;
  --line: #2563a8; --quiet: #b9c4d0; --above: #1f8a5b; --below: #c2453d; --covered: #2a7f8f;
  --good: #17704a; --good-ground: #e2f4ea; --bad: #c22b2b; --bad-ground: #fdeaea; --fee: #a0621a;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --ground: #11161c; --card: #1a212a; --text: #e5eaf0; --soft: #9aa7b5; --rule: #2e3843;
    --line: #6ea8e8; --quiet: #4a5767; --above: #46b883; --below: #ee7b72; --covered: #55b3c3;
    --good: #6fd3a3; --good-ground: #16352a; --bad: #ff7d7d; --bad-ground: #401d20; --fee: #dda15e;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--ground); color: var(--text);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
}
main { max-width: 1000px; margin: 0 auto; padding: 32px 20px 64px; }
h1 { font-size: 26px; margin: 0 0 4px; letter-spacing: -0.01em; }
h2 { font-size: 19px; margin: 40px 0 12px; }
h3 { font-size: 15px; margin: 0; }
p { margin: 0 0 10px; }
.soft, .note { color: var(--soft); }
.note { font-size: 13.5px; }
.tiles { display: flex; flex-wrap: wrap; gap: 12px; margin: 20px 0 0; padding: 0; }
.tile, figure, .card { background: var(--card); border: 1px solid var(--rule); border-radius: 10px; }
.tile { padding: 12px 16px; flex: 1 1 auto; min-width: min(180px, 46%); }
.tile dt { color: var(--soft); font-size: 13px; }
.tile dd { margin: 2px 0 0; font-size: 18px; font-weight: 600; font-variant-numeric: tabular-nums; }
.tile dd small { font-size: 13px; font-weight: 400; color: var(--soft); }
.verdict { display: inline-block; padding: 1px 10px; border-radius: 999px; font-weight: 600; font-size: 13.5px; white-space: nowrap; }
.changed.verdict { background: var(--bad); color: var(--ground); }
.complete { background: var(--good-ground); color: var(--good); }
.incomplete { background: var(--bad-ground); color: var(--bad); }
.alarm { background: var(--bad-ground); border: 1px solid var(--bad); border-radius: 10px; padding: 12px 16px; margin: 20px 0; }
.alarm h2 { color: var(--bad); margin: 0 0 4px; }
.bad, .rest { color: var(--bad); }
.lack { color: var(--bad); font-size: 11px; font-weight: 400; text-decoration: none; }
.lacks { border-color: var(--bad); overflow-wrap: anywhere; }
del { text-decoration-color: var(--bad); text-decoration-thickness: 2px; }
section.changed .figure, section.changed td.number, section.changed ul:not(.note):not(.legend) li { text-decoration: line-through 2px var(--bad); }
section.changed svg { opacity: 0.45; }
.solid { display: inline-block; }
.card.quiet { margin-top: 14px; }
.card + h3 { margin: 20px 0 8px; }
ul.omitted { padding-left: 34px; }
.struck-note { background: var(--bad-ground); border-left: 3px solid var(--bad); padding: 8px 12px; }
.struck-note strong { color: var(--bad); }
.statements { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(380px, 100%), 1fr)); gap: 14px; align-items: start; }
.statements .card { margin: 0; min-width: 0; }
.statement td:first-child, .statement th:first-child { min-width: 0; }
.entries { display: grid; grid-template-columns: max-content 1fr; gap: 4px 16px; margin: 0 0 10px; }
.entries dt { color: var(--soft); }
.entries dd { margin: 0; overflow-wrap: anywhere; }
.tall .scroll { max-height: 520px; overflow: auto; }
.tall thead th { position: sticky; top: 0; background: var(--card); }
code { font: 0.92em ui-monospace, monospace; }
.alarm ul, .card ul { margin: 6px 0 0; padding-left: 20px; }
figure { margin: 0 0 14px; padding: 14px 16px 10px; }
figcaption { display: flex; flex-wrap: wrap; align-items: baseline; justify-content: space-between; gap: 4px 16px; margin-bottom: 8px; }
figure .figure { font-variant-numeric: tabular-nums; color: var(--soft); font-size: 13.5px; }
.drawings, .figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(320px, 100%), 1fr)); gap: 4px 14px; align-items: start; }
.drawings svg { display: block; width: 100%; max-width: 560px; height: auto; overflow: visible; }
.figures > * { min-width: 0; }
.bands { display: grid; grid-template-columns: minmax(0, max-content) minmax(55%, 1fr); gap: 0 10px; font-size: 12px; }
.bands ol { margin: 0; padding: 0; list-style: none; text-align: right; white-space: nowrap; }
.bands li { overflow: hidden; text-overflow: ellipsis; }
.bands svg { display: block; width: 100%; height: var(--height); overflow: visible; }
.axis { display: flex; justify-content: space-between; color: var(--soft); margin: 2px 0 0; }
.card { padding: 12px 16px; margin: 0 0 14px; }
.legend { display: flex; flex-wrap: wrap; gap: 4px 18px; font-size: 13.5px; color: var(--soft); margin: 0 0 12px; padding: 0; list-style: none; }
.legend i { display: inline-block; width: 14px; height: 12px; border-radius: 3px; margin-right: 6px; vertical-align: -1px; print-color-adjust: exact; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 13.5px; }
caption { text-align: left; }
th, td { text-align: left; padding: 6px 12px 6px 0; border-bottom: 1px solid var(--rule); vertical-align: top; white-space: nowrap; }
td:first-child, th:first-child { overflow-wrap: anywhere; white-space: normal; min-width: 7em; }
thead th { color: var(--soft); font-weight: 500; vertical-align: bottom; white-space: normal; }
tbody th { font-weight: 400; }
tbody tr:last-child > * { border-bottom: 0; }
small { color: var(--soft); }
.number { text-align: right; font-variant-numeric: tabular-nums; }
details { margin-top: 6px; font-size: 13.5px; }
summary { cursor: pointer; color: var(--soft); }
details .scroll { max-height: 360px; overflow: auto; margin-top: 6px; }
footer { margin-top: 48px; color: var(--soft); font-size: 13px; }
@media (max-width: 500px) { main { padding: 16px 10px 48px; } figure, .card { padding: 10px; } }
@media print {
body { background: #fff; }
figure, .tile, .statements .card, tr { break-inside: avoid; }
h2, h3, .legend, h2 + p { break-after: avoid; }
table, td .verdict { font-size: 10.5px; }
th, td { padding: 4px 6px 4px 0; }
.tall .scroll { max-height: none; overflow: visible; }
.tall thead th { position: static; }
details { display: none; }
}
`
