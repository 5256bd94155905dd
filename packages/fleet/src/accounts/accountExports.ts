/** The exports of an account: its datasets, in each of their categories. */
import type * as Dataset from "@effect-venue/history/Dataset"
import * as Datasets from "@effect-venue/history/siblings/Datasets"
import * as Part from "@effect-venue/history/Part"
import * as DocumentedLimits from "@effect-venue/transport/siblings/DocumentedLimits"
import type * as Transport from "@effect-venue/transport/Transport"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import type { FleetAccount } from "./Accounts.js"
import type * as Ledger from "../ledger/Ledger.js"

/** An export of an account. */
export interface AccountExport {
  /** The dataset, or the dataset and its category: `executions-linear`. */
  readonly part: string
  readonly dataset: Dataset.Dataset<never, unknown>
  readonly query: { readonly category?: string | undefined }
  /** It is done with its first run: the history of before an upgrade does not grow, nor does one that has an end. */
  readonly isOnce: boolean
}

const closed: ReadonlySet<string> = new Set([Datasets.preUpgradeExecutions.name, Datasets.preUpgradeClosedPnl.name])

/** The exports of an account. */
export const exportsOf = ({
  categories,
  datasets,
  to
}: Pick<FleetAccount, "categories" | "datasets" | "to">): ReadonlyArray<AccountExport> =>
  Datasets.datasets
    .filter(({ name }) => datasets.includes(name))
    .flatMap((dataset): ReadonlyArray<AccountExport> => {
      const { name } = dataset
      const isOnce = Option.isSome(to) || closed.has(name)
      if (dataset.categories.length === 0) return [{ part: name, dataset, query: {}, isOnce }]
      return Datasets.categoriesOf(dataset, categories).map((category) => ({
        part: `${name}-${category}`,
        dataset,
        query: { category },
        isOnce
      }))
    })

/** The part of `History.run` for an export. */
export const partOf = (
  { dataset, query }: AccountExport,
  account: FleetAccount,
  transport: Transport.Transport.Shape
): Part.Part<unknown, never> =>
  // A dataset gets a category that its row of the table lists, which the types of the queries cannot follow.
  Part.make(dataset as Dataset.Dataset<object, unknown>, query, { name: account.name, transport })

/** How long a page takes within the limit of its dataset, in milliseconds. */
const millisPerPage = ({ endpoint }: Dataset.Dataset<never, unknown>): number => {
  const { count, window } = Option.getOrElse(endpoint.rateLimit, () => DocumentedLimits.perIp)
  return Duration.toMillis(window) / count
}

/** How many pages an export has at least: one for each of its windows. */
const pagesOf = ({ windows }: Dataset.Dataset<never, unknown>, length: number): number =>
  Duration.isFinite(windows.span) ? Math.max(1, Math.ceil(length / Duration.toMillis(windows.span))) : 1

/** The entries of accounts for the ledger. New ones are due at `now`. `egressOf` has the address of each account. */
export const entriesOf = (
  accounts: ReadonlyArray<FleetAccount>,
  egressOf: ReadonlyMap<string, string>,
  now: number
): ReadonlyArray<Ledger.Entry> =>
  accounts.flatMap((account) => {
    const egress = egressOf.get(account.name)
    if (egress === undefined) return []
    const length = Option.getOrElse(account.to, () => now) - account.from
    return exportsOf(account).map(({ dataset, isOnce, part }) => ({
      account: account.name,
      part,
      masterUid: account.masterUid,
      egress,
      isPaused: account.isPaused,
      isOnce,
      from: account.from,
      to: account.to,
      every: Math.round(Duration.toMillis(account.every)),
      dueAt: now,
      pages: pagesOf(dataset, length),
      millisPerPage: millisPerPage(dataset)
    }))
  })
