import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { load } from "../run/invocation.js"
import * as options from "../options/options.js"
import * as Layout from "../output/layout.js"
import * as Output from "../output/output.js"
import { countNoun } from "@effect-venue/schemas/siblings/Words"

/** A key is rejected by the service, or could not be checked. */
class Unusable extends Data.TaggedError("Unusable")<{ readonly message: string }> {}

export const accountsCommand = Command.make(
  "accounts",
  {
    json: Options.boolean("json").pipe(Options.withDescription("Print the accounts as JSON, for machines.")),
    ...options.source
  },
  ({ json, ...choice }) =>
    Effect.gen(function* () {
      const { check, names, venue } = yield* load(() => import("../account/accounts.js"))
      const { accounts } = yield* venue.source({ ...choice, accounts: yield* names(choice) })
      const checked = yield* Effect.forEach(accounts, check)
      const rows = checked.map(({ account, key, service, uid }) => [account ?? "-", uid ?? "-", service, key])
      yield* json
        ? Output.printJson(checked)
        : Output.print(Layout.list({ heads: ["account", "uid", "service", "key"], rows }, yield* Layout.page))
      const failed = checked.filter(({ isUsable }) => !isUsable)
      if (failed.length > 0) return yield* new Unusable({ message: `${countNoun(failed.length, "key")} not usable` })
    }).pipe(Effect.scoped)
).pipe(
  Command.withDescription(
    "List the accounts, and call the service once with the key of each. Nothing is written. Exit codes: 0 every key is usable; 1 a key is not; 2 wrong arguments, or there is no account."
  )
)
