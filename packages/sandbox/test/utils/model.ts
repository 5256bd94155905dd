/**
 * The exchange's books from nothing but what its records say: fractions of whole numbers, and no code of the sandbox. It takes rows as
 * they stand on the wire and says what wallets, positions, orders and closed profits must be.
 */

export interface Fraction {
  readonly top: bigint
  readonly bottom: bigint
}

const magnitude = (value: bigint): bigint => (value < 0n ? -value : value)

const divisor = (one: bigint, other: bigint): bigint => {
  let [large, small] = [magnitude(one), magnitude(other)]
  while (small !== 0n) [large, small] = [small, large % small]
  return large === 0n ? 1n : large
}

export const fraction = (top: bigint, bottom: bigint): Fraction => {
  const by = divisor(top, bottom) * (bottom < 0n ? -1n : 1n)
  return { top: top / by, bottom: bottom / by }
}

export const zero = fraction(0n, 1n)

export const parse = (text: string): Fraction => {
  const [, sign = "", whole = "0", part = ""] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? []
  const value = BigInt(whole + part)
  return fraction(sign === "-" ? -value : value, 10n ** BigInt(part.length))
}

export const plus = (one: Fraction, other: Fraction): Fraction =>
  fraction(one.top * other.bottom + other.top * one.bottom, one.bottom * other.bottom)
export const minus = (one: Fraction, other: Fraction): Fraction => plus(one, { top: -other.top, bottom: other.bottom })
export const times = (one: Fraction, other: Fraction): Fraction =>
  fraction(one.top * other.top, one.bottom * other.bottom)
export const over = (one: Fraction, other: Fraction): Fraction =>
  fraction(one.top * other.bottom, one.bottom * other.top)
export const compare = (one: Fraction, other: Fraction): number => {
  const difference = one.top * other.bottom - other.top * one.bottom
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}
export const negated = ({ bottom, top }: Fraction): Fraction => ({ top: -top, bottom })
export const absolute = ({ bottom, top }: Fraction): Fraction => ({ top: magnitude(top), bottom })
export const least = (one: Fraction, other: Fraction): Fraction => (compare(one, other) <= 0 ? one : other)

const units = 100_000_000n

/** To 8 decimals, half away from zero. */
export const rounded = ({ bottom, top }: Fraction): Fraction => {
  const value = (magnitude(top) * units * 2n + bottom) / (bottom * 2n)
  return fraction(top < 0n ? -value : value, units)
}

/** The shortest text of a fraction that has an end within 8 decimals. */
export const print = (value: Fraction): string => {
  const { bottom, top } = rounded(value)
  const digits = ((magnitude(top) * units) / bottom).toString().padStart(9, "0")
  const text = `${digits.slice(0, -8)}.${digits.slice(-8)}`.replace(/\.?0+$/, "")
  return top < 0n ? `-${text}` : text
}

/** Decimal text without the zeros at its end. */
export const bare = (text: string): string => print(parse(text))

export type Category = "spot" | "linear" | "inverse"

/** A row of the wire. */
export type Row = Readonly<Record<string, string | number | boolean>>

const text = (row: Row, field: string): string => String(row[field])
const amount = (row: Row, field: string): Fraction => parse(text(row, field))

/** The specification of an instrument. */
export interface Instrument {
  readonly category: Category
  readonly symbol: string
  readonly base: string
  readonly quote: string
  readonly settle: string
  readonly maker: Fraction
  readonly taker: Fraction
}

export type TradeMode = "cross" | "isolated"

interface Position {
  tradeMode: TradeMode
  leverage: Fraction
  /** Of an isolated position: what was added to its margin, less the funding it paid. */
  added: Fraction
  size: Fraction
  /** Mean price, exact. */
  price: Fraction
  entryValue: Fraction
  openFee: Fraction
  /** Since the position was opened. */
  realised: Fraction
}

interface Closed {
  size: Fraction
  entry: Fraction
  exit: Fraction
  profit: Fraction
  fills: number
}

interface Filled {
  qty: Fraction
  value: Fraction
  fee: Fraction
  price: Fraction
}

/** Weighted as the category weighs prices: inverse contracts by what they are worth. */
const mean = (category: Category, size: Fraction, price: Fraction, more: Fraction, at: Fraction): Fraction => {
  const total = plus(size, more)
  if (size.top === 0n) return at
  return category === "inverse"
    ? over(total, plus(over(size, price), over(more, at)))
    : over(plus(times(size, price), times(more, at)), total)
}

