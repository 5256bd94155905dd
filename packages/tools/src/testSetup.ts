/**
 * Runs before each file of tests. Draws the examples of properties from one seed. Measures the processor time of the file, its imports
 * included, and of each of its tests, and how long each keeps the event loop from turning. Gives each file the `it` of `@effect/vitest` and
 * the equality of vitest unmodified: files share a process.
 */
import { effect, flakyTest, it, layer, live, prop, scoped, scopedLive } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { afterAll, afterEach, beforeEach } from "vitest"
import * as eventLoop from "./eventLoop.js"
import { processorTime, type ProcessorTime } from "./processorTime.js"

declare module "vitest" {
  interface TaskMeta {
    processorTime?: ProcessorTime
    /** The longest time for which the event loop did not turn, in seconds of processor time. */
    longestTurn?: number
  }
}

// A file that compares by `Equal` calls `addEqualityTesters`: vitest keeps its testers for the whole process.
const matchers: unknown = Reflect.get(globalThis, Symbol.for("$$jest-matchers-object"))
const testers: unknown = Reflect.get(Object(matchers), "customEqualityTesters")
if (Array.isArray(testers)) testers.length = 0

// `layer` assigns methods that run in its own runtime, test clock included, to the `it` that all files of a process import.
Object.assign(it, { effect, flakyTest, layer, live, prop, scoped, scopedLive })

// The same examples each time: a test that fails once in a hundred runs says nothing of the change that it is run for. Others are tried
// with `VENUE_PROPERTIES_SEED`, as `npm run accept -- properties` does. Thousands of examples that wait for nothing would keep the event
// loop from turning until the last one.
FastCheck.configureGlobal({
  ...FastCheck.readConfigureGlobal(),
  seed: Number(process.env.VENUE_PROPERTIES_SEED ?? 1),
  beforeEach: eventLoop.turn
})

const since = (start: ProcessorTime): ProcessorTime => {
  const now = processorTime()
  return { own: now.own - start.own, children: now.children - start.children }
}

const fileStart = processorTime()
const testStarts = new Map<string, ProcessorTime>()
const turns = eventLoop.watch()

beforeEach(async ({ task }) => {
  await turns.take()
  // The tests beside a concurrent one run in the same process: its time is no single test's.
  if (task.concurrent !== true) testStarts.set(task.id, processorTime())
})

afterEach(async ({ task }) => {
  const start = testStarts.get(task.id)
  if (start === undefined) return
  task.meta.processorTime = since(start)
  task.meta.longestTurn = await turns.take()
  if (task.meta.longestTurn > eventLoop.longestAllowed) {
    throw new Error(
      `The event loop did not turn for ${task.meta.longestTurn.toFixed(1)} s of processor time: see packages/tools/src/eventLoop.ts.`
    )
  }
})

afterAll((file) => {
  turns.stop()
  file.meta.processorTime = since(fileStart)
})
