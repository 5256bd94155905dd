/**
 * Looks at the page of a sandbox server in a browser: in three forms, live, from the keyboard, and refused without the control token.
 *
 *     node --import tsx packages/tools/src/browser/sandbox.ts
 */
import * as Server from "@effect-venue/sandbox/Server"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Context from "effect/Context"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import assert from "node:assert/strict"
import { createHmac } from "node:crypto"
import type { Browser, Page } from "puppeteer-core"
import { open, withBrowser } from "./chromium.js"

const token = "a token of this check"
const bearer = { authorization: `Bearer ${token}` }

interface Row {
  readonly uid: string
  readonly markPrice: string
  readonly symbol: string
  readonly category: string
}

interface Answer {
  readonly now: number
  readonly stopped: boolean
  readonly markets: ReadonlyArray<Row>
  readonly accounts: ReadonlyArray<Row>
  readonly rules: ReadonlyArray<unknown>
}

/** Focuses an element by the keyboard: Tab until it has the focus. Elements in the order of the page take one round. */
const tabTo = async (page: Page, selector: string): Promise<void> => {
  for (let count = 0; count < 400; count++) {
    const isThere = await page.evaluate((selector) => document.activeElement?.matches(selector) === true, selector)
    if (isThere) return
    await page.keyboard.press("Tab")
  }
  assert.fail(`Tab does not reach ${selector}`)
}

const press = async (page: Page, selector: string): Promise<void> => {
  await tabTo(page, selector)
  await page.keyboard.press("Enter")
}

/** Types into a field that has the focus, instead of its value. */
const type = async (page: Page, selector: string, text: string): Promise<void> => {
  await tabTo(page, selector)
  await page.keyboard.down("Control")
  await page.keyboard.press("a")
  await page.keyboard.up("Control")
  await page.keyboard.type(text)
}

/** Chooses an option of a select that has the focus by the letters of its text. */
const choose = async (page: Page, selector: string, text: string): Promise<void> => {
  await tabTo(page, selector)
  await page.keyboard.type(text)
}

/** Waits until an element contains a text. */
const contains = (page: Page, selector: string, text: string) =>
  page.waitForFunction(
    (selector, text) => document.querySelector(selector)?.textContent.includes(text) === true,
    {},
    selector,
    text
  )

interface Key {
  readonly uid: string
  readonly apiKey: string
  readonly apiSecret: string
}

interface BatchAnswer {
  readonly retCode: number
  readonly retMsg: string
  readonly retExtInfo: { readonly list: ReadonlyArray<{ readonly code: number; readonly msg: string }> }
}

/** Places resting orders, ten at a time, as a program does. */
const placeOrders = async (url: string, { apiKey, apiSecret }: Key, now: number, count: number): Promise<void> => {
  for (let first = 0; first < count; first += 10) {
    const request = Array.from({ length: 10 }, (_, index) => ({
      ...{ symbol: "XRPUSDT", side: "Buy", orderType: "Limit", qty: "100", price: "0.3" },
      orderLinkId: `many-${first + index}`
    }))
    const body = JSON.stringify({ category: "linear", request })
    const signature = createHmac("sha256", apiSecret).update(`${now}${apiKey}60000${body}`).digest("hex")
    const response = await fetch(`${url}/cloud/trade/v3/order/create-batch`, {
      method: "POST",
      headers: {
        ...{ "content-type": "application/json", "x-bapi-api-key": apiKey, "x-bapi-sign": signature },
        ...{ "x-bapi-timestamp": String(now), "x-bapi-recv-window": "60000" }
      },
      body
    })
    const { retCode, retExtInfo, retMsg } = (await response.json()) as BatchAnswer // as documented
    assert.equal(retCode, 0, retMsg)
    assert.deepEqual(
      retExtInfo.list.filter(({ code }) => code !== 0),
      []
    )
  }
}

