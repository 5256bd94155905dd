import * as SecretUrl from "@effect-venue/transport/siblings/SecretUrl"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { showAddress, variableOf } from "../run/address.js"
import { Refusal } from "../run/failures.js"

/** A database on the command line: an address, or `env:NAME` for an address in a variable. */
export type Given = Redacted.Redacted

/** The address of a database. */
export interface Address {
  readonly url: Redacted.Redacted
  /** For messages: the address without user and password, or the name of its variable. */
  readonly label: string
}

/** What names a database. */
export interface Subject {
  /** The option or the argument, as messages begin with it. */
  readonly what: string
  readonly command: string
}

/** Whether the text is the address of a Postgres. */
const isValid = (text: string): boolean => SecretUrl.isValid(text, ["postgres", "postgresql"])

/** Hides the arguments of this process from other users of the machine, because the address can contain a password. */
const hideArguments = (command: string) =>
  Effect.sync(() => {
    process.title = `venue ${command}`
  })

/** The address that was given. */
export const resolve = (argument: Given, { command, what }: Subject): Effect.Effect<Address, Refusal> =>
  Effect.gen(function* () {
    const refusal = (reason: string) => new Refusal({ message: `${what} ${reason}` })
    const text = Redacted.value(argument)
    const name = variableOf(text)
    if (name === undefined) {
      yield* hideArguments(command)
      if (!isValid(text)) return yield* refusal("must be postgres://host/database, or env:NAME")
      return { url: argument, label: showAddress(text) }
    }
    if (!/^[A-Za-z_]\w*$/.test(name)) return yield* refusal("env: must be followed by the name of a variable")
    const url = yield* Effect.mapError(Config.redacted(name), () => refusal(`env:${name}: the variable is not set`))
    if (!isValid(Redacted.value(url)))
      return yield* refusal(`env:${name}: the variable must be postgres://host/database`)
    return { url, label: text }
  })
