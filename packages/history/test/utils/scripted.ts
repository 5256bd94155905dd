import type * as Dataset from "@effect-venue/history/Dataset"
import * as Datasets from "@effect-venue/history/siblings/Datasets"
import * as Part from "@effect-venue/history/Part"
import * as Transport from "@effect-venue/transport/Transport"
import { Clock, Effect } from "effect"
import { day } from "./world.js"

/** Where the rows of the script begin. */
export const begin = Date.parse("2026-05-01T00:00:00.000Z")

/** The rows of the script. */
export const rows: ReadonlyArray<Dataset.Row> = Array.from({ length: 56 }, (_, index) => ({
  symbol: index % 3 === 0 ? "BTCUSDT" : "ETHUSDT",
  execId: `e${index}`,
  execPrice: `${index}.50`,
  execTime: String(begin + index * (day / 2) + 1000),
  isMaker: index % 2 === 0,
  seq: index,
  note: "kept"
}))

/** A service that gives them newest first, in pages of five, and both ends of a range. */
const listed = ({ cursor, from, to }: Dataset.Ask): Dataset.Page => {
  const within = rows.filter((row) => Number(row.execTime) >= from && Number(row.execTime) <= to).toReversed()
  const start = Number(cursor ?? 0)
  return { rows: within.slice(start, start + 5), next: start + 5 < within.length ? String(start + 5) : "" }
}

/** A part of the account of the fixtures, whose process is killed when it asks for windows from an instant on. */
export const part = (
  dataset: Dataset.Dataset<never, unknown>,
  query: object,
  options: { readonly page?: (ask: Dataset.Ask) => Dataset.Page; readonly killedFrom?: number } = {}
): Part.Part<unknown, never> => {
  const transport = Transport.Transport.of({
    call: () => Effect.dieMessage("nothing is called"),
    callWire: () => Effect.dieMessage("nothing is called"),
    check: () => Effect.void
  } as unknown as Transport.Transport.Shape)
  const { killedFrom = Number.POSITIVE_INFINITY, page = listed } = options
  return {
    // Which query a dataset takes is known to the caller.
    ...Part.make(dataset as Dataset.Dataset<object, unknown>, query, { name: "main", transport }),
    check: () => Effect.void,
    page: (ask) => (ask.from >= killedFrom ? Effect.dieMessage("killed") : Effect.sync(() => page(ask))),
    serverTime: Effect.asSome(Clock.currentTimeMillis),
    identity: Effect.succeed({ host: "service.example", key: "00112233445566778899aabbccddeeff", uid: "1001" }),
    wallet: Effect.succeed([]),
    instruments: () => Effect.succeed([]),
    pending: Effect.succeed([])
  }
}

/** The parts of the fixtures. */
export const parts = (killedFrom?: number): ReadonlyArray<Part.Part<unknown, never>> =>
  (["linear", "spot"] as const).map((category) =>
    part(Datasets.executions, { category }, killedFrom === undefined ? {} : { killedFrom })
  )
