import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Datasets from "@effect-venue/history/siblings/Datasets"
import * as Effect from "effect/Effect"
import * as Output from "../output/output.js"
import { load } from "../run/invocation.js"

export const schemaCommand = Command.make(
  "schema",
  {
    dataset: Args.choice(
      Datasets.datasets.map((dataset) => [dataset.name, dataset] as const),
      { name: "dataset" }
    ).pipe(Args.withDescription("The dataset.")),
    as: Options.choice("as", ["json-schema", "duckdb", "postgres", "bigquery"]).pipe(
      Options.withDefault("json-schema" as const),
      Options.withDescription("JSON Schema of a row of NDJSON, or SQL of a table. Defaults to json-schema.")
    )
  },
  ({ as, dataset }) =>
    Effect.gen(function* () {
      const { schemaOf } = yield* load(() => import("../export/schemaOf.js"))
      yield* Output.printExactly(schemaOf(dataset, as))
    })
).pipe(
  Command.withDescription(
    "Print the schema of a dataset with the meaning of each column. Exit codes: 0 done; 2 wrong arguments."
  )
)
