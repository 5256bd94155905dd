import * as Failure from "@effect-venue/transport/Failure"
import * as Lists from "@effect-venue/transport/Lists"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"

type Page = Lists.Page<string>
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
  const kinds: Array<Lists.Kind> = []
  const rows: Array<string> = []
  const walk = Lists.walk(
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
const suspicions: ReadonlyArray<readonly [Lists.Kind, Answer]> = [
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
    it.effect(`asks for a page again because of ${kind}, at the same cursor, and goes on`, () =>
      Effect.gen(function* () {
        const { cursors, kinds, result, rows } = yield* walked([first, answer, answer, last])
        expect(cursors).toEqual([undefined, "1", "1", "1"])
        expect(kinds).toEqual([kind, kind])
        expect(rows).toEqual(["a", "b", "c"])
        expect(result).toMatchObject({ right: { requests: 4, rereads: 2, problem: undefined } })
      })
    )

    it.effect(`ends with ${kind} when it is there a third time`, () =>
      Effect.gen(function* () {
        const { cursors, result, rows } = yield* walked([first, answer])
        expect(cursors).toHaveLength(4)
        expect(rows).toEqual(["a", "b"])
        expect(result).toMatchObject({ right: { rows: 2, requests: 4, rereads: 3, problem: { kind } } })
      })
    )
  }

  it.effect("ends with repeatedCursor at a page that points to where the walk began", () =>
    Effect.gen(function* () {
      const { result } = yield* walked([first], { from: "1" })
      expect(result).toMatchObject({ right: { problem: { kind: "repeatedCursor", shown: "1" } } })
    })
  )

  it.effect("ends with endlessList after 100,000 pages, and is not read again", () =>
    Effect.gen(function* () {
      let pages = 0
      const read = Effect.map(
        Lists.walk(
          {
            page: () => Effect.sync(() => ({ rows: [`row ${++pages}`], next: `cursor ${pages}` })),
            text: (row: string) => row,
            comparesRows: false,
            prepare: () => undefined
          },
          () => Effect.void
        ),
        (walked) => ({ content: undefined, walked })
      )
      const { problem, readings } = yield* Lists.untilClear(read)
      expect([problem?.kind, readings, pages]).toEqual(["endlessList", 1, 100_003])
    })
  )

  it.effect("takes a hundred empty pages in a row, and ends with emptyPages at the next", () =>
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

  it.effect("ends with unreadableAnswer where rows are nested too deep to be compared", () =>
    Effect.gen(function* () {
      const walk = Lists.walk(
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

  it.effect("fails with any other failure of a request, at once", () =>
    Effect.gen(function* () {
      const failure = new Failure.Unavailable({ operation: "things.list", attempts: [], status: 503, executed: "no" })
      const { cursors, result } = yield* walked([first, failure])
      expect(cursors).toHaveLength(2)
      expect(result).toMatchObject({ left: { _tag: "Unavailable" } })
    })
  )

  it.effect("counts pages that have a row of the page before, and sums rows in any order", () =>
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

describe("a list that is read until it is clear", () => {
  const reading = (content: string, walked: Partial<Lists.Walked<never>>): Lists.Reading<string, never> => ({
    content,
    walked: { rows: 1, requests: 1, rereads: 0, overlaps: 0, digest: 0, problem: undefined, ...walked }
  })
  const repeated = { problem: { kind: "repeatedPage", shown: "" } } as const

  /** The result of these readings, and how often an overlap was met. */
  const settled = (...readings: ReadonlyArray<Lists.Reading<string, never>>) =>
    Effect.gen(function* () {
      let [reads, overlaps] = [0, 0]
      const read = Effect.sync(() => readings[Math.min(reads++, readings.length - 1)] ?? reading("none", {}))
      const { content, problem, readings: count } = yield* Lists.untilClear(read, () => overlaps++)
      expect(count).toBe(reads)
      return { content, kind: problem?.kind, count, overlaps }
    })

  it.effect.each([
    ["one that is clear", [reading("a", {})], { content: "a", kind: undefined, count: 1, overlaps: 0 }],
    [
      "the second after a problem",
      [reading("a", repeated), reading("b", {})],
      { content: "b", kind: undefined, count: 2, overlaps: 0 }
    ],
    [
      "the longer of two with problems",
      [reading("a", { ...repeated, rows: 5 }), reading("b", { ...repeated, rows: 4 })],
      { content: "a", kind: "repeatedPage", count: 2, overlaps: 0 }
    ],
    [
      "the later of two as long",
      [reading("a", { ...repeated, rows: 5 }), reading("b", { ...repeated, rows: 5 })],
      { content: "b", kind: "repeatedPage", count: 2, overlaps: 0 }
    ],
    [
      "the one before a problem, which has all rows",
      [reading("a", { overlaps: 1 }), reading("b", { ...repeated, rows: 9 })],
      { content: "a", kind: "repeatedPage", count: 2, overlaps: 1 }
    ],
    [
      "the second of two with overlaps that agree",
      [reading("a", { overlaps: 1, digest: 5 }), reading("b", { overlaps: 2, digest: 5 })],
      { content: "b", kind: undefined, count: 2, overlaps: 1 }
    ],
    [
      "the one without overlaps",
      [reading("a", { overlaps: 1, digest: 5 }), reading("b", { overlaps: 1, digest: 6 }), reading("c", { digest: 7 })],
      { content: "c", kind: undefined, count: 3, overlaps: 2 }
    ],
    [
      "the fourth that does not agree, as changingList",
      [1, 2, 3, 4, 5].map((digest) => reading(`${digest}`, { overlaps: 1, digest })),
      { content: "4", kind: "changingList", count: 4, overlaps: 4 }
    ]
  ] as const)("is %s", ([, readings, expected]) =>
    Effect.gen(function* () {
      expect(yield* settled(...readings)).toEqual(expected)
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
    ["changingList", "result.list", "expected a list that does not change while it is read"],
    ["unreadableAnswer", "result.list", "expected rows less deep"]
  ] as const)("of kind %s says where and what was expected", (kind, path, expected) => {
    expect(Lists.failure("things.list", { kind, shown: "x".repeat(600) })).toMatchObject({
      _tag: "UnexpectedResponse",
      operation: "things.list",
      attempts: [],
      status: 200,
      path,
      expected,
      body: `${"x".repeat(512)}…`
    })
  })

  it("is that of the request, where there is one", () => {
    expect(Lists.failure("other", { kind: "unreadableAnswer", shown: "", failure: unreadable })).toBe(unreadable)
  })
})

describe("keys of equal records", () => {
  it("are numbered from the second on", () => {
    expect(["a", "b", "a", "a", "b"].map(Lists.numbered())).toEqual(["a", "b", "a#2", "a#3", "b#2"])
  })
})
