import { expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { RecordList } from "../src/state/recordList.js"

const change = FastCheck.record({
  // From which of the lists so far, what is added, and whether one is moved to the end instead.
  from: FastCheck.nat(),
  added: FastCheck.integer({ min: 1, max: 1500 }),
  move: FastCheck.option(FastCheck.nat(), { nil: undefined })
})

const keyOf = (item: number): string => `key ${item}`

/** A list, and an array with the same items. */
interface Pair {
  readonly list: RecordList<number>
  readonly model: ReadonlyArray<number>
}

const expectSame = ({ list, model }: Pair): void => {
  expect(list.length).toBe(model.length)
  for (const index of [-1, 0, model.length >> 1, model.length, -model.length, -model.length - 1]) {
    expect(list.at(index)).toBe(model.at(index))
  }
  expect(list.findLast((item) => item % 7 === 0)).toBe(model.findLast((item) => item % 7 === 0))
  expect(list.slice(2, 9)).toEqual(model.slice(2, 9))
  expect(list.slice(5)).toEqual(model.slice(5))
  // Thousands of numbers: `toEqual` takes a hundred times as long.
  expect([...list].join()).toBe(model.join())
  for (const item of model.slice(-3)) expect(list.mayHave(keyOf, keyOf(item))).toBe(true)
}

it("lists of records equal the corresponding arrays, on every branch", () => {
  FastCheck.assert(
    FastCheck.property(
      FastCheck.nat(1500),
      FastCheck.array(change, { minLength: 1, maxLength: 12 }),
      (pastLength, changes) => {
        let next = 0
        const past = Array.from({ length: pastLength }, () => next++)
        const lists: Array<Pair> = [
          { list: RecordList.from(), model: [] },
          {
            list: RecordList.onDemand(() => ({
              length: past.length,
              at: (index) => past[index] ?? -1,
              mayHave: (key) => past.some((item) => keyOf(item) === key)
            })),
            model: past
          }
        ]
        for (const { added, from, move } of changes) {
          const { list, model } = lists[from % lists.length] ?? { list: RecordList.from(), model: [] }
          // An index of keys is made here on some branches, and later on others.
          if (added % 2 === 0) expect(list.mayHave(keyOf, keyOf(-1))).toBe(false)
          if (move !== undefined && model.length > 0) {
            const index = move % model.length
            const item = next++
            lists.push({ list: list.moveToEnd(index, item), model: [...model.toSpliced(index, 1), item] })
          } else {
            const items = Array.from({ length: added }, () => next++)
            lists.push({ list: list.append(items), model: [...model, ...items] })
          }
        }
        lists.forEach(expectSame)
      }
    ),
    { numRuns: 40, seed: 20_260_701 }
  )
})

it("records of a source are created once, when they are first read", () => {
  const made: Array<number> = []
  const list = RecordList.onDemand(() => ({
    length: 5000,
    at: (index) => {
      made.push(index)
      return { index }
    },
    mayHave: () => false
  }))
  const longer = list.append([{ index: -1 }])
  expect([list.length, longer.length]).toEqual([5000, 5001])
  expect(longer.mayHave(({ index }) => String(index), "-1")).toBe(true)
  expect(made).toEqual([])
  expect(longer.at(4999)).toBe(list.at(-1))
  expect(list.slice(10, 12).map(({ index }) => index)).toEqual([10, 11])
  expect(longer.findLast(({ index }) => index === 4998)).toBe(list.at(4998))
  expect(made).toEqual([4999, 10, 11, 4998])
})
