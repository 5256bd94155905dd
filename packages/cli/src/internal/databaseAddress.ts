import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { isAddress, shown } from "./address.js"
import { Refusal } from "./refusal.js"

/** The value of `--database`: an address, or `env:NAME` for the one in a variable. */
export type Given = Redacted.Redacted

/** The address of a database. */
export interface Address {
  readonly url: Redacted.Redacted
  /** For people: without user and password, or the name of its variable. */
  readonly label: string
}

const variablePrefix = "env:"

const refusal = (reason: string) => new Refusal({ message: `--database ${reason}` })

/** Whether the text is the address of a Postgres. It may hold a password, and is in no message. */
const isValid = (text: string): boolean => isAddress(text) && URL.canParse(text)

/** Hides the arguments of this process from others on its machine: the address has a password. */
const hideArguments = Effect.sync(() => {
  process.title = "venue fleet"
})

/** The address that was given. */
export const resolve = (given: Given): Effect.Effect<Address, Refusal> =>
  Effect.gen(function* () {
    const text = Redacted.value(given)
    if (!text.startsWith(variablePrefix)) {
      yield* hideArguments
      if (!isValid(text)) return yield* refusal("must be postgres://host/database, or env:NAME")
      return { url: given, label: shown(text) }
    }
    const name = text.slice(variablePrefix.length)
    if (!/^[A-Za-z_]\w*$/.test(name)) return yield* refusal("env: must be followed by the name of a variable")
    const url = yield* Effect.mapError(Config.redacted(name), () => refusal(`env:${name}: the variable is not set`))
    if (!isValid(Redacted.value(url)))
      return yield* refusal(`env:${name}: the variable must be postgres://host/database`)
    return { url, label: text }
  })
