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
    const found = Arr.groupBy(unsettled, ({ kind }) => kind)
    // Those of the dataset first, in its order, whichever record is the oldest.
    return [...new Set([...Object.keys(kinds), ...Object.keys(found)])].flatMap((kind) => {
      const count = found[kind]?.length ?? 0
      const [one, several] = kinds[kind] ?? ofAnyKind
      return count === 0 ? [] : [`${name}: ${formatCount(count)} ${count === 1 ? one : several}`]
    })
  })
