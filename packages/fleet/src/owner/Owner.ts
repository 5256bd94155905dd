/**
 * The owner of an egress address. Until its ownership ends, it runs the due exports of the address, about nine accounts at a time, and records their
 * results in the ledger.
 *
 * It checks its lease before each call and the ledger before each write, so a frozen owner that was replaced writes nothing.
 *
 * @sibling
 */
import type * as ExportFailure from "@effect-venue/history/ExportFailure"
import * as History from "@effect-venue/history/History"
import type * as Sink from "@effect-venue/history/Sink"
import * as Manifest from "@effect-venue/history/Manifest"
import * as Credentials from "@effect-venue/signing/Credentials"
import * as Hmac from "@effect-venue/signing/Hmac"
import * as Signer from "@effect-venue/signing/Signer"
import * as BanGate from "@effect-venue/transport/BanGate"
import * as Connections from "@effect-venue/transport/Connections"
import type * as Egress from "@effect-venue/transport/Egress"
import * as Gauges from "@effect-venue/transport/siblings/GaugeReadings"
import * as RateLimiter from "@effect-venue/transport/RateLimiter"
import * as Transport from "@effect-venue/transport/Transport"
import * as Endpoints from "@effect-venue/schemas/Endpoints"
import { formatDuration, formatInstant } from "@effect-venue/schemas/siblings/Words"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Schedule from "effect/Schedule"
import { CredentialSource } from "../accounts/CredentialSource.js"
import type { FleetAccount } from "../accounts/Accounts.js"
import { type AccountExport, exportsOf, partOf } from "../accounts/accountExports.js"
import * as DeclaredRange from "../accounts/declaredRange.js"
import * as Fence from "../ledger/fence.js"
import { mostAttempts } from "../ledger/idle.js"
import * as Judge from "./judge.js"
import { type Claim, Ledger, LedgerFailed, type NotOwner, type Ownership } from "../ledger/Ledger.js"
import * as Metrics from "./Metrics.js"

export interface Options<E, R, SinkR> {
  readonly egress: Egress.Egress<E, R>
  /** From `Ledger.own`. */
  readonly ownership: Ownership
  /** Fails when the ownership has ended, such as after the deadline of a lease. Runs before each call and write. */
  readonly lease?: Effect.Effect<void, NotOwner> | undefined
  /** Returns the current declaration of an account. */
  readonly find: (account: string) => Effect.Effect<Option.Option<FleetAccount>>
  /** The sink of an export, which no other export uses. */
  readonly sink: SinkOf<SinkR>
  /** How many accounts are exported side by side. Defaults to 9, which fill an address. */
  readonly accountsAtOnce?: number | undefined
  /** How often an idle owner looks for exports that were added or resumed. Defaults to 5 seconds. */
  readonly pollEvery?: Duration.DurationInput | undefined
  /** Ends when no export is due. A failed export is run up to five times. Defaults to false. */
  readonly untilIdle?: boolean | undefined
}

/**
 * The sink of an export, by its account, its part such as `executions-linear`, and a fence, which fails if the export has a later owner.
 *
 * The owner checks the ledger before each write. A sink in the database of the ledger should also pass the fence to `SqlSink.make({ name, fence })`,
 * which checks it in the transaction of the write, so that nothing happens between the check and the write. The fence runs on the connection of that
 * transaction, so a sink in another database ignores it.
 */
export type SinkOf<R> = (
  account: FleetAccount,
  part: string,
  fence: Effect.Effect<void, ExportFailure.SinkFailure>
) => Sink.Sink<R>

const defaultAccountsAtOnce = 9

const reportEvery = Duration.seconds(10)

/** The services that the accounts of an address share, with connections that keep to the lease. */
/** The services of an address whose last owner has noted its use of the limits, if it has. */
const servicesOf = <E, R>(
  { layer, layerAfter = () => layer }: Egress.Egress<E, R>,
  left: Option.Option<ReadonlyMap<string, number>>,
  fence: Fence.Fence,
  onCall: () => void
) =>
  Effect.map(Layer.build(Option.match(left, { onNone: () => layer, onSome: layerAfter })), (services) =>
    Context.add(
      services,
      Connections.Connections,
      Fence.guardConnections(Context.get(services, Connections.Connections), fence, onCall)
    )
  )

