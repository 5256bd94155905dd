import type * as Executions from "@effect-venue/schemas/Executions"
import { BigDecimal, Equal, Option } from "effect"
import * as Exchange from "@effect-venue/sandbox/siblings/Exchange"
import * as Seed from "@effect-venue/sandbox/siblings/Seed"
import * as LossPrices from "../../src/trading/lossPrices.js"
import * as Margin from "../../src/trading/margin.js"
import * as Money from "../../src/trading/money.js"
import * as Holding from "../../src/trading/holding.js"
import * as OrderRecord from "../../src/records/orderRecord.js"
import * as Fills from "../../src/positions/fills.js"
import * as MarketMaker from "../../src/trading/marketMaker.js"

const text = (amount: BigDecimal.BigDecimal): string => BigDecimal.format(BigDecimal.normalize(amount))

const orZero = Option.getOrElse(() => Money.zero)

const differ = (what: string, one: BigDecimal.BigDecimal, other: BigDecimal.BigDecimal): ReadonlyArray<string> =>
  BigDecimal.equals(one, other) ? [] : [`${what}: ${text(one)} is not ${text(other)}`]

/** Money is conserved: all wallets and the market maker together hold all deposits less all withdrawals. */
const money = (state: Exchange.State): ReadonlyArray<string> => {
  const taken = MarketMaker.takenByAll(state.accounts.values())
  const coins = new Set([...taken.keys(), ...state.marketMaker.balances.keys()])
  return Array.from(coins).flatMap((coin) => {
    const total = BigDecimal.sum(taken.get(coin) ?? Money.zero, state.marketMaker.balances.get(coin) ?? Money.zero)
    return differ(`${coin}: wallets and market maker against deposits and withdrawals`, total, Money.zero)
  })
}

interface Since {
  /** What was executed since the exchange opened, by order. */
  readonly byOrder: ReadonlyMap<string, ReadonlyArray<Executions.Execution>>
  readonly fills: { readonly [C in Exchange.Category]: ReadonlyArray<Executions.Execution> }
}

const isFunding = ({ execType }: Executions.Execution): boolean => Option.contains(execType, "Funding")

const since = (account: Exchange.Account, before: Exchange.Account | undefined): Since => {
  const tail = (category: Exchange.Category) =>
    account.executions[category].slice(before?.executions[category].length ?? 0)
  const fills = { spot: tail("spot"), linear: tail("linear"), inverse: tail("inverse") }
  const byOrder = new Map<string, Array<Executions.Execution>>()
  for (const category of Exchange.categories) {
    for (const fill of fills[category].filter((one) => !isFunding(one))) {
      const key = `${category} ${fill.orderId}`
      const known = byOrder.get(key)
      if (known === undefined) byOrder.set(key, [fill])
      else known.push(fill)
    }
  }
  return { byOrder, fills }
}

const open = new Set(["New", "PartiallyFilled", "Untriggered"])

// What an order had before the exchange opened.
const executedBefore = (before: Exchange.Account | undefined, order: Exchange.Order) =>
  before?.openOrders.find((one) => one.orderId === order.orderId)

const orderSums = (
  order: Exchange.Order,
  before: Exchange.Order | undefined,
  fills: ReadonlyArray<Executions.Execution>
): ReadonlyArray<string> => {
  const name = `order ${order.orderId}`
  const total = (start: BigDecimal.BigDecimal | undefined, of: (fill: Executions.Execution) => BigDecimal.BigDecimal) =>
    Money.sum(start ?? Money.zero, ...fills.map(of))
  const left = Fills.isByQuote(order) ? order.cumExecValue : order.cumExecQty
  return [
    ...differ(
      `${name} cumExecQty`,
      order.cumExecQty,
      total(before?.cumExecQty, (fill) => fill.execQty)
    ),
    ...differ(
      `${name} cumExecValue`,
      order.cumExecValue,
      total(before?.cumExecValue, (fill) => orZero(fill.execValue))
    ),
    ...differ(
      `${name} cumExecFee`,
      order.cumExecFee,
      total(before?.cumExecFee, (fill) => fill.execFee)
    ),
    ...(BigDecimal.greaterThan(left, order.qty) ? [`${name} is filled over its quantity`] : []),
    ...(order.orderStatus === "Filled" && !Fills.isByQuote(order)
      ? differ(`${name} is filled`, order.cumExecQty, order.qty)
      : [])
  ]
}

