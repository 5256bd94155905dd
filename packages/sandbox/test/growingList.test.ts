import { expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import * as GrowingList from "../src/state/growingList.js"

const change = FastCheck.record({
  // From which of the lists so far, what is added, and whether one is moved to the end instead.
  from: FastCheck.nat(),
  added: FastCheck.integer({ min: 1, max: 1500 }),
  move: FastCheck.option(FastCheck.nat(), { nil: undefined })
})

it("growing lists equal the corresponding arrays, on every branch", () => {
  FastCheck.assert(
    FastCheck.property(
      FastCheck.nat(1500),
      FastCheck.array(change, { minLength: 1, maxLength: 12 }),
      (pastLength, changes) => {
        let next = 0
        const key = (item: number) => `key ${item}`
        const past = Array.from({ length: pastLength }, () => next++)
        const virtual = GrowingList.virtual(() => ({ length: past.length, at: (index) => past[index] ?? -1 }))
        const lists: Array<{ readonly list: ReadonlyArray<number>; readonly model: ReadonlyArray<number> }> = [
          { list: [], model: [] },
          { list: virtual, model: past }
        ]
        for (const { added, from, move } of changes) {
          const { list, model } = lists[from % lists.length] ?? { list: [], model: [] }
          if (move !== undefined && model.length > 0) {
            const index = move % model.length
            const item = next++
            lists.push({
              list: GrowingList.moveToEnd(list, index, item, key),
              model: [...model.slice(0, index), ...model.slice(index + 1), item]
            })
          } else {
            const items = Array.from({ length: added }, () => next++)
            lists.push({ list: GrowingList.append(list, items, key), model: [...model, ...items] })
          }
        }
        for (const { list, model } of lists) {
          expect(list.length).toBe(model.length)
          expect(list.at(-1)).toBe(model.at(-1))
          expect(list[model.length >> 1]).toBe(model[model.length >> 1])
          expect(list[model.length]).toBeUndefined()
          expect(list[-1]).toBeUndefined()
          expect(list.findLast((item) => item % 7 === 0)).toBe(model.findLast((item) => item % 7 === 0))
          expect(list.slice(2, 9)).toEqual(model.slice(2, 9))
          expect(list.slice(-3)).toEqual(model.slice(-3))
          // Thousands of numbers: `toEqual` takes a hundred times as long.
          expect([...list].join()).toBe(model.join())
          expect(Array.isArray(list)).toBe(true)
          expect(JSON.stringify(list)).toBe(JSON.stringify(model))
        }
        const longest = lists.at(-1)
        expect(longest?.list).toEqual(longest?.model)
        for (const item of longest?.model.slice(-3) ?? []) {
          expect(GrowingList.mayHave(longest?.list ?? [], key(item))).toBe(true)
        }
      }
    ),
    { numRuns: 40, seed: 20_260_701 }
  )
})

it("items of the past are created once, at their first access", () => {
  const made: Array<number> = []
  const list = GrowingList.virtual(() => ({
    length: 5000,
    at: (index) => {
      made.push(index)
      return { index }
    }
  }))
  const longer = GrowingList.append(list, [{ index: -1 }])
  expect([list.length, longer.length]).toEqual([5000, 5001])
  expect(made).toEqual([])
  expect(longer[4999]).toBe(list.at(-1))
  expect(list.slice(10, 12).map(({ index }) => index)).toEqual([10, 11])
  expect(longer.findLast(({ index }) => index === 4998)).toBe(list[4998])
  expect(made).toEqual([4999, 10, 11, 4998])
})
