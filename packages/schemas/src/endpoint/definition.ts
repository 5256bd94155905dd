/** Parts of the definitions of endpoints. */
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import { perSecond } from "./Endpoint.js"
import type { Accepted, Ask, HistoryWindow, Probe, RateLimit } from "./Endpoint.js"

/** A limit of `count` calls per minute. */
export const perMinute = (count: number): RateLimit => ({ count, window: Duration.minutes(1), scope: "uid" })

/** The limit of 10 calls per second and category, of which the document states the part of contracts. */
export const perCategory: RateLimit = { ...perSecond(10, "uid x category"), assumed: "spot" }

/** Marks a limit that the document does not state. */
export const assume = (limit: RateLimit): RateLimit => ({ ...limit, assumed: "all" })

/** Marks a limit that the service can raise for an account. */
export const upgradable = (limit: RateLimit): RateLimit => ({ ...limit, upgradable: true })

/** A probe for each category. */
export const probeEach = <const Category extends string, Req>(
  categories: ReadonlyArray<Category>,
  request: (category: Category, ask: Ask) => Req
): ReadonlyArray<Probe<Req>> =>
  categories.map((category) => ({ variant: category, request: (ask) => request(category, ask) }))

/** A probe of the range for each category of a list that is bounded in time. */
export const probeRanges = <const Category extends string>(...categories: ReadonlyArray<Category>) =>
  probeEach(categories, (category, { cursor, from, size, to }) => ({
    category,
    startTime: from,
    endTime: to,
    limit: size,
    cursor
  }))

/** The time range of a list by `startTime` and `endTime`, both inclusive. */
export const timeRange = (
  unit: HistoryWindow["unit"],
  { reachBack, span }: { readonly span?: Duration.Duration; readonly reachBack?: Duration.Duration } = {}
): HistoryWindow => ({
  from: "startTime",
  to: "endTime",
  unit,
  bounds: "[]",
  span: Option.fromNullable(span),
  reachBack: Option.fromNullable(reachBack)
})

/** Narrows the type of a schema. The rules of the schema must enforce the narrower type at run time. */
export const narrowType =
  <A>() =>
  <B, I>(schema: [Accepted<A>] extends [B] ? Schema.Schema<B, I> : never): Schema.Schema<A, I> =>
    // Every `A` is a `B`, and decoded values satisfy the rules.
    schema as unknown as Schema.Schema<A, I>
