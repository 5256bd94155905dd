/** In which order the steps of `pnpm check` run, and how many at a time. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { schedule } from "../src/check/schedule.js"
import { steps } from "../src/check/steps.js"

const turn = () => new Promise((resolve) => setImmediate(resolve))

/** Runs tasks of a few turns each, and records when they start and end. */
const trace = async (tasks: Parameters<typeof schedule>[0], atOnce: number): Promise<ReadonlyArray<string>> => {
  const events: Array<string> = []
  const names = await schedule(tasks, atOnce, async (name) => {
    events.push(`+${name}`)
    await turn()
    events.push(`-${name}`)
    return name
  })
  assert.deepEqual([...names].sort(), tasks.map(({ name }) => name).sort())
  return events
}

const free = ["a", "b", "c"].map((name) => ({ name, after: [] }))

describe("the steps of a check", () => {
  it("run side by side, in their order", async () => {
    assert.deepEqual((await trace(free, 3)).slice(0, 3), ["+a", "+b", "+c"])
  })

  it("run no more at a time than are allowed", async () => {
    assert.deepEqual(await trace(free, 1), ["+a", "-a", "+b", "-b", "+c", "-c"])
    const events = await trace(free, 2)
    assert.deepEqual(events.slice(0, 2), ["+a", "+b"])
    assert.ok(events.indexOf("+c") > events.indexOf("-a"))
  })

  it("wait for those that they need, whatever their order", async () => {
    const [a, b, c] = [
      { name: "a", after: ["b"] },
      { name: "b", after: ["c"] },
      { name: "c", after: [] }
    ]
    assert.deepEqual(await trace([a, b, c], 3), ["+c", "-c", "+b", "-b", "+a", "-a"])
  })

  it("fail by name where nothing lets them start", async () => {
    await assert.rejects(
      schedule([{ name: "a", after: ["b"] }], 2, () => Promise.resolve()),
      /nothing lets a start/
    )
  })

  it("each need steps that there are", () => {
    for (const { after = [] } of Object.values(steps)) {
      for (const name of after) assert.ok(Object.hasOwn(steps, name), name)
    }
  })
})
