import type * as Failure from "@effect-venue/transport/Failure"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Part from "../Part.js"
import * as DatasetWindows from "./datasetWindows.js"

/** The local clock. One that counts its sleeps may stand between two milliseconds, which a manifest cannot hold. */
export const wholeMillis = Effect.map(Clock.currentTimeMillis, Math.floor)

/** The service's clock of the first part, whole milliseconds. It is known from answers alone, so that one page is read first. */
export const serviceNow = <R>(
  parts: ReadonlyArray<Part.Part<unknown, R>>
): Effect.Effect<number, Failure.ReadFailure, R> =>
  Effect.gen(function* () {
    const part = parts.find(({ dataset }) => Option.isSome(dataset.instant)) ?? parts[0]
    if (part === undefined) return yield* wholeMillis
    const before = Math.floor(yield* part.serverTime)
    yield* part.page({ ...DatasetWindows.ask(part.dataset, { from: before - 1, to: before }), cursor: undefined })
    return Math.floor(yield* part.serverTime)
  })
