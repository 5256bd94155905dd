import type * as Dataset from "@effect-venue/history/Dataset"
import * as Column from "@effect-venue/history/siblings/Column"
import * as Endpoints from "@effect-venue/schemas/Endpoints"
import { describe, expect } from "@effect/vitest"
import { Effect, Option } from "effect"
import { settle } from "@effect-venue/testing/Settling"
import { day, onStillExchange, subjects, today } from "./utils/world.js"

const unitMillis = { ms: 1, s: 1000 }

describe("the range of one request", () => {
  for (const { part } of subjects) {
    const { dataset } = part
    const window = Option.getOrThrow(dataset.endpoint.historyWindow)
    // A row of `broker-volume` is a sum over the range.
    if (Option.isNone(dataset.instant)) continue
    const { kind, name } = dataset.instant.value
    const label = [dataset.endpoint.name, ...Object.values(part.parameters)].join(" ")
    onStillExchange(`of ${label} includes and excludes its bounds as ${window.bounds}`, function* () {
      const unit = unitMillis[window.unit]
      const instants = (range: Dataset.Window) =>
        Effect.map(settle(part.page({ ...range, cursor: undefined })), ({ rows }) =>
          rows.map((row) => Column.millis(kind, (row as Readonly<Record<string, unknown>>)[name]))
        )
      // Far from the present, in which the sandbox adds rows.
      const end = Math.floor((today - 5 * day) / 1000) * 1000
      const weeks = Array.from({ length: 200 }, (_, index) => end - index * 7 * day)
      let at: number | undefined
      for (const to of weeks) at ??= (yield* instants({ from: to - 7 * day, to }))[0]
      if (at === undefined) throw new Error("the sandbox has no row")
      const [open, close] = window.bounds
      expect((yield* instants({ from: at - unit, to: at + unit })).includes(at)).toBe(true)
      expect((yield* instants({ from: at, to: at + unit })).includes(at)).toBe(open === "[")
      expect((yield* instants({ from: at - unit, to: at })).includes(at)).toBe(close === "]")
    })
  }

  onStillExchange("is tried for every endpoint with one, except those whose rows are not instants", function* () {
    const tried = new Set(subjects.map(({ part }) => part.dataset.endpoint.name))
    const ranged = Endpoints.all.filter(({ historyWindow }) => Option.isSome(historyWindow))
    expect(ranged.map(({ name }) => name).filter((name) => !tried.has(name))).toEqual(["broker.customers"])
    yield* Effect.void
  })
})
