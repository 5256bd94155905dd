import * as Pages from "@effect-venue/transport/Pages"
import { describe, expect, it } from "@effect/vitest"
import { Chunk, Effect, Stream } from "effect"

interface Page {
  readonly rows: ReadonlyArray<number>
  readonly next: string
}

const walk = (pages: Readonly<Record<string, Page>>, from?: string) =>
  Pages.stream({
    operation: "test.list",
    from,
    page: (cursor) => Effect.fromNullable(pages[cursor ?? "first"])
  })

const rowsOf = <E>(stream: Stream.Stream<ReadonlyArray<number>, E>) =>
  Effect.map(Stream.runCollect(stream), (pages) => Chunk.toReadonlyArray(pages).flat())

describe("pages", () => {
  it.effect("go on to the empty cursor, past short and empty pages", () =>
    Effect.gen(function* () {
      const pages = {
        first: { rows: [1, 2, 3], next: "a" },
        a: { rows: [4], next: "b" },
        b: { rows: [], next: "c" },
        c: { rows: [5, 6, 7], next: "" }
      }
      expect(yield* rowsOf(walk(pages))).toEqual([1, 2, 3, 4, 5, 6, 7])
    })
  )

  it.effect("begin at a cursor that is given", () =>
    Effect.gen(function* () {
      const pages = { first: { rows: [1], next: "a" }, a: { rows: [2], next: "" } }
      expect(yield* rowsOf(walk(pages, "a"))).toEqual([2])
    })
  )

  for (const [name, pages] of [
    ["itself", { first: { rows: [1], next: "a" }, a: { rows: [2], next: "a" } }],
    ["an earlier page", { first: { rows: [1], next: "a" }, a: { rows: [2], next: "b" }, b: { rows: [3], next: "a" } }]
  ] as const) {
    it.effect(`fail on a cursor that leads back to ${name}`, () =>
      Effect.gen(function* () {
        expect(yield* Effect.flip(rowsOf(walk(pages)))).toMatchObject({
          _tag: "UnexpectedResponse",
          operation: "test.list",
          path: "result.cursor",
          body: "a"
        })
      })
    )
  }

  it.effect("fail on a cursor that leads back to where the walk began, with all of the failure", () =>
    Effect.gen(function* () {
      const long = "k".repeat(600)
      const pages = { [long]: { rows: [1], next: "a" }, a: { rows: [2], next: long } }
      expect(yield* Effect.flip(rowsOf(walk(pages, long)))).toMatchObject({
        attempts: [],
        status: 200,
        path: "result.cursor",
        expected: "expected a cursor that was not given before",
        body: `${"k".repeat(512)}…`
      })
    })
  )

  it.effect("can be walked twice", () =>
    Effect.gen(function* () {
      const stream = walk({ first: { rows: [1], next: "a" }, a: { rows: [2], next: "" } })
      expect(yield* rowsOf(stream)).toEqual([1, 2])
      expect(yield* rowsOf(stream)).toEqual([1, 2])
    })
  )
})
