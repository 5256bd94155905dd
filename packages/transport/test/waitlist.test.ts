import { describe, expect, it } from "@effect/vitest"
import { maxOvertakes, Waitlist } from "../src/limits/waitlist.js"

interface Named {
  readonly name: string
  readonly rank: number
  readonly keys: ReadonlyArray<string>
  readonly class: string
  readonly turn: number
}

const waiter = (name: string, rank: number, ...keys: ReadonlyArray<string>): Named => ({
  name,
  rank,
  keys,
  class: `${rank} ${keys.join(" ")}`,
  turn: 0
})

const inTurn = (turn: number, waiter: Named): Named => ({ ...waiter, turn })

/** Serves all who can be served while some rate limits are full, and gives their names. */
const served = (list: Waitlist<Named>, full: ReadonlyArray<string> = []): ReadonlyArray<string> => {
  const names: Array<string> = []
  for (let next = list.next(new Set(full)); next !== undefined; next = list.next(new Set(full))) {
    list.serve(next)
    names.push(next.name)
  }
  return names
}

describe("the order of waiting calls", () => {
  const table: ReadonlyArray<{
    readonly title: string
    readonly waiting: ReadonlyArray<Named>
    readonly full?: ReadonlyArray<string>
    readonly expected: ReadonlyArray<string>
  }> = [
    { title: "is none where none waits", waiting: [], expected: [] },
    {
      title: "is by rank, whatever the arrival",
      waiting: [waiter("bulk", 3, "k"), waiter("read", 2, "k"), waiter("urgent", 0, "k"), waiter("write", 1, "k")],
      expected: ["urgent", "write", "read", "bulk"]
    },
    {
      title: "is by arrival within a rank, whatever they wait for",
      waiting: [waiter("1", 2, "k"), waiter("2", 2, "l"), waiter("3", 2, "k"), waiter("4", 2, "k", "l")],
      expected: ["1", "2", "3", "4"]
    },
    {
      title: "is by turn, then by arrival, among those that ask for the same at one priority",
      waiting: [
        inTurn(2, waiter("second window", 3, "k")),
        inTurn(1, waiter("first window", 3, "k")),
        waiter("read", 2, "k"),
        inTurn(1, waiter("first window, another page", 3, "k")),
        inTurn(3, waiter("third window", 3, "k"))
      ],
      expected: ["read", "first window", "first window, another page", "second window", "third window"]
    },
    {
      title: "leaves out those that wait for a full rate limit, and no others",
      waiting: [waiter("k", 0, "k"), waiter("both", 0, "k", "l"), waiter("l", 3, "l")],
      full: ["k"],
      expected: ["l"]
    },
    {
      title: "leaves out all where every rate limit is full",
      waiting: [waiter("k", 0, "k"), waiter("l", 3, "l")],
      full: ["k", "l"],
      expected: []
    }
  ]
  for (const { expected, full, title, waiting } of table) {
    it(title, () => {
      const list = new Waitlist<Named>()
      for (const each of waiting) list.join(each)
      expect(served(list, full)).toEqual(expected)
      expect(list.size).toBe(waiting.length - expected.length)
    })
  }
})

describe("overtaking", () => {
  /** A list in which a bulk call was overtaken by a number of urgent calls. */
  const overtaken = (times: number) => {
    const list = new Waitlist<Named>()
    const bulk = waiter("bulk", 3, "k")
    list.join(bulk)
    for (let index = 0; index < times; index++) {
      const urgent = waiter(`urgent ${index}`, 0, "k")
      list.join(urgent)
      list.serve(urgent)
    }
    return { list, bulk }
  }

  it("ends after ten calls: then the longest waiting one goes first", () => {
    for (const [times, first] of [
      [maxOvertakes - 1, "urgent"],
      [maxOvertakes, "bulk"]
    ] as const) {
      const { list } = overtaken(times)
      list.join(waiter("urgent", 0, "k"))
      expect(served(list)[0]).toBe(first)
    }
    expect(maxOvertakes).toBe(10)
  })

  it("is counted from zero after the overtaken call was served", () => {
    const { bulk, list } = overtaken(maxOvertakes)
    list.join(waiter("bulk 2", 3, "k"))
    list.join(waiter("urgent", 0, "k"))
    expect(list.isOverdue(bulk)).toBe(true)
    expect(served(list)).toEqual(["bulk", "urgent", "bulk 2"])
  })

  it("is forgotten when the list is empty", () => {
    const { bulk, list } = overtaken(maxOvertakes)
    expect(list.leave(bulk)).toBe(true)
    list.join(waiter("bulk 2", 3, "k"))
    list.join(waiter("urgent", 0, "k"))
    expect(served(list)).toEqual(["urgent", "bulk 2"])
  })

  it("is not counted for calls that wait for another rate limit, arrived later, or have the same rank", () => {
    for (const [before, after] of [
      [[waiter("other", 3, "l")], []],
      [[], [waiter("later", 3, "k")]],
      [[waiter("same", 0, "k", "m")], []]
    ] as const) {
      const list = new Waitlist<Named>()
      for (const each of before) list.join(each)
      for (let index = 0; index < 2 * maxOvertakes; index++) {
        const urgent = waiter("urgent", 0, "k")
        list.join(urgent)
        if (index === 0) for (const each of after) list.join(each)
        // A call that arrives later than an urgent one is not overtaken by it.
        if (after.length > 0 && index > 0) list.leave(urgent)
        else list.serve(urgent)
      }
      const [waiting] = [...before, ...after]
      expect(waiting !== undefined && list.isOverdue(waiting)).toBe(false)
    }
  })

  it("does not let a blocked overdue call delay others", () => {
    const list = new Waitlist<Named>()
    list.join(waiter("bulk", 3, "k", "l"))
    for (let index = 0; index < maxOvertakes; index++) {
      const urgent = waiter("urgent", 0, "k")
      list.join(urgent)
      list.serve(urgent)
    }
    list.join(waiter("urgent", 0, "k"))
    expect(served(list, ["l"])).toEqual(["urgent"])
  })
})

describe("a waiter", () => {
  it("that leaves from any position is not served, and leaves once", () => {
    const list = new Waitlist<Named>()
    const [first, second, third] = [waiter("1", 2, "k"), waiter("2", 2, "k"), waiter("3", 2, "k")]
    for (const each of [first, second, third]) list.join(each)
    expect(list.waitingFor("k")).toBe(3)
    expect([list.leave(second), list.leave(second), list.serve(second)]).toEqual([true, false, false])
    expect(list.waitingFor("k")).toBe(2)
    expect(list.waitingFor("l")).toBe(0)
    expect([...list.all()]).toEqual([first, third])
    expect(served(list)).toEqual(["1", "3"])
    expect(list.size).toBe(0)
  })
})