/** What changes a position and is no execution. */
export type Setting = { readonly at: number; readonly category: Category; readonly symbol: string } & (
  | { readonly kind: "margin"; readonly positionIdx: number; readonly amount: Fraction }
  | { readonly kind: "tradeMode"; readonly tradeMode: TradeMode }
  | { readonly kind: "leverage"; readonly leverage: Fraction }
)

/** The name of a position of the books. */
export const positionKey = (category: string, symbol: string, positionIdx: number): string =>
  `${category}:${symbol}:${positionIdx}`

/** What an isolated position may lose of its own. */
export const isolatedMargin = ({ added, entryValue, leverage }: Position): Fraction =>
  plus(rounded(over(entryValue, leverage)), added)

interface Fill {
  readonly buys: boolean
  readonly price: Fraction
  readonly qty: Fraction
  readonly value: Fraction
  readonly fee: Fraction
}

/** One account, in the modes that it was opened with. */
export class Ledger {
  readonly wallets = new Map<string, Fraction>()
  readonly positions = new Map<string, Position>()
  readonly closed = new Map<string, Closed>()
  readonly orders = new Map<string, Filled>()
  /** What a row says of itself that cannot be. */
  readonly wrong: Array<string> = []

  constructor(
    private readonly instruments: ReadonlyMap<string, Instrument>,
    private readonly modes: { readonly tradeMode: TradeMode; readonly indexes: ReadonlyArray<number> } = {
      tradeMode: "cross",
      indexes: [0]
    }
  ) {}

  private post(wallet: string, coin: string, by: Fraction): void {
    const key = `${wallet} ${coin}`
    this.wallets.set(key, plus(this.wallets.get(key) ?? zero, by))
  }

  private expect(what: string, is: Fraction, should: Fraction): void {
    if (compare(is, should) !== 0) this.wrong.push(`${what}: ${print(is)} is not ${print(should)}`)
  }

  deposit(row: Row): void {
    if (text(row, "status") === "1") this.post("FUND", text(row, "coin"), amount(row, "amount"))
  }

  transfer(row: Row): void {
    this.post(text(row, "fromAccountType"), text(row, "coin"), negated(amount(row, "amount")))
    this.post(text(row, "toAccountType"), text(row, "coin"), amount(row, "amount"))
  }

  private positionOf(key: string): Position {
    const known = this.positions.get(key)
    if (known !== undefined) return known
    const { tradeMode } = this.modes
    const empty = { size: zero, price: zero, entryValue: zero, openFee: zero, realised: zero }
    const fresh = { ...empty, tradeMode, leverage: parse("10"), added: zero }
    this.positions.set(key, fresh)
    return fresh
  }

  setting(setting: Setting): void {
    for (const index of this.modes.indexes) {
      const position = this.positionOf(positionKey(setting.category, setting.symbol, index))
      if (setting.kind === "leverage") position.leverage = setting.leverage
      else if (setting.kind === "margin") {
        if (index === setting.positionIdx) position.added = plus(position.added, setting.amount)
      } else if (position.tradeMode !== setting.tradeMode) {
        position.tradeMode = setting.tradeMode
        position.added = zero
      }
    }
  }

  /** `positionIdx` is that of the order; funding has none, and is of the side that it names. */
  execution(category: Category, row: Row, positionIdx: number | undefined): void {
    const name = `${category}:${text(row, "symbol")}`
    const instrument = this.instruments.get(name)
    if (instrument === undefined) throw new Error(`no such instrument: ${name}`)
    const [price, qty] = [amount(row, "execPrice"), amount(row, "execQty")]
    const exact = category === "inverse" ? over(qty, price) : times(price, qty)
    const value = category === "inverse" ? rounded(exact) : exact
    const type = text(row, "execType")
    this.expect(`${type} ${text(row, "execId")} execValue`, amount(row, "execValue"), value)
    const index = positionIdx ?? (this.modes.indexes.length === 1 ? 0 : row.side === "Buy" ? 1 : 2)
    const key = positionKey(category, instrument.symbol, index)
    if (type === "Funding") this.funding(instrument, key, row, value)
    else this.trade(instrument, key, row, { price, qty, value, type })
  }

  private funding(instrument: Instrument, key: string, row: Row, value: Fraction): void {
    const position = this.positionOf(key)
    this.expect("funding of a size", amount(row, "execQty"), absolute(position.size))
    const owed = rounded(times(value, amount(row, "feeRate")))
    const fee = position.size.top > 0n ? owed : negated(owed)
    this.expect(`funding ${text(row, "execId")} execFee`, amount(row, "execFee"), fee)
    position.realised = minus(position.realised, fee)
    if (position.tradeMode === "isolated") position.added = minus(position.added, fee)
    this.post("UNIFIED", instrument.settle, negated(fee))
  }

