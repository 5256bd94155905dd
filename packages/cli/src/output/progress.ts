import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import type * as Part from "@effect-venue/history/Part"
import type * as History from "@effect-venue/history/History"
import type * as RateLimiter from "@effect-venue/transport/RateLimiter"
import * as DocumentedLimits from "@effect-venue/transport/siblings/DocumentedLimits"
import { countNoun, formatCount, formatDuration } from "@effect-venue/schemas/siblings/Words"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Layout from "./layout.js"
import * as LiveLine from "./liveLine.js"

export interface Reporter {
  readonly report: (progress: History.Progress) => Effect.Effect<void>
  /** Leaves the last state standing and ends its line. */
  readonly done: Effect.Effect<void>
  /** The last state, if any. */
  readonly latest: Effect.Effect<Option.Option<History.Progress>>
}

export interface Options {
  readonly parts: ReadonlyArray<Part.Part>
  /** The limit per UID that is in force for an operation. */
  readonly allowance: (
    endpoint: Endpoint.Properties,
    category: string | undefined
  ) => Effect.Effect<Option.Option<number>>
  readonly limiter: Pick<RateLimiter.RateLimiter.Shape, "states">
}

/** Windows that an export reads side by side. */
const sideBySide = 4

const ipRate = DocumentedLimits.perIp.count / Duration.toSeconds(DocumentedLimits.perIp.window)

/** The rate limit that is closest to full, as taken and allowed calls. */
const fullest = (states: ReadonlyArray<RateLimiter.State>): string => {
  const [state] = states
    .map(({ limit, remaining }) => ({ limit, taken: Math.max(limit - remaining, 0) }))
    .sort((a, b) => b.taken / b.limit - a.taken / a.limit)
  return state === undefined ? "" : `limit ${state.taken}/${state.limit}`
}

/** Pages and windows that were read in this run. */
interface ReadSoFar {
  readonly pages: number
  readonly windows: number
}

/** Learns how many pages the windows of each dataset have. */
const makePace = (parts: ReadonlyArray<Part.Part>) => {
  const datasetOf = new Map(parts.map((part) => [part.name, part.dataset.name]))
  const read = new Map<string, ReadSoFar>()
  let latest: History.Progress | undefined
  return {
    latest: () => latest,
    note: (progress: History.Progress): void => {
      const dataset = datasetOf.get(progress.part)
      if (dataset !== undefined) {
        const before = read.get(dataset) ?? { pages: 0, windows: 0 }
        read.set(dataset, {
          pages: before.pages + progress.pages - (latest?.pages ?? 0),
          windows: before.windows + (latest === undefined ? 0 : progress.windowsDone - latest.windowsDone)
        })
      }
      latest = progress
    },
    /** The mean number of pages of the windows of a dataset so far, or of all datasets before its first. Unfinished windows count as half read. */
    pagesPerWindow: (dataset: string, underWay: number): number => {
      const sum = [...read.values()].reduce<ReadSoFar>(
        (all, dataset) => ({ pages: all.pages + dataset.pages, windows: all.windows + dataset.windows }),
        { pages: 0, windows: 0 }
      )
      const { pages, windows } = read.get(dataset) ?? sum
      const begun = windows + underWay / 2
      return begun > 0 ? Math.max(1, pages / begun) : 1
    }
  }
}

/** Pages a second that the rate limit of a part allows. */
const rateOf = (
  { dataset: { endpoint }, parameters }: Part.Part,
  allowance: Options["allowance"]
): Effect.Effect<number> =>
  Effect.map(allowance(endpoint, parameters.category), (limit) =>
    Option.match(Option.all([limit, endpoint.rateLimit]), {
      onNone: () => ipRate,
      onSome: ([calls, { window }]) => Math.min(ipRate, calls / Duration.toSeconds(window))
    })
  )

/** The remaining time at the rate limits, as text; empty if it is not known. */
const timeLeft = (secondsOfParts: ReadonlyArray<number>): string => {
  const all = secondsOfParts.reduce((sum, rest) => sum + rest, 0)
  return all > 0 && Number.isFinite(all) ? `about ${formatDuration(Math.max(all, 1) * 1000)} left` : ""
}

/** Shows the progress of an export: a bar that is redrawn on a terminal, one plain line at the end elsewhere. */
export const make = ({ allowance, limiter, parts }: Options): Effect.Effect<Reporter> =>
  Effect.gen(function* () {
    const line = yield* LiveLine.make
    const startedAt = yield* Clock.currentTimeMillis
    const { latest, note, pagesPerWindow } = makePace(parts)

    /** The windows that are left, with the mean number of pages so far. */
    const eta = ({ windowsLeft }: History.Progress): Effect.Effect<string> =>
      Effect.map(
        Effect.forEach(parts, (part) =>
          Effect.map(rateOf(part, allowance), (rate) => {
            const windows = windowsLeft[part.name] ?? 0
            return (windows * pagesPerWindow(part.dataset.name, Math.min(windows, sideBySide))) / rate
          })
        ),
        timeLeft
      )

    /** What is shown, the least important with the highest rank. */
    const partsOf = (progress: History.Progress): Effect.Effect<ReadonlyArray<Layout.RankedPart>> =>
      Effect.gen(function* () {
        const { pages, rows, windows, windowsDone } = progress
        const seconds = ((yield* Clock.currentTimeMillis) - startedAt) / 1000
        return [
          LiveLine.bar(windowsDone, windows),
          { rank: 2, text: `${windowsDone}/${countNoun(windows, "window")}` },
          { rank: 4, text: countNoun(pages, "page") },
          { rank: 0, text: countNoun(rows, "row") },
          { rank: 3, text: `${formatCount(Math.round(rows / Math.max(seconds, 0.001)))} rows/s` },
          { rank: 5, text: fullest(yield* limiter.states) },
          { rank: 1, text: yield* eta(progress) }
        ]
      })

    return {
      report: (progress) =>
        Effect.suspend(() => {
          note(progress)
          return line.show(partsOf(progress))
        }),
      done: line.done,
      latest: Effect.sync(() => Option.fromNullable(latest()))
    }
  })
