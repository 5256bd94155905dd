import * as FileLedger from "@effect-venue/fleet/FileLedger"
import * as Ledger from "@effect-venue/fleet/Ledger"
import * as Status from "@effect-venue/fleet/Status"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { ledgerIn } from "./fleetFiles.js"
import { addresses } from "./fleetText.js"
import * as output from "./output.js"

/** There is no fleet in the folder. */
export class NoFleet extends Data.TaggedError("NoFleet")<{ readonly message: string }> {}

/** How many exports in trouble are listed. */
const mostTroubled = 20

const jsonOf = (status: Status.Status, troubled: ReadonlyArray<Ledger.Export>): string =>
  JSON.stringify(
    {
      ...status,
      secondsLeft: Option.getOrNull(status.secondsLeft),
      addresses: status.addresses.map((address) => ({
        ...address,
        seenAt: Option.getOrNull(address.seenAt),
        secondsLeft: Option.getOrNull(address.secondsLeft)
      })),
      troubled: troubled.map((entry) => ({
        ...entry,
        lastFailure: Option.getOrNull(entry.lastFailure),
        doneAt: Option.getOrNull(entry.doneAt),
        coverage: Option.getOrNull(entry.coverage)
      }))
    },
    undefined,
    2
  )

const troubleOf = ({ account, coverage, lastFailure, part, state }: Ledger.Export): string => {
  const because = Option.getOrElse(lastFailure, () =>
    Option.exists(coverage, ({ verdict }) => verdict === "incomplete") ? "its manifest says what is missing" : ""
  )
  return `${state}  ${account}  ${part}  ${because}`
}

/** Prints the status of the fleet in a folder. */
export const print = ({ json, out }: { readonly json: boolean; readonly out: string }) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const file = yield* ledgerIn(out)
    // Opening a file that is not there would create one.
    if (!(yield* Effect.orElseSucceed(fs.exists(file), () => false))) {
      return yield* new NoFleet({ message: `there is no fleet in ${out}` })
    }
    const { status, troubled } = yield* Effect.flatMap(Ledger.Ledger, (ledger) =>
      Effect.all({
        status: Status.current(ledger),
        troubled: ledger.troubled(mostTroubled)
      })
    ).pipe(Effect.provide(FileLedger.layer(file)))
    yield* output.print(json ? jsonOf(status, troubled) : [addresses(status), ...troubled.map(troubleOf)].join("\n"))
  })