/** Uses the page with very many orders, and with the whole state: cancel, snapshot, reset. */
const keep = async (page: Page, url: string, control: (name: string, argument?: object) => Promise<unknown>) => {
  const click = (selector: string) => page.$eval(selector, (element) => (element as HTMLElement).click()) // a button of HTML
  const key = (await control("openAccount", { funds: { USDT: "100000" } })) as Key // the account and its key
  const { now } = (await control("clock")) as Answer // the time
  await placeOrders(url, key, now, 500)
  await page.waitForSelector(`#choice option[value="${key.uid}"]`)
  await page.select("#choice [name=account]", key.uid)
  await contains(page, "#counts", "500 open orders, 0 positions")
  const rows = () => page.$$eval("#orders tbody tr", (all) => all.length)
  assert.equal(await rows(), 101, "the first hundred, and how many there are")
  await contains(page, "#orders", "100 of 500")
  await click('#orders [aria-label="Show all orders"]')
  await page.waitForFunction(() => document.querySelectorAll("#orders tbody tr").length === 500)
  const width = await page.evaluate(() => document.documentElement.scrollWidth)
  assert.ok(width <= 1280, `with 500 orders the page is ${width} wide`)
  await click('#orders [aria-label^="Cancel"]')
  await contains(page, "#counts", "499 open orders")
  await contains(page, "#orders", "Cancelled")
  await page.select("#order [name=market]", "linear XRPUSDT")
  await click("#cancelAll")
  await contains(page, "#counts", "0 open orders")

  const saved = await page.evaluate(async () => {
    const createObjectURL = URL.createObjectURL.bind(URL)
    const saved = new Promise<string>((resolve) => {
      URL.createObjectURL = (blob) => {
        if (blob instanceof Blob) void blob.text().then(resolve)
        return createObjectURL(blob)
      }
    })
    document.querySelector<HTMLElement>("#snapshot")?.click()
    return saved
  })
  page.once("dialog", (dialog) => void dialog.accept())
  await click("#reset")
  await page.waitForFunction((uid) => document.querySelector(`#choice option[value="${uid}"]`) === null, {}, key.uid)
  await control("restore", JSON.parse(saved) as object) // as it was saved
  await page.waitForSelector(`#choice option[value="${key.uid}"]`)
}

/** Uses the page as a console: variables, orders, commands, and the detail of a request that was refused. */
const act = async (page: Page, control: (name: string, argument?: object) => Promise<unknown>): Promise<void> => {
  // Every element of the page is one of HTML.
  const click = (selector: string) => page.$eval(selector, (element) => (element as HTMLElement).click())
  // The command returns the UID of the account.
  const { uid } = (await control("openAccount", { funds: { USDT: "1000" } })) as { readonly uid: string }
  await page.waitForSelector(`#choice option[value="${uid}"]`)
  await page.select("#choice [name=account]", uid)
  await contains(page, "#counts", "0 open orders, 0 positions")
  await contains(page, "#variables", "export VENUE_API_SECRET=")
  await control("setPrice", { category: "linear", symbol: "XRPUSDT", price: "0.5" })
  await page.select("#order [name=market]", "linear XRPUSDT")
  await page.type("#order [name=qty]", "100")
  await page.type("#order [name=price]", "0.4")
  await click("#order [type=submit]")
  await page.waitForSelector('#orders [aria-label^="Amend"]')
  await click('#orders [aria-label^="Amend"]')
  await contains(page, "#amending", "amends Buy XRPUSDT")
  // The field is an input.
  await page.$eval("#order [name=price]", (input) => ((input as HTMLInputElement).value = "0.41"))
  await click("#order [type=submit]")
  await contains(page, "#orders", "0.41")
  await click('#orders [aria-label^="Fill"]')
  await contains(page, "#orders", "Filled")
  await contains(page, "#positions", "XRPUSDT")
  await click('#positions [aria-label="Liquidate linear XRPUSDT"]')
  await contains(page, "#executions", "BustTrade")
  await page.select("#command [name=name]", "deposit")
  await page.type("#arguments [name=coin]", "USDT")
  await page.type("#arguments [name=amount]", "25")
  await click("#command [type=submit]")
  await contains(page, "#result", "transactionId")
  await click('#requests [aria-label="Show POST /cloud/trade/v3/order/create"]')
  await contains(page, "#detail", '"orderId"')
}

type Control = (name: string, argument?: object) => Promise<Answer>

