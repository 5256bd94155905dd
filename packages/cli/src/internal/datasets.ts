import * as Datasets from "@effect-venue/history/Datasets"
import * as History from "@effect-venue/history/History"
import type * as Manifest from "@effect-venue/history/Manifest"
import * as Sink from "@effect-venue/history/Sink"
import * as Failure from "@effect-venue/transport/Failure"
import type * as Transport from "@effect-venue/transport/Transport"
import type * as FileSystem from "@effect/platform/FileSystem"
import type * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"

export type Category = "linear" | "inverse" | "spot"

export interface Query {
  readonly category: Category
  readonly symbol: string | undefined
  readonly from: number
  readonly to: number
}

/** A dataset as the command line sees it: its own types are closed over. */
export interface Exportable {
  readonly name: string
  readonly summary: string
  /** The field of a row that makes it unique, where there is one. */
  readonly id: string | undefined
  /** Exports into a folder. */
  readonly run: (
    query: Query,
    folder: string,
    options: History.RunOptions
  ) => Effect.Effect<Manifest.Manifest, History.RunFailure, Transport.Transport | FileSystem.FileSystem | Path.Path>
}

export const executions: Exportable = {
  name: Datasets.executions.name,
  summary: Datasets.executions.summary,
  id: "execId",
  run: (query, folder, options) => History.run(Datasets.executions, query, Sink.ndjson(folder), options)
}

const preUpgradeExecutions: Exportable = {
  name: Datasets.preUpgradeExecutions.name,
  summary: Datasets.preUpgradeExecutions.summary,
  id: "execId",
  run: (query, folder, options) => History.run(Datasets.preUpgradeExecutions, query, Sink.ndjson(folder), options)
}

const preUpgradeClosedPnl: Exportable = {
  name: Datasets.preUpgradeClosedPnl.name,
  summary: Datasets.preUpgradeClosedPnl.summary,
  id: undefined,
  run: ({ category, ...query }, folder, options) =>
    category === "spot"
      ? Effect.fail(onlyContracts(Datasets.preUpgradeClosedPnl.endpoint.name))
      : History.run(Datasets.preUpgradeClosedPnl, { ...query, category }, Sink.ndjson(folder), options)
}

const onlyContracts = (operation: string): Failure.InvalidRequest => {
  const issue = { field: "category", rule: "must be linear or inverse" }
  return new Failure.InvalidRequest({ operation, ...issue, issues: [issue] })
}

export const all = [executions, preUpgradeExecutions, preUpgradeClosedPnl] as const
