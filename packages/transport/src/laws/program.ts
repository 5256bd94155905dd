import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { PCGRandom } from "effect/Utils"
import * as monotonic from "../time/monotonic.js"

/**
 * A step of a random program. Times are in units. Operations take place at whole units, and every window, ban and lease ends between two units, so that a
 * store that is a little late returns the same results.
 */
export interface Step<Operation> {
  readonly id: number
  readonly at: number
  readonly operation: Operation
}

export type Program<Operation> = ReadonlyArray<Step<Operation>>

/** A text must be equal. Milliseconds can differ by a fraction of a unit. */
export type Result = ReadonlyArray<string | number>

/** A store and its model, in the same state. */
export interface Pair<Operation> {
  readonly ofStore: (step: Step<Operation>) => Effect.Effect<Result>
  /** `now`: milliseconds since the start. */
  readonly ofModel: (step: Step<Operation>, now: number) => Result
}

export interface Random {
  readonly int: (below: number) => number
  readonly pick: <A>(values: readonly [A, ...ReadonlyArray<A>]) => A
}

/** `unit`: milliseconds. */
export interface Law<Operation, R> {
  readonly operation: (random: Random, id: number) => Operation
  readonly start: (random: Random, unit: number) => Effect.Effect<Pair<Operation>, never, R>
  readonly pass: (duration: Duration.Duration) => Effect.Effect<void>
}

/** The store was too slow for the unit. */
class Late extends Data.TaggedError("Late")<{}> {}

/** Operations can be late by this part of a unit. */
const tolerance = 0.2

/** Doubles of the unit that are tried if the store is late. */
const doublings = 5

const randomOf = (seed: number): Random => {
  const generator = new PCGRandom(seed)
  const int = (below: number) => generator.integer(below)
  return { int, pick: (values) => values[int(values.length)] ?? values[0] }
}

const pauses = [0, 0, 0, 0, 1, 1, 2, 5, 7] as const

const programOf = <Operation, R>({ operation }: Law<Operation, R>, seed: number): Program<Operation> => {
  const random = randomOf(seed)
  let at = 0
  return Array.from({ length: 6 + random.int(12) }, (_, id) => {
    at += random.pick(pauses)
    return { id, at, operation: operation(random, id) }
  })
}

const isClose = (got: string | number, expected: string | number | undefined, most: number) =>
  got === expected || (typeof got === "number" && typeof expected === "number" && Math.abs(got - expected) <= most)

/** A store can begin its life with its first operation, so this is the start of a program. */
const fromZero = <Operation>(program: Program<Operation>): Program<Operation> =>
  program.map((step) => ({ ...step, at: step.at - (program[0]?.at ?? 0) }))

/** Returns the first result that differs from the model's, as text. */
const differenceOf = <Operation, R>(law: Law<Operation, R>, program: Program<Operation>, seed: number, unit: number) =>
  Effect.gen(function* () {
    const { ofModel, ofStore } = yield* law.start(randomOf(seed), unit)
    const startedAt = yield* monotonic.millis
    const elapsed = Effect.map(monotonic.millis, (now) => now - startedAt)
    for (const step of fromZero(program)) {
      const now = step.at * unit
      const early = now - (yield* elapsed)
      if (early > 0) yield* law.pass(Duration.millis(early))
      const got = yield* ofStore(step)
      if ((yield* elapsed) - now > tolerance * unit) return yield* new Late()
      const expected = ofModel(step, now)
      const isSame =
        got.length === expected.length && got.every((value, index) => isClose(value, expected[index], tolerance * unit))
      if (!isSame) return `${got.join(" ")} instead of ${expected.join(" ")}`
    }
    return undefined
  })

const textOf = <Operation>({ at, id, operation }: Step<Operation>, unit: number) =>
  `  ${at * unit} ms: #${id} ${JSON.stringify(operation)}`

/** Leaves out steps as long as the program still shows a difference: halves first, then smaller pieces. */
const shrunk = <Operation, R, E>(
  program: Program<Operation>,
  shows: (candidate: Program<Operation>) => Effect.Effect<boolean, E, R>
) =>
  Effect.gen(function* () {
    let smallest = program
    for (let size = program.length >> 1; size >= 1; size >>= 1) {
      for (let from = 0; from < smallest.length;) {
        const candidate = [...smallest.slice(0, from), ...smallest.slice(from + size)]
        if (yield* shows(candidate)) smallest = candidate
        else from += size
      }
    }
    return smallest
  })

const foundWith = <Operation, R>(law: Law<Operation, R>, seed: number, unit: number) =>
  Effect.gen(function* () {
    const program = programOf(law, seed)
    const differs = (candidate: Program<Operation>) => differenceOf(law, candidate, seed, unit)
    if ((yield* differs(program)) === undefined) return undefined
    const smallest = yield* shrunk(program, (candidate) =>
      Effect.map(differs(candidate), (difference) => difference !== undefined)
    )
    const difference = (yield* differs(smallest)) ?? "a result that differs in some runs"
    return `program ${seed} returns ${difference}\n${fromZero(smallest)
      .map((step) => textOf(step, unit))
      .join("\n")}`
  })

/** Runs the program of a seed. Returns the shortest program whose results differ from the model's, as text. Lateness of the store doubles the unit. */
export const differingProgram = <Operation, R>(
  law: Law<Operation, R>,
  seed: number,
  unit: number
): Effect.Effect<string | undefined, never, R> => {
  const within = (doubled: number): Effect.Effect<string | undefined, never, R> =>
    Effect.catchTag(foundWith(law, seed, unit * 2 ** doubled), "Late", () =>
      doubled < doublings
        ? within(doubled + 1)
        : Effect.succeed(`program ${seed}: an operation takes longer than ${tolerance * unit * 2 ** doubled} ms`)
    )
  return within(0)
}
