import * as Decimal from "@effect-venue/schemas/Decimal"
import { describe, expect, it } from "@effect/vitest"
import { BigDecimal, Chunk, Effect, Stream } from "effect"
import type * as Dataset from "@effect-venue/history/Dataset"
import * as Books from "@effect-venue/books/siblings/BookParts"
import * as Figures from "@effect-venue/books/Figures"
import * as Manifest from "@effect-venue/history/Manifest"

const hour = 3_600_000
const from = Date.parse("2026-06-15T00:00:00Z")
const at = (hours: number) => String(from + hours * hour)

interface World {
  /** Hours after `from`; `undefined`: the wallet is not read. */
  readonly wallets?: readonly [
    openedAt: number,
    opening: Record<string, string>,
    closedAt: number,
    closing: Record<string, string>
  ]
  readonly accounts?: ReadonlyArray<{ readonly name: string | null; readonly uid: string | null }>
  readonly rows: Readonly<Record<string, ReadonlyArray<Dataset.Row>>>
  /** More instruments. */
  readonly more?: ReadonlyArray<Manifest.Listing>
}

const none = { pages: 0, columns: [], recordKey: [], unsettled: [], files: [], rejected: [], caveat: null }

const walletOf = (account: string | null, hours: number, coins: Record<string, string>): Manifest.Wallet => ({
  account,
  at: from + hours * hour,
  list: [{ coin: Object.entries(coins).map(([coin, walletBalance]) => ({ coin, walletBalance, bonus: "" })) }],
  because: null
})

/** The instruments of all tests. */
const listings: ReadonlyArray<Manifest.Listing> = [
  { category: "linear", list: ["BTCUSDT BTC USDT USDT"], because: null },
  { category: "inverse", list: ["BTCUSD BTC USD BTC"], because: null },
  {
    category: "spot",
    list: ["ETHUSDT ETH USDT", "BTCUSDT BTC USDT", "RLUSDUSDT RLUSD USDT", "XRPUSDT XRP USDT"],
    because: null
  }
]

/** The log of rows, by the name of their part: dataset, account and category. */
const logOf = (
  { accounts = [{ name: null, uid: null }], more = [], rows, wallets }: World,
  symbols: ReadonlyArray<Books.SymbolEntry> = []
) =>
  Effect.gen(function* () {
    const parts = Object.keys(rows).map((name) => {
      const [dataset = "", category = "", account = ""] = name.split(" ")
      const { name: named, uid } = accounts.find((one) => one.name === account) ?? { name: null, uid: null }
      const subject = { name, dataset, account: named, parameters: category === "" ? {} : { category } }
      return Manifest.part(subject, [], { ...none, identity: { host: "service.example", uid, keys: [] } })
    })
    const [openedAt, opening, closedAt, closing] = wallets ?? [0, {}, 0, {}]
    const manifest = Manifest.make({ from, to: from + 48 * hour }, "ndjson", parts, {
      ...{ startedAt: from, endedAt: from, starts: 1, rereads: 0, retries: 0, lost: [], conflicts: 0 },
      walletsAtStart: wallets === undefined ? [] : [walletOf(null, openedAt, opening)],
      walletsAtEnd: wallets === undefined ? [] : [walletOf(null, closedAt, closing)],
      listings: [...listings, ...more]
    })
    const source = { manifest, rows: ({ name }: Manifest.Part) => Stream.fromIterable(rows[name] ?? []) }
    return yield* Books.log(source, { symbols })
  }).pipe(Effect.scoped)

const text = (amount: BigDecimal.BigDecimal) => Decimal.format(BigDecimal.normalize(amount))

/** Kind, change and balance of each line, of the trading wallet in one currency. A derived balance has a `~`. */
const linesOf = (log: Books.Log<never>, currency: string, wallet = "UNIFIED") =>
  Effect.map(Stream.runCollect(log.transactions), (all) =>
    Chunk.toReadonlyArray(all).flatMap(({ changes }) =>
      changes
        .filter((change) => change.currency === currency && change.wallet === wallet)
        .map(({ amount, balance, derivedBalance, kind }) => {
          const derived = derivedBalance === undefined ? "?" : `~${text(derivedBalance)}`
          return `${kind} ${text(amount)} ${balance === undefined ? derived : text(balance)}`
        })
    )
  )

const fill = (hours: number, more: Dataset.Row): Dataset.Row => ({
  ...{ symbol: "BTCUSDT", side: "Buy", execId: `e${hours}`, execFee: "0.1", execType: "Trade", execTime: at(hours) },
  ...more
})

