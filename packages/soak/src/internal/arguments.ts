import * as Either from "effect/Either"
import type * as Soak from "../Soak.js"

const usage = "--calls N --seed S, both whole numbers, N at least 1"

const names = ["calls", "seed"] as const

/** What the words of the call ask for: 10,000 calls and seed 1 unless told. */
export const read = (args: ReadonlyArray<string>): Either.Either<Soak.Options, string> => {
  // `pnpm soak -- --calls 5` leaves the first one there.
  const words = (args[0] === "--" ? args.slice(1) : args).flatMap((word) => word.split("="))
  const given = { calls: 10_000, seed: 1 }
  for (let index = 0; index < words.length; index += 2) {
    const name = names.find((one) => `--${one}` === words[index])
    if (name === undefined) return Either.left(`there is no ${words[index] ?? ""}: ${usage}`)
    const value = words[index + 1] ?? ""
    if (!/^\d{1,9}$/.test(value) || (name === "calls" && Number(value) < 1)) {
      return Either.left(`${value === "" ? "nothing" : value} after --${name}: ${usage}`)
    }
    given[name] = Number(value)
  }
  return Either.right(given)
}
