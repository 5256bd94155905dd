import * as Dataset from "@effect-venue/history/Dataset"
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
  readonly run: (
    query: Query,
    file: string,
    options: History.Options
  ) => Effect.Effect<
    Manifest.Manifest,
    Failure.ReadFailure | Sink.SinkFailure,
    Transport.Transport | FileSystem.FileSystem | Path.Path
  >
}

export const executions: Exportable = {
  name: Dataset.executions.name,
  summary: Dataset.executions.summary,
  id: "execId",
  run: (query, file, options) => History.run(Dataset.executions, query, Sink.ndjson(file), options)
}

const preUpgradeExecutions: Exportable = {
  name: Dataset.preUpgradeExecutions.name,
  summary: Dataset.preUpgradeExecutions.summary,
  id: "execId",
  run: (query, file, options) => History.run(Dataset.preUpgradeExecutions, query, Sink.ndjson(file), options)
}

const preUpgradeClosedPnl: Exportable = {
  name: Dataset.preUpgradeClosedPnl.name,
  summary: Dataset.preUpgradeClosedPnl.summary,
  id: undefined,
  run: ({ category, ...query }, file, options) =>
    category === "spot"
      ? Effect.fail(onlyContracts(Dataset.preUpgradeClosedPnl.endpoint.name))
      : History.run(Dataset.preUpgradeClosedPnl, { ...query, category }, Sink.ndjson(file), options)
}

const onlyContracts = (operation: string): Failure.InvalidRequest => {
  const issue = { field: "category", rule: "must be linear or inverse" }
  return new Failure.InvalidRequest({ operation, ...issue, issues: [issue] })
}

export const all = [executions, preUpgradeExecutions, preUpgradeClosedPnl] as const
