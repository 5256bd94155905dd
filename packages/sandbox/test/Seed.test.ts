import * as Seed from "@effect-venue/sandbox/siblings/Seed"
import * as Exchange from "@effect-venue/sandbox/siblings/Exchange"
import { describe, expect, it } from "@effect/vitest"
import { BigDecimal, Option } from "effect"

const day = 86_400_000
const now = 1_780_000_000_000
const { state } = Seed.make({ seed: 7, now })
const main = state.accounts.get(Seed.uids.main)!

const zero = BigDecimal.fromBigInt(0n)
const sum = (amounts: Iterable<BigDecimal.BigDecimal>) => Array.from(amounts).reduce(BigDecimal.sum, zero)
const orZero = Option.getOrElse(() => zero)
const text = (amount: BigDecimal.BigDecimal) => BigDecimal.format(BigDecimal.normalize(amount))
const contracts = ["linear", "inverse"] as const

/** Compares two of the many thousand values of a world: `expect` takes longer than making them. */
const same = <A>(found: A, wanted: A) => {
  if (found !== wanted) expect(found).toBe(wanted)
}

// An average cost book of its own: amounts in whole 1e-8, closed shares rounded half away from zero.
const fixed = (amount: BigDecimal.BigDecimal) => {
  const scaled = BigDecimal.scale(amount, 8)
  if (!BigDecimal.equals(scaled, amount)) expect.fail(`${BigDecimal.format(amount)} has more than 8 digits`)
  return scaled.value
}
const shareOf = (amount: bigint, part: bigint, whole: bigint) => (2n * amount * part + whole) / (2n * whole)

interface Line {
  readonly execType: Option.Option<string>
  readonly side: string
  readonly execQty: BigDecimal.BigDecimal
  readonly execValue: Option.Option<BigDecimal.BigDecimal>
  readonly execFee: BigDecimal.BigDecimal
}

const isFunding = ({ execType }: Line) => Option.contains(execType, "Funding")
const isTrade = (line: Line) => !isFunding(line)

const replay = (category: "linear" | "inverse", lines: ReadonlyArray<Line>) => {
  let size = 0n
  let entry = 0n
  let gross = 0n
  let fees = 0n
  let funding = 0n
  // What was realised before the latest position was opened.
  let earlier = 0n
  for (const fill of lines) {
    if (isFunding(fill)) {
      funding += fixed(fill.execFee)
      continue
    }
    const qty = fixed(fill.execQty)
    const value = fixed(orZero(fill.execValue))
    const signed = fill.side === "Buy" ? qty : -qty
    if (size === 0n) earlier = gross - fees - funding
    fees += fixed(fill.execFee)
    if (size === 0n || size > 0n === signed > 0n) {
      size += signed
      entry += value
      continue
    }
    const held = size < 0n ? -size : size
    if (qty > held) expect.fail(`closes ${qty} of ${held}`)
    const closed = shareOf(entry, qty, held)
    const rise = value - closed
    gross += size > 0n === (category === "linear") ? rise : -rise
    entry -= closed
    size += signed
  }
  return { size, entry, gross, fees, funding, earlier }
}

const grouped = <A>(records: Iterable<A>, key: (record: A) => string) => {
  const groups = new Map<string, Array<A>>()
  for (const record of records) {
    const group = groups.get(key(record))
    if (group === undefined) groups.set(key(record), [record])
    else group.push(record)
  }
  return groups
}

const bySymbol = <A extends { readonly symbol: string }>(records: Iterable<A>) =>
  grouped(records, (record) => record.symbol)

