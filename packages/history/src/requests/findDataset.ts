import * as Either from "effect/Either"
import type * as Dataset from "../model/Dataset.js"
import { Unreadable } from "../model/ExportFailure.js"
import * as Datasets from "./Datasets.js"

/** The dataset of a name, of the library or a custom one. */
export const find = (
  name: string,
  { datasets: custom = [] }: { readonly datasets?: ReadonlyArray<Dataset.Dataset<never, unknown>> | undefined }
): Dataset.Dataset<never, unknown> | undefined => {
  const known: ReadonlyArray<Dataset.Dataset<never, unknown>> = [...Datasets.datasets, ...custom]
  return known.find((dataset) => dataset.name === name)
}

/** The dataset of a part whose rows are read. */
export const ofPart = (
  { dataset, name }: { readonly dataset: string; readonly name: string },
  options: Parameters<typeof find>[1]
): Either.Either<Dataset.Dataset<never, unknown>, Unreadable> =>
  Either.fromNullable(
    find(dataset, options),
    () =>
      new Unreadable({ location: name, detail: `the dataset ${dataset} is unknown: pass it in the option datasets` })
  )