const orders = (
  account: Exchange.Account,
  before: Exchange.Account | undefined,
  { byOrder }: Since
): ReadonlyArray<string> => {
  const found: Array<string> = []
  const seen = new Set<string>()
  const fillsOf = (order: Exchange.Order) => {
    const key = `${order.category} ${order.orderId}`
    seen.add(key)
    return byOrder.get(key) ?? []
  }
  const ids = new Set<string>()
  for (const order of account.openOrders) {
    if (ids.has(order.orderId)) found.push(`order ${order.orderId} is open twice`)
    ids.add(order.orderId)
    if (!open.has(order.orderStatus)) found.push(`order ${order.orderId} is open as ${order.orderStatus}`)
    found.push(...orderSums(order, executedBefore(before, order), fillsOf(order)))
    if (!Fills.isByQuote(order)) {
      const left = BigDecimal.subtract(order.qty, order.cumExecQty)
      found.push(...differ(`order ${order.orderId} leavesQty`, orZero(order.leavesQty), left))
    }
    const hasFills = BigDecimal.isPositive(order.cumExecQty)
    if (hasFills !== (order.orderStatus === "PartiallyFilled")) {
      found.push(`order ${order.orderId} is ${order.orderStatus} with ${text(order.cumExecQty)} filled`)
    }
    if (Option.isSome(order.pairedWith)) {
      const id = order.pairedWith.value
      const partner = account.openOrders.find((one) => one.orderId === id)
      if (!Option.contains(partner?.pairedWith ?? Option.none(), order.orderId)) {
        found.push(`order ${order.orderId} is paired with ${id}, which is not with it`)
      }
    }
  }
  for (const order of account.closedOrders.slice(before?.closedOrders.length ?? 0)) {
    if (ids.has(order.orderId)) found.push(`order ${order.orderId} is closed twice, or open too`)
    ids.add(order.orderId)
    if (!Exchange.isClosed(order)) found.push("an order is closed in a state that is not documented")
    if (!BigDecimal.isZero(orZero(order.leavesQty))) found.push(`order ${order.orderId} is closed with a rest`)
    found.push(...orderSums(order, executedBefore(before, order), fillsOf(order)))
  }
  for (const key of byOrder.keys()) if (!seen.has(key)) found.push(`executions without an order: ${key}`)
  return found
}

const signed = (fill: Executions.Execution) => (fill.side === "Buy" ? fill.execQty : BigDecimal.negate(fill.execQty))

const contracts = ["linear", "inverse"] as const

// One-way or hedged, what is held of a symbol is what was bought less what was sold.
const positions = (
  account: Exchange.Account,
  before: Exchange.Account | undefined,
  { fills }: Since
): ReadonlyArray<string> =>
  contracts.flatMap((category) => {
    const of = (one: Pick<Exchange.Account, "positions"> | undefined, symbol: string) =>
      (one?.positions ?? []).filter((position) => position.category === category && position.symbol === symbol)
    const symbols = new Set([
      ...account.positions.filter((one) => one.category === category).map((one) => one.symbol),
      ...fills[category].map((fill): string => fill.symbol)
    ])
    return Array.from(symbols).flatMap((symbol) => {
      const ours = fills[category].filter((fill) => fill.symbol === symbol)
      const own = ours.filter((fill) => !isFunding(fill))
      const funding = Money.sum(...ours.filter(isFunding).map((fill) => fill.execFee))
      const size = (one: Pick<Exchange.Account, "positions"> | undefined) =>
        Money.sum(...of(one, symbol).map((position) => position.size))
      // Closed profits are after the fees of both ends; what is open has paid only those of its opening.
      const realised = (one: Pick<Exchange.Account, "positions"> | undefined) =>
        Money.sum(
          ...of(one, symbol).map((position) => BigDecimal.sum(Holding.allRealisedPnl(position), position.openFee))
        )
      const closed = Money.sum(
        ...account.closedPnl[category]
          .slice(before?.closedPnl[category].length ?? 0)
          .filter((record) => record.symbol === symbol)
          .map((record) => record.closedPnl)
      )
      return [
        ...differ(
          `${account.uid} ${symbol} size`,
          size(account),
          BigDecimal.sum(size(before), Money.sum(...own.map(signed)))
        ),
        ...differ(
          `${account.uid} ${symbol} closed profits`,
          BigDecimal.sum(BigDecimal.subtract(realised(account), realised(before)), funding),
          closed
        ),
        ...of(account, symbol).flatMap((position) => wellFormed(account, position))
      ]
    })
  })