const transportOf = (credentials: Credentials.Credentials.Shape, services: Context.Context<Egress.Services>) =>
  Effect.flatMap(Hmac.Hmac, (hmac) =>
    Effect.provide(
      Transport.make,
      services.pipe(
        Context.add(Credentials.Credentials, credentials),
        Context.add(Signer.Signer, Signer.make(credentials, hmac))
      )
    )
  )

/** A claimed export with its sink. */
interface Job<SinkR> {
  readonly claim: Claim
  readonly account: FleetAccount
  readonly export: AccountExport
  readonly sink: Sink.Sink<SinkR>
  /** The other exports of the account, whose rows can prove that a new API key belongs to it. */
  readonly related: ReadonlyArray<{ readonly export: AccountExport; readonly sink: Sink.Sink<SinkR> }>
}

/** Reads the missing and new rows of an export. Returns the manifest and the number of pages. */
const read = <SinkR>(job: Job<SinkR>, services: Context.Context<Egress.Services>) =>
  Effect.gen(function* () {
    const { account, sink } = job
    const source = yield* CredentialSource
    const transport = yield* transportOf(yield* source.get(account), services)
    const partsOf = (subject: AccountExport) => [partOf(subject, account, transport)]
    const parts = partsOf(job.export)
    const related = job.related.map((sibling) => ({ parts: partsOf(sibling.export), sink: sibling.sink }))
    let pages = 0
    const manifest = yield* DeclaredRange.run(account, {
      run: (range, incremental) =>
        Effect.suspend(() => {
          const before = pages
          return History.runAll(parts, range, sink, {
            incremental: incremental && { overlap: Option.getOrUndefined(account.overlap ?? Option.none()) },
            related,
            sameAccount: account.sameAccount,
            onProgress: (progress) => Effect.sync(() => (pages = before + progress.pages))
          })
        }),
      standing: History.inspect(parts, sink)
    })
    return { manifest, pages }
  }).pipe(Effect.provideService(BanGate.WhenBanned, "wait"))

const isLedgerFailed = (error: unknown): error is LedgerFailed => error instanceof LedgerFailed

/** Repeats until the ledger is reachable. */
const patiently = <A, E, R>(effect: Effect.Effect<A, E | LedgerFailed, R>) =>
  effect.pipe(
    Effect.tapError((error) => (isLedgerFailed(error) ? Effect.logWarning(error.message) : Effect.void)),
    Effect.retry({
      while: isLedgerFailed,
      schedule: Schedule.union(Schedule.exponential("100 millis"), Schedule.spaced("5 seconds"))
    }),
    Effect.catchIf(isLedgerFailed, Effect.die)
  )

type Outcome = "done" | "incomplete" | "failed" | "stopped" | "lost"

const outcome = (name: Outcome): Outcome => name

/** An export died with a defect of this library or of a sink, which must not end the other exports. */
class ExportDied extends Data.TaggedError("ExportDied")<{ readonly message: string }> {}

/** Records a failed export in the ledger. */
const noteFailure = (ledger: Ledger.Shape, claim: Claim, failure: Judge.Failed) =>
  Effect.gen(function* () {
    const verdict = Judge.judge(failure)
    const text = Judge.textOf(failure)
    yield* Effect.logWarning(`export of ${claim.account}, ${claim.part}: ${text}`)
    if (verdict._tag === "Stop") {
      yield* patiently(ledger.stop(claim, { failure: text, scope: verdict.scope }))
      return outcome("stopped")
    }
    const now = yield* Clock.currentTimeMillis
    yield* patiently(ledger.failed(claim, { retryAt: now + Judge.pauseAfter(claim.attempts), failure: text }))
    return outcome("failed")
  })

