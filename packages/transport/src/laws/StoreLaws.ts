/**
 * The laws of stores of rate limits and bans, for the tests of a custom store. They need no test runner; every law is one test.
 *
 * A law runs random programs, and compares every result with that of the store in memory. If one differs, the failure contains the shortest program that
 * shows it.
 *
 * ```ts
 * for (const { check, name } of StoreLaws.rateLimits({ make: () => myStore, pass: Effect.sleep })) {
 *   it.live(name, () => check)
 * }
 * ```
 */
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { BanStore } from "../stores/BanStore.js"
import * as banProgram from "./banProgram.js"
import * as program from "./program.js"
import * as rateLimitProgram from "./rateLimitProgram.js"
import type { RateLimitStore } from "../stores/RateLimitStore.js"

/** The programs of a law. */
interface Programs {
  /** Lets a duration of the store's time pass: `TestClock.adjust` for a store that measures time by Effect's clock, `Effect.sleep` for others. */
  readonly pass: (duration: Duration.Duration) => Effect.Effect<void>
  /** The time between operations. Results can be late by a fifth of it; a store that is slower gets more time. Defaults to 200 milliseconds. */
  readonly unit?: Duration.DurationInput | undefined
  /** Defaults to 20. */
  readonly programs?: number | undefined
  /** The seed of the first program. Defaults to 1. */
  readonly seed?: number | undefined
  /** Programs that run at once. More than 1 needs a `pass` that waits. Defaults to 1. */
  readonly concurrency?: number | undefined
}

/** A store of rate limits under test. */
export interface RateLimits<R = never> extends Programs {
  /**
   * A store that has not been used yet. `rest`: it begins as if every window were full. `lease`: when the reservations of a dead process count as
   * settled.
   */
  readonly make: (options: {
    readonly rest: boolean
    readonly lease: Duration.Duration
  }) => Effect.Effect<RateLimitStore.Shape, never, R>
  /** The store applies `rest`. Defaults to `false`. */
  readonly rests?: boolean | undefined
  /** The store applies `lease`. Defaults to `false`. */
  readonly leases?: boolean | undefined
  /** The same store as processes of another egress address see it. If omitted, programs have one address. */
  readonly elsewhere?: ((store: RateLimitStore.Shape) => RateLimitStore.Shape) | undefined
  /** An unreachable store. If omitted, the law is not tested. */
  readonly makeUnreachable?: Effect.Effect<RateLimitStore.Shape, never, R> | undefined
}

/** A store of bans under test. */
export interface Bans<R = never> extends Programs {
  /** A store that has not been used yet. `lease`: when the slot of a probe that does not end is free again. */
  readonly make: (options: { readonly lease: Duration.Duration }) => Effect.Effect<BanStore.Shape, never, R>
  /** The store applies `lease`. Defaults to `false`. */
  readonly leases?: boolean | undefined
  /** An unreachable store. If omitted, the law is not tested. */
  readonly makeUnreachable?: Effect.Effect<BanStore.Shape, never, R> | undefined
}

/** A law and its test. */
export interface Law<R = never> {
  readonly name: string
  readonly check: Effect.Effect<void, LawBroken, R>
}

/** A store does not keep a law. */
export class LawBroken extends Data.TaggedError("LawBroken")<{ readonly law: string; readonly detail: string }> {
  override get message(): string {
    return `${this.law}: ${this.detail}`
  }
}

const modelLaw = <Operation, R>(
  { concurrency = 1, programs = 20, seed = 1, unit = "200 millis" }: Programs,
  law: program.Law<Operation, R>
): Law<R> => {
  const name = "returns the results of the store in memory for random programs"
  const seeds = Array.from({ length: programs }, (_, index) => seed + index)
  const check = (seed: number) =>
    Effect.flatMap(program.differingProgram(law, seed, Duration.toMillis(unit)), (detail) =>
      detail === undefined ? Effect.void : Effect.fail(new LawBroken({ law: name, detail }))
    )
  return { name, check: Effect.forEach(seeds, check, { concurrency, discard: true }) }
}

// Any store has to give up within this time.
const longest = Duration.seconds(5)

const unreachableLaw = <Store, R>(
  make: Effect.Effect<Store, never, R> | undefined,
  results: (store: Store) => Effect.Effect<string>
): ReadonlyArray<Law<R>> => {
  if (make === undefined) return []
  const name = "replies Unreachable within 5 seconds if it cannot be reached, and does not die"
  const makeBroken = (detail: string) => new LawBroken({ law: name, detail })
  const check = Effect.flatMap(make, results).pipe(
    Effect.catchAllDefect((defect) => Effect.fail(makeBroken(`an operation dies: ${String(defect)}`))),
    Effect.timeoutFail({ duration: longest, onTimeout: () => makeBroken("an operation does not end") }),
    Effect.flatMap((tag) => (tag === "Unreachable" ? Effect.void : Effect.fail(makeBroken(`replies ${tag}`))))
  )
  return [{ name, check }]
}

/** The laws of a store of rate limits. */
export const rateLimits = <R = never>(subject: RateLimits<R>): ReadonlyArray<Law<R>> => {
  const { elsewhere, leases = false, make, makeUnreachable, pass, rests = false } = subject
  const law: program.Law<rateLimitProgram.Operation, R> = {
    pass,
    operation: rateLimitProgram.operationOf,
    start: (random, unit) => {
      const rest = rests && random.int(4) === 0
      return Effect.map(make({ rest, lease: Duration.millis(rateLimitProgram.lease * unit) }), (store) => {
        const stores = elsewhere === undefined ? [store] : [store, elsewhere(store)]
        return {
          ofStore: rateLimitProgram.performer(stores, unit, leases),
          ofModel: rateLimitProgram.model(stores.length, unit, rest, leases)
        }
      })
    }
  }
  const unreachable = unreachableLaw(makeUnreachable, (store) => {
    const charge = { key: "k", scope: "uid", limit: 1, window: Duration.seconds(1), cost: 1 } as const
    return Effect.gen(function* () {
      const { _tag } = yield* store.reserve([charge])
      yield* store.settle({ id: "none", charges: [charge] }, "counted", Duration.zero)
      yield* store.observe(charge, { roundTrip: Duration.zero, refused: false })
      return _tag
    })
  })
  return [modelLaw(subject, law), ...unreachable]
}

/** The laws of a store of bans. */
export const bans = <R = never>(subject: Bans<R>): ReadonlyArray<Law<R>> => {
  const { leases = false, make, makeUnreachable, pass } = subject
  const law: program.Law<banProgram.Operation, R> = {
    pass,
    operation: banProgram.operationOf,
    start: (_, unit) =>
      Effect.map(make({ lease: Duration.millis(banProgram.lease * unit) }), (store) => ({
        ofStore: banProgram.performer(store, unit),
        ofModel: banProgram.model(unit, leases)
      }))
  }
  const unreachable = unreachableLaw(makeUnreachable, (store) =>
    Effect.gen(function* () {
      const { _tag } = yield* store.enter("host")
      yield* store.close("host", Duration.seconds(1))
      yield* store.leave("host", "none", "unbanned")
      return _tag
    })
  )
  return [modelLaw(subject, law), ...unreachable]
}
