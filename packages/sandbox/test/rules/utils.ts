import * as Resting from "@effect-venue/testing/Resting"
import * as Samples from "@effect-venue/testing/Samples"
import * as Specification from "@effect-venue/testing/Specification"
import * as Edge from "@effect-venue/sandbox/siblings/Edge"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import type * as Exchange from "@effect-venue/sandbox/siblings/Exchange"
import { expect, it } from "@effect/vitest"
import { BigDecimal, Context, Effect, Layer, Ref } from "effect"
import type { YieldWrap } from "effect/Utils"
import * as RunCommand from "../../src/control/runCommand.js"
import * as SandboxClock from "../../src/state/sandboxClock.js"
import * as Raw from "../utils/raw.js"

export type Parameters = Readonly<Record<string, unknown>>
export type More = NonNullable<Args<typeof Raw.call>[2]>
type Args<F> = F extends (...args: infer A) => unknown ? A : never

/** A record as received. */
export interface Row {
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- what an answer holds is looked at as it is
  readonly [field: string]: any
}

export type Operation = Samples.Operation

export { names, routeOf } from "@effect-venue/testing/Specification"

export const day = 86_400_000
export const week = 7 * day

// To make the world takes its time, and what it is made from does not change: one for the tests of a file.
const seeded = Effect.runSync(Effect.cached(Sandbox.make({ seed: 5, limits: "off" })))

const fresh = (
  limits: Edge.Options["limits"],
  change: (state: Exchange.State, main: Exchange.Account) => Exchange.State = (state) => state
) =>
  Layer.effect(
    Sandbox.Sandbox,
    Effect.gen(function* () {
      const sandbox = yield* seeded
      // As it was made: to look at it by the clock of one test would age it for all others.
      const before = yield* sandbox.control.snapshot
      const state = yield* Ref.make(change(before, before.accounts.get(sandbox.uids.main)!))
      const edge = Edge.make({ state, limits })
      const initial = yield* Ref.get(state)
      return {
        ...sandbox,
        handle: edge.handle,
        faults: edge.faults,
        control: RunCommand.make({ state, initial, ...edge, clock: SandboxClock.make() }, Sandbox.baseUrl),
        snapshot: Ref.get(state)
      }
    })
  )

/** A world without limits. Writes leave their traces: every test that makes one has a world of its own. */
export const world = fresh("off")

/** The same world with the documented limits. */
export const limited = fresh("documented")

/** A world in which orders at the price of `Resting` rest. */
export const held = (world: Layer.Layer<Sandbox.Sandbox>) =>
  Layer.tap(world, (context) => Resting.hold(Context.get(context, Sandbox.Sandbox).control))

/** The same world with something changed in it that the seed does not have. */
export const altered = (change: (state: Exchange.State, main: Exchange.Account) => Exchange.State) =>
  fresh("off", change)

/** Shows a rule of the interface in a world of its own. The title names the rule by its id. */
export const rule = (
  title: string,
  body: () => Generator<YieldWrap<Effect.Effect<unknown, unknown, Sandbox.Sandbox>>, void, never>,
  of: Layer.Layer<Sandbox.Sandbox> = world
) => {
  it.effect(title, () => Effect.provide(Effect.gen(body), of))
}

/** The same with the documented limits. */
export const limitedRule = (title: string, body: Args<typeof rule>[1]) => rule(title, body, limited)

/** The sandbox of the context. */
export const sandbox = Sandbox.Sandbox

/** The wire side of an example, with prices at which its orders rest now. */
export const example = (operation: Operation) =>
  Effect.gen(function* () {
    const { listings } = yield* Effect.flatMap(sandbox, ({ snapshot }) => snapshot)
    const listing = listings.find(
      ({ category, instrument }) => category === "linear" && instrument.symbol === "BTCUSDT"
    )
    const mark = BigDecimal.format(listing!.markPrice)
    const wire = Samples.all.find(({ name }) => name === operation)!.wire
    // An amendment changes the price.
    const percent = operation.startsWith("orders.amend") ? 6 : 5
    return Resting.withPrice(wire, Resting.below(mark, percent)) as Parameters // of the same shape
  })

/** One signed request, and its answer as it is. */
export const send = (operation: Operation, parameters: Parameters = {}, more: More = {}) => {
  const { method, path } = Specification.routeOf(operation)
  return Raw.call(path, parameters, { ...more, method })
}

export const code = (operation: Operation, parameters: Parameters = {}, more: More = {}) =>
  Effect.map(send(operation, parameters, more), (answer) => answer.code)

/** The result of a request that must be taken. */
export const result = (operation: Operation, parameters: Parameters = {}, more: More = {}) =>
  Effect.map(send(operation, parameters, more), (answer): Row => {
    expect([answer.status, answer.code], answer.text.slice(0, 200)).toEqual([200, 0])
    return answer.json.result
  })

/** The first page. */
export const rows = (operation: Operation, parameters: Parameters = {}, more: More = {}) =>
  Effect.map(
    result(operation, parameters, more),
    (found): ReadonlyArray<Row> => found[Specification.listOf(operation).items]
  )

/** All pages. */
export const all = (operation: Operation, parameters: Parameters = {}, more: More = {}) =>
  Effect.map(
    Raw.pages(Specification.routeOf(operation).path, parameters, Specification.listOf(operation), more),
    (found): ReadonlyArray<Row> => found.rows
  )

/** What is on the book of the main account, or was. */
export const orders = (parameters: Parameters) => all("orders.open", { limit: 50, ...parameters })

export const usdt = { category: "linear", settleCoin: "USDT" }

/** What each field of a record is. */
export const kinds = (row: Row): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      Array.isArray(value)
        ? "array"
        : value === null
          ? "null"
          : typeof value === "number" && Number.isInteger(value)
            ? "integer"
            : typeof value
    ])
  )

/** That fields are of a kind, by names that are separated by blanks. */
export const every = (kind: string, ...names: ReadonlyArray<string>): Readonly<Record<string, string>> =>
  Object.fromEntries(names.flatMap((some) => some.split(" ")).map((name) => [name, kind]))

/** That every record has these fields, of these kinds, and that there is a record. */
export const expectKinds = (found: ReadonlyArray<Row>, expected: Readonly<Record<string, string>>) => {
  expect(found.length).toBeGreaterThan(0)
  for (const row of found) expect(kinds(row)).toMatchObject(expected)
}

/** A request id that is made from a number. */
export const uuid = (index: number) => `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`

export const distinct = <A>(values: Iterable<A>): ReadonlyArray<A> => Array.from(new Set(values))

export const descending = (values: ReadonlyArray<number | string>) =>
  values.every((one, index) => index === 0 || one <= values[index - 1]!)
