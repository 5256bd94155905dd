import type * as History from "@effect-venue/history/History"
import * as Terminal from "@effect/platform/Terminal"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { count, counted } from "./text.js"

const barWidth = 24

const bar = (share: number): string => {
  const full = Math.round(share * barWidth)
  return `[${"#".repeat(full)}${"-".repeat(barWidth - full)}]`
}

export interface Reporter {
  readonly report: (progress: History.Progress) => Effect.Effect<void>
  /** Leaves the last state standing and ends its line. */
  readonly done: Effect.Effect<void>
}

// A bar is redrawn so often that it moves, a line is printed so seldom that a log stays readable.
const every = { bar: 100, line: 2000 }

/** Shows how far an export has come: a bar that is redrawn on a terminal, plain lines elsewhere. */
export const make: Effect.Effect<Reporter, never, Terminal.Terminal> = Effect.gen(function* () {
  const terminal = yield* Terminal.Terminal
  const isTTY = yield* terminal.isTTY
  const startedAt = yield* Clock.currentTimeMillis
  let shownAt = Number.NEGATIVE_INFINITY
  let latest: History.Progress | undefined

  const show = (text: string) => Effect.ignore(terminal.display(text))

  const line = ({ pages, rows, windows, windowsDone }: History.Progress, now: number): string => {
    const rate = Math.round(rows / Math.max((now - startedAt) / 1000, 0.001))
    const state = `${windowsDone}/${counted(windows, "window")}  ${counted(pages, "page")}  ${counted(rows, "row")}  ${count(rate)} rows/s`
    return isTTY ? `\r\u001b[2K${bar(windowsDone / Math.max(windows, 1))} ${state}` : `${state}\n`
  }

  const display = (progress: History.Progress) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      shownAt = now
      return show(line(progress, now))
    })

  return {
    report: (progress) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        latest = progress
        return now - shownAt < (isTTY ? every.bar : every.line) ? Effect.void : display(progress)
      }),
    done: Effect.suspend(() =>
      latest === undefined ? Effect.void : Effect.zipRight(display(latest), isTTY ? show("\n") : Effect.void)
    )
  }
})
