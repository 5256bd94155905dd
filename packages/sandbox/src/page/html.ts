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
<section><h2>Order</h2>
<form id="order">
<label>Market <select name="market"></select></label>
<label>Side <select name="side"><option>Buy</option><option>Sell</option></select></label>
<label>Type <select name="orderType"><option>Limit</option><option>Market</option></select></label>
<label>Quantity <input name="qty" class="short" inputmode="decimal" required></label>
<label>Price <input name="price" class="short" inputmode="decimal"></label>
<button type="submit" class="first">Place the order</button>
<button type="button" id="instead" hidden>Place another instead</button>
<button type="button" id="cancelAll">Cancel all of the market</button>
</form>
<p><output id="amending"></output></p>
<p class="soft">By the chosen account, with its key: a request like those of a program.</p></section>
<section><h2>Commands</h2>
<form id="command">
<label>Command <select name="name"></select></label>
<span class="row" id="arguments"></span>
<button type="submit" class="first">Run the command</button>
</form>
<p class="soft" id="summary"></p>
<pre id="result" tabindex="0" role="region" aria-label="Result of the command" aria-live="polite"></pre></section>
<section><h2>State</h2>
<div class="row" role="group" aria-label="The whole state">
<button type="button" id="snapshot">Save a snapshot</button>
<label>Restore a snapshot <input type="file" id="restore" accept="application/json"></label>
<button type="button" id="reset">Reset</button>
</div></section>
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
<label>Key <select id="key"></select></label>
<button type="button" id="copy">Copy the variables</button>
</form>
<pre id="variables" tabindex="0" role="region" aria-label="Variables of the account"></pre>
<p class="soft"><output id="counts"></output></p>
<div class="scroll low" tabindex="0" role="region" aria-label="Accounts"><table id="accounts"><caption>Accounts</caption></table></div>
</section>
${table("balances", "Balances")}${table("positions", "Positions")}${table("orders", "Orders")}${table("executions", "Executions")}${table("requests", "Requests")}<section hidden tabindex="-1" aria-label="Detail of a request"><h2>Request</h2><dl id="detail"></dl></section>

<section id="api"><h2>API</h2>
${Operations.sections(document)}</section>
</main>
</body>
</html>
`
