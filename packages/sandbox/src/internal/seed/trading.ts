import type * as Executions from "@effect-venue/schemas/Executions"
import * as BigDecimal from "effect/BigDecimal"
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import type * as Id from "@effect-venue/schemas/Id"
import type * as State from "../../State.js"
import * as Book from "../book.js"
import * as Fees from "../fees.js"
import * as Ids from "../ids.js"
import * as Money from "../money.js"
import * as OrderRecord from "../orderRecord.js"
import * as Intents from "./intents.js"
import * as Ledger from "./ledger.js"
import * as Market from "./market.js"
import type * as Prices from "./prices.js"
import type * as Schedule from "./schedule.js"

/** How an account trades through some slots. */
export interface Plan {
  readonly slots: ReadonlyArray<Schedule.Slot>
  readonly prices: Prices.Prices
  readonly era: "current" | "preUpgrade"
  /** Where money of contracts, and of spot, lies. */
  readonly contractWallet: State.WalletType
  readonly spotWallet: State.WalletType
  /** Executions end before this instant. */
  readonly until: number
  /** How large its orders are, against what is typical of a market. */
  readonly scale: number
}

/** A given order instead of one that the account thinks of. */
export interface Forced extends Intents.Intent {
  readonly market: Market.Market
}

/** An order before anything of it is executed. */
interface Placement {
  readonly category: State.Category
  readonly market: Market.Market
  readonly wallet: State.WalletType
  readonly intent: Intents.Intent
  readonly outcome: Intents.Fate
  readonly orderId: Id.OrderId
  readonly isLimit: boolean
  /** The market's, of which the price of an order and of its executions come. */
  readonly around: number
  readonly price: BigDecimal.BigDecimal
  /** What it may cost at worst. Contract market orders have such a price too. (facts/listed-endpoints.md 1) */
  readonly limit: Option.Option<BigDecimal.BigDecimal>
  readonly qty: BigDecimal.BigDecimal
  readonly shares: ReadonlyArray<bigint>
  readonly stop: "TakeProfit" | "StopLoss" | undefined
  readonly createType: string
}

/** What of an order was executed. */
interface Tally {
  qty: BigDecimal.BigDecimal
  value: BigDecimal.BigDecimal
  fee: BigDecimal.BigDecimal
  readonly closed: Array<Book.Closed>
  last: number
}

const stopOrderType = ({ category, stop }: Placement) =>
  category === "spot" ? Option.none() : Option.some(stop ?? "UNKNOWN")

const decide = (
  ledger: Ledger.Ledger,
  plan: Plan,
  slot: Schedule.Slot,
  forced: Forced | undefined
): Placement | undefined => {
  const { random } = ledger
  const { category } = slot
  const market = forced?.market ?? Intents.chooseMarket(ledger, slot)
  if (market === undefined) return undefined
  const isSpot = category === "spot"
  const around = plan.prices.at(market.base, slot.at)
  const wallet = isSpot ? plan.spotWallet : plan.contractWallet
  const intent =
    forced ??
    (isSpot
      ? Intents.spot(ledger, plan.scale, wallet, market, around)
      : Intents.contract(ledger, plan.scale, market, around))
  const outcome = Intents.fate(ledger, { ...slot, border: slot.border || forced !== undefined })
  const isLimit = forced === undefined && random.chance(0.6)
  const price = Market.price(market, around)
  const guard = Market.price(market, around * (intent.side === "Buy" ? 1.03 : 0.97))
  const shares = outcome.parts === 0 ? [] : Intents.split(ledger, intent.steps, outcome.parts)
  const unfilled = outcome.partly ? BigInt(random.between(1, 50)) : outcome.parts === 0 ? intent.steps : 0n
  const stop =
    intent.closing && forced === undefined && random.chance(0.06) ? random.pick("TakeProfit", "StopLoss") : undefined
  return {
    category,
    market,
    wallet,
    intent,
    outcome,
    orderId: Ids.OrderId(ledger.id(slot.at)),
    isLimit,
    around,
    price,
    limit: isLimit ? Option.some(price) : isSpot ? Option.none() : Option.some(guard),
    qty: BigDecimal.make(shares.reduce((sum, share) => sum + share, 0n) + unfilled, market.qtyScale),
    shares,
    stop,
    createType:
      stop !== undefined ? `CreateBy${stop}` : intent.closing && random.chance(0.5) ? "CreateByClosing" : "CreateByUser"
  }
}

// Moves the money of an execution. Spot fees are paid in the coin that comes in. Gives what the execution closed.
const settle = (
  ledger: Ledger.Ledger,
  { category, market, wallet }: Placement,
  at: number,
  fill: Book.Fill
): Option.Option<Book.Closed> => {
  if (category !== "spot") {
    return Ledger.fillContract(ledger, wallet, category, market.symbol, market.settle, at, fill)
  }
  const buys = fill.side === "Buy"
  const base = buys ? BigDecimal.subtract(fill.qty, fill.fee) : BigDecimal.negate(fill.qty)
  const quote = buys ? BigDecimal.negate(fill.value) : BigDecimal.subtract(fill.value, fill.fee)
  Ledger.post(ledger, wallet, market.base, base)
  Ledger.post(ledger, wallet, market.quote, quote)
  return Option.none()
}

