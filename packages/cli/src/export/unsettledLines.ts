import type * as Manifest from "@effect-venue/history/Manifest"
import * as Datasets from "@effect-venue/history/siblings/Datasets"
import { formatCount } from "@effect-venue/schemas/siblings/Words"
import * as Arr from "effect/Array"

const ofAnyKind = ["record that can still change", "records that can still change"] as const

/** A line for each kind of records of a part that can still appear or change: how many, why, and until when. */
export const unsettledLines = (
  parts: ReadonlyArray<Pick<Manifest.Part, "dataset" | "name" | "unsettled">>
): ReadonlyArray<string> =>
  parts.flatMap(({ dataset, name, unsettled }) => {
    const kinds = Datasets.datasets.find((each) => each.name === dataset)?.settling.kinds ?? {}
    return Object.entries(Arr.groupBy(unsettled, ({ kind }) => kind)).map(([kind, { length }]) => {
      const [one, several] = kinds[kind] ?? ofAnyKind
      return `${name}: ${formatCount(length)} ${length === 1 ? one : several}`
    })
  })
