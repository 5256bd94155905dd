import * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"

/** The ledger of a fleet, in its folder: no account has a name that begins with a dot. */
export const ledgerIn = (out: string): Effect.Effect<string, never, Path.Path> =>
  Effect.map(Path.Path, (path) => path.join(out, ".fleet", "ledger.db"))
