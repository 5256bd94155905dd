import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Console from "effect/Console"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { load } from "../internal/loading.js"
import { counted, instant } from "../internal/text.js"

/** The export is not as it was written, or was not complete then. */
export class NotVerified extends Data.TaggedError("NotVerified")<{ readonly message: string }> {}

export const verifyCommand = Command.make(
  "verify",
  { folder: Args.text({ name: "dir" }).pipe(Args.withDescription("The folder of a finished export.")) },
  ({ folder }) =>
    Effect.gen(function* () {
      const { verify } = yield* load(() => import("../internal/verifyFolder.js"))
      const { findings, manifest } = yield* verify(folder)
      yield* Effect.forEach(findings, ({ _tag, message }) => Console.log(`${_tag}: ${message}`), { discard: true })
      yield* Effect.forEach(
        manifest.missing,
        ({ because, from, part, to }) =>
          Console.log(`missing   ${part}, ${instant(from)} to ${instant(to)} UTC: ${because}`),
        { discard: true }
      )
      if (findings.length > 0) {
        return yield* new NotVerified({
          message: `${folder} is not as it was written: ${counted(findings.length, "finding")}`
        })
      }
      if (manifest.verdict === "incomplete") {
        return yield* new NotVerified({
          message: `${folder} is as it was written, and was incomplete then: see the lines above, or its manifest`
        })
      }
      const files = manifest.parts.reduce((sum, part) => sum + part.files.length + part.rejected.length, 0)
      const kind = manifest.format === "sqlite" ? "table" : "file"
      yield* Console.log(
        `${counted(manifest.rows, "row")} in ${counted(files, kind)}, ${instant(manifest.from)} to ${instant(manifest.to)} UTC: complete, and as it was written.`
      )
    })
).pipe(
  Command.withDescription(
    "Compare an export with its manifest: each finding on a line of its own. Exit codes: 0 complete and as it was written; 1 it is not, or there is no export; 2 the words of the call are off."
  )
)
