/**
 * The log of an export as a ledger: double entry, with an assertion of each balance that the service reported last.
 */
import type * as Books from "../log/Books.js"
import { inOneLine } from "@effect-venue/schemas/siblings/ShownText"
import { countNoun } from "@effect-venue/schemas/siblings/Words"
import * as BigDecimal from "effect/BigDecimal"
import * as DateTime from "effect/DateTime"
import * as Stream from "effect/Stream"
import { plain } from "../accounts/fields.js"
import * as Commodities from "./commodities.js"
import * as DoubleEntry from "./doubleEntry.js"
import { type Group, joinRecords } from "./groups.js"

interface LedgerEntry {
  readonly date: string
  readonly time: string
  readonly title: string
  readonly reference: string
  readonly postings: ReadonlyArray<DoubleEntry.LedgerLine>
}

/** How a program spells transactions. */
interface Syntax {
  readonly head: ReadonlyArray<string>
  readonly entry: (entry: LedgerEntry) => string
  /** Declares an account that is used from a date on. */
  readonly open: (date: string, account: string) => string
  /** Declares a coin that is used from a date on, with its real name. */
  readonly commodity: (date: string, coin: string) => string
  /** Asserts a balance after all entries up to a date. */
  readonly balance: (date: string, posting: DoubleEntry.LedgerLine) => string
}

const titles: Readonly<Record<Books.Kind, string>> = {
  opening: "Opening balance",
  trade: "Trade",
  fee: "Fee",
  funding: "Funding",
  realisedPnl: "Realised PnL",
  liquidation: "Liquidation",
  transfer: "Transfer",
  deposit: "Deposit",
  bonus: "Bonus",
  unexplained: "Not explained by any row"
}

/** Characters that programs give a meaning are left out. */
const words = (text: string): string => text.replaceAll(/[^\p{L}\p{N}_ .:+/-]+/gu, "_")

/** A text in quotes, in one line. */
const quote = (words: string): string => `"${inOneLine(words).replaceAll(/["\\]/g, (char) => `\\${char}`)}"`

const amountIn =
  (commodity: (currency: string) => string) =>
  ({ amount, currency, price }: DoubleEntry.LedgerLine): string =>
    `${plain(amount)} ${commodity(currency)}${price === undefined ? "" : ` @@ ${plain(price.amount)} ${commodity(price.currency)}`}`

const inBeancount = amountIn(Commodities.inBeancount)

const beancount: Syntax = {
  head: [
    'option "title" "Trading accounts"',
    // The unit price of a total is rounded to 28 digits.
    'option "inferred_tolerance_default" "*:0.000000000001"'
  ],
  open: (date, account) => `${date} open ${account}\n`,
  commodity: (date, coin) => `${date} commodity ${Commodities.inBeancount(coin)}\n  name: ${quote(coin)}\n`,
  entry: ({ date, postings, reference, time, title }) =>
    [
      `${date} * "${words(title)}"`,
      `  time: "${time}"`,
      ...(reference === "" ? [] : [`  reference: "${words(reference)}"`]),
      ...postings.map((posting) => `  ${posting.account}  ${inBeancount(posting)}`),
      ""
    ].join("\n"),
  // A balance assertion applies to the beginning of a day.
  balance: (date, posting) => {
    const next = new Date(Date.parse(date) + 86_400_000).toISOString().slice(0, 10)
    return `${next} balance ${posting.account}  ${inBeancount(posting)}\n`
  }
}

const inLedger = amountIn(Commodities.inLedger)

const ledger: Syntax = {
  head: ["tag time", "tag reference"],
  open: (_date, account) => `account ${account}\n`,
  commodity: (_date, coin) => {
    const name = Commodities.inLedger(coin)
    return `${name.replaceAll('"', "") === coin ? "" : `; the coin ${quote(coin)} is\n`}commodity ${name}\n`
  },
  entry: ({ date, postings, reference, time, title }) =>
    [
      `${date} * ${words(title)}  ; time: ${time}`,
      ...(reference === "" ? [] : [`    ; reference: ${words(reference)}`]),
      ...postings.map((posting) => `    ${posting.account}  ${inLedger(posting)}`),
      ""
    ].join("\n"),
  balance: (date, posting) =>
    [
      `${date} * Balance as the service reports it`,
      `    ${posting.account}  ${inLedger({ ...posting, amount: BigDecimal.fromBigInt(0n) })} = ${inLedger(posting)}`,
      ""
    ].join("\n")
}

/** The programs that a ledger can be for. `ledger` is for ledger and hledger. */
export const programs = ["beancount", "ledger"] as const

