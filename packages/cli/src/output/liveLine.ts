import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Diagnostics } from "./diagnostics.js"
import * as Layout from "./layout.js"

/** A line on standard error that shows how far a command is. */
export interface LiveLine {
  /** Shows a state, unless another was shown a moment ago. */
  readonly show: (parts: Effect.Effect<ReadonlyArray<Layout.RankedPart>>) => Effect.Effect<void>
  /** Leaves the last state standing and ends its line. */
  readonly done: Effect.Effect<void>
}

// A line is redrawn so often that it moves, and printed so seldom that a log stays readable.
const every = { redrawn: 100, printed: 2000 }

const barWidth = 24

/** A bar of the share that is done. It gives way first. */
export const bar = (done: number, all: number): Layout.RankedPart => {
  const full = Math.round((done / Math.max(all, 1)) * barWidth)
  return { rank: Number.POSITIVE_INFINITY, text: `[${"#".repeat(full)}${"-".repeat(barWidth - full)}]` }
}

/** Makes a line that is redrawn on a terminal, and printed from time to time elsewhere, without its bar. */
export const make: Effect.Effect<LiveLine> = Effect.gen(function* () {
  const { columns, isTTY, write } = yield* Diagnostics
  let shownAt = Number.NEGATIVE_INFINITY
  let latest: Effect.Effect<ReadonlyArray<Layout.RankedPart>> | undefined

  const draw = (partsNow: Effect.Effect<ReadonlyArray<Layout.RankedPart>>) =>
    Effect.gen(function* () {
      shownAt = yield* Clock.currentTimeMillis
      const parts = yield* partsNow
      if (!isTTY) {
        const printed = parts.filter(({ rank }) => Number.isFinite(rank))
        return yield* write(`${Layout.fitParts(printed, Number.POSITIVE_INFINITY)}\n`)
      }
      const width = yield* columns
      // A wrapped line cannot be redrawn.
      const text = Layout.fitParts(parts, width > 0 ? width - 1 : Number.POSITIVE_INFINITY)
      yield* write(`\r\u001b[2K${text}`)
    })

  return {
    show: (parts) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        latest = parts
        return now - shownAt < (isTTY ? every.redrawn : every.printed) ? Effect.void : draw(parts)
      }),
    done: Effect.suspend(() =>
      latest === undefined ? Effect.void : Effect.zipRight(draw(latest), isTTY ? write("\n") : Effect.void)
    )
  }
})
