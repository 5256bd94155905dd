/**
 * How far an export is: the state that a killed run left behind, from which the next one resumes. A folder and a database keep it as lines, one
 * for each commit (`files/checkpointFile.ts`).
 *
 * @sibling
 */
import * as Schema from "effect/Schema"
import * as Manifest from "./Manifest.js"
import { At } from "./ranges.js"

/** The plan of an export. A checkpoint is only resumed by an export with the same plan. */
export const Plan = Schema.Struct({
  format: Schema.String,
  partition: Manifest.Partition,
  from: At,
  to: At,
  parts: Schema.Array(Manifest.Subject),
  /** The end of the export that this one continues; null if it continues none. */
  since: Schema.NullOr(At)
})

export type Plan = typeof Plan.Type

/** Versions of records (see `Rows.version`) by the identities of their records. A list, since any text can be an identity. */
export const Versions = Schema.Array(Schema.Tuple(Schema.String, Schema.Array(Schema.String)))

export type Versions = typeof Versions.Type

/** Groups versions by the identities of their records. */
export const versionsOf = (all: Iterable<readonly [identity: string, version: string]>): Versions => {
  const versions = new Map<string, Array<string>>()
  for (const [identity, version] of all) {
    const there = versions.get(identity)
    if (there === undefined) versions.set(identity, [version])
    else there.push(version)
  }
  return Array.from(versions)
}

/** How far one part is: its windows so far, and the state for the next one. */
export const Progress = Schema.Struct({
  identity: Manifest.Identity,
  windows: Schema.Array(Manifest.Window),
  /** Keys of rows that the next window can repeat. */
  tail: Schema.Array(Schema.String),
  /** Versions of records (see `Rows.version`) that the export which this one continues has, and that were not met yet. */
  known: Versions,
  /** Records that can still appear or change. */
  unsettled: Schema.Array(Manifest.Unsettled)
})

export type Progress = typeof Progress.Type

export const Checkpoint = Schema.Struct({
  plan: Plan,
  startedAt: At,
  starts: Schema.NonNegativeInt,
  rereads: Schema.NonNegativeInt,
  retries: Schema.NonNegativeInt,
  /** The wallets when the export was begun. */
  wallets: Schema.Array(Manifest.Wallet),
  parts: Schema.Array(Progress)
})

export type Checkpoint = typeof Checkpoint.Type

const show = (value: string | null | undefined): string => value ?? "none"

/** The first difference of two plans: its name, and the value in each. */
export const difference = (
  left: Plan,
  right: Plan
): readonly [name: string, left: string, right: string] | undefined => {
  const iso = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString())
  const facts = (plan: Plan): ReadonlyArray<readonly [string, string | null]> => [
    ["format", plan.format],
    ["partition", plan.partition ?? null],
    ["from", iso(plan.from)],
    ["to", iso(plan.to)],
    ["continuing from", iso(plan.since)],
    ["datasets", plan.parts.map(({ dataset }) => dataset).join(", ")],
    ["accounts", plan.parts.map(({ account }) => show(account)).join(", ")],
    [
      "parameters",
      plan.parts
        .map(({ parameters }) =>
          Object.entries(parameters)
            .sort(([a], [b]) => (a < b ? -1 : 1))
            .map(([name, value]) => `${name}=${value}`)
            .join(" ")
        )
        .join(", ")
    ],
    ["names", plan.parts.map(({ name }) => name).join(", ")]
  ]
  const others = facts(right)
  for (const [index, [name, value]] of facts(left).entries()) {
    const counterpart = others[index]?.[1]
    if (value !== counterpart) return [name, show(value), show(counterpart)]
  }
  return undefined
}
