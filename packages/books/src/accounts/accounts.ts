/** The snapshots of an account, and the possible gaps between them. */
import * as Either from "effect/Either"
import type * as Manifest from "@effect-venue/history/Manifest"
import { countNoun, formatInstant } from "@effect-venue/schemas/siblings/Words"
import * as Flows from "./flows.js"

/** An account with both its snapshots, while its rows are read. */
export interface Pending {
  readonly account: string | null
  readonly opening: Manifest.Wallet
  readonly closing: Manifest.Wallet
  readonly flows: Flows.Tally
}

/** The accounts that have a snapshot of the begin and one of the end. */
export const begin = ({ run }: Pick<Manifest.Manifest, "run">): ReadonlyArray<Pending> =>
  run.walletsAtStart.flatMap((opening) => {
    const closing = run.walletsAtEnd.find(({ account }) => account === opening.account)
    return closing === undefined
      ? []
      : [
          {
            account: opening.account,
            opening,
            closing,
            flows: Flows.make({ from: opening.at, to: closing.at })
          }
        ]
  })

const wanted: ReadonlyArray<readonly [dataset: string, category: string | undefined]> = [
  ["executions", "linear"],
  ["executions", "inverse"],
  ["executions", "spot"],
  ["closed-pnl", "linear"],
  ["closed-pnl", "inverse"],
  ["transfers", undefined],
  ["deposits", undefined],
  ["sub-account-transfers", undefined],
  ["bonus-usage", undefined]
]

const isWhole = ({ parameters }: Manifest.Part): boolean => Object.keys(parameters).every((name) => name === "category")

const findAbsent = (parts: ReadonlyArray<Manifest.Part>): ReadonlyArray<string> =>
  wanted
    .filter(
      ([dataset, category]) =>
        !parts.some((part) => part.dataset === dataset && part.parameters.category === category && isWhole(part))
    )
    .map(([dataset, category]) => (category === undefined ? dataset : `${dataset} of ${category}`))

/** What the rows between the snapshots can lack, by the manifest. */
export const notesOf = (manifest: Manifest.Manifest, { account, closing, opening }: Pending): ReadonlyArray<string> => {
  const parts = manifest.parts.filter((part) => part.account === account)
  const lacking = findAbsent(parts)
  const gaps = manifest.missing.filter(
    (gap) => parts.some(({ name }) => name === gap.part) && gap.from < closing.at && gap.to > opening.at
  )
  return [
    ...(lacking.length === 0 ? [] : [`This export does not have all of: ${lacking.join(", ")}.`]),
    ...(manifest.to < closing.at
      ? [`The rows of this export end at ${formatInstant(manifest.to)} UTC, before the closing balance was read.`]
      : []),
    ...(manifest.from > opening.at
      ? [`The rows of this export begin at ${formatInstant(manifest.from)} UTC, after the opening balance was read.`]
      : []),
    ...(gaps.length === 0 ? [] : [`${countNoun(gaps.length, "range")} between the balances may lack rows.`])
  ]
}

/** The clocks of the balances and of the range differ by less, in milliseconds. */
const clockError = 60_000

/** Why the balances of an account cannot be reconciled with the rows of its export. */
export const checkReconcilable = (
  { from, to }: Manifest.Manifest,
  { closing, opening }: Pending
): Either.Either<void, string> => {
  const between = Math.min(to, closing.at) - Math.max(from, opening.at)
  return between >= Math.min(clockError, to - from)
    ? Either.void
    : Either.left(
        `these rows are not between two balances, which were read at ${formatInstant(opening.at)} and ${formatInstant(closing.at)} UTC. What happens from then on is checked after the next incremental export`
      )
}