/** Both sides of a hedge in cross margin are liquidated at one price, and every position before it is bankrupt. */
const lossPrices = (state: Exchange.State, account: Exchange.Account): ReadonlyArray<string> =>
  account.positions.flatMap((position) => {
    const listing = Exchange.listing(state, position.category, position.symbol)
    if (listing === undefined || BigDecimal.isZero(position.size)) return []
    const name = `${account.uid} ${position.symbol} ${position.positionIdx}`
    const liqPrice = LossPrices.liquidation(state, account, listing, position)
    const bustPrice = LossPrices.bust(state, account, listing, position)
    const isLong = BigDecimal.isPositive(position.size)
    const isLate = Option.exists(Option.all([liqPrice, bustPrice]), ([liquidation, bankruptcy]) =>
      isLong ? BigDecimal.lessThan(liquidation, bankruptcy) : BigDecimal.greaterThan(liquidation, bankruptcy)
    )
    const differs = account.positions.some(
      (side) =>
        side.category === position.category &&
        side.symbol === position.symbol &&
        side.tradeMode === "cross" &&
        !BigDecimal.isZero(side.size) &&
        !Equal.equals(LossPrices.liquidation(state, account, listing, side), liqPrice)
    )
    return [
      ...(isLate ? [`${name} is liquidated after it is bankrupt`] : []),
      ...(differs ? [`${name} has another liqPrice than its other side`] : [])
    ]
  })

const wellFormed = (account: Exchange.Account, position: Exchange.Position): ReadonlyArray<string> => {
  const name = `${account.uid} ${position.symbol} ${position.positionIdx}`
  const found: Array<string> = []
  const isEmpty = BigDecimal.isZero(position.size)
  if (position.positionIdx === 1 && BigDecimal.isNegative(position.size)) found.push(`${name} is short on the buy side`)
  if (position.positionIdx === 2 && BigDecimal.isPositive(position.size)) found.push(`${name} is long on the sell side`)
  if (isEmpty) {
    for (const [field, amount] of [
      ["entry value", position.entryValue],
      ["opening fee", position.openFee],
      ["added margin", position.addedMargin]
    ] as const) {
      if (!BigDecimal.isZero(amount)) found.push(`${name} is empty with ${text(amount)} of ${field}`)
    }
    for (const field of ["takeProfit", "stopLoss", "trailingStop"] as const) {
      if (Option.isSome(position[field])) found.push(`${name} is empty with a ${field}`)
    }
  }
  // Funding comes out of the margin of an isolated position.
  if (BigDecimal.isNegative(position.addedMargin) && position.tradeMode === "cross") {
    found.push(`${name} has negative added margin`)
  }
  return found
}

