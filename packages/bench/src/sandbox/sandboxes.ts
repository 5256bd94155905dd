import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Processes from "../measure/processes.js"
import * as Row from "../measure/row.js"

/** The minimum number of pairs for an interval. */
const processes = 6

/**
 * The median cost of the first sandbox of a seed, in a process that has created others, and of further ones of that seed, in milliseconds
 * of processor time; and MiB of heap per sandbox.
 */
const Cost = Schema.Struct({ fresh: Schema.Number, next: Schema.Number, memory: Schema.Number })

const run = Processes.start("sandbox/sandboxProcess", []).pipe(
  Effect.flatMap(Processes.said),
  Effect.flatMap(Schema.decodeUnknown(Cost)),
  Effect.scoped,
  Effect.orDie
)

/** Affordable costs in a test. */
const rows = [
  { figure: "fresh", unit: "ms of processor", allowed: 30 },
  { figure: "next", unit: "ms of processor", allowed: 3 },
  { figure: "memory", unit: "MiB a sandbox", allowed: 0.15 }
] as const

/**
 * The cost of a sandbox that returns a page of executions and a wallet balance: the first of a seed, further ones of that seed, and the
 * memory of each of 200.
 */
export const sandboxes = (): Stream.Stream<Row.Row> =>
  Effect.map(Effect.replicateEffect(run, processes), (costs) =>
    rows.map(({ allowed, figure, unit }) =>
      Row.ofPairs(
        { name: `sandbox.${figure}`, baselineName: `${allowed} ${unit} allowed`, unit, target: { atMost: 1 } },
        costs.map((cost) => ({ ours: cost[figure], baseline: allowed }))
      )
    )
  ).pipe(Stream.fromIterableEffect)
