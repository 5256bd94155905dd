import * as Failure from "@effect-venue/transport/Failure"
import * as Pages from "@effect-venue/transport/siblings/Pages"
import { describe, expect, it } from "@effect/vitest"
import { Chunk, Effect, Stream } from "effect"

type Page = Pages.Page<string>
type Answer = Page | Failure.UnexpectedResponse | Failure.Unavailable

const unreadable = new Failure.UnexpectedResponse({
  operation: "things.list",
  attempts: [],
  status: 200,
  path: "",
  expected: "expected JSON",
  body: "{"
})

/** A walk over answers, one for each request; the last is given again and again. */
const walked = (
  answers: ReadonlyArray<Answer>,
  options: { readonly comparesRows?: boolean; readonly from?: string } = {}
) => {
  const cursors: Array<string | undefined> = []
  const kinds: Array<Pages.Kind> = []
  const rows: Array<string> = []
  const walk = Pages.walk(
    {
      from: options.from,
      page: (cursor) => {
        const answer = answers[Math.min(cursors.push(cursor), answers.length) - 1]
        return answer === undefined || "_tag" in answer ? Effect.fail(answer) : Effect.succeed(answer)
      },
      text: (row: string) => row,
      comparesRows: options.comparesRows ?? false,
      prepare: (page: Page) => page.rows,
      onProblem: (kind) => kinds.push(kind)
    },
    (page, count) => Effect.sync(() => expect(rows.push(...page)).toBeGreaterThanOrEqual(count))
  )
  return Effect.map(Effect.either(walk), (result) => ({ result, cursors, kinds, rows }))
}

const first: Page = { rows: ["a", "b"], next: "1" }
const last: Page = { rows: ["c"], next: "" }

/** What the second page of a list may be that cannot be right. */
const suspicions: ReadonlyArray<readonly [Pages.Kind, Answer]> = [
  ["unreadableAnswer", unreadable],
  ["missingCursor", { rows: ["c"], next: undefined }],
  ["missingCursor", { rows: ["c"], next: 7 }],
  ["repeatedCursor", { rows: ["c"], next: "1" }],
  ["repeatedPage", { rows: ["a", "b"], next: "2" }]
]

describe("a walk", () => {
  it.effect.each(["", null])("ends at the page whose cursor is %j", (next) =>
    Effect.gen(function* () {
      const { result, rows } = yield* walked([first, { ...last, next }])
      expect(rows).toEqual(["a", "b", "c"])
      expect(result).toMatchObject({ right: { rows: 3, requests: 2, rereads: 0, overlaps: 0, problem: undefined } })
    })
  )

  for (const [kind, answer] of suspicions) {
    it.effect(`requests a page again at the same cursor because of ${kind}, and continues`, () =>
      Effect.gen(function* () {
        const { cursors, kinds, result, rows } = yield* walked([first, answer, answer, last])
        expect(cursors).toEqual([undefined, "1", "1", "1"])
        expect(kinds).toEqual([kind, kind])
        expect(rows).toEqual(["a", "b", "c"])
        expect(result).toMatchObject({ right: { requests: 4, rereads: 2, problem: undefined } })
      })
    )

    it.effect(`fails with ${kind} at the third occurrence`, () =>
      Effect.gen(function* () {
        const { cursors, result, rows } = yield* walked([first, answer])
        expect(cursors).toHaveLength(4)
        expect(rows).toEqual(["a", "b"])
        expect(result).toMatchObject({ right: { rows: 2, requests: 4, rereads: 3, problem: { kind } } })
      })
    )
  }

  it.effect("fails with repeatedCursor at a page that points to the start of the walk", () =>
    Effect.gen(function* () {
      const { result } = yield* walked([first], { from: "1" })
      expect(result).toMatchObject({ right: { problem: { kind: "repeatedCursor", shown: "1" } } })
    })
  )

  it.effect("fails with endlessList after 100,000 pages", () =>
    Effect.gen(function* () {
      let pages = 0
      const { problem } = yield* Pages.walk(
        {
          page: () => Effect.sync(() => ({ rows: [`row ${++pages}`], next: `cursor ${pages}` })),
          text: (row: string) => row,
          comparesRows: false,
          prepare: () => undefined
        },
        () => Effect.void
      )
      expect([problem?.kind, pages]).toEqual(["endlessList", 100_003])
    })
  )

  it.effect("accepts a hundred empty pages in a row, and fails with emptyPages at the next", () =>
    Effect.gen(function* () {
      const empty = (count: number) =>
        Array.from({ length: count }, (_, index): Page => ({ rows: [], next: `e${index}` }))
      const hundred = yield* walked([first, ...empty(100), last])
      expect(hundred.rows).toEqual(["a", "b", "c"])
      const more = yield* walked([first, ...empty(104)])
      expect(more.result).toMatchObject({ right: { requests: 104, rereads: 3, problem: { kind: "emptyPages" } } })
      const counted = yield* walked([
        ...empty(60),
        { rows: ["x"], next: "x" },
        ...empty(60).map((page) => ({ ...page, next: `more ${String(page.next)}` })),
        last
      ])
      expect(counted.rows).toEqual(["x", "c"])
    })
  )

  it.effect("fails with unreadableAnswer if rows are nested too deep to compare", () =>
    Effect.gen(function* () {
      const walk = Pages.walk(
        {
          page: () => Effect.succeed(first),
          text: () => {
            throw new RangeError("Maximum call stack size exceeded")
          },
          comparesRows: false,
          prepare: () => undefined
        },
        () => Effect.void
      )
      const { problem } = yield* walk
      expect(problem).toMatchObject({ kind: "unreadableAnswer", shown: "" })
    })
  )

  it.effect("fails at once with any other failure of a request", () =>
    Effect.gen(function* () {
      const failure = new Failure.Unavailable({ operation: "things.list", attempts: [], status: 503, executed: "no" })
      const { cursors, result } = yield* walked([first, failure])
      expect(cursors).toHaveLength(2)
      expect(result).toMatchObject({ left: { _tag: "Unavailable" } })
    })
  )

  it.effect("counts pages that share a row with the previous one, for any order of keys", () =>
    Effect.gen(function* () {
      const shifted = yield* walked([first, { rows: ["b", "c"], next: "" }], { comparesRows: true })
      const other = yield* walked(
        [
          { rows: ["c", "b"], next: "1" },
          { rows: ["a", "b"], next: "" }
        ],
        { comparesRows: true }
      )
      expect(shifted.result).toMatchObject({ right: { overlaps: 1 } })
      expect(other.result).toMatchObject({ right: { overlaps: 1 } })
      const digests = [shifted, other].map(({ result }) => (result._tag === "Right" ? result.right.digest : 0))
      expect(digests[0]).toBe(digests[1])
      expect(digests[0]).toBeGreaterThan(0)
    })
  )
})