const execute = (
  ledger: Ledger.Ledger,
  placement: Placement,
  tally: Tally,
  share: bigint,
  at: number,
  index: number
): Executions.Execution => {
  const { around, category, intent, isLimit, market, orderId, price, qty } = placement
  const isSpot = category === "spot"
  const { side } = intent
  // A market order eats its way through the book.
  const slipped = around * (1 + 0.0001 * index * (side === "Buy" ? 1 : -1))
  const execPrice = isLimit ? price : Market.price(market, slipped)
  const execQty = BigDecimal.make(share, market.qtyScale)
  const execValue = Book.value(category, execPrice, execQty)
  const isMaker = isLimit && ledger.random.chance(0.75)
  const feeRate = Fees.of(category, isMaker)
  const execFee = Money.round(BigDecimal.multiply(isSpot && side === "Buy" ? execQty : execValue, feeRate))
  const closed = settle(ledger, placement, at, { side, qty: execQty, value: execValue, fee: execFee })
  tally.qty = BigDecimal.sum(tally.qty, execQty)
  tally.value = BigDecimal.sum(tally.value, execValue)
  tally.fee = BigDecimal.sum(tally.fee, execFee)
  tally.last = at
  if (Option.isSome(closed)) tally.closed.push(closed.value)
  return {
    symbol: Ids.Symbol(market.symbol),
    orderId,
    side,
    orderPrice: Option.getOrElse(placement.limit, () => Money.zero),
    orderQty: qty,
    leavesQty: Option.some(BigDecimal.subtract(qty, tally.qty)),
    orderType: isLimit ? "Limit" : "Market",
    stopOrderType: stopOrderType(placement),
    execFee,
    execId: Ids.ExecId(ledger.id(at)),
    execPrice,
    execQty,
    execValue: Option.some(execValue),
    execType: Option.some("Trade"),
    execTime: DateTime.unsafeMake(at),
    isMaker,
    feeRate: Option.some(feeRate),
    markPrice: isSpot ? Option.none() : Option.some(price),
    closedSize: Option.some(Option.match(closed, { onNone: () => Money.zero, onSome: (part) => part.size })),
    createType: isSpot ? Option.none() : Option.some(placement.createType),
    seq: isSpot ? Option.none() : Option.some(Ids.sequence(at))
  }
}

/** The order as it was when it was closed. */
const record = (
  ledger: Ledger.Ledger,
  placement: Placement,
  tally: Tally,
  created: number,
  closed: number
): State.Order => {
  const { category, intent, isLimit, market, outcome, price, stop } = placement
  const { random } = ledger
  const isSpot = category === "spot"
  const whenStop = <A>(value: A): Option.Option<A> => (stop === undefined ? Option.none() : Option.some(value))
  return OrderRecord.make({
    category,
    filter: stop === undefined ? "Order" : "StopOrder",
    orderId: placement.orderId,
    orderLinkId: random.chance(0.3)
      ? Option.some(Ids.OrderLinkId(`link-${ledger.uid}-${random.hex(10)}`))
      : Option.none(),
    symbol: Ids.Symbol(market.symbol),
    price: placement.limit,
    qty: placement.qty,
    side: intent.side,
    orderStatus: outcome.partly && isSpot ? "PartiallyFilledCanceled" : outcome.status,
    cancelType: Option.some(outcome.status === "Cancelled" ? "CancelByUser" : "UNKNOWN"),
    rejectReason: Option.some(outcome.status === "Rejected" ? "EC_Others" : "EC_NoError"),
    avgPrice: BigDecimal.isZero(tally.qty)
      ? Option.none()
      : Option.some(Book.meanPrice(category, tally.qty, tally.value)),
    leavesQty: Option.some(Money.zero),
    leavesValue: Option.some(Money.zero),
    cumExecQty: tally.qty,
    cumExecValue: tally.value,
    cumExecFee: tally.fee,
    timeInForce: isLimit ? "GTC" : "IOC",
    orderType: isLimit ? "Limit" : "Market",
    stopOrderType: stopOrderType(placement),
    marketUnit: isSpot && !isLimit ? Option.some("baseCoin") : Option.none(),
    triggerPrice: whenStop(price),
    tpslMode: whenStop("Full"),
    triggerDirection: Option.some(
      stop === undefined ? 0 : (stop === "TakeProfit") === (intent.side === "Sell") ? 1 : 2
    ),
    triggerBy: whenStop("LastPrice"),
    lastPriceOnCreated: Option.some(price),
    reduceOnly: intent.closing,
    closeOnTrigger: stop !== undefined,
    createdTime: DateTime.unsafeMake(created),
    updatedTime: DateTime.unsafeMake(closed)
  })
}