/** Looks at the page in each form: refused without the token, dark, narrow. Returns it open. */
const openForms = async (browser: Browser, url: string, control: Control): Promise<Page> => {
  const refused = await browser.newPage()
  const response = await refused.goto(url)
  assert.equal(response?.status(), 401)
  await refused.close()

  const password = { username: "", password: token }
  await control("setFaults", { rules: [{ fault: { kind: "delay", millis: 50, executed: "atOnce" }, count: 3 }] })
  await fetch(`${url}/cloud/trade/v3/account/wallet-balance?accountType=UNIFIED`, {
    headers: { "x-bapi-sign": "none" }
  })
  for (const view of [
    { name: "sandbox-dark", dark: true },
    { name: "sandbox-narrow", width: 400 }
  ]) {
    await (await open(browser, url, url, { ...view, password, shows: "#requests tbody tr" })).close()
  }
  return open(browser, url, url, { name: "sandbox", password, shows: "#requests tbody tr" })
}

/** Advances and stops the clock, and sets a price, from the keyboard. */
const setClockAndPrice = async (page: Page, control: Control): Promise<void> => {
  const before = await control("clock")
  await press(page, '[data-advance="8 hours"]')
  await page.waitForFunction((text) => document.querySelector("#clock")?.textContent !== text, {}, "")
  await contains(page, "#clock", new Date(before.now + 8 * 3_600_000).toISOString().slice(0, 10))
  const after = await control("clock")
  assert.ok(after.now - before.now >= 8 * 3_600_000, "eight hours later")
  await press(page, "#stop")
  await contains(page, "#clock", "stopped")
  assert.equal((await control("clock")).stopped, true)

  await choose(page, '#price [name="market"]', "linear XRP")
  await page.keyboard.press("Enter")
  await type(page, '#price [name="price"]', "-1")
  await page.keyboard.press("Enter")
  await contains(page, "#problem", "price")
  await type(page, '#price [name="price"]', "0.5")
  await page.keyboard.press("Enter")
  await contains(page, "#quote", "0.5, held")
  const [held] = (await control("state?symbol=XRPUSDT&last=1")).markets.filter(({ category }) => category === "linear")
  assert.equal(held?.markPrice, "0.5")
}

/** Sets and clears a fault, and opens a scenario, from the keyboard. */
const setFaultAndScenario = async (page: Page, control: Control): Promise<void> => {
  await choose(page, '#fault [name="kind"]', "status")
  await type(page, '#fields [name="status"]', "503")
  await press(page, '#fault [type="submit"]')
  await contains(page, "#rules", "status, status 503, executed false, on all operations, once")
  await press(page, "#clear")
  await page.waitForFunction(() => document.querySelector("#rules")?.children.length === 0)
  assert.deepEqual((await control("state?last=1")).rules, [])

  await choose(page, '#scenario [name="name"]', "about")
  await press(page, '#scenario [type="submit"]')
  await contains(page, "#opened", "account 9")
  const text = await page.$eval("#opened", ({ textContent }) => textContent)
  const [, opened = ""] = /account (\d+)/.exec(text) ?? []
  await page.waitForFunction(() => document.querySelectorAll("#positions tbody tr").length === 1)
  await contains(page, "#positions", "linear BTCUSDT")
  // What others do appears by itself.
  await control("liquidate", { uid: opened, category: "linear", symbol: "BTCUSDT" })
  await contains(page, "#positions", "none")
  await contains(page, "#executions", "BustTrade")
}

const look = async (browser: Browser): Promise<void> => {
  const scope = await Effect.runPromise(Scope.make())
  const built = Layer.buildWithScope(
    Server.layer({ seed: 7, limits: "off", controlToken: Redacted.make(token) }),
    scope
  )
  const { url } = Context.get(await Effect.runPromise(built), Server.Server)
  const control: Control = async (name, argument) => {
    const post = argument === undefined ? {} : { method: "POST", body: JSON.stringify(argument) }
    const response = await fetch(`${url}/sandbox/control/${name}`, { headers: bearer, ...post })
    assert.ok(response.ok, `${name}: ${response.status}`)
    // The checks below find out whether it is.
    return (await response.json()) as Answer
  }
  try {
    const page = await openForms(browser, url, control)
    await setClockAndPrice(page, control)
    await setFaultAndScenario(page, control)
    await act(page, control)
    await keep(page, url, control)
    assert.equal(await page.$eval("#problem", ({ textContent }) => textContent), "")
    console.log("sandbox: the page works from the keyboard, live, and is refused without the token")
  } finally {
    await Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

await withBrowser(look)
