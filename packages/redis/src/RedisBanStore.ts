/**
 * Bans in Redis, shared by all processes that use one prefix: a ban of one closes the gate of all, and after it one call of one process goes
 * first. They keep the laws of `BanStoreLaws`.
 *
 * A ban is lost with the state of Redis. The processes that met it keep to it themselves.
 *
 * @since 0.1.0
 */
import * as BanStore from "@effect-venue/transport/BanStore"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as scripts from "./internal/banScripts.js"
import * as names from "./internal/names.js"
import * as runScript from "./internal/runScript.js"
import { RedisClient } from "./RedisClient.js"

/**
 * How bans are kept.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options extends names.NameOptions {
  /** The egress address of this process, where processes of several addresses share Redis: a ban is one address'. Defaults to one for all. */
  readonly egress?: string | undefined
  /**
   * After how long the place of a probe is free again, as its process may have died. It has to exceed the time that a call takes. Defaults to 30
   * seconds.
   */
  readonly lease?: Duration.DurationInput | undefined
}

// No message says that another process' probe has ended.
const lookAgainAfter = Duration.millis(200)

const entryOf = (reply: ReadonlyArray<unknown>, probe: string): BanStore.Entry => {
  const [tag, remaining] = reply
  switch (tag) {
    case "Open":
      return { _tag: "Open" }
    case "Closed":
      return { _tag: "Closed", remaining: Duration.millis(Number(remaining) / 1000) }
    case "Probe":
      return { _tag: "Probe", probe }
    case "Probing":
      return { _tag: "Probing", retryAfter: lookAgainAfter }
    default:
      return { _tag: "Unreachable" }
  }
}

/**
 * Bans in Redis.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: Options = {}): Effect.Effect<BanStore.BanStore.Shape, never, RedisClient> =>
  Effect.gen(function* () {
    const { egress = "", lease = "30 seconds" } = options
    const client = yield* RedisClient
    const { of } = yield* names.make(options)
    const process = yield* names.random
    const leaseMicros = names.microsOf(lease)
    const entering = runScript.make(client, scripts.enter)
    const closing = runScript.make(client, scripts.close)
    const leaving = runScript.make(client, scripts.leave)
    let probes = 0
    const keyOf = (host: string) => of("ban", `${egress} ${host}`)
    return {
      enter: (host) =>
        Effect.suspend(() => {
          const probe = `${process}.${(++probes).toString(36)}`
          return entering([keyOf(host)], [probe, leaseMicros]).pipe(
            Effect.map((reply) => entryOf(reply, probe)),
            Effect.orElseSucceed((): BanStore.Entry => ({ _tag: "Unreachable" }))
          )
        }),
      close: (host, duration) => Effect.ignore(closing([keyOf(host)], [names.microsOf(duration)])),
      leave: (host, probe, outcome) =>
        Effect.ignore(leaving([keyOf(host)], [probe, outcome === "unbanned" ? "1" : "0"]))
    }
  })

/**
 * Bans in Redis.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options = {}): Layer.Layer<BanStore.BanStore, never, RedisClient> =>
  Layer.effect(BanStore.BanStore, make(options))
