/**
 * Twelve worlds against a recomputation with fractions of integers, which shares no code with the books. A world is a list of what happened to an
 * account; its records and its balances follow from it.
 */
import * as Books from "@effect-venue/books/Books"
import * as Figures from "@effect-venue/books/Figures"
import * as Ledger from "@effect-venue/books/Ledger"
import * as Sum from "@effect-venue/books/Sum"
import * as Trackers from "@effect-venue/books/Trackers"
import type * as Dataset from "@effect-venue/history/Dataset"
import * as Manifest from "@effect-venue/history/Manifest"
import { describe, expect, it } from "@effect/vitest"
import { DateTime, Effect, Stream } from "effect"
import * as Ledgers from "./utils/ledgers.js"

const hour = 3_600_000
const from = Date.parse("2026-06-15T00:00:00Z")

/** Amounts are integers of this many decimals. */
const digits = 18
const unit = 10n ** BigInt(digits)

const toInteger = (text: string): bigint => {
  const [whole = "", fraction = ""] = text.replace("-", "").split(".")
  const value = BigInt(whole) * unit + BigInt(fraction.padEnd(digits, "0"))
  return text.startsWith("-") ? -value : value
}

const toText = (value: bigint): string => {
  const [sign, size] = value < 0n ? ["-", -value] : ["", value]
  const fraction = String(size % unit)
    .padStart(digits, "0")
    .replace(/0+$/, "")
  return `${sign}${size / unit}${fraction === "" ? "" : `.${fraction}`}`
}

/** Something that happened: its record, and what it changed in the trading wallet. */
interface Happening {
  readonly part: string
  readonly row: Dataset.Row
  readonly changes: Readonly<Record<string, string>>
  /** The part of the result that it belongs to. */
  readonly result?: Figures.Part
}

let number = 0

const at = () => String(from + ++number * 60_000)

const fill = (category: string, symbol: string, more: Dataset.Row): Dataset.Row => ({
  ...{ symbol, side: "Buy", execId: `e${++number}`, execType: "Trade", execTime: at(), execQty: "1", execValue: "1" },
  ...{ execFee: "0", closedSize: "0", category },
  ...more
})

const fee = (category: string, symbol: string, coin: string, execFee: string): Happening => ({
  ...{ part: `executions ${category}`, row: fill(category, symbol, { execFee }), result: "fees" },
  changes: { [coin]: toText(-toInteger(execFee)) }
})

const funding = (symbol: string, coin: string, execFee: string, category = "linear"): Happening => ({
  part: `executions ${category}`,
  row: fill(category, symbol, { execFee, execType: "Funding" }),
  changes: { [coin]: toText(-toInteger(execFee)) },
  result: "funding"
})

const close = (
  category: string,
  symbol: string,
  coin: string,
  entry: string,
  exit: string,
  type = "Trade"
): Happening => {
  const rise = toInteger(exit) - toInteger(entry)
  const size = { closedSize: "0" }
  return {
    part: `closed-pnl ${category}`,
    row: {
      ...{ symbol, side: "Sell", orderId: `o${++number}`, execType: type, updatedTime: at(), ...size },
      ...{ cumEntryValue: entry, cumExitValue: exit, closedPnl: "0" }
    },
    changes: { [coin]: toText(category === "linear" ? rise : -rise) },
    result: "pnl"
  }
}

const spot = (
  symbol: string,
  base: string,
  quote: string,
  execQty: string,
  execValue: string,
  execFee: string
): Happening => ({
  part: "executions spot",
  row: fill("spot", symbol, { execQty, execValue, execFee }),
  changes: { [base]: toText(toInteger(execQty) - toInteger(execFee)), [quote]: `-${execValue}` }
})

/** A rebate in the coin that was received, or in the one that was paid. */
const rebate = (symbol: string, base: string, quote: string, isReceived: boolean): Happening => ({
  part: "executions spot",
  row: fill("spot", symbol, { execQty: "10", execValue: "25.5", execFee: "-0.003" }),
  changes: isReceived ? { [base]: "10.003", [quote]: "-25.5" } : { [base]: "10", [quote]: "-25.497" }
})

