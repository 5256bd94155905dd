// The page of a sandbox server. It sends one request a second, and the same commands as every other program.
import { countNoun } from "@effect-venue/schemas/siblings/Words"
import { drawHolder } from "./account.mjs"
import { offerCommands } from "./commands.mjs"
import {
  attempt,
  byId,
  control,
  offer,
  on,
  onRefresh,
  readAgain,
  readAll,
  reportFailures,
  unreachable
} from "./dom.mjs"
import { drawRules, offerFaults } from "./faults.mjs"
import { drawClock, drawMarkets } from "./market.mjs"
import { draw } from "./tables.mjs"

const choice = byId("choice").elements

const isShown = (row) => choice.symbol.value === "" || row.symbol === choice.symbol.value

const drawView = ({ accounts: [account], rules }) => {
  const open = account.openOrders.map((order) => ({ ...order, isOpen: true }))
  draw("balances", account.balances)
  draw("positions", account.positions.filter(isShown))
  draw("orders", [...open, ...account.closedOrders].filter(isShown))
  draw("executions", account.executions.filter(isShown))
  byId("counts").textContent =
    countNoun(open.length, "open order") + ", " + countNoun(account.positions.length, "position")
  drawRules(rules)
}

/** Reads what the page shows, with the view of an account if it has one. */
const read = (account) =>
  readAll(
    { name: "clock" },
    { name: "accounts" },
    { name: "requests", argument: { last: 50 } },
    ...(account === "" ? [] : [{ name: "state", argument: { account, last: 50 } }])
  )

const refresh = async () => {
  const [now, { accounts }, { requests }, view] = await read(choice.account.value).catch((error) => {
    if (error instanceof TypeError) throw error
    // The account is gone, such as after a reset.
    return read("")
  })
  drawClock(now)
  draw("accounts", accounts)
  offer(
    choice.account,
    accounts.map(({ keys, uid }) => [uid, uid + " " + (keys[0] ? keys[0].role || "opened" : "")])
  )
  drawHolder(accounts)
  draw("requests", requests.reverse())
  // This reading has learnt which accounts there are.
  if (view === undefined) return refresh()
  drawMarkets(view.markets)
  drawView(view)
}
onRefresh(refresh)

for (const name of ["account", "symbol"]) on(choice[name], "change", readAgain)

on(byId("scenario"), "submit", async () => {
  const { apiKey, apiSecret, uid } = await control("openScenario", { name: byId("scenario").elements.name.value })
  byId("opened").textContent = "account " + uid + ", key " + apiKey + ", secret " + apiSecret
  await refresh()
  choice.account.value = uid
})

const start = async () => {
  const document = await (await fetch("/openapi.json")).json()
  offerFaults(document)
  offerCommands(document)
}

const live = async () => {
  if (choice.live.checked && !document.hidden) {
    await reportFailures(refresh, () => byId("problem").textContent === unreachable)
  }
  // A browser has no other timer. The next reading begins after this one, so that a slow server is not flooded.
  setTimeout(live, 1000)
}

attempt(start).then(live)