/** Records the manifest of an export in the ledger. */
const noteResult = (
  ledger: Ledger.Shape,
  { account, claim }: Job<unknown>,
  startedAt: number,
  { manifest, pages }: Effect.Effect.Success<ReturnType<typeof read>>
) =>
  Effect.gen(function* () {
    const coverage = DeclaredRange.coverageOf(account, manifest)
    const now = yield* Clock.currentTimeMillis
    if (Manifest.needsAttention(manifest)) {
      const because = Option.getOrElse(coverage.because, () => "see its manifest")
      yield* Effect.logWarning(`export of ${claim.account}, ${claim.part}: ${Judge.incompleteText(because)}`)
    }
    if (coverage.verdict === "incomplete" && claim.isOnce) {
      const failure = Judge.incompleteText(Option.getOrElse(coverage.because, () => "see its manifest"))
      yield* patiently(
        // Its gaps are read again, until they are filled or lost. Nothing else fills a range that was not exported.
        manifest.missing.some(({ lost }) => !lost)
          ? ledger.failed(claim, { retryAt: now + Judge.pauseAfter(claim.attempts), failure })
          : ledger.stop(claim, { failure, scope: "export" })
      )
      return outcome("incomplete")
    }
    yield* patiently(ledger.done(claim, { now, startedAt, pages, coverage }))
    return outcome(coverage.verdict === "complete" ? "done" : "incomplete")
  })

/** Assigns each export of an address to one worker. */
const dispatcher = <E, R, SinkR>(options: Options<E, R, SinkR>, ledger: Ledger.Shape) =>
  Effect.gen(function* () {
    const { ownership, untilIdle = false } = options
    const pollEvery = Duration.toMillis(options.pollEvery ?? "5 seconds")
    const busy = new Set<string>()
    // One worker at a time asks the ledger, and waits if nothing is due; the others wait for it.
    const mutex = yield* Effect.makeSemaphore(1)
    const ended = yield* Queue.dropping<void>(1)
    let isUnanswered = false

    /** Releases claims whose response was lost. Returns whether an export is due again. */
    const reclaim = Effect.map(
      Effect.suspend(() => patiently(ledger.reclaim(ownership, { busy: [...busy] }))),
      (count) => {
        isUnanswered = false
        return count > 0
      }
    )

    const claim = Effect.gen(function* () {
      for (;;) {
        const now = yield* Clock.currentTimeMillis
        const attempt = Effect.tapErrorTag(ledger.claim(ownership, { now, busy: [...busy] }), "LedgerFailed", () =>
          Effect.sync(() => (isUnanswered = true))
        )
        const claimed = yield* patiently(attempt)
        if (Option.isSome(claimed)) {
          busy.add(claimed.value.account)
          if (isUnanswered) yield* reclaim
          return claimed
        }
        // Also releases a late claim that arrived after the response to the next one.
        if (yield* reclaim) continue
        const next = yield* patiently(
          ledger.nextDue(ownership, { busy: [...busy], ...(untilIdle ? { retriesBelow: mostAttempts } : {}) })
        )
        if (untilIdle && Option.isNone(next) && busy.size === 0) return Option.none<Claim>()
        const pause = Option.match(next, { onNone: () => pollEvery, onSome: (at) => Math.min(at - now, pollEvery) })
        yield* Effect.raceFirst(Effect.sleep(Math.max(pause, 1)), Queue.take(ended))
      }
    })
    return {
      next: mutex.withPermits(1)(claim),
      end: ({ account }: Claim) =>
        Effect.suspend(() => {
          busy.delete(account)
          return Queue.offer(ended, undefined)
        })
    }
  })

/** The work for a claim; none if the account is not declared here, for example while a declaration is replaced. */
const jobOf = <E, R, SinkR>(
  { find, sink }: Options<E, R, SinkR>,
  ledger: Ledger.Shape,
  fence: Fence.Fence,
  claim: Claim
) =>
  Effect.gen(function* () {
    const account = yield* find(claim.account)
    const own = Option.flatMapNullable(account, (found) => exportsOf(found).find(({ part }) => part === claim.part))
    if (Option.isNone(account) || Option.isNone(own)) {
      const now = yield* Clock.currentTimeMillis
      const failure = "it is not declared where its address is owned"
      yield* patiently(ledger.failed(claim, { retryAt: now + Judge.pauseAfter(claim.attempts), failure }))
      return undefined
    }
    const guard = Fence.guardOf(ledger, claim, fence)
    const sinkFor = (part: string) => Fence.fenceSink(sink(account.value, part, guard.within), guard)
    const related = exportsOf(account.value).flatMap((sibling) =>
      sibling.part === claim.part ? [] : [{ export: sibling, sink: sinkFor(sibling.part) }]
    )
    return {
      claim,
      account: account.value,
      export: own.value,
      sink: sinkFor(claim.part),
      related
    } satisfies Job<SinkR>
  })

