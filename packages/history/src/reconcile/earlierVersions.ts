import type * as Checkpoint from "../model/Checkpoint.js"
import type * as Dataset from "../model/Dataset.js"
import * as Rows from "../formats/Rows.js"
import * as Verbatim from "../model/verbatim.js"
import type { Arrival } from "../read/arrivals.js"

/** The versions of records in an earlier export. Each is taken by the row that has it again, or replaced by one that differs. */
export class EarlierVersions {
  readonly #versions: Map<string, ReadonlyArray<string>>
  #taken = 0

  constructor(
    private readonly dataset: Dataset.Dataset<never, unknown>,
    private readonly earlier: Checkpoint.Versions,
    private readonly shortened: Rows.Shortening
  ) {
    this.#versions = new Map(earlier)
  }

  /** Whether an earlier export has this row. */
  takes({ text }: Arrival): boolean {
    if (this.#versions.size === 0) return false
    const { row } = Verbatim.line(text)
    const identity = this.#identityOf(row)
    const existing = this.#versions.get(identity) ?? []
    const index = existing.findIndex((version) => Rows.isVersion(this.dataset, row, version))
    if (index === -1) return false
    this.#set(identity, existing.toSpliced(index, 1))
    return true
  }

  /** The key of the row that this one replaces or contradicts, if an earlier export has its record in another version. */
  replacedBy({ key, text }: Arrival): string | undefined {
    if (this.#versions.size === 0) return undefined
    const identity = this.#identityOf(Verbatim.line(text).row)
    const [first, ...rest] = this.#versions.get(identity) ?? []
    if (first === undefined) return undefined
    this.#set(identity, rest)
    return this.dataset.key === "content" ? first : key
  }

  /** The same value if no version was taken, so that a checkpoint need not contain it again. */
  get left(): Checkpoint.Versions {
    return this.#taken === 0 ? this.earlier : [...this.#versions].filter(([, versions]) => versions.length > 0)
  }

  #identityOf(row: Dataset.Row): string {
    return this.shortened.identity(Rows.version(this.dataset, row)[0])
  }

  #set(identity: string, versions: ReadonlyArray<string>): void {
    this.#versions.set(identity, versions)
    this.#taken++
  }
}
