import type * as Manifest from "@effect-venue/history/Manifest"
import { instant } from "./text.js"

/** The line of a range that can lack rows: `missing` if a later run can fill it, `lost` if none can. */
export const missingLine = ({ because, from, lost, part, to }: Manifest.MissingOfPart): string =>
  `${lost ? "lost     " : "missing  "} ${part}, ${instant(from)} to ${instant(to)} UTC: ${because}`
