import { byId, control, instant, offer, on, readAgain } from "./dom.mjs"
import { order } from "./orders.mjs"

const choice = byId("choice").elements
const price = byId("price").elements

let clock = { now: 0, stopped: false }
/** @type {Array<any>} */
let markets = []

const market = () => markets.find(({ category, symbol }) => category + " " + symbol === price.market.value)

/** Shows the clock. */
export const drawClock = (now) => {
  clock = now
  byId("clock").textContent = instant(clock.now) + " UTC" + (clock.stopped ? ", stopped" : "")
  byId("stop").textContent = clock.stopped ? "Start" : "Stop"
}

/** Shows the prices of the chosen market, and offers all markets. */
export const drawMarkets = (all) => {
  markets = all
  const names = markets.map(({ category, symbol }) => [category + " " + symbol, category + " " + symbol])
  offer(price.market, names)
  offer(order.market, names)
  const symbols = [...new Set(markets.map(({ symbol }) => symbol))].sort()
  offer(
    choice.symbol,
    symbols.map((symbol) => [symbol, symbol]),
    [["", "all symbols"]]
  )
  const current = market()
  if (current === undefined) return
  byId("quote").textContent = "mark price " + current.markPrice + (current.isHeld ? ", held" : ", moving")
  if (price.price.dataset.of !== price.market.value) {
    price.price.dataset.of = price.market.value
    price.price.value = current.lastPrice
  }
}

document
  .querySelectorAll("[data-advance]")
  .forEach((/** @type {any} */ button) =>
    on(button, "click", () => control("setClock", { by: button.dataset.advance }))
  )
on(byId("stop"), "click", () => control("setClock", { stopped: !clock.stopped }))

const symbolOf = () => ({ category: market().category, symbol: market().symbol })
const hold = () => control("setPrice", { ...symbolOf(), price: price.price.value })
on(byId("price"), "submit", hold)
on(byId("release"), "click", () => control("releasePrice", symbolOf()))
on(price.market, "change", readAgain)

// In whole units of the last digit, as a price on the ticks has to be.
const changeBy = (text, percent) => {
  const decimals = (text.split(".")[1] || "").length
  const units = BigInt(text.replace(".", ""))
  const moved = String((units * BigInt(100 + percent)) / 100n).padStart(decimals + 1, "0")
  return decimals === 0 ? moved : moved.slice(0, -decimals) + "." + moved.slice(-decimals)
}
document.querySelectorAll("[data-change]").forEach((/** @type {any} */ button) =>
  on(button, "click", () => {
    price.price.value = changeBy(market().lastPrice, Number(button.dataset.change))
    return hold()
  })
)
