import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import type * as Credentials from "@effect-venue/signing/Credentials"
import { countNoun } from "@effect-venue/schemas/siblings/Words"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { translate } from "../run/failures.js"
import { load } from "../run/invocation.js"
import * as options from "../options/options.js"
import * as Files from "../output/files.js"
import * as LiveLine from "../output/liveLine.js"
import * as Output from "../output/output.js"

/** Calls fail, or their results cannot be relied on. */
export class Unwell extends Data.TaggedError("Unwell")<{ readonly message: string }> {}

export const verbose = Options.boolean("verbose").pipe(
  Options.withDescription("Also list everything that is as expected.")
)

/** Prints the findings about an account. Run `ended` last: it fails if problems were found. */
export const diagnose = (
  credentials: Credentials.Credentials.Shape,
  { days, verbose }: { readonly days: number; readonly verbose: boolean }
) =>
  Effect.gen(function* () {
    const { examine, render } = yield* load(() => import("../account/doctor.js"))
    const line = yield* LiveLine.make
    let reached = "before the first operation"
    const show = (done: number, all: number, ...operation: ReadonlyArray<string>) =>
      line.show(
        Effect.succeed([
          LiveLine.bar(done, all),
          { rank: 0, text: `${done}/${countNoun(all, "operation")}` },
          ...operation.map((text) => ({ rank: 1, text }))
        ])
      )
    let whole: Effect.Effect<void> = Effect.void
    const examination = examine(credentials, {
      days,
      onProgress: ({ all, done, operation }) => {
        reached = `after ${done} of ${countNoun(all, "operation")}`
        whole = show(all, all)
        return show(done, all, operation)
      }
    })
    const { recording, report } = yield* examination.pipe(
      Effect.tap(() => whole),
      Effect.ensuring(line.done),
      Effect.onInterrupt(() => Output.warn(`Stopped ${reached}: the check has no result.`))
    )
    yield* Output.print(`\n${translate(render(report, { verbose }))}`)
    const problems = report.findings.filter(({ verdict }) => verdict === "problem").length
    const ended: Effect.Effect<void, Unwell> =
      problems > 0 ? new Unwell({ message: countNoun(problems, "problem") }) : Effect.void
    return { recording, ended }
  })

export const doctorCommand = Command.make(
  "doctor",
  {
    account: options.account,
    days: Options.integer("days").pipe(
      Options.withDefault(7),
      Options.withDescription("How many days of each history to read. Defaults to 7.")
    ),
    bundle: Options.text("bundle").pipe(
      Options.optional,
      Options.withDescription("A file to write the exchanges to, without key, signatures, UIDs and addresses.")
    ),
    verbose,
    ...options.source
  },
  ({ account, bundle, days, verbose, ...choice }) =>
    Effect.gen(function* () {
      const { print, venue } = yield* load(() => import("../account/doctor.js"))
      const { accounts } = yield* venue.source({ ...choice, accounts: Option.toArray(account) })
      const { ended, recording } = yield* diagnose(accounts[0].credentials, { days, verbose })
      if (Option.isSome(bundle)) {
        const fs = yield* FileSystem.FileSystem
        yield* Files.writing(bundle.value, fs.writeFileString(bundle.value, print(recording)))
        yield* Output.print(`\n${bundle.value}: ${countNoun(recording.exchanges.length, "exchange")}`)
      }
      yield* ended
    }).pipe(Effect.scoped)
).pipe(
  Command.withDescription(
    "Call every operation that reads, once, and list what is not as expected: answers, unknown fields and codes, limits, the clock, permissions, histories. Nothing is written. Exit codes: 0 no problem; 1 there are problems; 2 wrong arguments; 130 stopped."
  )
)
