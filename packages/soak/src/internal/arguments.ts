import * as Either from "effect/Either"

/** The options of the command line: whole numbers by their names, each with its default. All but `seed` are at least 1. */
export const read = <Name extends string>(
  args: ReadonlyArray<string>,
  defaults: Readonly<Record<Name, number>>
): Either.Either<Readonly<Record<Name, number>>, string> => {
  const names = Object.keys(defaults).filter((name): name is Name => Object.hasOwn(defaults, name))
  const usage = `${names.map((name) => `--${name} ${name[0]?.toUpperCase() ?? ""}`).join(" ")}, whole numbers, all but a seed at least 1`
  // `pnpm soak -- --calls 5` leaves the first one there.
  const words = (args[0] === "--" ? args.slice(1) : args).flatMap((word) => word.split("="))
  const given: { [N in Name]: number } = { ...defaults }
  for (let index = 0; index < words.length; index += 2) {
    const name = names.find((one) => `--${one}` === words[index])
    if (name === undefined) return Either.left(`there is no ${words[index] ?? ""}: ${usage}`)
    const value = words[index + 1] ?? ""
    if (!/^\d{1,9}$/.test(value) || (name !== "seed" && Number(value) < 1)) {
      return Either.left(`${value === "" ? "nothing" : value} after --${name}: ${usage}`)
    }
    given[name] = Number(value)
  }
  return Either.right(given)
}
