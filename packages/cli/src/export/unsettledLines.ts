import type * as Manifest from "@effect-venue/history/Manifest"
import * as Datasets from "@effect-venue/history/siblings/Datasets"
import { countNoun } from "@effect-venue/schemas/siblings/Words"

/** A line for each part with records that can still appear or change: which, until when, and at how many instants. */
export const unsettledLines = (
  parts: ReadonlyArray<Pick<Manifest.Part, "dataset" | "name" | "unsettled">>
): ReadonlyArray<string> =>
  parts.flatMap(({ dataset, name, unsettled }) => {
    if (unsettled.length === 0) return []
    const because = Datasets.datasets.find((each) => each.name === dataset)?.settling.because ?? "records that change"
    const [records = "", until = ""] = because.split(/:(.*)/s)
    return [`${name}: ${records} of ${countNoun(unsettled.length, "instant")}:${until}`]
  })
