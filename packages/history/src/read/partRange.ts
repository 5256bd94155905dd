import type * as Instant from "@effect-venue/schemas/Instant"
import type * as Failure from "@effect-venue/transport/Failure"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Dataset from "../model/Dataset.js"
import type { BeyondRetention } from "../model/ExportFailure.js"
import type * as Manifest from "../model/Manifest.js"
import type * as Part from "../model/Part.js"
import * as DatasetWindows from "../model/datasetWindows.js"
import * as Ranges from "../model/ranges.js"
import { serviceNow } from "./serviceNow.js"

/** Records that are not settled, oldest first. */
export const inOrder = (all: ReadonlyArray<Manifest.Unsettled>): ReadonlyArray<Manifest.Unsettled> =>
  all.toSorted((left, right) => left.at - right.at)

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

/** Records of a range that can still appear or change. */
export const pendingIn = <R>(
  part: Part.Part<unknown, R>,
  { from, to }: Dataset.Window
): Effect.Effect<ReadonlyArray<Manifest.Unsettled>, Failure.ReadFailure, R> =>
  Effect.map(part.pending, (all) => inOrder(all.filter(({ at }) => at >= from && at < to)))

/** A range whose end defaults to the service's clock. */
interface Options extends Omit<Ranges.RetainedRange, "to"> {
  readonly to?: Instant.Input | undefined
}

/**
 * The range of a part, checked against the retention. The retention is counted by the service's clock, which is known from its answers
 * only: before the first one a page is read, so that a wrong clock of this machine neither refuses a range nor shortens it.
 */
export const rangeWithinRetention = <R>(
  part: Part.Part<unknown, R>,
  { beyondRetention, from, to }: Options
): Effect.Effect<Dataset.Window, Failure.ReadFailure | BeyondRetention, R> =>
  Effect.gen(function* () {
    const { name } = part.dataset.endpoint
    const keeps = part.dataset.windows.reachBack
    const within = (now: number) => Ranges.within(name, { from, to: to ?? now, beyondRetention }, { keeps, now })
    // An invalid range is refused before anything is sent.
    if (to !== undefined && from !== "earliest") yield* Ranges.make(name, { from, to })
    if (Option.isNone(keeps) && (to !== undefined || from === "earliest")) return yield* within(0)
    const stated = to === undefined ? Option.none<number>() : yield* part.serverTime
    return yield* within(Option.isSome(stated) ? stated.value : yield* serviceNow([part]))
  })
