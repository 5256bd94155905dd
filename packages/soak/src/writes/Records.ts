import * as Schema from "effect/Schema"
import * as fs from "node:fs"
import * as path from "node:path"

const Intent = Schema.Struct({ id: Schema.String, operation: Schema.String, parameters: Schema.Unknown })

const Line = Schema.parseJson(
  Schema.Union(
    Schema.Struct({ intent: Intent }),
    Schema.Struct({
      id: Schema.String,
      outcome: Schema.Struct({ _tag: Schema.String, codes: Schema.optional(Schema.Array(Schema.Int)) })
    })
  )
)

const decode = Schema.decodeUnknownOption(Line)

/** An entry as the files of a journal have it, open or closed. */
export interface Record {
  readonly operation: string
  readonly parameters: unknown
  readonly outcome: { readonly _tag: string; readonly codes?: ReadonlyArray<number> | undefined } | undefined
}

/** The entries in the folder of a journal, read without the library. */
export const read = (folder: string): ReadonlyMap<string, Record> => {
  const records = new Map<string, Record>()
  const files = fs.existsSync(folder) ? fs.readdirSync(folder) : []
  for (const file of files) {
    for (const text of fs.readFileSync(path.join(folder, file), "utf8").split("\n").slice(0, -1)) {
      // A line begins with its checksum.
      const line = decode(text.slice(text.indexOf("{")))
      if (line._tag === "None") continue
      if ("intent" in line.value) {
        const { id, operation, parameters } = line.value.intent
        records.set(id, { operation, parameters, outcome: undefined })
      } else {
        const { id, outcome } = line.value
        const record = records.get(id)
        if (record !== undefined) records.set(id, { ...record, outcome })
      }
    }
  }
  return records
}

/** A call of the program that is killed, as the simulation makes it. */
export const Call = Schema.Struct({ id: Schema.String, kind: Schema.Literal("create", "batch", "transfer") })

export type Call = typeof Call.Type