const transfer = (coin: string, amount: string, status = "SUCCESS"): Happening => ({
  part: "transfers",
  row: {
    ...{ transferId: `t${++number}`, coin, amount, status, timestamp: at() },
    ...{ fromAccountType: "FUND", toAccountType: "UNIFIED" }
  },
  changes: status === "SUCCESS" ? { [coin]: amount } : {}
})

const subTransfer = (coin: string, amount: string, isSub: boolean): Happening => ({
  part: "sub-account-transfers",
  row: {
    ...{ transfer_id: `s${++number}`, coin, amount, status: "SUCCESS", timestamp: at(), type: "IN" },
    ...{ user_id: "1", sub_user_id: "2" }
  },
  changes: { [coin]: isSub ? amount : `-${amount}` }
})

const coupon = (amount: string): Happening => ({
  part: "bonus-usage",
  row: { award_type: 2, symbol: "BTCUSDT", time: Number(at()) / 1000, type: 2, coin: "USDT", amount, order_id: "" },
  changes: { USDT: amount },
  result: "bonuses"
})

/** A withdrawal: nothing lists it. */
const withdrawal = (coin: string, amount: string): Happening => ({
  part: "",
  row: {},
  changes: { [coin]: `-${amount}` }
})

const listings: ReadonlyArray<Manifest.Listing> = [
  {
    category: "linear",
    list: ["BTCUSDT BTC USDT USDT", "币安人生USDT 币安人生 USDT USDT", "TRUEUSDT TRUE USDT USDT"],
    because: null
  },
  { category: "inverse", list: ["BTCUSD BTC USD BTC"], because: null },
  {
    category: "spot",
    list: ["ETHUSDT ETH USDT", "XRPUSDT XRP USDT", "RLUSDUSDT RLUSD USDT", "a;bUSDT a;b USDT"],
    because: null
  }
]

interface World {
  readonly name: string
  readonly happenings: ReadonlyArray<Happening>
  /** The coins that no row explains; each must be named by an amount. */
  readonly unexplained?: Readonly<Record<string, string>>
  /** The symbols whose rows are booked nowhere: their changes are part of what no row explains. */
  readonly unknown?: ReadonlyArray<string>
}

const worlds: ReadonlyArray<World> = [
  {
    name: "linear",
    happenings: [
      fee("linear", "BTCUSDT", "USDT", "0.11"),
      close("linear", "BTCUSDT", "USDT", "100.1", "103.000000000000000007")
    ]
  },
  {
    name: "inverse",
    happenings: [fee("inverse", "BTCUSD", "BTC", "0.00001"), close("inverse", "BTCUSD", "BTC", "0.5", "0.49")]
  },
  { name: "spot", happenings: [transfer("USDT", "500"), spot("ETHUSDT", "ETH", "USDT", "2", "30.5", "0.002")] },
  {
    name: "rebates in the coin received",
    happenings: [
      transfer("USDT", "500"),
      rebate("ETHUSDT", "ETH", "USDT", true),
      rebate("XRPUSDT", "XRP", "USDT", true)
    ]
  },
  {
    name: "rebates in the coin paid",
    happenings: [
      transfer("USDT", "500"),
      rebate("ETHUSDT", "ETH", "USDT", false),
      fee("linear", "BTCUSDT", "USDT", "1")
    ]
  },
  {
    name: "funding",
    happenings: [
      funding("BTCUSDT", "USDT", "1.5"),
      funding("BTCUSDT", "USDT", "-0.25"),
      funding("BTCUSD", "BTC", "0.00000001", "inverse")
    ]
  },
  {
    name: "transfers, with sub-accounts and failed",
    happenings: [transfer("USDT", "5"), transfer("USDT", "7", "FAILED"), subTransfer("USDT", "3", true)]
  },
  {
    name: "a liquidation",
    happenings: [
      close("linear", "BTCUSDT", "USDT", "100", "81.5", "BustTrade"),
      fee("linear", "BTCUSDT", "USDT", "0.4")
    ]
  },
  {
    name: "deleveraging and delivery",
    happenings: [
      close("linear", "BTCUSDT", "USDT", "100", "110", "AdlTrade"),
      close("linear", "BTCUSDT", "USDT", "10", "11", "Delivery")
    ]
  },
  { name: "coupons", happenings: [fee("linear", "BTCUSDT", "USDT", "0.3"), coupon("0.2")] },
  {
    name: "withdrawals that nothing lists",
    happenings: [transfer("USDT", "50"), withdrawal("USDT", "12.34")],
    unexplained: { USDT: "-12.34" }
  },
  {
    name: "hostile names, new and delisted symbols",
    happenings: [
      fee("linear", "币安人生USDT", "USDT", "0.5"),
      fee("linear", "TRUEUSDT", "USDT", "0.25"),
      spot("a;bUSDT", "a;b", "USDT", "1", "2", "0"),
      spot("XRPRLUSD", "XRP", "RLUSD", "4", "8", "0.1"),
      fee("linear", "GONE-29NOV24", "USDC", "0.0625")
    ],
    unexplained: { USDC: "-0.0625" },
    unknown: ["GONE-29NOV24"]
  }
]

