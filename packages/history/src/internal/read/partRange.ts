import type * as Failure from "@effect-venue/transport/Failure"
import * as Effect from "effect/Effect"
import type * as Dataset from "../../Dataset.js"
import type * as Part from "../../Part.js"
import * as DatasetWindows from "../model/datasetWindows.js"

/** Instants, oldest first, each once. */
export const instants = (all: ReadonlyArray<number>): ReadonlyArray<number> => [...new Set(all)].sort((a, b) => a - b)

/** Refuses the requests of an invalid part before anything is sent or written. */
export const checkRange = <R>(
  part: Part.Part<unknown, R>,
  range: Dataset.Window
): Effect.Effect<void, Failure.InvalidRequest, R> => {
  const [window] = DatasetWindows.windowsOf(part.dataset, range)
  return window === undefined
    ? Effect.void
    : part.check({ ...DatasetWindows.ask(part.dataset, window), cursor: undefined })
}

/** Instants of a range whose records can still appear or change. */
export const pendingIn = <R>(
  part: Part.Part<unknown, R>,
  { from, to }: Dataset.Window
): Effect.Effect<ReadonlyArray<number>, Failure.ReadFailure, R> =>
  Effect.map(part.pending, (all) => instants(all.filter((at) => at >= from && at < to)))
