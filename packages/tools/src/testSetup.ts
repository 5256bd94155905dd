/**
 * Runs before each test file. Test files share processes, so global changes of a file are reset here: the equality of vitest, the `it`
 * of `@effect/vitest`, and the sources of gauges.
 */
import { effect, flakyTest, it, layer, live, prop, scoped, scopedLive } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import * as GlobalValue from "effect/GlobalValue"

// `addEqualityTesters` registers testers for the whole process.
const matchers: unknown = Reflect.get(globalThis, Symbol.for("$$jest-matchers-object"))
const testers: unknown = Reflect.get(Object(matchers), "customEqualityTesters")
if (Array.isArray(testers)) testers.length = 0

// `layer` assigns methods with another runtime and test clock to the shared `it`.
Object.assign(it, { effect, flakyTest, layer, live, prop, scoped, scopedLive })

// A fleet that ends in a test as a killed process does leaves its sources of gauges. Reading one waits for a world that is gone.
GlobalValue.globalValue("@effect-venue/transport/Gauges", () => new Map<object, unknown>()).clear()

// Tests can replace the clock and the timers.
const { performance, setImmediate } = globalThis
const millisBetweenTurns = 50
let lastTurn = performance.now()

/**
 * Yields to the event loop between the examples of a property: vitest fails a run if a worker does not read its messages for a minute. The
 * hook's type returns nothing, but fast-check awaits the hooks of asynchronous properties.
 */
const turn = (): unknown => {
  if (performance.now() - lastTurn < millisBetweenTurns) return
  return new Promise<void>((resolve) => {
    setImmediate(() => {
      lastTurn = performance.now()
      resolve()
    })
  })
}

// Uses the same examples in every run. `VENUE_PROPERTIES_SEED` selects others.
FastCheck.configureGlobal({
  ...FastCheck.readConfigureGlobal(),
  seed: Number(process.env.VENUE_PROPERTIES_SEED ?? 1),
  beforeEach: turn
})
