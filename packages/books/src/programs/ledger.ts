import type * as Books from "@effect-venue/history/siblings/BookParts"
import * as Decimal from "@effect-venue/schemas/Decimal"
import * as BigDecimal from "effect/BigDecimal"
import * as DateTime from "effect/DateTime"
import * as Stream from "effect/Stream"
import { type Group, joinRecords, Sums } from "./groups.js"

// Double entry: every change of a balance has a counter-posting, so that the postings of a transaction add up to zero in each currency.

interface Posting {
  readonly account: string
  readonly amount: BigDecimal.BigDecimal
  readonly currency: string
  /** The total price of a trade. */
  readonly price?: { readonly amount: BigDecimal.BigDecimal; readonly currency: string } | undefined
}

interface Entry {
  readonly date: string
  readonly time: string
  readonly title: string
  readonly reference: string
  readonly postings: ReadonlyArray<Posting>
}

/** How a program spells transactions. */
interface Syntax {
  readonly head: ReadonlyArray<string>
  readonly entry: (entry: Entry) => string
  /** Declares an account that is used from a date on. */
  readonly open: (date: string, account: string) => string
  /** Asserts a balance after all entries up to a date. */
  readonly balance: (date: string, posting: Posting) => string
}

const text = (amount: BigDecimal.BigDecimal): string => Decimal.format(BigDecimal.normalize(amount))

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

const contras: Readonly<Record<Exclude<Books.Kind, "trade">, string>> = {
  opening: "Equity:Opening-Balances",
  fee: "Expenses:Fees",
  funding: "Income:Funding",
  realisedPnl: "Income:Realised-PnL",
  liquidation: "Income:Liquidations",
  transfer: "Equity:Transfers",
  deposit: "Equity:Deposits",
  bonus: "Income:Bonuses",
  unexplained: "Equity:Unexplained"
}

/** Letters and digits with an upper-case first letter, which every program accepts in names of accounts. */
const component = (name: string): string => {
  const plain = name.replaceAll(/[^A-Za-z0-9]+/g, "-").replaceAll(/^-|-$/g, "")
  return plain === "" ? "X" : plain.charAt(0).toUpperCase() + plain.slice(1)
}

/** Distinct names for the accounts of an export. */
export const componentsOf = (accounts: ReadonlyArray<string | null>): ReadonlyMap<string | null, string> => {
  const names = new Map<string | null, string>([[null, ""]])
  const taken = new Set<string>()
  for (const account of accounts.filter((name) => name !== null)) {
    const plain = component(account)
    let name = plain
    for (let number = 2; taken.has(name); number++) name = `${plain}-${number}`
    taken.add(name)
    names.set(account, `:${name}`)
  }
  return names
}

const walletName = (wallet: string): string => component(wallet.toLowerCase())

/** The two sides of a trade. The price is that of the first. */
const sidesOf = (changes: ReadonlyArray<Books.Change>) => {
  const [base, quote, ...others] = changes.filter(({ kind }) => kind === "trade")
  return base !== undefined &&
    quote !== undefined &&
    others.length === 0 &&
    base.currency !== quote.currency &&
    BigDecimal.isPositive(base.amount) !== BigDecimal.isPositive(quote.amount)
    ? { base, quote }
    : undefined
}

/** The postings of a group: the balances that change, and those against them. */
export const postingsOf = (
  group: Group,
  accountOf: (account: string | null, wallet: string) => string
): ReadonlyArray<Posting> => {
  const contra = new Sums()
  const own = group.flatMap(({ account, changes }) => {
    const { base, quote } = sidesOf(changes) ?? {}
    return changes.map((change): Posting => {
      const { amount, currency, kind, wallet } = change
      if (kind !== "trade") contra.add(contras[kind], currency, BigDecimal.negate(amount))
      else if (quote === undefined) contra.add("Equity:Conversions", currency, BigDecimal.negate(amount))
      const price =
        quote === undefined || change !== base
          ? undefined
          : { amount: BigDecimal.abs(quote.amount), currency: quote.currency }
      return { account: accountOf(account, wallet), amount, currency, price }
    })
  })
  return [...own, ...contra.all().map(({ amount, currency, name }) => ({ account: name, amount, currency }))]
}

/** Characters that programs give a meaning are left out. */
const plain = (words: string): string => words.replaceAll(/[^\w .:+/-]+/g, "_")

const amountIn =
  (commodity: (currency: string) => string) =>
  ({ amount, currency, price }: Posting): string =>
    `${text(amount)} ${commodity(currency)}${price === undefined ? "" : ` @@ ${text(price.amount)} ${commodity(price.currency)}`}`

