import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Diagnostics } from "./diagnostics.js"
import * as Layout from "./layout.js"

/** A line on standard error that shows how far a command is. */
export interface LiveLine {
  /** Shows a state on a terminal, unless another was shown a moment ago. */
  readonly show: (parts: Effect.Effect<ReadonlyArray<Layout.RankedPart>>) => Effect.Effect<void>
  /** Leaves the last state standing, in a line of its own. */
  readonly done: Effect.Effect<void>
}

/** The pause between two drawings, in milliseconds: so short that the line moves. */
const every = 100

const barWidth = 24

/** A bar of the share that is done. It gives way first. */
export const bar = (done: number, all: number): Layout.RankedPart => {
  const full = Math.round((done / Math.max(all, 1)) * barWidth)
  return { rank: Number.POSITIVE_INFINITY, text: `[${"#".repeat(full)}${"-".repeat(barWidth - full)}]` }
}

/** Makes a line that is redrawn on a terminal. Elsewhere nothing moves: its last state alone is printed, without its bar. */
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
        return !isTTY || now - shownAt < every ? Effect.void : draw(parts)
      }),
    done: Effect.suspend(() =>
      latest === undefined ? Effect.void : Effect.zipRight(draw(latest), isTTY ? write("\n") : Effect.void)
    )
  }
})