  private trade(
    instrument: Instrument,
    key: string,
    row: Row,
    { price, qty, type, value }: { price: Fraction; qty: Fraction; value: Fraction; type: string }
  ): void {
    const { category } = instrument
    const buys = row.side === "Buy"
    const rate = type === "BustTrade" ? zero : row.isMaker === true ? instrument.maker : instrument.taker
    const fee = rounded(times(category === "spot" && buys ? qty : value, rate))
    this.expect(`${text(row, "execId")} feeRate`, amount(row, "feeRate"), rate)
    this.expect(`${text(row, "execId")} execFee`, amount(row, "execFee"), fee)
    const order = this.orders.get(text(row, "orderId")) ?? { qty: zero, value: zero, fee: zero, price: zero }
    this.orders.set(text(row, "orderId"), {
      qty: plus(order.qty, qty),
      value: plus(order.value, value),
      fee: plus(order.fee, fee),
      price: mean(category, order.qty, order.price, qty, price)
    })
    if (category === "spot") {
      this.post("UNIFIED", instrument.base, buys ? minus(qty, fee) : negated(qty))
      this.post("UNIFIED", instrument.quote, buys ? negated(value) : minus(value, fee))
      return
    }
    const position = this.positionOf(key)
    const change = this.book(category, position, text(row, "orderId"), { buys, price, qty, value, fee })
    this.expect(`${text(row, "execId")} closedSize`, amount(row, "closedSize"), change.closed)
    this.post("UNIFIED", instrument.settle, minus(change.profit, fee))
  }

  /** What is closed takes its share of cost with it, rounded once; the rest stays. */
  private book(
    category: Category,
    position: Position,
    orderId: string,
    fill: Fill
  ): { readonly profit: Fraction; readonly closed: Fraction } {
    const held = absolute(position.size)
    const signed = fill.buys ? fill.qty : negated(fill.qty)
    if (held.top === 0n || position.size.top > 0n === fill.buys) {
      position.realised = minus(held.top === 0n ? zero : position.realised, fill.fee)
      position.price = mean(category, held, position.price, fill.qty, fill.price)
      position.size = plus(position.size, signed)
      position.entryValue = plus(position.entryValue, fill.value)
      position.openFee = plus(position.openFee, fill.fee)
      return { profit: zero, closed: zero }
    }
    const size = least(fill.qty, held)
    const share = (whole: Fraction, of: Fraction) =>
      compare(size, of) === 0 ? whole : rounded(over(times(whole, size), of))
    const entry = share(position.entryValue, held)
    const openFee = share(position.openFee, held)
    const exit = share(fill.value, fill.qty)
    const closeFee = share(fill.fee, fill.qty)
    const rises = minus(exit, entry)
    const gained = position.size.top > 0n === (category === "linear") ? rises : negated(rises)
    const addedShare = share(position.added, held)
    const own = plus(rounded(over(entry, position.leverage)), addedShare)
    const beyond = minus(minus(closeFee, gained), own)
    // An isolated position loses no more than its margin.
    const covered = position.tradeMode === "isolated" && beyond.top > 0n ? beyond : zero
    const profit = plus(gained, covered)
    const record = this.closed.get(orderId) ?? { size: zero, entry: zero, exit: zero, profit: zero, fills: 0 }
    this.closed.set(orderId, {
      size: plus(record.size, size),
      entry: mean(category, record.size, record.entry, size, position.price),
      exit: mean(category, record.size, record.exit, size, fill.price),
      profit: plus(record.profit, minus(profit, plus(openFee, closeFee))),
      fills: record.fills + 1
    })
    position.realised =
      compare(fill.qty, held) > 0 ? minus(closeFee, fill.fee) : plus(position.realised, minus(profit, closeFee))
    position.size = plus(position.size, signed)
    position.added = compare(fill.qty, held) >= 0 ? zero : minus(position.added, addedShare)
    if (compare(fill.qty, held) > 0) {
      position.price = fill.price
      position.entryValue = minus(fill.value, exit)
      position.openFee = minus(fill.fee, closeFee)
    } else {
      if (position.size.top === 0n) position.price = zero
      position.entryValue = minus(position.entryValue, entry)
      position.openFee = minus(position.openFee, openFee)
    }
    return { profit, closed: size }
  }
}

