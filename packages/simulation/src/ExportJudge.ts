/**
 * Compares what an export says of itself with what the exchange holds. Pure.
 */

/**
 * `Short`: complete, and rows are missing. `Doubled`: a row is there twice. `Mixed`: rows of another account. `Differs`: an export that was
 * disturbed is not, byte for byte, the one that was not. `Robbed`: a process at work, never frozen, lost its folder to another one.
 * `Unfinished`: the last start, which nothing disturbs, does not finish.
 */
export const rules = [
  "Short",
  "Doubled",
  "Mixed",
  "Differs",
  "Robbed",
  "Unfinished",
  "Stuck",
  "Spinning",
  "Defect",
  "Secret"
] as const

export type Rule = (typeof rules)[number]

export interface Violation {
  readonly rule: Rule
  /** The start or the part that it is about. */
  readonly call: string
  readonly detail: string
}

/** How a start ended. */
export interface Ended {
  readonly start: string
  /** It was frozen at some time: others may have taken its place meanwhile. */
  readonly isFrozen?: boolean
  readonly end: "complete" | "died" | "failed" | "gone" | "incomplete"
  readonly detail: string
}

/** A part of the export as it is on the disk at the end. */
export interface Part {
  readonly name: string
  readonly isComplete: boolean
  readonly rows: ReadonlyArray<string>
  /** What the exchange holds of the account. */
  readonly expected: ReadonlyArray<string>
  /** What it holds of others. */
  readonly foreign: ReadonlySet<string>
}

export interface Evidence {
  readonly end: "Asleep" | "Done" | "Spinning" | "TooLong"
  readonly starts: ReadonlyArray<Ended>
  /** The last start, which nothing disturbs. */
  readonly last: string
  readonly parts: ReadonlyArray<Part>
  /** The files but for the manifest, by name: of the export, and of one that was not disturbed. */
  readonly files: ReadonlyMap<string, string>
  readonly undisturbed: ReadonlyMap<string, string>
  /** Text that was logged, written or reported, and contains a secret. */
  readonly leaks: ReadonlyArray<string>
}

const few = (all: ReadonlyArray<string>): string => `${all.length}: ${all.slice(0, 3).join(", ")}`

const rowsOf = ({ expected, foreign, isComplete, name, rows }: Part): ReadonlyArray<Violation> => {
  const there = new Set(rows)
  const missing = isComplete ? expected.filter((row) => !there.has(row)) : []
  const doubled = rows.filter((row, index) => rows.indexOf(row) !== index)
  const mixed = rows.filter((row) => foreign.has(row))
  return [
    ...(missing.length > 0 ? [{ rule: "Short" as const, call: name, detail: `missing ${few(missing)}` }] : []),
    ...(doubled.length > 0 ? [{ rule: "Doubled" as const, call: name, detail: `twice ${few(doubled)}` }] : []),
    ...(mixed.length > 0 ? [{ rule: "Mixed" as const, call: name, detail: `of another account ${few(mixed)}` }] : [])
  ]
}

/** The names of files that are not, byte for byte, those of an undisturbed export. */
export const differences = ({ files, undisturbed }: Pick<Evidence, "files" | "undisturbed">): ReadonlyArray<string> =>
  [...new Set([...files.keys(), ...undisturbed.keys()])].filter((name) => files.get(name) !== undisturbed.get(name))

export const violations = (evidence: Evidence): ReadonlyArray<Violation> => {
  const { end, last, leaks, parts, starts } = evidence
  const ended = starts.find(({ start }) => start === last)
  const differing = ended?.end === "complete" ? differences(evidence) : []
  return [
    ...(end === "Spinning" ? [{ rule: "Spinning" as const, call: "", detail: "time stands still" }] : []),
    ...(end === "Done" ? [] : [{ rule: "Stuck" as const, call: last, detail: end }]),
    ...starts
      .filter(({ end }) => end === "died")
      .map(({ detail, start }) => ({ rule: "Defect" as const, call: start, detail })),
    ...starts
      .filter(({ detail, end, isFrozen, start }) => {
        return end === "failed" && start !== last && isFrozen !== true && detail.startsWith("SinkFailure")
      })
      .map(({ detail, start }) => ({ rule: "Robbed" as const, call: start, detail })),
    ...(ended === undefined || ended.end === "complete"
      ? []
      : [{ rule: "Unfinished" as const, call: last, detail: `${ended.end}: ${ended.detail}` }]),
    ...(ended?.end === "complete" ? parts.flatMap(rowsOf) : []),
    ...(differing.length > 0
      ? [{ rule: "Differs" as const, call: "", detail: `files differ: ${few(differing)}` }]
      : []),
    ...leaks.map((detail) => ({ rule: "Secret" as const, call: "", detail }))
  ]
}