/** One order of the past with its executions, booked. Gives the instant of its last execution. */
export const place = (
  ledger: Ledger.Ledger,
  plan: Plan,
  slot: Schedule.Slot,
  next: number,
  forced?: Forced
): number => {
  const placement = decide(ledger, plan, slot, forced)
  if (placement === undefined) return slot.at
  const { random } = ledger
  const { category, isLimit, outcome, shares } = placement
  const tally: Tally = { qty: Money.zero, value: Money.zero, fee: Money.zero, closed: [], last: slot.at }
  const room = Math.min(next, plan.until) - slot.at - 1
  const longest = Math.min(600_000, Math.floor(room / Math.max(1, shares.length)))
  shares.forEach((share, index) => {
    // About half of an order's executions come in one sweep, the others a while later: always before the next order.
    const waits = (isLimit || index > 0) && !slot.border && room > 0 && random.chance(0.5)
    const at = tally.last + (waits ? random.between(0, longest) : 0)
    const execution = execute(ledger, placement, tally, share, at, index)
    if (plan.era === "current") ledger.executions[category].push(execution)
    else ledger.preUpgradeExecutions[category].push(preUpgrade(category, execution))
  })
  const closedAt = tally.last + (outcome.status === "Cancelled" && room > 1000 ? 500 : 0)
  const order = record(ledger, placement, tally, slot.at, closedAt)
  if (plan.era === "current") ledger.closedOrders.push(order)
  else ledger.preUpgradeOrders.push(order)
  if (category !== "spot" && tally.closed.length > 0) recordClosed(ledger, plan, category, order, tally)
  return tally.last
}

// interface.md, Execution record: what the pre-upgrade record does not have, and what it does not have for spot.
const preUpgrade = (
  category: State.Category,
  { createType: _createType, seq: _seq, ...execution }: Executions.Execution
): Executions.PreUpgradeExecution =>
  category !== "spot"
    ? execution
    : {
        ...execution,
        leavesQty: Option.none(),
        execType: Option.none(),
        execValue: Option.none(),
        feeRate: Option.none(),
        markPrice: Option.none(),
        stopOrderType: Option.none()
      }

const ten = BigDecimal.make(10n, 0)

/** One record per order that closed something: its profit is after the fees of opening and closing. */
const recordClosed = (
  ledger: Ledger.Ledger,
  plan: Plan,
  category: State.Contract,
  order: State.Order,
  tally: Tally
): void => {
  const total = (pick: (closed: Book.Closed) => BigDecimal.BigDecimal) => Money.sum(...tally.closed.map(pick))
  const closedSize = total((part) => part.size)
  const cumEntryValue = total((part) => part.entryValue)
  const cumExitValue = total((part) => part.exitValue)
  const fees = BigDecimal.sum(
    total((part) => part.openFee),
    total((part) => part.closeFee)
  )
  const target = plan.era === "current" ? ledger.closedPnl : ledger.preUpgradeClosedPnl
  target[category].push({
    symbol: order.symbol,
    orderId: order.orderId,
    side: order.side,
    qty: order.qty,
    orderPrice: Option.getOrElse(order.price, () => Money.zero),
    orderType: order.orderType,
    execType: "Trade",
    closedSize,
    cumEntryValue,
    avgEntryPrice: Book.meanPrice(category, closedSize, cumEntryValue),
    cumExitValue,
    avgExitPrice: Book.meanPrice(category, closedSize, cumExitValue),
    closedPnl: BigDecimal.subtract(
      total((part) => part.pnl),
      fees
    ),
    fillCount: tally.closed.length,
    leverage: Option.some(ten),
    createdTime: order.createdTime,
    updatedTime: DateTime.unsafeMake(tally.last)
  })
}

/** Trades through the slots of a plan. */
export const run = (ledger: Ledger.Ledger, plan: Plan): void => {
  let last = Number.NEGATIVE_INFINITY
  plan.slots.forEach((slot, index) => {
    const next = plan.slots[index + 1]?.at ?? plan.until
    // Now and then an order comes in the very millisecond of the execution before: two symbols then share a sequence.
    const at = !slot.border && last > slot.at - 1_200_000 && ledger.random.chance(0.05) ? last : Math.max(slot.at, last)
    last = place(ledger, plan, { ...slot, at }, Math.max(next, at))
  })
}

/** Closes everything that is held, at one instant. */
export const closeAll = (ledger: Ledger.Ledger, plan: Plan, at: number): void => {
  for (const { category, holding, symbol } of Array.from(ledger.held.values())) {
    const market = Market.traded.find((one) => one.category === category && one.symbol === symbol)
    if (market === undefined || BigDecimal.isZero(holding.size)) continue
    place(ledger, plan, { at, category, border: true }, at, {
      market,
      side: BigDecimal.isPositive(holding.size) ? "Sell" : "Buy",
      steps: Intents.stepsOf(BigDecimal.abs(holding.size), market.qtyScale),
      closing: true
    })
  }
  ledger.held.clear()
}
