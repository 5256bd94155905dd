/**
 * Random decisions by name. A decision depends on the seed and its name alone, so that leaving one call out of a plan leaves the decisions
 * of the others as they are. A name decides one thing: a chance and a value of the same name would depend on each other.
 */

/** A well-mixed 32-bit number of a text. */
const hash = (seed: number, text: string): number => {
  let state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b)
  for (let index = 0; index < text.length; index++) {
    state = Math.imul(state ^ text.charCodeAt(index), 0x01000193)
    state ^= state >>> 15
  }
  state = Math.imul(state ^ (state >>> 16), 0x7feb352d)
  state = Math.imul(state ^ (state >>> 15), 0x846ca68b)
  return (state ^ (state >>> 16)) >>> 0
}

export interface Draws {
  /** From 0 up to 1. */
  readonly fraction: (...name: ReadonlyArray<number | string>) => number
  /** From 0 up to `below`. */
  readonly int: (below: number, ...name: ReadonlyArray<number | string>) => number
  readonly chance: (probability: number, ...name: ReadonlyArray<number | string>) => boolean
  readonly pick: <A>(values: readonly [A, ...ReadonlyArray<A>], ...name: ReadonlyArray<number | string>) => A
  /** Numbers from 0 up to 1, one after the other: for decisions that have no name, such as which fiber runs next. */
  readonly sequence: (...name: ReadonlyArray<number | string>) => () => number
}

export const make = (seed: number): Draws => {
  const chances = new Set<string>()
  const of = (name: string) => hash(seed, name) / 4_294_967_296
  const int: Draws["int"] = (below, ...words) => {
    const name = words.join("/")
    if (chances.has(name)) throw new Error(`${name} is the name of a chance, too`)
    return Math.floor(of(name) * below)
  }
  return {
    fraction: (...words) => of(words.join("/")),
    int,
    chance: (probability, ...words) => {
      const name = words.join("/")
      chances.add(name)
      return of(name) < probability
    },
    pick: (values, ...name) => values[int(values.length, ...name)] ?? values[0],
    sequence: (...name) => {
      let state = hash(seed, name.join("/"))
      return () => {
        state = (state + 0x6d2b79f5) | 0
        let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
        mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
        return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
      }
    }
  }
}