/** Runs an export and records its result. */
const exporting =
  <E, R, SinkR>(
    options: Options<E, R, SinkR>,
    ledger: Ledger.Shape,
    fence: Fence.Fence,
    services: Context.Context<Egress.Services>
  ) =>
  (claim: Claim) =>
    Effect.gen(function* () {
      const job = yield* jobOf(options, ledger, fence, claim)
      if (job === undefined) return outcome("failed")
      const startedAt = yield* Clock.currentTimeMillis
      const result = yield* Effect.either(
        Effect.catchAllDefect(read(job, services), (defect) => new ExportDied({ message: String(defect) }))
      )
      return yield* result._tag === "Left"
        ? noteFailure(ledger, claim, result.left)
        : noteResult(ledger, job, startedAt, result.right)
    }).pipe(
      Effect.catchTag("ClaimLost", ({ message }) => Effect.as(Effect.logInfo(message), outcome("lost"))),
      // An interrupted export stays due; the next owner claims it.
      // A finalizer is uninterruptible by default, and then has no timeout either.
      Effect.onInterrupt(() => Effect.ignore(Effect.timeout(Effect.interruptible(ledger.release(claim)), "2 seconds"))),
      Effect.withSpan("venue.fleet.export", {
        attributes: {
          account: claim.account,
          part: claim.part,
          egress: options.egress.name,
          epoch: options.ownership.epoch
        }
      })
    )

/** Reports the calls per second since the last report. If the ledger is unreachable, the report is skipped. */
const reporting = (ledger: Ledger.Shape, ownership: Ownership, callsSince: () => number) =>
  Effect.gen(function* () {
    const callsPerSecond = callsSince() / Duration.toSeconds(reportEvery)
    yield* Metric.set(Metric.tagged(Metrics.callsPerSecond, "egress", ownership.egress), callsPerSecond)
    const now = yield* Clock.currentTimeMillis
    yield* Effect.catchTag(ledger.report(ownership, { now, callsPerSecond }), "LedgerFailed", ({ message }) =>
      Effect.logWarning(message)
    )
  })

/** How often a waiting owner looks for the reason. */
const explainEvery = Duration.seconds(2)

/** Calls that wait at least this long are explained, in milliseconds. */
const longWait = 3000

/** The operation of a rate limit, by the path in its key. */
const operationOf = ({ key }: RateLimiter.State): string => {
  const words = key.split(" ")
  return Endpoints.all.find(({ path }) => words.includes(path))?.name ?? "the address"
}

/** Logs why no call was sent for a while: the limit that is free last, and when. */
const explaining = (limiter: RateLimiter.RateLimiter.Shape, callsSoFar: () => number) =>
  Effect.gen(function* () {
    let explainedUntil = 0
    let before = callsSoFar()
    const look = Effect.gen(function* () {
      const isIdle = callsSoFar() === before
      before = callsSoFar()
      const waits = (yield* limiter.states)
        .filter(({ waiting }) => waiting > 0)
        .map((state) => ({ operation: operationOf(state), millis: Duration.toMillis(state.retryAfter) }))
        .filter(({ millis }) => Number.isFinite(millis))
      const longest = waits.toSorted((left, right) => right.millis - left.millis)[0]
      const now = yield* Clock.currentTimeMillis
      if (!isIdle || longest === undefined || longest.millis < longWait) return
      // Said once: the instant moves by a few milliseconds from look to look.
      if (now + longest.millis < explainedUntil + longWait) return
      explainedUntil = now + longest.millis
      yield* Effect.logInfo(
        `waits for the rate limit of ${longest.operation}, ${formatDuration(longest.millis)}, until ${formatInstant(explainedUntil)} UTC`
      )
    })
    return yield* Effect.forever(Effect.zipRight(Effect.sleep(explainEvery), look))
  })

/** The longest window of a rate limit, in milliseconds. After it, a limit that was not used here is free. */
const longestWindow = Math.max(
  ...Endpoints.all.map(({ rateLimit }) =>
    Option.match(rateLimit, { onNone: () => 0, onSome: ({ window }) => Duration.toMillis(window) })
  )
)

