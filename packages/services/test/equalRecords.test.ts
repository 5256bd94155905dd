import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Endpoints from "@effect-venue/schemas/Positions"
import * as Positions from "@effect-venue/services/Positions"
import * as Transport from "@effect-venue/transport/Transport"
import { describe, expect, it } from "@effect/vitest"
import { Arbitrary, Chunk, DateTime, Effect, FastCheck, Layer, Option, Stream, TestClock } from "effect"

const today = DateTime.unsafeMake("2026-06-15T12:34:56.789Z")
const day = 86_400_000
const from = today.epochMillis - 20 * day

const [template] = FastCheck.sample(Arbitrary.make(Endpoints.ClosedPnl), { numRuns: 1, seed: 7 })

/** Closed profit and loss at these instants; equal at equal ones. */
const recordsAt = (instants: ReadonlyArray<number>): ReadonlyArray<Endpoints.ClosedPnl> =>
  template === undefined
    ? []
    : instants.map((at) => ({
        ...template,
        createdTime: DateTime.unsafeMake(at),
        updatedTime: DateTime.unsafeMake(at)
      }))

type Page = (request: { readonly start: number; readonly end: number; readonly offset: number }) => {
  readonly list: ReadonlyArray<Endpoints.ClosedPnl>
  readonly next: number | undefined
}

/** A list of the service: both ends included, newest first, in pages of three. */
const listed =
  (records: ReadonlyArray<Endpoints.ClosedPnl>): Page =>
  ({ end, offset, start }) => {
    const within = records
      .filter(({ createdTime: { epochMillis } }) => epochMillis >= start && epochMillis <= end)
      .toSorted((one, other) => other.createdTime.epochMillis - one.createdTime.epochMillis)
    return { list: within.slice(offset, offset + 3), next: offset + 3 < within.length ? offset + 3 : undefined }
  }

/** The records of `closedPnlHistory` where the service has these pages. */
const historyOf = (page: Page) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(today.epochMillis)
    const transport = yield* Transport.Transport
    const scripted = {
      ...transport,
      call: (_endpoint: unknown, request: Endpoints.ClosedPnlRequest) => {
        const { list, next } = page({
          start: Number(request.startTime),
          end: Number(request.endTime),
          offset: Number(request.cursor ?? 0)
        })
        return Effect.succeed({ category: "linear", list, nextPageCursor: Option.fromNullable(next?.toString()) })
      }
      // Of all operations this one alone is called.
    } as unknown as Transport.Transport.Shape
    const { closedPnlHistory } = Positions.make(scripted)
    const rows = yield* Stream.runCollect(closedPnlHistory({ category: "linear", from, to: today.epochMillis }))
    return Chunk.toReadonlyArray(rows).map(({ createdTime }) => createdTime.epochMillis - from)
  }).pipe(
    Effect.provide(Transport.layerStandalone.pipe(Layer.provideMerge(Sandbox.layer({ seed: 5, prices: "still" }))))
  )

describe("closedPnlHistory", () => {
  it.effect("has equal records as often as the service has them, within a page and across pages and windows", () =>
    Effect.gen(function* () {
      const instants = [5, 5, 9, 9, 9, 9, 20, 7 * day, 7 * day, 8 * day]
      expect(yield* historyOf(listed(recordsAt(instants.map((at) => from + at))))).toEqual(instants)
    })
  )

  it.effect("has no record twice when the list shifts by two while it is read", () =>
    Effect.gen(function* () {
      const instants = [1, 2, 3, 4, 5, 6, 7]
      const steady = listed(recordsAt(instants.map((at) => from + at)))
      let shifts = 1
      const page: Page = (ask) => {
        if (ask.offset !== 3 || shifts-- <= 0) return steady(ask)
        return { list: steady({ ...ask, offset: 1 }).list, next: 4 }
      }
      expect(yield* historyOf(page)).toEqual(instants)
    })
  )

  it.effect("fails when the list shifts in every reading", () =>
    Effect.gen(function* () {
      const steady = listed(recordsAt([1, 2, 3, 4, 5, 6, 7].map((at) => from + at)))
      let shift = 0
      const page: Page = (ask) => {
        if (ask.offset !== 3) return steady(ask)
        shift = (shift % 2) + 1
        return { list: steady({ ...ask, offset: 3 - shift }).list, next: 6 - shift }
      }
      const failure = yield* Effect.flip(historyOf(page))
      expect(failure).toMatchObject({ _tag: "UnexpectedResponse" })
      expect(failure.message).toContain("does not change while it is read")
    })
  )
})
