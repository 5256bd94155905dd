/** How the page looks, in light and in dark, from 400 pixels on. */
export const style = `
:root {
  color-scheme: light dark;
  --ground: #f6f7f9; --card: #ffffff; --text: #1b2430; --soft: #55616f; --rule: #dde2e8; --line: #1f5a9c;
  --good: #17704a; --bad: #b32323; --button: #eef2f6;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #11161c; --card: #1a212a; --text: #e5eaf0; --soft: #a3b0bd; --rule: #2e3843; --line: #7db3ee;
    --good: #6fd3a3; --bad: #ff8a8a; --button: #26303b;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--ground); color: var(--text);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
}
header, main { max-width: 1240px; margin: 0 auto; padding: 0 16px; }
header { padding-top: 20px; }
main { padding-bottom: 48px; }
h1 { font-size: 24px; margin: 0; }
h2 { font-size: 17px; margin: 0 0 10px; }
h3 { font-size: 15px; margin: 12px 0 4px; }
p { margin: 0 0 8px; }
a { color: var(--line); }
code, output { font-family: ui-monospace, monospace; font-size: 0.92em; overflow-wrap: anywhere; }
.soft, caption { color: var(--soft); }
.skip { position: absolute; left: -999px; }
.skip:focus { position: static; }
.bar { display: flex; flex-wrap: wrap; gap: 6px 14px; align-items: baseline; justify-content: space-between; margin-bottom: 12px; }
.controls { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(460px, 100%), 1fr)); gap: 12px; }
section { background: var(--card); border: 1px solid var(--rule); border-radius: 10px; padding: 14px 16px; margin-bottom: 12px; min-width: 0; }
.controls section { margin: 0; }
.controls { margin-bottom: 12px; }
form, .row { display: flex; flex-wrap: wrap; gap: 8px; align-items: end; margin-bottom: 8px; }
label { display: grid; gap: 2px; font-size: 13px; color: var(--soft); max-width: 100%; }
label.check { display: flex; gap: 6px; align-items: center; min-height: 36px; }
input, select, button { font: inherit; color: var(--text); max-width: 100%; }
input:not([type="checkbox"]), select { background: var(--card); border: 1px solid var(--soft); border-radius: 6px; padding: 5px 8px; min-height: 36px; }
input[type="checkbox"] { width: 20px; height: 20px; }
input.short { width: 9em; }
button { background: var(--button); border: 1px solid var(--soft); border-radius: 6px; padding: 5px 12px; min-height: 36px; cursor: pointer; }
button.first { background: var(--line); border-color: var(--line); color: var(--card); }
:focus-visible { outline: 3px solid var(--line); outline-offset: 2px; }
#problem:not(:empty) { background: var(--card); color: var(--bad); border: 1px solid var(--bad); border-radius: 8px; padding: 8px 12px; margin-bottom: 12px; }
.scroll { overflow: auto; max-height: 420px; }
.scroll.low { max-height: 210px; }
table { border-collapse: collapse; width: 100%; font-size: 13.5px; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-size: 13px; }
th, td { text-align: left; vertical-align: top; padding: 4px 12px 4px 0; border-bottom: 1px solid var(--rule); white-space: nowrap; }
thead th { color: var(--soft); font-weight: 500; }
thead { position: sticky; top: 0; background: var(--card); }
button.small { min-height: 26px; padding: 0 8px; margin-right: 4px; }
pre { margin: 0 0 8px; max-height: 420px; overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere; font-family: ui-monospace, monospace; font-size: 13px; }
dl { margin: 0; }
dt { color: var(--soft); font-size: 13px; }
dd { margin: 0 0 8px; }
td.number, th.number { text-align: right; }
td.empty { color: var(--soft); }
.good { color: var(--good); }
.bad { color: var(--bad); font-weight: 600; }
ul { margin: 0; padding-left: 20px; }
li { overflow-wrap: anywhere; }
details { border-bottom: 1px solid var(--rule); }
summary { cursor: pointer; padding: 6px 0; overflow-wrap: anywhere; }
details td { white-space: normal; overflow-wrap: anywhere; }
`
