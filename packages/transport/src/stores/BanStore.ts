/**
 * Stores the bans of an address that several processes share. `StoreLaws` checks a store. A single process does not need a store.
 *
 * A store measures time by an internal clock that is never set: only durations cross its interface.
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Ban } from "./ban.js"
import * as monotonic from "../time/monotonic.js"

export class BanStore extends Context.Tag("@effect-venue/transport/BanStore")<BanStore, BanStore.Shape>() {}

export declare namespace BanStore {
  /** Operations must not fail or die, and must end within seconds, because their caller is uninterruptible meanwhile. */
  export interface Shape {
    /** Called before each call. Takes the probe slot if the ban is over and the slot is free. */
    readonly enter: (host: string) => Effect.Effect<Entry>
    /** Closes a host for this duration, because the service has banned the address. Never shortens a ban. Ends the probe. */
    readonly close: (host: string, duration: Duration.Duration) => Effect.Effect<void>
    /**
     * Ends a probe that was not banned: `unbanned` opens the host unless it was closed since, `unknown` releases the probe slot. Changes nothing if the slot
     * was already released.
     */
    readonly leave: (host: string, probe: string, outcome: "unbanned" | "unknown") => Effect.Effect<void>
  }
}

/**
 * The reply to a call.
 *
 * - `Open`: calls pass.
 * - `Closed`: the ban lasts for `remaining`.
 * - `Probe`: the ban is over, and this call goes first; `leave` or `close` ends it.
 * - `Probing`: another call is the probe; try again after `retryAfter`.
 * - `Unreachable`: the store did not reply.
 */
export type Entry =
  | { readonly _tag: "Open" }
  | { readonly _tag: "Closed"; readonly remaining: Duration.Duration }
  | { readonly _tag: "Probe"; readonly probe: string }
  | { readonly _tag: "Probing"; readonly retryAfter: Duration.Duration }
  | { readonly _tag: "Unreachable" }

/** Options of bans in memory. */
export interface MemoryOptions {
  /** When the probe slot is free again, in case the process of the probe has died. Defaults to 30 seconds. */
  readonly lease?: Duration.DurationInput | undefined
}

// The end of another process' probe is not reported to this process, so the store is queried again after this time.
const lookAgainAfter = Duration.millis(200)

/** Bans in the memory of this process. */
export const makeMemory = ({ lease = "30 seconds" }: MemoryOptions = {}): Effect.Effect<BanStore.Shape> =>
  Effect.sync(() => {
    const bans = new Map<string, Ban>()
    const leaseMillis = Duration.toMillis(lease)

    const banOf = (host: string): Ban => {
      const known = bans.get(host)
      if (known !== undefined) return known
      const ban = new Ban(leaseMillis)
      bans.set(host, ban)
      return ban
    }

    const enter = (host: string, now: number): Entry => {
      const entry = banOf(host).enter(now)
      switch (entry._tag) {
        case "Open":
          return entry
        case "Closed":
          return { _tag: "Closed", remaining: Duration.millis(entry.until - now) }
        case "Probe":
          return { _tag: "Probe", probe: String(entry.probe) }
        case "Probing":
          return { _tag: "Probing", retryAfter: lookAgainAfter }
      }
    }

    return {
      enter: (host) => Effect.map(monotonic.millis, (now) => enter(host, now)),
      close: (host, duration) =>
        Effect.map(monotonic.millis, (now) => {
          banOf(host).close(now + Duration.toMillis(duration))
        }),
      leave: (host, probe, outcome) =>
        Effect.sync(() => {
          banOf(host).leave(Number(probe), outcome)
        })
    }
  })

/** Bans in the memory of this process, for gates that share it. */
export const layerMemory: Layer.Layer<BanStore> = Layer.effect(BanStore, makeMemory())