const transfer = (hours: number, amount: string): Dataset.Row => ({
  ...{ transferId: `t${hours}`, coin: "USDT", amount, status: "SUCCESS", timestamp: at(hours) },
  ...{ fromAccountType: "FUND", toAccountType: "UNIFIED" }
})

const spotBuy = fill(3, {
  ...{ symbol: "ETHUSDT", execQty: "2", execValue: "30.5", execFee: "0.002", execId: "s1" }
})

describe("a log", () => {
  it.effect("contains a line for each change, oldest first, with the balance after it", () =>
    Effect.gen(function* () {
      const log = yield* logOf({
        wallets: [1, { USDT: "100" }, 40, { USDT: "78.4", ETH: "1.998" }],
        rows: {
          "executions linear": [fill(2, {}), fill(5, { execType: "Funding", execFee: "-1" })],
          "executions spot": [spotBuy],
          "closed-pnl linear": [
            {
              ...{ symbol: "BTCUSDT", orderId: "o1", side: "Sell", execType: "Trade", updatedTime: at(4) },
              ...{ cumEntryValue: "10", cumExitValue: "13", closedPnl: "2.8", closedSize: "1" }
            }
          ],
          transfers: [transfer(6, "5")]
        }
      })
      expect(yield* linesOf(log, "USDT")).toEqual([
        "opening 100 ~100",
        "fee -0.1 99.9",
        "trade -30.5 69.4",
        "realisedPnl 3 72.4",
        "funding 1 73.4",
        "transfer 5 78.4"
      ])
      expect(yield* linesOf(log, "ETH")).toEqual(["trade 2 2", "fee -0.002 1.998"])
      expect(yield* linesOf(log, "USDT", "FUND")).toEqual(["transfer -5 ?"])
    })
  )

  it.effect("reports the amount that no row explains, and no balance that depends on its time", () =>
    Effect.gen(function* () {
      const log = yield* logOf({
        wallets: [1, { USDT: "100" }, 10, { USDT: "93.01" }],
        rows: { transfers: [transfer(0, "40"), transfer(2, "5"), transfer(11, "1")] }
      })
      expect(yield* linesOf(log, "USDT")).toEqual([
        "opening 60 ~60",
        "transfer 40 ~100",
        "transfer 5 ?",
        "unexplained -11.99 93.01",
        "transfer 1 ~94.01"
      ])
    })
  )

  it.effect("computes balances back from the closing one if both balances were read at the end", () =>
    Effect.gen(function* () {
      const log = yield* logOf({
        wallets: [48, { USDT: "105" }, 48, { USDT: "105" }],
        rows: { transfers: [transfer(1, "5")] }
      })
      expect(yield* linesOf(log, "USDT")).toEqual(["opening 100 ~100", "transfer 5 ~105"])
      expect(log.accounts[0]).toMatchObject({ basis: { _tag: "Closing" }, notes: [] })
      expect(yield* Figures.doubtsOf(log)).toEqual([
        expect.stringMatching(
          /^All balances are computed back from that of .*: these rows are not between two balances/
        )
      ])
    })
  )

  it.effect("names a balance that the rows take under zero, at the begin too", () =>
    Effect.gen(function* () {
      const doubtsOf = (closing: string, amount: string) =>
        Effect.flatMap(
          logOf({
            wallets: [48, { USDT: closing }, 48, { USDT: closing }],
            rows: { transfers: [transfer(1, amount)] }
          }),
          Figures.doubtsOf
        )
      expect(yield* doubtsOf("105", "105")).toHaveLength(1)
      expect(yield* doubtsOf("105", "500")).toContainEqual(
        expect.stringMatching(/trading wallet to -395 USDT, under zero first at 2026-06-15 00:00:00 UTC/)
      )
      expect(yield* doubtsOf("-7", "5")).toContainEqual(expect.stringMatching(/trading wallet to -12 USDT/))
    })
  )

  it.effect("has no balance without a snapshot", () =>
    Effect.gen(function* () {
      const log = yield* logOf({ rows: { transfers: [transfer(1, "5")] } })
      expect(yield* linesOf(log, "USDT")).toEqual(["transfer 5 ?"])
    })
  )

  it.effect(
    "counts a deposit in the trading wallet if the balances show it there, and in the funding wallet otherwise",
    () =>
      Effect.gen(function* () {
        const deposit = {
          transaction_id: "d1",
          coin: "USDT",
          amount: "5",
          status: "1",
          time: String(from / 1000 + 7200)
        }
        const of = (closing: string) =>
          logOf({ wallets: [1, { USDT: "100" }, 9, { USDT: closing }], rows: { deposits: [deposit] } })
        expect(yield* linesOf(yield* of("105"), "USDT")).toEqual(["opening 100 ~100", "deposit 5 105"])
        expect(yield* linesOf(yield* of("100"), "USDT", "FUND")).toEqual(["deposit 5 ?"])
      })
  )

  it.effect("has the opposite signs of a transfer in the accounts of both ends", () =>
    Effect.gen(function* () {
      const row = {
        ...{ transfer_id: "x1", coin: "USDT", amount: "3", status: "SUCCESS", timestamp: at(2), type: "IN" },
        ...{ user_id: "1", sub_user_id: "2" }
      }
      const rows = { "sub-account-transfers  main": [row], "sub-account-transfers  desk": [row] }
      const accounts = [
        { name: "main", uid: "1" },
        { name: "desk", uid: "2" }
      ]
      const log = yield* logOf({ accounts, rows })
      const all = Chunk.toReadonlyArray(yield* Stream.runCollect(log.transactions))
      expect(
        all.map(({ account, changes, counterparty }) => [
          account,
          changes.map(({ amount }) => text(amount)),
          counterparty
        ])
      ).toEqual([
        ["main", ["-3"], "2"],
        ["desk", ["3"], "1"]
      ])
      const notes = log.accounts.flatMap(({ notes }) => notes)
      expect(notes).not.toContainEqual(expect.stringContaining("booked as for a master account"))

      const undeclared = yield* logOf({ accounts: [{ name: "desk", uid: null }], rows })
      expect(undeclared.accounts.flatMap(({ name, notes }) => (name === "desk" ? notes : []))).toContain(
        "1 transfer with sub-accounts: booked as for a master account, since the export does not have the UID. Declare it as `uid` of the account."
      )
    })
  )

  it.effect("has trades from before the unified account in the wallets of that time", () =>
    Effect.gen(function* () {
      const row = { ...spotBuy, execValue: undefined, execPrice: "15.25" }
      const log = yield* logOf({ rows: { "pre-upgrade-executions spot": [row] } })
      expect(yield* linesOf(log, "USDT", "SPOT")).toEqual(["trade -30.5 ?"])
    })
  )

  it.effect("contains a line for each amount that it cannot read, and counts rows without a time", () =>
    Effect.gen(function* () {
      const log = yield* logOf({
        rows: { "executions linear": [fill(1, { execFee: "x" }), fill(2, { execTime: "never" })], transfers: [] }
      })
      const lack = { kind: "fee", currency: "USDT", because: "executions whose fee cannot be read" }
      const [only] = yield* Stream.runCollect(log.transactions)
      expect(only).toMatchObject({ reference: "e1", changes: [], lacks: [lack] })
      expect(log.undated).toEqual([
        {
          ...{ account: null, record: "executions", rows: 1 },
          lack: { kind: "fee", currency: "USDT", because: "no time that can be read" }
        }
      ])
      const lines = yield* Stream.mkString(Stream.decodeText(Books.render(log, "ndjson")))
      expect(
        lines
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line) as unknown)
      ).toEqual([
        expect.objectContaining({ reference: "e1", change: "", notBooked: "executions whose fee cannot be read" }),
        expect.objectContaining({ change: "", notBooked: "1 row: no time that can be read" })
      ])
    })
  )

  const splits: ReadonlyArray<readonly [claim: string, symbol: string, coins: ReadonlyArray<string> | undefined]> = [
    ["books a listed symbol in its coins", "ETHUSDT", ["ETH", "USDT"]],
    ["derives the coins of a symbol from the only split into listed coins", "XRPRLUSD", ["XRP", "RLUSD"]],
    ["does not take the end of a symbol for a coin that is not listed", "XRPBRZ", undefined],
    ["does not choose between two splits", "AABAA", undefined]
  ]
  const odd = { category: "spot", list: ["AUSDT A USDT", "AABUSDT AAB USDT", "AAUSDT AA USDT", "BAAUSDT BAA USDT"] }
  for (const [claim, symbol, coins] of splits) {
    it.effect(claim, () =>
      Effect.gen(function* () {
        const rows = { "executions spot": [{ ...spotBuy, symbol }] }
        const log = yield* logOf({ rows, more: [{ ...odd, because: null }] })
        const [only] = yield* Stream.runCollect(log.transactions)
        expect(only?.changes.filter(({ kind }) => kind === "trade").map(({ currency }) => currency)).toEqual(
          coins ?? []
        )
        expect(only?.lacks.length).toBe(coins === undefined ? 2 : 0)
        if (coins === undefined) expect(log.notes).toEqual([expect.stringContaining(`spot,${symbol},`)])

        const table = [{ category: "spot", symbol, base: "B", quote: "Q", settle: "Q" }]
        const settled = yield* logOf({ rows, more: [{ ...odd, because: null }] }, table)
        const [again] = yield* Stream.runCollect(settled.transactions)
        const expected = symbol === "ETHUSDT" ? coins : ["B", "Q"]
        expect(again?.changes.filter(({ kind }) => kind === "trade").map(({ currency }) => currency)).toEqual(expected)
      })
    )
  }

  const rebates: ReadonlyArray<readonly [claim: string, closing: Record<string, string>, fee: string | undefined]> = [
    ["books a rebate in the coin that was received if the balances show it", { USDT: "69.5", ETH: "2.001" }, "ETH"],
    ["books a rebate in the coin that was paid if the balances show it", { USDT: "69.501", ETH: "2" }, "USDT"],
    ["names a rebate whose coin the balances do not decide", { USDT: "69", ETH: "2" }, undefined]
  ]
  for (const [claim, closing, fee] of rebates) {
    it.effect(claim, () =>
      Effect.gen(function* () {
        const log = yield* logOf({
          wallets: [1, { USDT: "100" }, 40, closing],
          rows: { "executions spot": [{ ...spotBuy, execFee: "-0.001" }] }
        })
        const all = Chunk.toReadonlyArray(yield* Stream.runCollect(log.transactions))
        const booked = all.flatMap(({ changes }) => changes).find(({ kind }) => kind === "fee")
        expect(booked?.currency).toBe(fee)
        const lacks = all.flatMap((transaction) => transaction.lacks)
        expect(lacks.map(({ currency }) => currency)).toEqual(fee === undefined ? ["ETH", "USDT"] : [])
      })
    )
  }

  it.effect("is CSV for spreadsheets on request", () =>
    Effect.gen(function* () {
      const log = yield* logOf({ rows: { "executions linear": [fill(1, { execId: "=1+1", execFee: "0.5" })] } })
      const cellsOf = (options?: Books.RenderOptions) =>
        Effect.map(Stream.runCollect(Books.render(log, "csv", options)), (chunks) => {
          const [, line = ""] = Buffer.concat([...chunks])
            .toString()
            .split("\r\n")
          const [, , , , kind, change, , , , , reference] = line.split(",")
          return [kind, change, reference]
        })
      expect(yield* cellsOf()).toEqual(["fee", "-0.5", "=1+1"])
      expect(yield* cellsOf({ spreadsheetSafe: true })).toEqual(["fee", "-0.5", "'=1+1"])
    })
  )

  it.effect("is CSV, NDJSON and Parquet with exact decimals", () =>
    Effect.gen(function* () {
      const log = yield* logOf({
        wallets: [1, { USDT: "0.1" }, 9, { USDT: "0.300000000000000001" }],
        rows: { transfers: [transfer(2, "0.200000000000000001")] }
      })
      const bytesOf = (format: Books.Format) => Stream.runCollect(Books.render(log, format))
      const textOf = (format: Books.Format) =>
        Effect.map(bytesOf(format), (chunks) => Buffer.concat([...chunks]).toString())
      const [header, opening, , line] = (yield* textOf("csv")).split("\r\n")
      expect(header).toBe(
        "time,account,wallet,currency,kind,change,balance,derivedBalance,symbol,record,reference,notBooked,extra"
      )
      expect(opening).toBe("2026-06-15T00:00:00.000Z,,UNIFIED,USDT,opening,0.1,,0.1,,wallet,,,")
      expect(line).toBe(
        "2026-06-15T02:00:00.000Z,,UNIFIED,USDT,transfer,0.200000000000000001,0.300000000000000001,,,transfers,t2,,"
      )
      expect(
        (yield* textOf("ndjson"))
          .split("\n")
          .slice(0, 1)
          .map((one) => JSON.parse(one) as unknown)
      ).toEqual([expect.objectContaining({ time: from, kind: "opening", change: "0.1" })])
      const parquet = Buffer.concat([...(yield* bytesOf("parquet"))])
      expect(parquet.subarray(0, 4).toString()).toBe("PAR1")
    })
  )
})