describe("the failure of a list", () => {
  it.each([
    ["missingCursor", "result.cursor", "expected a cursor, or an empty one"],
    ["repeatedCursor", "result.cursor", "expected a cursor that was not given before"],
    ["repeatedPage", "result.list", "expected rows that were not given before"],
    ["emptyPages", "result.list", "expected rows after 100 empty pages"],
    ["endlessList", "result.list", "expected a last page among 100,000"],
    ["unreadableAnswer", "result.list", "expected rows less deep"]
  ] as const)("of kind %s names the path and the rule", (kind, path, expected) => {
    expect(Pages.failure("things.list", { kind, shown: "x".repeat(600) })).toMatchObject({
      _tag: "UnexpectedResponse",
      operation: "things.list",
      attempts: [],
      status: 200,
      path,
      expected,
      body: `${"x".repeat(512)}…`
    })
  })

  it("is the failure of the request, if one failed", () => {
    expect(Pages.failure("other", { kind: "unreadableAnswer", shown: "", failure: unreadable })).toBe(unreadable)
  })
})

interface Numbers {
  readonly rows: ReadonlyArray<number>
  readonly next: string
}

const streamed = (pages: Readonly<Record<string, Numbers>>, from?: string) =>
  Pages.stream({
    operation: "test.list",
    from,
    page: (cursor) => Effect.fromNullable(pages[cursor ?? "first"])
  })

const rowsOf = <E>(stream: Stream.Stream<ReadonlyArray<number>, E>) =>
  Effect.map(Stream.runCollect(stream), (pages) => Chunk.toReadonlyArray(pages).flat())

describe("a stream of pages", () => {
  it.effect("continues to the empty cursor, past short and empty pages", () =>
    Effect.gen(function* () {
      const pages = {
        first: { rows: [1, 2, 3], next: "a" },
        a: { rows: [4], next: "b" },
        b: { rows: [], next: "c" },
        c: { rows: [5, 6, 7], next: "" }
      }
      expect(yield* rowsOf(streamed(pages))).toEqual([1, 2, 3, 4, 5, 6, 7])
    })
  )

  it.effect("begins at the requested cursor", () =>
    Effect.gen(function* () {
      const pages = { first: { rows: [1], next: "a" }, a: { rows: [2], next: "" } }
      expect(yield* rowsOf(streamed(pages, "a"))).toEqual([2])
    })
  )

  for (const [name, pages] of [
    ["itself", { first: { rows: [1], next: "a" }, a: { rows: [2], next: "a" } }],
    ["an earlier page", { first: { rows: [1], next: "a" }, a: { rows: [2], next: "b" }, b: { rows: [3], next: "a" } }]
  ] as const) {
    it.effect(`fails at a cursor that leads back to ${name}`, () =>
      Effect.gen(function* () {
        expect(yield* Effect.flip(rowsOf(streamed(pages)))).toMatchObject({
          _tag: "UnexpectedResponse",
          operation: "test.list",
          path: "result.cursor",
          body: "a"
        })
      })
    )
  }

  it.effect("can be run twice", () =>
    Effect.gen(function* () {
      const stream = streamed({ first: { rows: [1], next: "a" }, a: { rows: [2], next: "" } })
      expect(yield* rowsOf(stream)).toEqual([1, 2])
      expect(yield* rowsOf(stream)).toEqual([1, 2])
    })
  )
})
