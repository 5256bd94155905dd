// `venue call` loads this when a write has a guard.
import * as FileWriteJournal from "@effect-venue/transport/FileWriteJournal"
import * as Guard from "@effect-venue/transport/Guard"
import * as WriteJournal from "@effect-venue/transport/WriteJournal"
import type * as FileSystem from "@effect/platform/FileSystem"
import type * as Path from "@effect/platform/Path"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { Refusal } from "../run/failures.js"
import type { GuardRules } from "../config/configFile.js"

/** The guard of a config file, with the journal that its totals are read from. Its context is for the layer of the transport. */
export const guardOf = (
  { journal: folder, marketPrices = {}, stopFile, ...rules }: GuardRules,
  file: string
): Effect.Effect<Context.Context<never>, Refusal, FileSystem.FileSystem | Path.Path | Scope.Scope> =>
  Effect.gen(function* () {
    const options: Guard.Options = {
      ...rules,
      marketPrice: (symbol) => marketPrices[symbol],
      isStopped: stopFile === undefined ? undefined : yield* Guard.stopFile(stopFile)
    }
    if (folder === undefined) return Context.make(Guard.Guard, yield* Guard.make(options))
    const journal = yield* FileWriteJournal.make({ folder })
    return yield* Effect.provideService(Guard.makeJournalled(options), WriteJournal.WriteJournal, journal)
  }).pipe(Effect.mapError(({ message }) => new Refusal({ message: `the guard of ${file}: ${message}` })))
