import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import type * as Verify from "@effect-venue/history/Verify"
import { countNoun, formatInstant } from "@effect-venue/schemas/siblings/Words"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { load } from "../run/invocation.js"
import * as options from "../options/options.js"
import * as Layout from "../output/layout.js"
import * as Output from "../output/output.js"

/** The export was changed, or was incomplete when it was written. */
export class NotVerified extends Data.TaggedError("NotVerified")<{ readonly message: string }> {}

const iso = (at: number): string => new Date(at).toISOString()

/** The result for machines. */
const outcome = (location: string, { findings, manifest }: Verify.Report, isChanged: boolean) => ({
  location,
  verdict: isChanged ? "changed" : manifest.verdict,
  rows: manifest.rows,
  from: iso(manifest.from),
  to: iso(manifest.to),
  findings: findings.map(({ _tag, message }) => ({ finding: _tag, message })),
  missing: manifest.missing.map(({ because, from, lost, part, to }) => ({
    part,
    from: iso(from),
    to: iso(to),
    because,
    lost
  }))
})

export const verifyCommand = Command.make(
  "verify",
  {
    location: options.finishedExport,
    ...options.tables,
    json: Options.boolean("json").pipe(Options.withDescription("Print verdict and findings as JSON, for machines."))
  },
  ({ json, location, name, prefix }) =>
    Effect.gen(function* () {
      const { find, isDifference } = yield* load(() => import("../export/exported.js"))
      const exported = yield* find({ location, name, prefix }, { what: "the location", command: "verify" })
      const { findings, manifest } = yield* exported.verify
      const folder = exported.location
      const differences = findings.filter(isDifference)
      const print = json ? () => Effect.void : (line: string) => Output.print(line)
      if (json) yield* Output.printJson(outcome(folder, { findings, manifest }, differences.length > 0))
      yield* Effect.forEach(findings, ({ _tag, message }) => print(`${_tag}: ${message}`), { discard: true })
      yield* Effect.forEach(manifest.missing, (gap) => print(Layout.missingLine(gap)), { discard: true })
      if (differences.length > 0) {
        return yield* new NotVerified({
          message: `${folder} was changed after it was written: ${countNoun(differences.length, "finding")}`
        })
      }
      if (manifest.verdict === "incomplete") {
        return yield* new NotVerified({
          message: `${folder} is unchanged, but was incomplete when it was written: see the lines above, or its manifest`
        })
      }
      const files = manifest.parts.reduce((sum, part) => sum + part.files.length + part.rejected.length, 0)
      const kind = manifest.format === "sqlite" || manifest.format === "sql" ? "table" : "file"
      yield* print(
        `${countNoun(manifest.rows, "row")} in ${countNoun(files, kind)}, ${formatInstant(manifest.from)} to ${formatInstant(manifest.to)} UTC: complete, and as it was written.`
      )
    })
).pipe(
  Command.withDescription(
    "Compare an export with its manifest, and print a line per finding. Exit codes: 0 complete and unchanged; 1 it is not, or there is no export; 2 wrong arguments."
  )
)