const none = { pages: 0, columns: [], recordKey: [], unsettled: [], files: [], rejected: [], caveat: null }

const start: Readonly<Record<string, string>> = { USDT: "1000", BTC: "1", RLUSD: "100", USDC: "10" }

/** Adds changes up by coin. */
const addUp = (all: ReadonlyArray<Readonly<Record<string, string>>>): Map<string, bigint> => {
  const sums = new Map<string, bigint>()
  for (const changes of all) {
    for (const [coin, text] of Object.entries(changes)) sums.set(coin, (sums.get(coin) ?? 0n) + toInteger(text))
  }
  return sums
}

const walletOf = (time: number, coins: ReadonlyMap<string, bigint>): Manifest.Wallet => ({
  ...{ account: null, at: time, because: null },
  list: [{ coin: Array.from(coins, ([coin, value]) => ({ coin, walletBalance: toText(value), bonus: "0" })) }]
})

const logOf = ({ happenings }: World, isOnce: boolean) => {
  const closing = addUp([start, ...happenings.map(({ changes }) => changes)])
  const names = [...new Set(happenings.map(({ part }) => part))].filter((part) => part !== "")
  const parts = names.map((name) => {
    const [dataset = "", category] = name.split(" ")
    const parameters = category === undefined ? {} : { category }
    const subject = { name, dataset, account: null, parameters }
    return Manifest.part(subject, [], { ...none, identity: { host: "service.example", uid: null, keys: [] } })
  })
  const to = from + 48 * hour
  const manifest = Manifest.make({ from, to }, "ndjson", parts, {
    ...{ startedAt: from, endedAt: from, starts: 1, rereads: 0, retries: 0, listings, lost: [], conflicts: 0 },
    walletsAtStart: [isOnce ? walletOf(to, closing) : walletOf(from, addUp([start]))],
    walletsAtEnd: [walletOf(to, closing)]
  })
  const rows = ({ name }: Manifest.Part) =>
    Stream.fromIterable(happenings.filter(({ part }) => part === name).map(({ row }) => row))
  return Books.log({ manifest, rows })
}

const whole = (sum: Sum.Sum): string =>
  Sum.match(sum, { whole: (value) => toText(toInteger(plainOf(value))), lacking: () => "lacks rows" })

const plainOf = (value: { readonly value: bigint; readonly scale: number }): string => {
  const scaled =
    value.scale <= digits
      ? value.value * 10n ** BigInt(digits - value.scale)
      : value.value / 10n ** BigInt(value.scale - digits)
  return toText(scaled)
}

/** The amount that no row explains, if there is one. */
const resultOf = (check: Figures.BalanceCheck): string =>
  check._tag === "Failed" ? plainOf(check.unexplained) : check._tag

const figuresOf = (log: Books.Log<never>) =>
  Figures.make(log, {
    period: { from, to: from + 48 * hour },
    isWhole: true,
    monthOf: (time) => new Date(time).toISOString().slice(0, 7),
    stepOf: () => 0
  })

/** The sums of a tracker file by coin: received less sent and fees. */
const sumsOfKoinly = (file: string): Map<string, bigint> =>
  addUp(
    file
      .trim()
      .split("\r\n")
      .slice(1)
      .map((line) => line.split(","))
      .flatMap(([, sent = "", sentIn = "", received = "", receivedIn = "", paid = "", paidIn = ""]) => [
        ...(received === "" ? [] : [{ [receivedIn]: received }]),
        ...(sent === "" ? [] : [{ [sentIn]: `-${sent}` }]),
        ...(paid === "" ? [] : [{ [paidIn]: `-${paid}` }])
      ])
  )

