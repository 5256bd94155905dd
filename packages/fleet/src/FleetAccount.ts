/**
 * Accounts of a fleet, and the exports of each: its datasets, in each of their categories.
 *
 * @since 0.1.0
 */
import type * as Dataset from "@effect-venue/history/Dataset"
import * as Datasets from "@effect-venue/history/shared/Datasets"
import * as Part from "@effect-venue/history/Part"
import type * as Transport from "@effect-venue/transport/Transport"
import * as Limits from "@effect-venue/transport/Limits"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import type * as Ledger from "./Ledger.js"

/**
 * An account, without its key.
 *
 * @since 0.1.0
 * @category models
 */
export interface FleetAccount {
  /** Its name in the ledger, in folders and in manifests. */
  readonly name: string
  /** The UID of the master account, as declared. Accounts of one master are exported from one address. */
  readonly masterUid: string
  /** The UID of the account, if it is declared: keys of one UID then share its limits. */
  readonly uid: Option.Option<string>
  readonly baseUrl: string
  /** The name of an egress address, or `any`. */
  readonly egress: string
  /** Names of datasets. */
  readonly datasets: ReadonlyArray<string>
  /** Categories of those datasets that have any; empty for all of them. */
  readonly categories: ReadonlyArray<string>
  /** The first instant of the exports, in milliseconds. */
  readonly from: number
  /** The first instant after them. Without it an export continues with new rows at the interval `every`. */
  readonly to: Option.Option<number>
  readonly every: Duration.Duration
  readonly isPaused: boolean
  /**
   * Declares that an API key which the exports have not seen is of the same account. Needed if no export of the account has rows that show it.
   * Defaults to false.
   */
  readonly sameAccount?: boolean | undefined
}

/**
 * An account names an address that the fleet does not have. Nothing was registered.
 *
 * @since 0.1.0
 * @category failures
 */
export class UnknownEgress extends Data.TaggedError("UnknownEgress")<{
  readonly account: string
  readonly egress: string
}> {
  override get message(): string {
    return `the account ${this.account} names the egress address ${this.egress}, which the fleet does not have`
  }
}

/**
 * Two accounts of a fleet are one. Nothing was registered.
 *
 * `Name`: they have the same name, or names that a file system can take for the same. `Key`: they have the same API key at the same service.
 *
 * @since 0.1.0
 * @category failures
 */
export class DuplicateAccount extends Data.TaggedError("DuplicateAccount")<{
  readonly accounts: readonly [first: string, second: string]
  readonly reason: "Name" | "Key"
}> {
  override get message(): string {
    const [first, second] = this.accounts
    if (this.reason === "Key") return `the accounts ${first} and ${second} have the same API key: remove one of them`
    return first === second
      ? `the account ${first} is declared twice`
      : `the names of the accounts ${first} and ${second} are too much alike: a file system can take the two for one`
  }
}

/**
 * Why declared accounts are refused, before anything of them is registered.
 *
 * @since 0.1.0
 * @category failures
 */
export type Refusal = UnknownEgress | DuplicateAccount

/**
 * An export of an account.
 *
 * @since 0.1.0
 * @category models
 */
export interface AccountExport {
  /** The dataset, or the dataset and its category: `executions-linear`. */
  readonly part: string
  readonly dataset: Dataset.Dataset<never, unknown>
  readonly query: { readonly category?: string | undefined }
  /** It is done with its first run: the history of before an upgrade does not grow, nor does one that has an end. */
  readonly isOnce: boolean
}

const closed: ReadonlySet<string> = new Set([Datasets.preUpgradeExecutions.name, Datasets.preUpgradeClosedPnl.name])

/**
 * The exports of an account.
 *
 * @since 0.1.0
 * @category getters
 */
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
      return dataset.categories
        .filter((category) => categories.length === 0 || categories.includes(category))
        .map((category) => ({ part: `${name}-${category}`, dataset, query: { category }, isOnce }))
    })

/**
 * The part of `History.run` for an export.
 *
 * @since 0.1.0
 * @category getters
 */
export const partOf = (
  { dataset, query }: AccountExport,
  account: FleetAccount,
  transport: Transport.Transport.Shape
): Part.Part<unknown, never> =>
  // A dataset gets a category that its row of the table lists, which the types of the queries cannot follow.
  Part.make(dataset as Dataset.Dataset<object, unknown>, query, { name: account.name, transport })

/** How long a page takes within the limit of its dataset, in milliseconds. */
const millisPerPage = ({ endpoint }: Dataset.Dataset<never, unknown>): number => {
  const { count, window } = Option.getOrElse(endpoint.rateLimit, () => Limits.perIp)
  return Duration.toMillis(window) / count
}

/** How many pages an export has at least: one for each of its windows. */
const pagesOf = ({ windows }: Dataset.Dataset<never, unknown>, length: number): number =>
  Duration.isFinite(windows.span) ? Math.max(1, Math.ceil(length / Duration.toMillis(windows.span))) : 1

/**
 * The entries of accounts for the ledger. New ones are due at `now`. `egressOf` has the address of each account.
 *
 * @since 0.1.0
 * @category getters
 */
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
