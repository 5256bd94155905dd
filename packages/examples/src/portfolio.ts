/**
 * Shows a portfolio: the wallet, the open positions and the open orders of an account, read concurrently.
 *
 *     node --import tsx packages/examples/src/portfolio.ts
 */
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Account from "@effect-venue/services/Account"
import * as Orders from "@effect-venue/services/Orders"
import * as Positions from "@effect-venue/services/Positions"
import * as Venue from "@effect-venue/services/Venue"
import * as BigDecimal from "effect/BigDecimal"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { isMain } from "./main.js"

const settleCoin = "USDT"

/** The state of the account. All values are reported by the exchange, not computed. */
export const snapshot = Effect.gen(function* () {
  const account = yield* Account.Account
  const orders = yield* Orders.Orders
  const positions = yield* Positions.Positions
  const all = yield* Effect.all(
    {
      wallets: account.walletBalance({ accountType: "UNIFIED" }),
      positions: Stream.runCollect(positions.listStream({ category: "linear", settleCoin, limit: 200 })),
      orders: Stream.runCollect(orders.openStream({ category: "linear", settleCoin, limit: 50 }))
    },
    { concurrency: "unbounded" }
  )
  const [wallet] = all.wallets.list
  return {
    equity: Option.flatMap(Option.fromNullable(wallet), ({ totalEquity }) => totalEquity),
    coins: (wallet?.coin ?? []).map(({ coin, equity, walletBalance }) => ({ coin, equity, walletBalance })),
    positions: [...all.positions].filter(({ size }) => BigDecimal.isPositive(size)),
    orders: [...all.orders]
  }
})

const money = (amount: Option.Option<BigDecimal.BigDecimal>) =>
  Option.match(amount, { onNone: () => "-", onSome: (amount) => BigDecimal.format(amount) })

const main = Effect.gen(function* () {
  const { coins, equity, orders, positions } = yield* snapshot
  yield* Console.log(`equity ${money(equity)} USD`)
  for (const { coin, walletBalance } of coins) yield* Console.log(`  ${coin} ${BigDecimal.format(walletBalance)}`)
  for (const { side, size, symbol, unrealisedPnl } of positions) {
    yield* Console.log(
      `  ${symbol} ${Option.getOrElse(side, () => "")} ${BigDecimal.format(size)}, ${money(unrealisedPnl)} unrealised`
    )
  }
  yield* Console.log(`${orders.length} open orders`)
})

if (isMain(import.meta.url)) {
  await Effect.runPromise(main.pipe(Effect.provide(Venue.layer), Effect.provide(Sandbox.layer({ seed: 7 }))))
}
