/** Parts of an export: a dataset of one account, and its query. */
import * as AccountOperations from "@effect-venue/schemas/Account"
import * as InstrumentOperations from "@effect-venue/schemas/Instruments"
import * as Json from "@effect-venue/schemas/siblings/Json"
import type * as Failure from "@effect-venue/transport/Failure"
import * as Transport from "@effect-venue/transport/Transport"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Dataset from "./Dataset.js"
import * as DatasetPages from "./pages.js"
import type * as Manifest from "./Manifest.js"

export interface Part<out A = unknown, out R = Transport.Transport> {
  /** The name of its files and of its section of the manifest. */
  readonly name: string
  readonly dataset: Dataset.Dataset<never, A>
  readonly account: Option.Option<string>
  readonly parameters: Readonly<Record<string, string>>
  readonly check: (ask: Dataset.Ask) => Effect.Effect<void, Failure.InvalidRequest, R>
  readonly page: (ask: Dataset.Ask) => Effect.Effect<Dataset.Page, Failure.ReadFailure, R>
  /** The service's clock in milliseconds; none before an answer has stated it (see `Transport.AccountCalls`). */
  readonly serverTime: Effect.Effect<Option.Option<number>, never, R>
  /** The account of the rows (see `Transport.Identity`). */
  readonly identity: Effect.Effect<Transport.Identity, never, R>
  /** The records of the account's wallet as of now, which an export stores at its start and its end. */
  readonly wallet: Effect.Effect<ReadonlyArray<unknown>, Failure.ReadFailure, R>
  /** The records of all instruments of a category that the service lists now. */
  readonly instruments: (category: string) => Effect.Effect<ReadonlyArray<unknown>, Failure.ReadFailure, R>
  /** Instants whose records can still appear or change (see `Dataset.Settling`). */
  readonly pending: Effect.Effect<ReadonlyArray<Manifest.Unsettled>, Failure.ReadFailure, R>
}

/** The account of the data, if it is not that of the `Transport` in the context. */
export interface Account {
  /** Its name in files and the manifest. */
  readonly name: string
  readonly transport: Transport.Transport.Shape
}

/** The wallet of a unified account. */
const walletPage = DatasetPages.of(AccountOperations.walletBalance)

const instrumentsPage = DatasetPages.of(InstrumentOperations.list)

/** The most pages of instruments that are read. A page has up to a thousand. */
const mostPages = 100

const isListed = Schema.is(Schema.Literal("spot", "linear", "inverse"))

/** Reads all instruments of a category. A cursor that returns again ends the list. */
const readInstruments = (category: string) =>
  Effect.gen(function* () {
    const records: Array<unknown> = []
    const cursors = new Set<unknown>()
    let cursor: string | undefined
    while (isListed(category) && cursors.size < mostPages) {
      const { next, texts } = yield* instrumentsPage({ category, limit: 1000, cursor })
      records.push(...texts.map(Json.parseVerbatim))
      if (typeof next !== "string" || next === "" || cursors.has(next)) break
      cursors.add(next)
      cursor = next
    }
    return records
  })

/** The characters of a name that every file system accepts. */
const plain = (text: string): string => text.replaceAll(/[^A-Za-z0-9_.]+/g, "_").replace(/^\.+/, "_")

/** A part with an account needs no other `Transport`. */
export const make: {
  <Query extends object, A>(dataset: Dataset.Dataset<Query, A>, query: NoInfer<Query>, account: Account): Part<A, never>
  <Query extends object, A>(dataset: Dataset.Dataset<Query, A>, query: NoInfer<Query>, account?: Account): Part<A>
} = <Query extends object, A>(
  dataset: Dataset.Dataset<Query, A>,
  query: NoInfer<Query>,
  account?: Account
  // Only overloads can express that an account removes the requirement.
): Part<A, never> => {
  const parameters = Object.entries(query).flatMap(([name, value]: [string, unknown]) =>
    typeof value === "string" || typeof value === "number" ? [[name, String(value)] as const] : []
  )
  const as = <B, E>(effect: Effect.Effect<B, E, Transport.Transport>): Effect.Effect<B, E> =>
    account === undefined
      ? (effect as Effect.Effect<B, E>) // the overload without an account keeps the requirement
      : Effect.provideService(effect, Transport.Transport, account.transport)
  return {
    name: [
      dataset.name,
      ...(account === undefined ? [] : [plain(account.name)]),
      ...parameters.map(([, value]) => plain(value))
    ].join("-"),
    dataset,
    account: Option.map(Option.fromNullable(account), ({ name }) => name),
    parameters: Object.fromEntries(parameters),
    check: (ask) => as(dataset.check(query, ask)),
    page: (ask) => as(dataset.page(query, ask)),
    serverTime: as(Effect.flatMap(Transport.Transport, (transport) => transport.account.statedTime)),
    identity: as(Effect.map(Transport.Transport, (transport) => transport.account.identity)),
    wallet: as(Effect.map(walletPage({ accountType: "UNIFIED" }), ({ texts }) => texts.map(Json.parseVerbatim))),
    instruments: (category) => as(readInstruments(category)),
    pending: as(dataset.settling.pending(query))
  }
}

/**
 * The name of a part in a manifest.
 *
 * @category getters
 */
export const subject = (part: Part<unknown, unknown>): Manifest.Subject => ({
  name: part.name,
  dataset: part.dataset.name,
  account: Option.getOrNull(part.account),
  parameters: part.parameters
})