/** A name of two to 24 characters that begins with a letter; others are spelled by their codes, so that they stay different. */
const beancountName = (currency: string): string =>
  /^[A-Z][A-Z0-9]{1,22}$/.test(currency)
    ? currency
    : `C.${Array.from(currency, (char) => (/[A-Z0-9]/.test(char) ? char : `-${char.codePointAt(0)?.toString(16).toUpperCase() ?? ""}-`)).join("")}.X`

const inBeancount = amountIn(beancountName)

const beancount: Syntax = {
  head: [
    'option "title" "Trading accounts"',
    // The unit price of a total is rounded to 28 digits.
    'option "inferred_tolerance_default" "*:0.000000000001"'
  ],
  open: (date, account) => `${date} open ${account}\n`,
  entry: ({ date, postings, reference, time, title }) =>
    [
      `${date} * "${plain(title)}"`,
      `  time: "${time}"`,
      ...(reference === "" ? [] : [`  reference: "${plain(reference)}"`]),
      ...postings.map((posting) => `  ${posting.account}  ${inBeancount(posting)}`),
      ""
    ].join("\n"),
  // A balance assertion applies to the beginning of a day.
  balance: (date, posting) => {
    const next = new Date(Date.parse(date) + 86_400_000).toISOString().slice(0, 10)
    return `${next} balance ${posting.account}  ${inBeancount(posting)}\n`
  }
}

const inLedger = amountIn((currency) =>
  /^[A-Za-z]+$/.test(currency) ? currency : `"${currency.replaceAll('"', "_")}"`
)

const ledger: Syntax = {
  head: [],
  open: () => "",
  entry: ({ date, postings, reference, time, title }) =>
    [
      `${date} * ${plain(title)}  ; time: ${time}`,
      ...(reference === "" ? [] : [`    ; reference: ${plain(reference)}`]),
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

export const syntaxes = { beancount, ledger }

/** Names the date of an instant in a zone. */
const dating =
  (zone: DateTime.TimeZone) =>
  (at: number): string =>
    DateTime.formatIsoDate(DateTime.unsafeMakeZoned(at, { timeZone: zone }))

/** A ledger of a log, with an assertion of each balance that the service reported last. */
export const render = <E>(
  log: Books.Log<E>,
  { entry, head, open, balance }: Syntax,
  zone: DateTime.TimeZone
): Stream.Stream<string, E> =>
  Stream.suspend(() => {
    const components = componentsOf(log.accounts.map(({ name }) => name))
    const accountOf = (account: string | null, wallet: string) =>
      `Assets:Venue${components.get(account) ?? ""}:${walletName(wallet)}`
    const dateOf = dating(zone)
    const opened = new Set<string>()
    const opening = (date: string, account: string): string => {
      if (opened.has(account)) return ""
      opened.add(account)
      return open(date, account)
    }
    // The last snapshot of each balance.
    const closings = new Map(
      log.snapshots.map((snapshot) => [`${snapshot.account ?? ""}\n${snapshot.currency}`, snapshot])
    )
    const later = new Set<string>()
    const entryOf = (group: Group): string => {
      const at = group[0]?.at ?? 0
      const [first] = group[0]?.changes ?? []
      for (const { account, changes, record } of group) {
        for (const { currency } of changes) {
          const key = `${account ?? ""}\n${currency}`
          if (record !== "wallet" && at >= (closings.get(key)?.at ?? 0)) later.add(key)
        }
      }
      const date = dateOf(at)
      const postings = postingsOf(group, accountOf)
      const kind = group.flatMap(({ changes }) => changes).find(({ kind }) => kind === "trade")?.kind ?? first?.kind
      const title = `${titles[kind ?? "unexplained"]} ${group[0]?.symbol ?? ""}`.trim()
      return [
        ...postings.map(({ account }) => opening(date, account)),
        entry({ date, time: new Date(at).toISOString(), title, reference: group[0]?.reference ?? "", postings }),
        "\n"
      ].join("")
    }
    const assertions = () =>
      Array.from(closings).flatMap(([key, { account, at, balance: amount, currency }]) => {
        if (later.has(key)) return []
        const date = dateOf(at)
        const name = accountOf(account, "UNIFIED")
        return [`${opening(date, name)}${balance(date, { account: name, amount, currency })}\n`]
      })
    return Stream.fromIterable(head.map((line) => `${line}\n`)).pipe(
      Stream.concat(Stream.make("\n")),
      Stream.concat(Stream.map(joinRecords(log.transactions), entryOf)),
      Stream.concat(Stream.suspend(() => Stream.fromIterable(assertions())))
    )
  })
