import * as Data from "effect/Data"
import * as Predicate from "effect/Predicate"
import { withoutPasswords } from "./address.js"

/** The arguments do not fit together: nothing was sent, nothing was written. */
export class Refusal extends Data.TaggedError("Refusal")<{ readonly message: string }> {}

/** A failure that is in the log already. */
export class LoggedFailure extends Data.TaggedError("LoggedFailure")<{ readonly error: unknown }> {}

/** The words of a program or of the system, and those of the command line. */
const replacements: ReadonlyArray<readonly [pattern: RegExp, words: string]> = [
  [/an instant \(DateTime, Date, ISO text or milliseconds\)/g, "a date such as 2026-01-31T18:00Z, or milliseconds"],
  [/a BigDecimal or plain decimal text such as "0.001"/g, "a decimal such as 0.001"],
  [/^(\S+\.json): (is|must) /, "$1 $2 "],
  [/must be an absolute http or https address$/, "$&, such as https://host.example"],
  [/unauthorized \(Key\)/g, "the key is unknown there, or has expired (Key)"],
  [/unauthorized \(Signature\)/g, "the secret is not that of the key (Signature)"],
  [/unauthorized \(Permission\)/g, "the key lacks a permission, or is for other addresses (Permission)"],
  [/(\d+)d after/g, "$1 days after"],
  [/set `exposed` \(--allow-remote\) to allow this/g, "--allow-remote allows this"],
  [/connection failed, ECONNREFUSED: connect ECONNREFUSED (\S+)/g, "cannot connect: nothing listens at $1"],
  [/connection failed, ENOTFOUND: getaddrinfo ENOTFOUND (\S+)/g, "cannot connect: the host $1 is unknown"],
  [/connection failed, EAI_AGAIN: getaddrinfo EAI_AGAIN (\S+)/g, "cannot connect: the name server does not find $1"]
]

/** Puts a message into the words of the command line. */
export const translate = (message: string): string =>
  replacements.reduce((text, [pattern, words]) => text.replace(pattern, words), message)

/** The message of a failure on one line, without a stack trace. */
const oneLine = (error: unknown): string => {
  const message =
    Predicate.hasProperty(error, "message") && Predicate.isString(error.message) ? error.message : String(error)
  return translate(message).replace(/\s*\n\s*/g, "; ")
}

/** The message of a failure, without passwords in the words of the command. */
export const lineOf = (error: unknown, words: ReadonlyArray<string>): string => withoutPasswords(oneLine(error), words)
