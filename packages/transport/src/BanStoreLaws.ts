/**
 * The laws of a store of bans, as effects that fail if a law is broken, for the tests of a custom store. They need no test runner; every law is one test.
 *
 * @since 0.1.0
 */
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { BanStore, Entry } from "./BanStore.js"

/**
 * A store under test.
 *
 * @since 0.1.0
 * @category models
 */
export interface Subject<R = never> {
  /** A store that has not been used yet. */
  readonly make: Effect.Effect<BanStore.Shape, never, R>
  /** Lets a duration of the store's time pass. */
  readonly pass: (duration: Duration.Duration) => Effect.Effect<void>
  /** The ban of the tests, long compared with the response time of the store. Defaults to 1 second. */
  readonly ban?: Duration.DurationInput | undefined
  /** When the slot of a probe that does not end is free again. Must be longer than `ban`. If omitted, the law is not tested. */
  readonly lease?: Duration.DurationInput | undefined
  /** An unreachable store. If omitted, the law is not tested. */
  readonly makeUnreachable?: Effect.Effect<BanStore.Shape, never, R> | undefined
}

/**
 * A law and its test.
 *
 * @since 0.1.0
 * @category models
 */
export interface Law<R = never> {
  readonly name: string
  readonly check: Effect.Effect<void, LawBroken, R>
}

/**
 * A store does not keep a law.
 *
 * @since 0.1.0
 * @category failures
 */
export class LawBroken extends Data.TaggedError("BanStoreLawBroken")<{
  readonly law: string
  readonly detail: string
}> {
  override get message(): string {
    return `${this.law}: ${this.detail}`
  }
}

/** A store and the helpers of the laws. */
interface Bench {
  readonly store: BanStore.Shape
  readonly ban: Duration.Duration
  readonly pass: (duration: Duration.Duration) => Effect.Effect<void>
}

type Check = (bench: Bench) => Effect.Effect<void, string>

const expected = <Tag extends Entry["_tag"]>(
  { store }: Bench,
  tag: Tag,
  host = "host"
): Effect.Effect<Extract<Entry, { readonly _tag: Tag }>, string> =>
  Effect.flatMap(store.enter(host), (entry) =>
    hasTag(entry, tag) ? Effect.succeed(entry) : Effect.fail(`expected ${tag}, found ${entry._tag}`)
  )

const hasTag = <Tag extends Entry["_tag"]>(entry: Entry, tag: Tag): entry is Extract<Entry, { readonly _tag: Tag }> =>
  entry._tag === tag

const banned = ({ ban, store }: Bench) => store.close("host", ban)

/** Waits until the ban is over. */
const over = (bench: Bench): Effect.Effect<void> =>
  Effect.zipRight(banned(bench), bench.pass(Duration.times(bench.ban, 1.1)))

const everyStore: Readonly<Record<string, Check>> = {
  "closes a host for the ban, and no other": (bench) =>
    Effect.gen(function* () {
      yield* expected(bench, "Open")
      yield* banned(bench)
      const { remaining } = yield* expected(bench, "Closed")
      const isWithin = Duration.lessThanOrEqualTo(remaining, bench.ban)
      if (!isWithin || Duration.lessThan(remaining, Duration.times(bench.ban, 0.5)))
        return yield* Effect.fail(`expected ${Duration.format(bench.ban)} at most, found ${Duration.format(remaining)}`)
      yield* expected(bench, "Open", "other")
    }),

  "does not shorten a ban": (bench) =>
    Effect.gen(function* () {
      yield* banned(bench)
      yield* bench.store.close("host", Duration.zero)
      yield* expected(bench, "Closed")
    }),

  "lets one call go first after a ban, of all that ask at once": (bench) =>
    Effect.gen(function* () {
      yield* over(bench)
      const entries = yield* Effect.replicateEffect(bench.store.enter("host"), 20, { concurrency: "unbounded" })
      const probes = entries.filter(({ _tag }) => _tag === "Probe").length
      const waiting = entries.filter(({ _tag }) => _tag === "Probing").length
      if (probes !== 1 || waiting !== 19) return yield* Effect.fail(`found ${probes} probes, and ${waiting} that wait`)
    }),

  "opens when the first call was not banned": (bench) =>
    Effect.gen(function* () {
      yield* over(bench)
      const { probe } = yield* expected(bench, "Probe")
      yield* bench.store.leave("host", probe, "unbanned")
      yield* expected(bench, "Open")
      yield* expected(bench, "Open")
    }),

  "lets another call go first when the first one ended without an answer": (bench) =>
    Effect.gen(function* () {
      yield* over(bench)
      const { probe } = yield* expected(bench, "Probe")
      yield* bench.store.leave("host", probe, "unknown")
      yield* expected(bench, "Probe")
      yield* bench.store.leave("host", probe, "unbanned")
      yield* expected(bench, "Probing")
    }),

  "stays closed when the first call, or one sent before it, was banned": (bench) =>
    Effect.gen(function* () {
      yield* over(bench)
      const { probe } = yield* expected(bench, "Probe")
      yield* banned(bench)
      yield* bench.store.leave("host", probe, "unbanned")
      yield* expected(bench, "Closed")
    })
}

const leases =
  (lease: Duration.Duration): Check =>
  (bench) =>
    Effect.gen(function* () {
      yield* over(bench)
      const { probe } = yield* expected(bench, "Probe")
      yield* bench.pass(Duration.times(lease, 0.5))
      yield* expected(bench, "Probing")
      yield* bench.pass(Duration.times(lease, 0.6))
      yield* expected(bench, "Probe")
      yield* bench.store.leave("host", probe, "unbanned")
      yield* expected(bench, "Probing")
    })

const unreachable: Check = (bench) =>
  Effect.gen(function* () {
    yield* expected(bench, "Unreachable")
    yield* banned(bench)
    yield* bench.store.leave("host", "none", "unbanned")
  }).pipe(
    Effect.timeoutFail({ duration: "5 seconds", onTimeout: () => "an operation does not end" }),
    Effect.catchAllDefect((defect) => Effect.fail(`an operation dies: ${String(defect)}`))
  )

/**
 * The laws of a store: those of every store, and those of the optional abilities in the subject.
 *
 * @since 0.1.0
 * @category constructors
 */
export const of = <R>({ ban = "1 second", lease, make, makeUnreachable, pass }: Subject<R>): ReadonlyArray<Law<R>> => {
  const law = (name: string, made: Effect.Effect<BanStore.Shape, never, R>, check: Check): Law<R> => ({
    name,
    check: Effect.mapError(
      Effect.flatMap(made, (store) => check({ store, pass, ban: Duration.decode(ban) })),
      (detail) => new LawBroken({ law: name, detail })
    )
  })
  return [
    ...Object.entries(everyStore).map(([name, check]) => law(name, make, check)),
    ...(lease === undefined
      ? []
      : [law("frees the place of a dead process' probe after the lease", make, leases(Duration.decode(lease)))]),
    ...(makeUnreachable === undefined
      ? []
      : [law("answers Unreachable where it cannot be reached, and does not die", makeUnreachable, unreachable)])
  ]
}
