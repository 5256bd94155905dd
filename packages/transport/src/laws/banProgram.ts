import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { BanStore } from "../stores/BanStore.js"
import { Ban } from "../stores/ban.js"
import type * as Program from "./program.js"

/** `lasts` in units. `step`: the step whose probe ends. */
export type Operation = { readonly host: string } & (
  | { readonly _tag: "Enter"; readonly count: number }
  | { readonly _tag: "Close"; readonly lasts: number }
  | { readonly _tag: "Leave"; readonly step: number; readonly outcome: "unbanned" | "unknown" }
)

/** When the slot of a probe that does not end is free again, in units. */
export const lease = 3.25

export const operationOf = ({ int, pick }: Program.Random, id: number): Operation => {
  const host = pick(["host", "host", "host", "other"])
  const kind = int(10)
  if (kind < 5) return { _tag: "Enter", host, count: pick([1, 1, 1, 5]) }
  if (kind < 7) return { _tag: "Close", host, lasts: pick([0.5, 0.5, 1.5, 4.5]) }
  const step = Math.max(id - 1 - int(3), 0)
  return { _tag: "Leave", host, step, outcome: pick(["unbanned", "unbanned", "unknown"]) }
}

/** Of calls that enter at once, one can be the probe. */
const sortEntries = (entries: ReadonlyArray<Program.Result>): Program.Result =>
  [...entries].sort(([left = ""], [right = ""]) => String(left).localeCompare(String(right))).flat()

export const performer = (store: BanStore.Shape, unit: number) => {
  const probes = new Map<number, string>()
  return ({ id, operation }: Program.Step<Operation>): Effect.Effect<Program.Result> => {
    const { host } = operation
    switch (operation._tag) {
      case "Enter":
        return Effect.map(
          Effect.replicateEffect(store.enter(host), operation.count, { concurrency: "unbounded" }),
          (all) => {
            for (const entry of all) if (entry._tag === "Probe") probes.set(id, entry.probe)
            return sortEntries(
              all.map((entry) =>
                entry._tag === "Closed" ? [entry._tag, Duration.toMillis(entry.remaining)] : [entry._tag]
              )
            )
          }
        )
      case "Close":
        return Effect.as(store.close(host, Duration.millis(operation.lasts * unit)), [])
      case "Leave": {
        const probe = probes.get(operation.step)
        return probe === undefined ? Effect.succeed([]) : Effect.as(store.leave(host, probe, operation.outcome), [])
      }
    }
  }
}

/** The model: the bans in memory, by instants of the program. */
export const model = (unit: number, hasLease: boolean) => {
  const bans = new Map<string, Ban>()
  const probes = new Map<number, number>()
  return ({ id, operation }: Program.Step<Operation>, now: number): Program.Result => {
    const ban = bans.get(operation.host) ?? new Ban(hasLease ? lease * unit : Number.POSITIVE_INFINITY)
    bans.set(operation.host, ban)
    switch (operation._tag) {
      case "Enter":
        return sortEntries(
          Array.from({ length: operation.count }, () => {
            const entry = ban.enter(now)
            if (entry._tag === "Probe") probes.set(id, entry.probe)
            return entry._tag === "Closed" ? [entry._tag, entry.until - now] : [entry._tag]
          })
        )
      case "Close":
        ban.close(now + operation.lasts * unit)
        return []
      case "Leave": {
        const probe = probes.get(operation.step)
        if (probe !== undefined) ban.leave(probe, operation.outcome)
        return []
      }
    }
  }
}