/** The sums of the two files of rotki by coin. */
const sumsOfRotki = (files: Readonly<Record<string, string>>): Map<string, bigint> => {
  const rows = (name: string) =>
    (files[name] ?? "")
      .trim()
      .split("\r\n")
      .slice(1)
      .map((line) => line.split(","))
  const isOut = new Set(["Withdrawal", "Spend", "Loss"])
  return addUp([
    ...rows("rotki_trades.csv").flatMap(([paidIn = "", gotIn = "", paid = "", got = "", fee = "", feeIn = ""]) => [
      { [paidIn]: `-${paid}` },
      { [gotIn]: got },
      ...(fee === "" ? [] : [{ [feeIn]: `-${fee}` }])
    ]),
    ...rows("rotki_events.csv").map(([type = "", , coin = "", amount = ""]) => ({
      [coin]: isOut.has(type) ? `-${amount}` : amount
    }))
  ])
}

/** An amount as a program prints it. */
const fromPrinted = (text: string): string => {
  const [plain = "", exponent] = text.split(/E/i)
  const scale = -Number(exponent ?? 0)
  const [whole = "", fraction = ""] = plain.replace("-", "").split(".")
  const all = `${whole}${fraction}`.padStart(scale + 1, "0")
  const point = all.length - fraction.length - scale
  return `${text.startsWith("-") ? "-" : ""}${all.slice(0, point)}.${all.slice(point)}`
}

/** Sums of a ledger by coin, of some of its accounts. */
const sumsOfLedger = (ledger: string, balances: ReadonlyArray<Ledgers.Balance>, isOf = (_account: string) => true) => {
  const names = Ledgers.namesIn(ledger)
  return addUp(
    balances.flatMap(([account, coin, amount]) =>
      isOf(account) ? [{ [names.get(coin) ?? coin]: fromPrinted(amount) }] : []
    )
  )
}

/** Sums as texts, without zeros. */
const toTexts = (sums: ReadonlyMap<string, bigint>): Readonly<Record<string, string>> =>
  Object.fromEntries([...sums].flatMap(([coin, value]) => (value === 0n ? [] : [[coin, toText(value)]])))

