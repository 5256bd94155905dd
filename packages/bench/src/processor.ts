import * as Effect from "effect/Effect"

// Processor time instead of the clock: other programs on the machine are no part of it.

/** Microseconds of this process's processor time that an effect takes. */
export const micros = <E, R>(effect: Effect.Effect<unknown, E, R>): Effect.Effect<number, E, R> =>
  Effect.gen(function* () {
    const start = process.cpuUsage()
    yield* effect
    const { system, user } = process.cpuUsage(start)
    return user + system
  })

/** How many per second of processor time, for an effect that does `count` of them. */
export const rate = <E, R>(count: number, effect: Effect.Effect<unknown, E, R>): Effect.Effect<number, E, R> =>
  Effect.map(micros(effect), (taken) => (count * 1e6) / taken)

/** An effect that calls a function `count` times, with nothing between the calls. */
export const repeated = (count: number, call: (index: number) => unknown): Effect.Effect<void> =>
  Effect.sync(() => {
    for (let index = 0; index < count; index++) call(index)
  })
