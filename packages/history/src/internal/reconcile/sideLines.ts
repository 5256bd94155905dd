import type { NonRecord } from "../read/collect.js"
import type { RowChunk, WindowSummary } from "./models.js"

const sideLine = ({ problem, text }: NonRecord, path = ""): string =>
  `{"path":${JSON.stringify(path)},"problem":${JSON.stringify(problem)},"row":${text}}`

/** Lines of the side file: rows that do not fit the schema, each with the path and the reason, and those that are not exported. */
export const rejectedRows = ({ aside, entries }: RowChunk): ReadonlyArray<string> => [
  ...entries.flatMap(({ mismatch, text }) =>
    mismatch === undefined ? [] : [sideLine({ problem: mismatch.expected, text }, mismatch.path)]
  ),
  ...aside.map((item) => sideLine(item))
]

/** Lines of the side file for items that are no records. */
export const nonRecordLines = ({ nonRecords }: WindowSummary): ReadonlyArray<string> =>
  nonRecords.map((item) => sideLine(item))