// A stop that waits belongs to an open position, on its closing side, and is no larger than it.
const stops = (account: Exchange.Account): ReadonlyArray<string> => {
  const waiting = account.openOrders.filter(
    (order) => OrderRecord.isConditional(order) && OrderRecord.isPositionStop(order)
  )
  const found = waiting.flatMap((order) => {
    const position = account.positions.find(
      (one) => one.category === order.category && one.symbol === order.symbol && one.positionIdx === order.positionIdx
    )
    const name = `stop ${order.orderId} of ${account.uid} ${order.symbol}`
    if (position === undefined || BigDecimal.isZero(position.size)) return [`${name} has no position`]
    const size = BigDecimal.abs(position.size)
    const closes = BigDecimal.isPositive(position.size) === (order.side === "Sell")
    const fits = Option.contains(order.tpslMode, "Partial")
      ? BigDecimal.lessThanOrEqualTo(order.qty, size)
      : BigDecimal.equals(order.qty, size)
    return [
      ...(closes ? [] : [`${name} would open`]),
      ...(fits ? [] : [`${name} is of ${text(order.qty)}, the position of ${text(size)}`])
    ]
  })
  const missing = account.positions.flatMap((position) =>
    (
      [
        ["TakeProfit", position.takeProfit],
        ["StopLoss", position.stopLoss],
        ["TrailingStop", position.trailingStop]
      ] as const
    ).flatMap(([type, price]) => {
      const order = waiting.find(
        (one) =>
          one.category === position.category &&
          one.symbol === position.symbol &&
          one.positionIdx === position.positionIdx &&
          Option.contains(one.stopOrderType, type)
      )
      return Option.isSome(price) === (order !== undefined)
        ? []
        : [`${account.uid} ${position.symbol} ${position.positionIdx} and its ${type} do not agree`]
    })
  )
  return [...found, ...missing]
}

// A wallet of contracts may owe what cross positions lost; it cannot owe anything of another kind.
const wallets = (state: Exchange.State, account: Exchange.Account): ReadonlyArray<string> =>
  Object.entries(account.wallets).flatMap(([type, wallet]) =>
    Array.from(wallet).flatMap(([coin, amount]) => {
      if (!BigDecimal.isNegative(amount)) return []
      const mayOwe =
        type === Margin.contractWallet(account) &&
        state.listings.some((one) => one.category !== "spot" && one.settleCoin === coin)
      return mayOwe ? [] : [`${account.uid} ${type} ${coin} is ${text(amount)}`]
    })
  )

const awards = (account: Exchange.Account): ReadonlyArray<string> => [
  ...Array.from(new Set(account.grants.map((grant) => grant.coin))).flatMap((coin) =>
    BigDecimal.isNegative(Margin.bonus(account, coin)) ? [`${account.uid} used more bonus than it had`] : []
  ),
  ...Array.from(account.coupons).flatMap(([coin, left]) =>
    BigDecimal.isNegative(left) ? [`${account.uid} used more ${coin} coupons than it had`] : []
  )
]

/** An account when the exchange opened; `undefined` in an empty world, and for an account that was opened later. */
const seededAccount = (state: Exchange.State, account: Exchange.Account): Exchange.Account | undefined => {
  const first = Exchange.categories.flatMap((category) => account.executions[category].at(0) ?? [])[0]
  if (first === undefined || first.execTime.epochMillis >= state.openedAt) return undefined
  return Seed.make({ seed: state.seed, now: state.openedAt }).state.accounts.get(account.uid)
}

const ofAccount = (state: Exchange.State, account: Exchange.Account): ReadonlyArray<string> => {
  const known = memory.get(account)
  if (known !== undefined) return known
  const before = seededAccount(state, account)
  const lately = since(account, before)
  const found = [
    ...orders(account, before, lately),
    ...positions(account, before, lately),
    ...lossPrices(state, account),
    ...stops(account),
    ...wallets(state, account),
    ...awards(account)
  ]
  memory.set(account, found)
  return found
}

// An account that was not touched is as right as it was.
const memory = new WeakMap<Exchange.Account, ReadonlyArray<string>>()

/**
 * Everything that must be so at every instant, and is not: empty when all is well. Money is conserved to the last digit for every
 * coin; executions add up to their orders, to positions and to closed profits; open orders are in an open status and closed ones
 * in a final one; stops belong to open positions and fit them; positions are liquidated before they are bankrupt; no wallet owes but for
 * losses in cross margin.
 */
export const invariants = (state: Exchange.State): ReadonlyArray<string> => [
  ...money(state),
  ...Array.from(state.accounts.values()).flatMap((account) => ofAccount(state, account))
]