describe("a world", () => {
  expect(worlds).toHaveLength(12)
  for (const world of worlds) {
    const { happenings, name, unexplained = {}, unknown = [] } = world
    it.effect(`of ${name}: every coin is explained or named, and all figures are those of the recomputation`, () =>
      Effect.gen(function* () {
        const log = yield* logOf(world, false)
        const figures = yield* figuresOf(log)
        const [statement] = figures.statements
        const closing = addUp([start, ...happenings.map(({ changes }) => changes)])
        const opening = addUp([start])
        for (const [coin, value] of closing) {
          const found = statement?.coins.find((one) => one.coin === coin)
          expect([coin, found && whole(found.opening), found && whole(found.closing)]).toEqual([
            ...[coin, toText(opening.get(coin) ?? 0n), toText(value)]
          ])
          expect([coin, found && resultOf(found.check)]).toEqual([coin, unexplained[coin] ?? "Passed"])
        }
        // Parts of the result.
        const isKnown = ({ row }: Happening) => !unknown.includes(String(row.symbol))
        const results = happenings.filter((one) => one.result !== undefined && isKnown(one))
        for (const part of Figures.parts) {
          const expected = addUp(results.filter(({ result }) => result === part).map(({ changes }) => changes))
          for (const [coin, value] of expected) {
            const total = figures.totals.find(({ currency }) => currency === coin)
            const spotFees = happenings
              .filter(
                ({ part: of, row }) =>
                  of === "executions spot" && part === "fees" && isKnown({ part: of, row, changes: {} })
              )
              .flatMap(({ changes, row }) => {
                // A spot fee or rebate: what the base changed by beyond the quantity, or the quote beyond the value.
                const rest = Object.entries(changes).map(([name, text]) => {
                  const traded = text.startsWith("-")
                    ? -toInteger(String(row.execValue))
                    : toInteger(String(row.execQty))
                  return { [name]: toText(toInteger(text) - traded) }
                })
                return rest
              })
            const all = addUp([{ [coin]: toText(value) }, ...spotFees])
            const shown = total === undefined ? undefined : Sum.match(total[part], { whole: plainOf, lacking: plainOf })
            expect([part, coin, shown]).toEqual([part, coin, toText(all.get(coin) ?? 0n)])
          }
        }
        // What is booked nowhere is named.
        const lacks = figures.totals.flatMap((total) => Sum.lacksOf(total.fees).map(({ because }) => because))
        for (const symbol of unknown) expect(lacks).toContain(`the coins of ${symbol} are not known`)
        expect(figures.isWhole).toBe(unknown.length === 0)

        // The tax file has the same money as the log: all but opening balances and the wallets beside.
        const booked = addUp(
          (yield* Stream.runCollect(log.transactions)).pipe((all) =>
            [...all].flatMap(({ changes }) => changes.map(({ amount, currency }) => ({ [currency]: plainOf(amount) })))
          )
        )
        const koinly = yield* Stream.mkString(Trackers.koinly(log))
        const rotki = yield* Effect.all(
          Object.fromEntries(Object.entries(Trackers.rotki(log)).map(([file, text]) => [file, Stream.mkString(text)]))
        )
        expect([sumsOfKoinly(koinly), sumsOfRotki(rotki)].map(toTexts)).toEqual([toTexts(booked), toTexts(booked)])
        // Ledgers too; their trading wallet ends with the balances of the recomputation.
        for (const as of Ledger.programs) {
          const ledger = yield* Stream.mkString(Ledger.render(log, as, DateTime.zoneUnsafeMakeNamed("UTC")))
          const postings = Ledgers.postingsIn(ledger)
          expect(toTexts(sumsOfLedger(ledger, postings))).toEqual(toTexts(booked))
          const isTrading = (account: string) => account === "Assets:Venue:Unified"
          expect(toTexts(sumsOfLedger(ledger, postings, isTrading))).toEqual(toTexts(closing))
          for (const symbol of unknown) expect(ledger).toMatch(new RegExp(`; NOT BOOKED: .* ${symbol} .* not known`))
        }
        // A file that lacks an amount names it.
        for (const symbol of unknown) {
          const words = `NOT BOOKED: fee ${symbol}: the coins of ${symbol} are not known`
          expect([koinly.includes(words), rotki["rotki_events.csv"]?.includes(words)]).toEqual([true, true])
        }
      })
    )

    for (const reader of Ledgers.readers) {
      const needs = `as ${reader.program} reads it: needs ${Ledgers.installing}`
      it.effect.skipIf(!Ledgers.isInstalled(reader))(`of ${name}, ${needs}`, () =>
        Effect.gen(function* () {
          const log = yield* logOf(world, false)
          const ledger = yield* Stream.mkString(Ledger.render(log, reader.as, DateTime.zoneUnsafeMakeNamed("UTC")))
          const { balances, errors } = Ledgers.readBalances(reader, ledger)
          expect(errors).toBe("")
          expect(toTexts(sumsOfLedger(ledger, balances))).toEqual(
            toTexts(sumsOfLedger(ledger, Ledgers.postingsIn(ledger)))
          )
        })
      )
    }

    it.effect(`of ${name}, exported once: the statement leads to the last balance, and is labelled`, () =>
      Effect.gen(function* () {
        const log = yield* logOf(world, true)
        const [statement] = (yield* figuresOf(log)).statements
        expect(statement?.computedFrom).toBe(from + 48 * hour)
        const closing = addUp([start, ...happenings.map(({ changes }) => changes)])
        for (const [coin, value] of closing) {
          const found = statement?.coins.find((one) => one.coin === coin)
          expect([coin, found && whole(found.closing)]).toEqual([coin, toText(value)])
          // The opening is the closing less what the rows have: it lacks those that are booked nowhere. One balance decides no rebate.
          const hasRebate = happenings.some(
            ({ changes, part, row }) =>
              part === "executions spot" && String(row.execFee).startsWith("-") && coin in changes
          )
          const isLacking = hasRebate || unknown.length > 0
          // Nothing is compared, so nothing is said to be explained.
          expect([coin, found && resultOf(found.check)]).toEqual([coin, "NotMade"])
          expect([coin, found && whole(found.opening) === "lacks rows"]).toEqual([coin, isLacking])
        }
      })
    )
  }
})
