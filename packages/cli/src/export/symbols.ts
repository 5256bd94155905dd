import type * as Books from "@effect-venue/books/Books"
import * as FileSystem from "@effect/platform/FileSystem"
import type * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Files from "../output/files.js"
import { Refusal } from "../run/failures.js"

const categories = ["linear", "inverse", "spot"]

/** The entry of a line, or the rule that it breaks. */
const entryOf = (line: string): Books.SymbolEntry | string => {
  const [category = "", symbol = "", base = "", quote = "", settle = quote, ...others] = line
    .split(",")
    .map((cell) => cell.trim())
  if (!categories.includes(category)) return "begins with linear, inverse or spot"
  if (others.length > 0 || symbol === "" || base === "" || quote === "" || settle === "") {
    return "has category, symbol, base, quote and settle coin, separated by commas"
  }
  return { category, symbol, base, quote, settle }
}

/** Reads the table of symbols: a line for each, `category,symbol,base,quote,settle`. Empty without a file. */
export const read = (
  file: Option.Option<string>
): Effect.Effect<ReadonlyArray<Books.SymbolEntry>, Refusal, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function* () {
    if (Option.isNone(file)) return []
    const fs = yield* FileSystem.FileSystem
    const text = yield* Effect.catchAll(fs.readFileString(file.value), (error) =>
      Effect.flatMap(
        Files.explain(error),
        (reason) => new Refusal({ message: `--symbols: cannot read ${file.value}: ${reason}` })
      )
    )
    const entries: Array<Books.SymbolEntry> = []
    for (const [index, line] of text.split(/\r?\n/).entries()) {
      if (line.trim() === "" || line.startsWith("#") || line === "category,symbol,base,quote,settle") continue
      const entry = entryOf(line)
      if (typeof entry === "string") {
        return yield* new Refusal({
          message: `--symbols: line ${index + 1} of ${file.value} is "${line}": a line ${entry}`
        })
      }
      entries.push(entry)
    }
    return entries
  })
