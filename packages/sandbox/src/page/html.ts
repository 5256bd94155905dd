import type * as OpenApi from "@effect-venue/schemas/OpenApi"
import * as Operations from "./operations.js"

/** A table that the script fills. A keyboard can scroll it. */
const table = (id: string, title: string): string => `<section><h2 id="${id}-title">${title}</h2>
<div class="scroll" tabindex="0" role="region" aria-labelledby="${id}-title"><table id="${id}" aria-labelledby="${id}-title"></table></div></section>
`

const controls = `<div class="controls">
<section><h2>Clock</h2>
<p><output id="clock" aria-live="off">…</output></p>
<div class="row" role="group" aria-label="Move the clock on">
<button type="button" class="first" data-advance="8 hours">Advance 8 hours</button>
<button type="button" data-advance="1 minute">1 minute</button>
<button type="button" data-advance="1 hour">1 hour</button>
<button type="button" data-advance="1 day">1 day</button>
<button type="button" id="stop">Stop</button>
</div></section>
<section><h2>Prices</h2>
<form id="price">
<label>Market <select name="market"></select></label>
<label>Price <input name="price" class="short" inputmode="decimal" required></label>
<button type="submit" class="first">Hold the price</button>
<button type="button" data-change="-5">−5 %</button>
<button type="button" data-change="5">+5 %</button>
<button type="button" id="release">Release</button>
</form>
<p><output id="quote" aria-live="off"></output></p></section>
<section><h2>Faults</h2>
<form id="fault">
<label>Kind <select name="kind"></select></label>
<span class="row" id="fields"></span>
<label>Operation <select name="operation"><option value="">all operations</option></select></label>
<label>Times <input name="count" class="short" type="number" min="1" value="1"></label>
<button type="submit" class="first">Add the fault</button>
<button type="button" id="clear">Remove all</button>
</form>
<p class="soft" id="meaning"></p>
<ul id="rules" aria-label="Faults that are set"></ul></section>
<section><h2>Scenarios</h2>
<form id="scenario">
<label>Scenario <select name="name"></select></label>
<button type="submit" class="first">Open an account in it</button>
</form>
<p><output id="opened"></output></p></section>
</div>
`

/** The page of a server, which its script fills. The operations are those of the OpenAPI document. */
export const render = (document: OpenApi.Json, version: string): string => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Sandbox</title>
<link rel="icon" href="data:,"><link rel="stylesheet" href="/page.css"><script src="/page.js" defer></script></head>
<body>
<header><a class="skip" href="#api">Skip to the API</a>
<div class="bar"><h1>Sandbox</h1><span class="soft">version ${version} · <a href="/openapi.json">OpenAPI 3.1</a></span></div>
<p id="problem" role="alert"></p>
</header>
<main>
${controls}
<section><h2>Account</h2>
<form id="choice">
<label>Account <select name="account"></select></label>
<label>Symbol <select name="symbol"><option value="">all symbols</option></select></label>
<label class="check"><input type="checkbox" name="live" checked> Live</label>
</form>
<div class="scroll low" tabindex="0" role="region" aria-label="Accounts"><table id="accounts"><caption>Accounts</caption></table></div>
</section>
${table("balances", "Balances")}${table("positions", "Positions")}${table("orders", "Orders")}${table("executions", "Executions")}${table("requests", "Requests")}
<section id="api"><h2>API</h2>
${Operations.sections(document)}</section>
</main>
</body>
</html>
`
