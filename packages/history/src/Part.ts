/**
 * Parts of an export: a dataset of one account, and what is asked for of it.
 *
 * @since 0.1.0
 */
import type * as Failure from "@effect-venue/transport/Failure"
import * as Transport from "@effect-venue/transport/Transport"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Dataset from "./Dataset.js"
import type * as Manifest from "./Manifest.js"

/**
 * @since 0.1.0
 * @category models
 */
export interface Part<out A = unknown> {
  /** What its files and its section of the manifest are called. */
  readonly name: string
  readonly dataset: Dataset.Dataset<never, A>
  readonly account: Option.Option<string>
  readonly parameters: Readonly<Record<string, string>>
  readonly check: (ask: Dataset.Ask) => Effect.Effect<void, Failure.InvalidRequest, Transport.Transport>
  readonly page: (ask: Dataset.Ask) => Effect.Effect<Dataset.Page, Failure.ReadFailure, Transport.Transport>
  /** The service's clock in milliseconds (see `Transport`). */
  readonly serverTime: Effect.Effect<number, never, Transport.Transport>
  /** Instants of which records may still come or change (see `Dataset.Settling`). */
  readonly pending: Effect.Effect<ReadonlyArray<number>, Failure.ReadFailure, Transport.Transport>
}

/**
 * Whose data it is, where that is not whom the `Transport` in the context belongs to.
 *
 * @since 0.1.0
 * @category models
 */
export interface Account {
  /** As files and the manifest call it. */
  readonly name: string
  readonly transport: Transport.Transport.Shape
}

/** Of a name only what every file system takes. */
const plain = (text: string): string => text.replaceAll(/[^A-Za-z0-9_.]+/g, "_").replace(/^\.+/, "_")

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = <Query extends object, A>(
  dataset: Dataset.Dataset<Query, A>,
  query: NoInfer<Query>,
  account?: Account
): Part<A> => {
  const given = Object.entries(query).flatMap(([name, value]: [string, unknown]) =>
    typeof value === "string" || typeof value === "number" ? [[name, String(value)] as const] : []
  )
  const as = <B, E, R>(effect: Effect.Effect<B, E, R>) =>
    account === undefined ? effect : Effect.provideService(effect, Transport.Transport, account.transport)
  return {
    name: [
      dataset.name,
      ...(account === undefined ? [] : [plain(account.name)]),
      ...given.map(([, value]) => plain(value))
    ].join("-"),
    dataset,
    account: Option.map(Option.fromNullable(account), ({ name }) => name),
    parameters: Object.fromEntries(given),
    check: (ask) => as(dataset.check(query, ask)),
    page: (ask) => as(dataset.page(query, ask)),
    serverTime: as(Effect.flatMap(Transport.Transport, Transport.serverTime)),
    pending: as(dataset.settling.pending(query))
  }
}

/**
 * What a part is called by in a manifest.
 *
 * @since 0.1.0
 * @category getters
 */
export const subject = (part: Part): Manifest.Subject => ({
  name: part.name,
  dataset: part.dataset.name,
  account: Option.getOrNull(part.account),
  parameters: part.parameters
})