describe("Seed", () => {
  it("has two years of executions, dense at the end, with gaps", () => {
    const { linear } = main.executions
    const since = (days: number) => linear.filter((one) => one.execTime.epochMillis >= now - days * day)
    expect(since(60).length).toBeGreaterThanOrEqual(6000)
    expect(linear.at(0)!.execTime.epochMillis).toBeGreaterThanOrEqual(now - 730 * day)
    expect(linear.at(0)!.execTime.epochMillis).toBeLessThan(now - 725 * day)
    const total = Exchange.categories.reduce((all, category) => all + main.executions[category].length, 0)
    expect(total).toBeGreaterThanOrEqual(12_000)
    expect(total).toBeLessThanOrEqual(20_000)
    const within = (from: number, to: number) =>
      linear.filter((one) => one.execTime.epochMillis >= now - from * day && one.execTime.epochMillis < now - to * day)
    expect(within(44, 31)).toHaveLength(0)
    expect(within(204, 186)).toHaveLength(0)
    expect(main.executions.spot.length).toBeGreaterThan(1000)
    expect(main.executions.inverse.length).toBeGreaterThan(1000)
  })

  it("has executions exactly at the borders of windows", () => {
    const instants = Array.from(main.executions.linear, (one) => one.execTime.epochMillis)
    for (const weeks of [1, 2, 3, 4, 7, 8]) {
      expect(instants).toContain(now - weeks * 7 * day)
      expect(instants).toContain(now - weeks * 7 * day - 1)
    }
  })

  it("has unique execution ids that sort by time", () => {
    for (const account of state.accounts.values()) {
      for (const category of Exchange.categories) {
        const fills = Array.from(account.executions[category])
        const misplaced = fills.filter(({ execId, execTime }, index) => {
          const before = fills[index - 1]
          return before !== undefined && (execId <= before.execId || execTime.epochMillis < before.execTime.epochMillis)
        })
        expect(misplaced).toEqual([])
      }
    }
    const ids = Array.from(state.accounts.values()).flatMap((account) =>
      Exchange.categories.flatMap((category) => Array.from(account.executions[category], (one) => one.execId))
    )
    expect(new Set(ids).size).toBe(ids.length)
  })

  it("has no pre-upgrade record after the upgrade", () => {
    for (const category of Exchange.categories) {
      const before = main.preUpgradeExecutions[category]
      expect(before.length).toBeGreaterThan(50)
      expect(before.at(-1)!.execTime.epochMillis).toBeLessThan(now - 730 * day)
      expect(before.at(-1)!.execTime.epochMillis).toBeLessThan(main.executions[category].at(0)!.execTime.epochMillis)
    }
    expect(main.preUpgradeClosedPnl.linear.length).toBeGreaterThan(50)
    expect(main.preUpgradeClosedPnl.inverse.length).toBeGreaterThan(10)
  })

  it("makes every order equal the sum of its executions, and every execution belong to an order", () => {
    for (const account of state.accounts.values()) {
      for (const [orders, executions] of [
        [[...account.openOrders, ...account.closedOrders], account.executions],
        [Array.from(account.preUpgradeOrders), account.preUpgradeExecutions]
      ] as const) {
        for (const category of Exchange.categories) {
          const fills = grouped<Line & { readonly orderId: string; readonly execPrice: BigDecimal.BigDecimal }>(
            executions[category].filter(isTrade),
            (one) => one.orderId
          )
          const ours = orders.filter((order) => order.category === category)
          for (const order of ours) {
            const own = fills.get(order.orderId) ?? []
            fills.delete(order.orderId)
            same(text(order.cumExecQty), text(sum(own.map((one) => one.execQty))))
            same(text(order.cumExecFee), text(sum(own.map((one) => one.execFee))))
            if (executions === account.executions || category !== "spot") {
              same(text(order.cumExecValue), text(sum(own.map((one) => orZero(one.execValue)))))
            }
            if (order.orderStatus === "Filled") same(text(order.qty), text(order.cumExecQty))
            if (own.length > 0) {
              const number = (amount: BigDecimal.BigDecimal) => Number(BigDecimal.format(amount))
              // By the executions: what they are worth in coins is rounded.
              const weigh = (of: (qty: number, price: number) => number) =>
                own.reduce((total, fill) => total + of(number(fill.execQty), number(fill.execPrice)), 0)
              const average =
                category === "inverse"
                  ? weigh((qty) => qty) / weigh((qty, price) => qty / price)
                  : weigh((qty, price) => qty * price) / weigh((qty) => qty)
              same(Math.abs(number(Option.getOrThrow(order.avgPrice)) / average - 1) < 5e-7, true)
            } else same(Option.isNone(order.avgPrice), true)
          }
          expect(fills.size).toBe(0)
        }
      }
    }
  })

  it("computes the value and the fee of every execution from price and fee rate", () => {
    const half = (amount: bigint, unit: bigint) => (2n * amount + unit) / (2n * unit)
    for (const category of Exchange.categories) {
      for (const fill of main.executions[category]) {
        const value = Option.getOrThrow(fill.execValue)
        const exact =
          category === "inverse"
            ? half(fixed(fill.execQty) * 10n ** 8n, fixed(fill.execPrice))
            : fixed(BigDecimal.multiply(fill.execPrice, fill.execQty))
        if (fixed(value) !== exact) expect.fail(`${fill.execId} is worth ${fixed(value)}, not ${exact}`)
        const base = category === "spot" && fill.side === "Buy" ? fill.execQty : value
        const rate = fixed(Option.getOrThrow(fill.feeRate))
        const amount = half(fixed(base) * (rate < 0n ? -rate : rate), 10n ** 8n)
        // Shorts are paid what longs pay.
        const isPaid = isFunding(fill) && rate < 0n === (fill.side === "Buy")
        const fee = isPaid ? -amount : amount
        if (fixed(fill.execFee) !== fee) expect.fail(`${fill.execId} has the fee ${fixed(fill.execFee)}, not ${fee}`)
      }
    }
  })

  it("makes positions equal the sum of executions, with cost and profit", () => {
    for (const account of state.accounts.values()) {
      for (const category of contracts) {
        const groups = bySymbol(account.executions[category])
        for (const position of account.positions.filter((one) => one.category === category)) {
          const { earlier, entry, fees, funding, gross, size } = replay(category, groups.get(position.symbol) ?? [])
          groups.delete(position.symbol)
          expect(fixed(position.size)).toBe(size)
          expect(fixed(position.entryValue)).toBe(entry)
          expect(fixed(position.earlierRealisedPnl)).toBe(earlier)
          expect(fixed(position.cumRealisedPnl)).toBe(gross - fees - funding - earlier)
        }
        expect(groups.size).toBe(0)
      }
    }
    expect(main.positions.filter((one) => !BigDecimal.isZero(one.size)).length).toBeGreaterThanOrEqual(3)
  })

  it("charges funding on every open position, every eight hours of the last 30 days", () => {
    const interval = 8 * 3_600_000
    for (const account of state.accounts.values()) {
      for (const category of contracts) {
        for (const [symbol, lines] of bySymbol(account.executions[category])) {
          const charged = lines.filter(isFunding)
          const trades = lines.filter(isTrade)
          const expected: Array<string> = []
          let size = 0n
          let next = 0
          for (let count = 90; count > 0; count--) {
            const at = now - count * interval
            for (; next < trades.length && trades[next]!.execTime.epochMillis <= at; next++) {
              size += fixed(trades[next]!.execQty) * (trades[next]!.side === "Buy" ? 1n : -1n)
            }
            if (size !== 0n) expected.push(`${at} ${size > 0n ? "Buy" : "Sell"} ${size > 0n ? size : -size}`)
          }
          const found = charged.map((one) => `${one.execTime.epochMillis} ${one.side} ${fixed(one.execQty)}`)
          expect(`${account.uid} ${symbol} ${found.join()}`).toBe(`${account.uid} ${symbol} ${expected.join()}`)
        }
      }
    }
    const payments = Array.from(main.executions.linear)
      .filter(isFunding)
      .map((one) => fixed(one.execFee))
    expect(payments.filter((fee) => fee > 0n).length).toBeGreaterThan(50)
    expect(payments.filter((fee) => fee < 0n).length).toBeGreaterThan(20)
  })

  it("has no open position at the upgrade", () => {
    for (const category of contracts) {
      for (const [, fills] of bySymbol(main.preUpgradeExecutions[category])) {
        expect(replay(category, fills).size).toBe(0n)
      }
    }
  })

  it("computes closed profits from the closing executions", () => {
    for (const [records, executions, positions] of [
      [main.closedPnl, main.executions, main.positions],
      [main.preUpgradeClosedPnl, main.preUpgradeExecutions, []]
    ] as const) {
      for (const category of contracts) {
        expect(records[category].length).toBeGreaterThan(10)
        const closings = grouped(
          executions[category].filter((one) => !BigDecimal.isZero(orZero(one.closedSize))),
          (one) => one.orderId
        )
        for (const record of records[category]) {
          const closing = closings.get(record.orderId) ?? []
          same(Option.getOrUndefined(record.fillCount), closing.length)
          same(text(record.closedSize), text(sum(closing.map((one) => orZero(one.closedSize)))))
          same(text(record.cumExitValue), text(sum(closing.map((one) => orZero(one.execValue)))))
          same(record.updatedTime.epochMillis, closing.at(-1)!.execTime.epochMillis)
        }
        // Over a symbol: profits after fees, less the fees of what is still open, are what the books say.
        for (const [symbol, own] of bySymbol(records[category])) {
          const fills = executions[category].filter((one) => one.symbol === symbol)
          const { fees, gross } = replay(category, fills)
          const open = positions.find((one) => one.category === category && one.symbol === symbol)?.openFee ?? zero
          expect(fixed(sum(own.map((one) => one.closedPnl))) - fixed(open)).toBe(gross - fees)
        }
      }
    }
  })

  it("computes wallets from deposits, transfers, profits, fees, bonuses and withdrawals, to the last digit", () => {
    for (const account of state.accounts.values()) {
      const books = new Map<string, bigint>()
      const post = (wallet: string, coin: string, amount: bigint) => {
        const key = `${wallet} ${coin}`
        books.set(key, (books.get(key) ?? 0n) + amount)
      }
      for (const one of account.deposits) if (one.status === "1") post("FUND", one.coin, fixed(one.amount))
      for (const one of account.withdrawals) post("FUND", one.coin, -fixed(one.amount))
      for (const one of account.transfers) {
        post(one.fromAccountType, one.coin, -fixed(one.amount))
        post(one.toAccountType, one.coin, fixed(one.amount))
      }
      for (const one of account.subAccountTransfers) {
        const gains = (one.userId === account.uid) === (one.type === "OUT")
        post("FUND", one.coin, gains ? fixed(one.amount) : -fixed(one.amount))
      }
      for (const one of account.grants) post("UNIFIED", one.coin, fixed(one.amount))
      for (const [era, executions] of [
        ["current", account.executions],
        ["before", account.preUpgradeExecutions]
      ] as const) {
        const unified = account.unified && era === "current"
        for (const category of contracts) {
          for (const [symbol, fills] of bySymbol(executions[category])) {
            const { fees, funding, gross } = replay(category, fills)
            const { settleCoin } = Exchange.listing(state, category, symbol)!
            post(unified ? "UNIFIED" : "CONTRACT", settleCoin, gross - fees - funding)
          }
        }
        for (const fill of executions.spot) {
          const { baseCoin, quoteCoin } = Exchange.listing(state, "spot", fill.symbol)!.instrument
          const wallet = unified ? "UNIFIED" : "SPOT"
          const qty = fixed(fill.execQty)
          const value = fixed(BigDecimal.multiply(fill.execPrice, fill.execQty))
          const fee = fixed(fill.execFee)
          post(wallet, baseCoin, fill.side === "Buy" ? qty - fee : -qty)
          post(wallet, quoteCoin, fill.side === "Buy" ? -value : value - fee)
        }
      }
      for (const [wallet, coins] of Object.entries(account.wallets)) {
        for (const [coin, amount] of coins) {
          const key = `${wallet} ${coin}`
          same(`${account.uid} ${key} ${fixed(amount)}`, `${account.uid} ${key} ${books.get(key) ?? 0n}`)
          expect(fixed(amount) >= 0n).toBe(true)
          books.delete(key)
        }
      }
      expect(Array.from(books.values()).every((amount) => amount === 0n)).toBe(true)
    }
  })
})
