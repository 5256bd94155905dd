import * as Ledger from "@effect-venue/fleet/Ledger"
import * as Status from "@effect-venue/fleet/siblings/Status"
import { countNoun, formatInstant } from "@effect-venue/schemas/siblings/Words"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import { addresses } from "./fleetText.js"
import * as Layout from "../output/layout.js"
import * as output from "../output/output.js"

/** The folder or the database has no fleet. */
export class NoFleet extends Data.TaggedError("NoFleet")<{ readonly message: string }> {}

/** How many exports in trouble are listed. */
const mostTroubled = 20

/** How many accounts with removed exports are listed. */
const mostRemovals = 20

/** A value as JSON has it: null if there is none. */
const toJson = (value: unknown): unknown => {
  if (Option.isOption(value)) return toJson(Option.getOrNull(value))
  if (Array.isArray(value)) return value.map(toJson)
  return Predicate.isRecord(value) ? Record.map(value, toJson) : value
}

const troubleOf = ({ account, coverage, lastFailure, part, state }: Ledger.Export): string => {
  const missing = Option.map(
    Option.flatMap(coverage, ({ because }) => because),
    (because) => `rows may be missing: ${because}`
  )
  const because = Option.getOrElse(
    Option.orElse(lastFailure, () => missing),
    () => ""
  )
  return `${state}  ${account}  ${part}  ${because}`
}

const removalOf = ({ account, at, by, exports }: Ledger.Removal): string =>
  `removed  ${account}  ${countNoun(exports, "export")}  at ${formatInstant(at)} UTC by ${by}, whose accounts did not have ${exports === 1 ? "it" : "them"}`

/** Prints the status of the fleet of a ledger. */
export const print = (json: boolean) =>
  Effect.gen(function* () {
    const ledger = yield* Ledger.Ledger
    const status = yield* Status.current(ledger)
    const troubled = yield* ledger.troubled(mostTroubled)
    const removals = yield* ledger.removals(mostRemovals)
    const text = [addresses(status, yield* Layout.page), ...troubled.map(troubleOf), ...removals.map(removalOf)].join(
      "\n"
    )
    yield* json ? output.printJson(toJson({ ...status, troubled, removed: removals })) : output.print(text)
  })
