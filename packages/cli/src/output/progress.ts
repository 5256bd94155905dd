import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import type * as Part from "@effect-venue/history/Part"
import type * as History from "@effect-venue/history/History"
import type * as RateLimiter from "@effect-venue/transport/RateLimiter"
import * as DocumentedLimits from "@effect-venue/transport/siblings/DocumentedLimits"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Diagnostics } from "./diagnostics.js"
import { count, countNoun } from "./text.js"

const barWidth = 24

const bar = (share: number): string => {
  const full = Math.round(share * barWidth)
  return `[${"#".repeat(full)}${"-".repeat(barWidth - full)}]`
}

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

// A bar is redrawn so often that it moves, a line is printed so seldom that a log stays readable.
const every = { bar: 100, line: 2000 }

/** Windows that an export reads side by side. */
const sideBySide = 4

const ipRate = DocumentedLimits.perIp.count / Duration.toSeconds(DocumentedLimits.perIp.window)

/** The rate limit that is closest to full, as taken and allowed calls. */
const fullest = (states: ReadonlyArray<RateLimiter.State>): string => {
  const [state] = states
    .map(({ limit, remaining }) => ({ limit, taken: Math.max(limit - remaining, 0) }))
    .sort((a, b) => b.taken / b.limit - a.taken / a.limit)
  return state === undefined ? "" : `  limit ${state.taken}/${state.limit}`
}

const left = (seconds: number): string =>
  seconds < 90
    ? `${Math.max(1, Math.ceil(seconds))} s`
    : seconds < 5400
      ? `${Math.ceil(seconds / 60)} min`
      : `${(seconds / 3600).toFixed(1)} h`

/** Shows the progress of an export: a bar that is redrawn on a terminal, plain lines elsewhere. */
export const make = ({ allowance, limiter, parts }: Options): Effect.Effect<Reporter> =>
  Effect.gen(function* () {
    const { columns: width, isTTY, write } = yield* Diagnostics
    const startedAt = yield* Clock.currentTimeMillis
    const byName = new Map(parts.map((part) => [part.name, part]))
    /** Pages and windows that were read in this run, of each dataset. */
    const read = new Map<string, { pages: number; windows: number }>()
    let shownAt = Number.NEGATIVE_INFINITY
    let latest: History.Progress | undefined

    const note = (progress: History.Progress): void => {
      const dataset = byName.get(progress.part)?.dataset.name
      if (dataset !== undefined) {
        const before = read.get(dataset) ?? { pages: 0, windows: 0 }
        read.set(dataset, {
          pages: before.pages + progress.pages - (latest?.pages ?? 0),
          windows: before.windows + (latest === undefined ? 0 : progress.windowsDone - latest.windowsDone)
        })
      }
      latest = progress
    }

    /** The mean number of pages of the windows of a dataset so far, or of all datasets before its first. Unfinished windows count as half read. */
    const pagesPerWindow = (dataset: string, underWay: number): number => {
      const sum = [...read.values()].reduce(
        (all, dataset) => ({ pages: all.pages + dataset.pages, windows: all.windows + dataset.windows }),
        { pages: 0, windows: 0 }
      )
      const { pages, windows } = read.get(dataset) ?? sum
      const begun = windows + underWay / 2
      return begun > 0 ? Math.max(1, pages / begun) : 1
    }

    /** Pages a second that the rate limit of a part allows. */
    const rateOf = ({ dataset: { endpoint }, parameters }: Part.Part): Effect.Effect<number> =>
      Effect.map(allowance(endpoint, parameters.category), (limit) =>
        Option.match(Option.all([limit, endpoint.rateLimit]), {
          onNone: () => ipRate,
          onSome: ([calls, { window }]) => Math.min(ipRate, calls / Duration.toSeconds(window))
        })
      )

    /** The remaining time at the rate limits: the windows that are left, with the mean number of pages so far. */
    const eta = ({ windowsLeft }: History.Progress): Effect.Effect<string> =>
      Effect.map(
        Effect.forEach(parts, (part) =>
          Effect.map(rateOf(part), (rate) => {
            const windows = windowsLeft[part.name] ?? 0
            return (windows * pagesPerWindow(part.dataset.name, Math.min(windows, sideBySide))) / rate
          })
        ),
        (seconds) => {
          const all = seconds.reduce((sum, rest) => sum + rest, 0)
          return all === 0 ? "" : `  about ${left(all)} left`
        }
      )

    const line = (progress: History.Progress, now: number): Effect.Effect<string> =>
      Effect.gen(function* () {
        const { pages, rows, windows, windowsDone } = progress
        const rate = Math.round(rows / Math.max((now - startedAt) / 1000, 0.001))
        const state = `${windowsDone}/${countNoun(windows, "window")}  ${countNoun(pages, "page")}  ${countNoun(rows, "row")}  ${count(rate)} rows/s`
        const text = `${state}${fullest(yield* limiter.states)}${yield* eta(progress)}`
        if (!isTTY) return `${text}\n`
        const columns = yield* width
        const drawn = `${bar(windowsDone / Math.max(windows, 1))} ${text}`
        // A wrapped line cannot be redrawn.
        return `\r\u001b[2K${columns > 0 ? drawn.slice(0, columns - 1) : drawn}`
      })

    const display = (progress: History.Progress) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        shownAt = now
        yield* write(yield* line(progress, now))
      })

    return {
      report: (progress) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => {
          note(progress)
          return now - shownAt < (isTTY ? every.bar : every.line) ? Effect.void : display(progress)
        }),
      done: Effect.suspend(() =>
        latest === undefined ? Effect.void : Effect.zipRight(display(latest), isTTY ? write("\n") : Effect.void)
      ),
      latest: Effect.sync(() => Option.fromNullable(latest))
    }
  })