/** A program that a ledger is for. */
export type Program = (typeof programs)[number]

const syntaxes: Readonly<Record<Program, Syntax>> = { beancount, ledger }

/** An amount that is not in the ledger, as a comment. */
const notBooked = (words: string): string => `; NOT BOOKED: ${inOneLine(words)}\n`

/** Names the date of an instant in a zone. */
const dating =
  (zone: DateTime.TimeZone) =>
  (at: number): string =>
    DateTime.formatIsoDate(DateTime.unsafeMakeZoned(at, { timeZone: zone }))

/** Writes each directive once, before the first line that needs it. */
const makeDeclare = ({ commodity, open }: Syntax) => {
  const declared = new Set<string>()
  const declareOnce = (key: string, directive: string): string => {
    if (declared.has(key)) return ""
    declared.add(key)
    return directive
  }
  return (date: string, { account, currency, price }: DoubleEntry.LedgerLine): string =>
    [
      declareOnce(`account ${account}`, open(date, account)),
      ...[currency, price?.currency].map((coin) =>
        coin === undefined ? "" : declareOnce(`coin ${coin}`, commodity(date, coin))
      )
    ].join("")
}

const balanceKey = (account: string | null, currency: string): string => `${account ?? ""}\n${currency}`

/** The last snapshot of each balance, without those after which a record changes it. */
const watchClosings = <E>({ snapshots }: Books.Log<E>) => {
  const closings = new Map(snapshots.map((snapshot) => [balanceKey(snapshot.account, snapshot.currency), snapshot]))
  const later = new Set<string>()
  return {
    add: ({ account, at, changes, record }: Books.Transaction): void => {
      for (const { currency } of changes) {
        const key = balanceKey(account, currency)
        if (record !== "wallet" && at >= (closings.get(key)?.at ?? 0)) later.add(key)
      }
    },
    result: () => Array.from(closings).flatMap(([key, snapshot]) => (later.has(key) ? [] : [snapshot]))
  }
}

const titleOf = (group: Group): string => {
  const changes = group.flatMap(({ changes }) => changes)
  const kind = changes.find(({ kind }) => kind === "trade")?.kind ?? group[0]?.changes[0]?.kind
  return `${titles[kind ?? "unexplained"]} ${group[0]?.symbol ?? ""}`.trim()
}

/** Renders a ledger. Days are those of the zone. */
export const render = <E>(log: Books.Log<E>, program: Program, zone: DateTime.TimeZone): Stream.Stream<string, E> =>
  Stream.suspend(() => {
    const syntax = syntaxes[program]
    const components = DoubleEntry.componentsOf(log.accounts.map(({ name }) => name))
    const accountOf = (account: string | null, wallet: string) =>
      `Assets:Venue${components.get(account) ?? ""}:${DoubleEntry.walletName(wallet)}`
    const dateOf = dating(zone)
    const declare = makeDeclare(syntax)
    const closings = watchClosings(log)
    const entryOf = (group: Group): string => {
      for (const transaction of group) closings.add(transaction)
      const at = group[0]?.at ?? 0
      const date = dateOf(at)
      const postings = DoubleEntry.postingsOf(group, accountOf)
      const lacks = group.flatMap(({ lacks, reference, symbol }) =>
        lacks.map(({ because, kind }) => notBooked(`${date}, ${titles[kind]} of ${symbol} ${reference}: ${because}`))
      )
      if (postings.length === 0) return `${lacks.join("")}\n`
      const [time, reference] = [new Date(at).toISOString(), group[0]?.reference ?? ""]
      return [
        ...postings.map((posting) => declare(date, posting)),
        syntax.entry({ date, time, title: titleOf(group), reference, postings }),
        ...lacks,
        "\n"
      ].join("")
    }
    const assertions = () =>
      closings.result().map(({ account, at, balance: amount, currency }) => {
        const posting = { account: accountOf(account, "UNIFIED"), amount, currency }
        return `${declare(dateOf(at), posting)}${syntax.balance(dateOf(at), posting)}\n`
      })
    const undated = log.undated.map(({ lack: { because, kind }, rows }) =>
      notBooked(`${countNoun(rows, "row")}, ${titles[kind]}: ${because}`)
    )
    return Stream.fromIterable([...syntax.head.map((line) => `${line}\n`), ...undated]).pipe(
      Stream.concat(Stream.make("\n")),
      Stream.concat(Stream.map(joinRecords(log.transactions), entryOf)),
      Stream.concat(Stream.suspend(() => Stream.fromIterable(assertions())))
    )
  })
