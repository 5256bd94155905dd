import * as Effect from "effect/Effect"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

// Measures processor time, which other programs on the machine do not affect, and memory.

/** The processor time of an effect in this process, in microseconds. */
export const micros = <E, R>(effect: Effect.Effect<unknown, E, R>): Effect.Effect<number, E, R> =>
  Effect.gen(function* () {
    const start = process.cpuUsage()
    yield* effect
    const { system, user } = process.cpuUsage(start)
    return user + system
  })

/** Calls a function `count` times without pauses. */
export const repeat = (count: number, call: (index: number) => unknown): Effect.Effect<void> =>
  Effect.sync(() => {
    for (let index = 0; index < count; index++) call(index)
  })

/** Node's garbage collector. A context created after the flag was set has it, so `node` needs no argument. */
const collector = Effect.sync((): unknown => {
  setFlagsFromString("--expose-gc")
  return runInNewContext("gc")
})

const isCollector = (value: unknown): value is () => void => typeof value === "function"

/** The heap in use after garbage collection, in MiB. */
export const heapUsed = Effect.map(collector, (collect) => {
  if (isCollector(collect)) collect()
  return process.memoryUsage().heapUsed / 2 ** 20
})