/** What a caller did to an order, and when. */
export type Act =
  | {
      readonly kind: "place"
      readonly at: number
      readonly uid: string
      readonly orderId: string
      readonly key: string
      readonly side: string
      readonly price: Fraction | undefined
      readonly qty: Fraction
    }
  | {
      readonly kind: "amend"
      readonly at: number
      readonly orderId: string
      readonly price?: Fraction
      readonly qty?: Fraction
    }

/** How an order ended, if it did. */
export interface End {
  readonly at: number
  readonly filled: boolean
}

interface Waiting {
  readonly orderId: string
  readonly key: string
  readonly side: string
  price: Fraction
  left: Fraction
  qty: Fraction
  place: number
}

export interface Deal {
  readonly at: number
  readonly execId: string
  readonly key: string
  readonly orderId: string
  readonly side: string
  readonly isMaker: boolean
  readonly price: Fraction
  readonly qty: Fraction
}

/**
 * Goes through everything that callers did and that was executed, and says where an order traded before one that had priority over it:
 * a better price first, at one price the earlier order, and callers before the market maker.
 */
export const outOfTurn = (
  acts: ReadonlyArray<Act>,
  deals: ReadonlyArray<Deal>,
  ends: ReadonlyMap<string, End>
): { readonly wrong: ReadonlyArray<string>; readonly met: number } => {
  const book = new Map<string, Waiting>()
  const wrong: Array<string> = []
  let places = 0
  let met = 0
  const sorted = [...deals].sort((one, other) => one.at - other.at || (one.execId < other.execId ? -1 : 1))
  let next = 0
  const better = (side: string, one: Waiting, other: Waiting) => {
    const price = compare(one.price, other.price)
    return price !== 0 ? (side === "Buy") === price > 0 : one.place < other.place
  }
  const first = (key: string, side: string, at: number, except: string): Waiting | undefined => {
    let found: Waiting | undefined
    for (const one of book.values()) {
      const end = ends.get(one.orderId)
      const isGone = end !== undefined && (end.at < at || (!end.filled && end.at === at))
      if (one.key !== key || one.side !== side || one.orderId === except || one.left.top <= 0n || isGone) continue
      if (found === undefined || better(side, one, found)) found = one
    }
    return found
  }
  const take = (deal: Deal) => {
    const one = book.get(deal.orderId)
    if (one !== undefined) one.left = minus(one.left, deal.qty)
  }
  const settle = (until: number) => {
    for (let deal = sorted[next]; deal !== undefined && deal.at < until; deal = sorted[next]) {
      const taker = sorted[next + 1]
      const isPair =
        deal.isMaker &&
        taker !== undefined &&
        !taker.isMaker &&
        taker.at === deal.at &&
        taker.key === deal.key &&
        taker.side !== deal.side &&
        compare(taker.price, deal.price) === 0 &&
        compare(taker.qty, deal.qty) === 0
      next += isPair ? 2 : 1
      const name = `${deal.key} ${deal.side} ${print(deal.qty)}@${print(deal.price)}`
      if (deal.isMaker) {
        const waiting = book.get(deal.orderId)
        const ahead = first(deal.key, deal.side, deal.at, deal.orderId)
        if (
          waiting !== undefined &&
          ahead !== undefined &&
          better(deal.side, ahead, waiting) &&
          ahead.orderId !== taker?.orderId
        ) {
          wrong.push(`${name} before ${ahead.orderId} at ${print(ahead.price)}`)
        }
        if (isPair) met += 1
      } else {
        const ahead = first(deal.key, deal.side === "Buy" ? "Sell" : "Buy", deal.at, deal.orderId)
        const difference = ahead === undefined ? undefined : compare(ahead.price, deal.price)
        if (difference !== undefined && (difference === 0 || (deal.side === "Buy") === difference < 0)) {
          wrong.push(`${name} with the market maker, through ${ahead?.orderId} at ${print(ahead?.price ?? zero)}`)
        }
      }
      take(deal)
      if (isPair) take(taker)
    }
  }
  for (const act of acts) {
    settle(act.at)
    if (act.kind === "place") {
      if (act.price !== undefined) {
        book.set(act.orderId, { ...act, price: act.price, left: act.qty, place: places++ })
      }
      continue
    }
    const one = book.get(act.orderId)
    if (one === undefined) continue
    const [price, qty] = [act.price ?? one.price, act.qty ?? one.qty]
    if (compare(price, one.price) !== 0 || compare(qty, one.qty) > 0) one.place = places++
    one.left = plus(one.left, minus(qty, one.qty))
    one.price = price
    one.qty = qty
  }
  settle(Number.POSITIVE_INFINITY)
  return { wrong, met }
}
