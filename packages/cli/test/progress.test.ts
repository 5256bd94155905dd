import * as Datasets from "@effect-venue/history/siblings/Datasets"
import type * as History from "@effect-venue/history/History"
import * as Part from "@effect-venue/history/Part"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Option, TestClock } from "effect"
import { Diagnostics } from "../src/output/diagnostics.js"
import * as Progress from "../src/output/progress.js"

const parts = [Part.make(Datasets.executions, { category: "linear" }), Part.make(Datasets.deposits, {})]

/** Standard error that remembers what was shown. */
const diagnostics = (isTTY: boolean, columns: number) => {
  const shown: Array<string> = []
  return {
    shown,
    service: {
      isTTY,
      columns: Effect.succeed(columns),
      write: (text: string) => Effect.sync(() => void shown.push(text))
    }
  }
}

const options: Progress.Options = {
  parts,
  allowance: () => Effect.succeed(Option.some(10)),
  limiter: {
    states: Effect.succeed([
      { key: "host", limit: 600, remaining: 590, retryAfter: Duration.zero, waiting: 0 },
      { key: "host key path", limit: 10, remaining: 2, retryAfter: Duration.zero, waiting: 3 }
    ])
  }
}

const at = (pages: number, windowsDone: number): History.Progress => ({
  part: "executions-linear",
  rows: pages * 100,
  pages,
  windowsDone,
  windows: 24,
  windowsLeft: { "executions-linear": 20 - windowsDone, deposits: 4 }
})

const reported = (isTTY: boolean, columns = 200) =>
  Effect.gen(function* () {
    const { service, shown } = diagnostics(isTTY, columns)
    const reporter = yield* Effect.provideService(Progress.make(options), Diagnostics, service)
    yield* reporter.report(at(1, 0))
    for (let window = 1; window <= 10; window++) {
      yield* TestClock.adjust("1 second")
      yield* reporter.report(at(10 * window, window))
    }
    yield* reporter.done
    return shown
  })

describe("progress", () => {
  it.effect("is a bar that is redrawn on a terminal", () =>
    Effect.gen(function* () {
      const shown = yield* reported(true)
      expect(shown).toHaveLength(13)
      for (const line of shown.slice(0, -1)) expect(line.startsWith("\r\u001b[2K[")).toBe(true)
      // 10 windows of 100 / (10 + 2) pages at 10 a second, and 4 of deposits with as many at 10 a minute.
      expect(shown[10]).toBe(
        "\r\u001b[2K[##########--------------]  10/24 windows  100 pages  10,000 rows  1,000 rows/s  limit 8/10  about 4 min left"
      )
      expect(shown.at(-1)).toBe("\n")
    })
  )

  it.effect("fits the terminal, so that it can be redrawn: the bar gives way first, rows and time left last", () =>
    Effect.gen(function* () {
      for (const [columns, text] of [
        [
          110,
          "[##########--------------]  10/24 windows  100 pages  10,000 rows  1,000 rows/s  limit 8/10  about 4 min left"
        ],
        [109, "10/24 windows  100 pages  10,000 rows  1,000 rows/s  limit 8/10  about 4 min left"],
        [80, "10/24 windows  100 pages  10,000 rows  1,000 rows/s  about 4 min left"],
        [40, "10,000 rows  about 4 min left"],
        [20, "10,000 rows"]
      ] as const) {
        const shown = yield* reported(true, columns)
        expect(shown[10]).toBe(`\r\u001b[2K${text}`)
      }
    })
  )

  it.effect("has no time left that cannot be computed", () =>
    Effect.gen(function* () {
      const { service, shown } = diagnostics(false, 0)
      const make = Progress.make({ ...options, allowance: () => Effect.succeed(Option.some(0)) })
      const reporter = yield* Effect.provideService(make, Diagnostics, service)
      yield* reporter.report({ ...at(0, 0), rows: 0, windows: 0, windowsLeft: {} })
      yield* reporter.done
      yield* reporter.report(at(1, 0))
      yield* reporter.done
      expect(shown.join("")).not.toMatch(/NaN|Infinity|left/)
    })
  )

  it.effect("is one line at the end without a terminal", () =>
    Effect.gen(function* () {
      const shown = yield* reported(false)
      expect(shown).toEqual(["10/24 windows  100 pages  10,000 rows  1,000 rows/s  limit 8/10  about 4 min left\n"])
    })
  )
})
