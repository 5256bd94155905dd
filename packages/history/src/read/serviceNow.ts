import type * as Failure from "@effect-venue/transport/Failure"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Part from "../model/Part.js"
import * as DatasetWindows from "../model/datasetWindows.js"

/** The local clock in whole milliseconds, as manifests need them. */
export const wholeMillis = Effect.map(Clock.currentTimeMillis, Math.floor)

/** The service's clock, or the local one while no answer has stated it. */
export const likelyTime = <R>(part: Part.Part<unknown, R>): Effect.Effect<number, never, R> =>
  Effect.flatMap(
    part.serverTime,
    Option.match({ onNone: () => Clock.currentTimeMillis, onSome: (now) => Effect.succeed(now) })
  )

/**
 * The service's clock after an answer. Those of some operations do not state it: the wallet is asked for then, whose answer does, even if
 * it is a refusal. None if that has no answer either.
 */
export const readStatedTime = <R>(part: Part.Part<unknown, R>): Effect.Effect<Option.Option<number>, never, R> =>
  Effect.flatMap(part.serverTime, (now) =>
    Option.isSome(now) ? Effect.succeed(now) : Effect.zipRight(Effect.ignore(part.wallet), part.serverTime)
  )

/** The service's clock of the first part, whole milliseconds. It is known from answers alone, so that one page is read first. */
export const serviceNow = <R>(
  parts: ReadonlyArray<Part.Part<unknown, R>>
): Effect.Effect<number, Failure.ReadFailure, R> =>
  Effect.gen(function* () {
    const part = parts.find(({ dataset }) => Option.isSome(dataset.instant)) ?? parts[0]
    if (part === undefined) return yield* wholeMillis
    const before = Math.floor(yield* likelyTime(part))
    yield* part.page({ ...DatasetWindows.ask(part.dataset, { from: before - 1, to: before }), cursor: undefined })
    return Option.match(yield* readStatedTime(part), { onNone: () => before, onSome: Math.floor })
  })
