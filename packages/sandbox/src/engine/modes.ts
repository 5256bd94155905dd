import * as BigDecimal from "effect/BigDecimal"
import * as Either from "effect/Either"
import * as Exchange from "../state/Exchange.js"
import * as Refusal from "./refusal.js"
import * as Holding from "../trading/holding.js"
import * as Collateral from "../trading/collateral.js"
import * as Money from "../trading/money.js"
import * as PositionOf from "../records/positionOf.js"
import * as PositionRecord from "../records/positionRecord.js"
import type * as Events from "./events.js"
import * as Liquidation from "../positions/liquidation.js"

/** The modes to set, for one symbol or for all symbols of an account. */
export interface Wanted {
  readonly uid: string
  readonly tradeMode?: Exchange.Modes["tradeMode"] | undefined
  readonly positionMode?: Exchange.Modes["positionMode"] | undefined
  readonly symbol?: { readonly category: Exchange.Contract; readonly symbol: string } | undefined
}

type Symbol = NonNullable<Wanted["symbol"]>

const contracts = ["linear", "inverse"] as const

/** The selected symbols in which the account has positions. */
const symbolsOf = (account: Exchange.Account, { symbol }: Wanted): ReadonlyArray<Symbol> =>
  symbol !== undefined
    ? [symbol]
    : contracts.flatMap((category) =>
        Array.from(
          new Set(
            account.positions.filter((position) => position.category === category).map((position) => position.symbol)
          ),
          (symbol) => ({ category, symbol })
        )
      )

const isOf =
  ({ category, symbol }: Symbol) =>
  (candidate: { readonly category: Exchange.Category; readonly symbol: string }): boolean =>
    candidate.category === category && candidate.symbol === symbol

const modeOf = (positions: ReadonlyArray<Exchange.Position>): Exchange.Modes["positionMode"] =>
  positions.some(({ positionIdx }) => positionIdx !== 0) ? "hedge" : "oneWay"

// An empty position keeps the settings of the previous position.
const switchMode = (
  account: Exchange.Account,
  symbol: Symbol,
  positions: ReadonlyArray<Exchange.Position>,
  mode: Exchange.Modes["positionMode"],
  now: number
): Exchange.Account => {
  const [before] = positions
  const sides = mode === "hedge" ? ([1, 2] as const) : ([0] as const)
  const fresh = sides.map((positionIdx): Exchange.Position => ({
    ...(before ?? PositionRecord.makeEmpty(symbol.category, symbol.symbol, positionIdx, now)),
    cumRealisedPnl: Money.zero,
    earlierRealisedPnl: positionIdx === 2 ? Money.zero : Money.sum(...positions.map(Holding.allRealisedPnl)),
    positionIdx,
    updatedTime: now
  }))
  return { ...account, positions: [...account.positions.filter((position) => !isOf(symbol)(position)), ...fresh] }
}

const setSymbol = (
  state: Exchange.State,
  account: Exchange.Account,
  symbol: Symbol,
  { positionMode, tradeMode }: Wanted,
  now: number
): Either.Either<Exchange.Account, Refusal.Refusal> =>
  Either.gen(function* () {
    const listing = Exchange.listing(state, symbol.category, symbol.symbol)
    if (listing === undefined) {
      return yield* Refusal.refuse("NotFound", "symbol", `is not listed in ${symbol.category}: ${symbol.symbol}`)
    }
    const positions = PositionOf.all(account, symbol.category, symbol.symbol, state.openedAt)
    let next = account
    if (positionMode !== undefined && positionMode !== modeOf(positions)) {
      const isBusy =
        positions.some(({ size }) => !BigDecimal.isZero(size)) ||
        account.openOrders.some((order) => order.category !== "spot" && isOf(symbol)(order))
      if (isBusy) {
        return yield* Refusal.refuse("NotPossible", "positionMode", `has an open position or order: ${symbol.symbol}`)
      }
      next = switchMode(account, symbol, positions, positionMode, now)
    }
    if (tradeMode === undefined) return next
    const changed = PositionOf.all(next, symbol.category, symbol.symbol, state.openedAt).map(
      (position): Exchange.Position =>
        position.tradeMode === tradeMode
          ? position
          : { ...position, tradeMode, addedMargin: Money.zero, updatedTime: now }
    )
    const after = changed.reduce(PositionOf.put, next)
    const isMissing = !Collateral.isCovered(state, next, after, listing.settleCoin, tradeMode)
    const holding = Exchange.withAccount(state, after)
    return isMissing || Liquidation.settle(holding, account.uid, now) !== holding
      ? yield* Refusal.refuse("NotPossible", "tradeMode", `has not the margin that it needs: ${symbol.symbol}`)
      : after
  })

/** Sets the modes of an account or of one symbol. */
export const set = (state: Exchange.State, wanted: Wanted, now: number): Events.Happened =>
  Either.gen(function* () {
    const account = state.accounts.get(wanted.uid)
    if (account === undefined) return yield* Refusal.refuse("NotFound", "uid", `has no account: ${wanted.uid}`)
    let next = account
    for (const symbol of symbolsOf(account, wanted)) next = yield* setSymbol(state, next, symbol, wanted, now)
    if (wanted.symbol !== undefined) return Exchange.withAccount(state, next)
    const modes = {
      tradeMode: wanted.tradeMode ?? account.modes?.tradeMode ?? "cross",
      positionMode: wanted.positionMode ?? account.modes?.positionMode ?? "oneWay"
    }
    return Exchange.withAccount(state, { ...next, modes })
  })