/** The use of the rate limits when an owner has ended; `none` if it does not know it, because it ended during its rest. */
export const usageAtEnd = (
  states: ReadonlyArray<RateLimiter.State>,
  left: Option.Option<ReadonlyMap<string, number>>,
  ranFor: number
): Option.Option<ReadonlyMap<string, number>> => {
  const used = states.map(({ key, limit, remaining }) => [key, Math.max(limit - remaining, 0)] as const)
  if (ranFor > longestWindow) return Option.some(new Map(used))
  // What the owner before has used of other limits can still count.
  return Option.map(left, (before) => new Map([...before, ...used]))
}

/** Notes the use of the rate limits, so that the next owner need not take them for full. Nothing is sent any more. */
const leaving = (
  ledger: Ledger.Shape,
  ownership: Ownership,
  {
    left,
    limiter,
    startedAt
  }: {
    readonly left: Option.Option<ReadonlyMap<string, number>>
    readonly limiter: RateLimiter.RateLimiter.Shape
    readonly startedAt: bigint
  }
) =>
  Effect.gen(function* () {
    const ranFor = Number((yield* Clock.currentTimeNanos) - startedAt) / 1_000_000
    const usage = usageAtEnd(yield* limiter.states, left, ranFor)
    if (Option.isSome(usage)) yield* ledger.leave(ownership, usage.value)
  }).pipe(Effect.interruptible, Effect.timeout("2 seconds"), Effect.ignore)

/**
 * Runs the exports of an address until its ownership ends, or, with `untilIdle`, until none is due. Begins with a rest of one window if the
 * egress is configured so, as by `Egress.make`, and the owner before has not noted its use of the limits at its end. Retries an unreachable ledger until it responds. Fails with `NotOwner` when the ownership
 * ends, after all exports have been interrupted.
 */
export const run = <E, R, SinkR>(
  options: Options<E, R, SinkR>
): Effect.Effect<void, NotOwner | E, R | SinkR | Ledger | CredentialSource> =>
  Effect.gen(function* () {
    const { accountsAtOnce = defaultAccountsAtOnce, egress, ownership } = options
    const ledger = yield* Ledger
    const fence = yield* Fence.make(options.lease ?? Effect.void)
    const startedAt = yield* Clock.currentTimeNanos
    const calls = { all: 0, reported: 0 }
    const left = yield* patiently(ledger.leftUsage(ownership))
    const services = yield* servicesOf(egress, left, fence, () => calls.all++)
    const limiter = Context.get(services, RateLimiter.RateLimiter)
    yield* Effect.provide(Gauges.limits({ egress: egress.name }), services)
    const { end, next } = yield* dispatcher(options, ledger)
    const running = Metric.tagged(Metrics.running, "egress", egress.name)
    const ended = Metric.tagged(Metrics.exports, "egress", egress.name)
    const runExport = exporting(options, ledger, fence, services)

    const worker = Effect.gen(function* () {
      for (;;) {
        const claim = yield* next
        if (Option.isNone(claim)) return
        yield* Metric.incrementBy(running, 1)
        const outcome = yield* Effect.ensuring(
          runExport(claim.value),
          Effect.zipRight(end(claim.value), Metric.incrementBy(running, -1))
        )
        yield* Metric.increment(Metric.tagged(ended, "outcome", outcome))
      }
    })
    const workers = Effect.all(
      Array.from({ length: accountsAtOnce }, () => worker),
      { concurrency: "unbounded", discard: true }
    )

    const report = reporting(ledger, ownership, () => {
      const since = calls.all - calls.reported
      calls.reported = calls.all
      return since
    })
    yield* report
    const reports = Effect.forever(Effect.zipRight(Effect.sleep(reportEvery), report))
    const beside = Effect.raceFirst(
      reports,
      explaining(limiter, () => calls.all)
    )
    yield* Effect.raceFirst(Effect.raceFirst(workers, beside), fence.over).pipe(
      Effect.ensuring(leaving(ledger, ownership, { left, limiter, startedAt }))
    )
  }).pipe(Effect.scoped)
