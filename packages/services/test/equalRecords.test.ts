import * as Id from "@effect-venue/schemas/Id"
import * as Endpoints from "@effect-venue/schemas/Positions"
import * as Positions from "@effect-venue/services/Positions"
import * as Transport from "@effect-venue/transport/Transport"
import { expect, it } from "@effect/vitest"
import { Arbitrary, Chunk, DateTime, Effect, FastCheck, Option, Stream, TestClock } from "effect"
import { today } from "./utils/exchange.js"

const day = 86_400_000
const from = today.epochMillis - 20 * day

const [template] = FastCheck.sample(Arbitrary.make(Endpoints.ClosedPnl), { numRuns: 1, seed: 7 })

/** A service with closed profit and loss at these instants, equal at equal ones: newest first, in pages of three. */
const service = (instants: ReadonlyArray<number>) =>
  Transport.layerTest({
    call: Transport.callOf(
      Transport.on(Endpoints.closedPnl, ({ cursor, endTime, startTime }) => {
        const within = instants
          .map((at) => from + at)
          .filter((at) => at >= Number(startTime) && at <= Number(endTime))
          .toSorted((one, other) => other - one)
        const next = Number(cursor ?? 0) + 3
        return Effect.succeed({
          category: Option.some("linear"),
          list: within.slice(next - 3, next).flatMap((at) => {
            const time = DateTime.unsafeMake(at)
            return template === undefined ? [] : [{ ...template, createdTime: time, updatedTime: time }]
          }),
          nextPageCursor: next < within.length ? Option.some(Id.Cursor.make(String(next))) : Option.none()
        })
      })
    )
  })

it.effect(
  "closedPnlHistory returns equal records as often as the service, within a page and across pages and windows",
  () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(today.epochMillis)
      const instants = [5, 5, 9, 9, 9, 9, 20, 7 * day, 7 * day, 8 * day]
      const rows = yield* Effect.flatMap(Transport.Transport, (transport) =>
        Stream.runCollect(
          Positions.make(transport).closedPnlHistory({ category: "linear", from, to: today.epochMillis })
        )
      ).pipe(Effect.provide(service(instants)))
      expect(Chunk.toReadonlyArray(rows).map(({ createdTime }) => createdTime.epochMillis - from)).toEqual(instants)
    })
)
