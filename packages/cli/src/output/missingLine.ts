import type * as Manifest from "@effect-venue/history/Manifest"
import { formatInstant } from "@effect-venue/schemas/siblings/Words"

/** The line of a range that can lack rows: `missing` if a later run can fill it, `lost` if none can. */
export const missingLine = ({ because, from, lost, part, to }: Manifest.MissingOfPart): string =>
  `${lost ? "lost     " : "missing  "} ${part}, ${formatInstant(from)} to ${formatInstant(to)} UTC: ${because}`
