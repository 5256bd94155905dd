/**
 * Egress addresses. The service counts calls and bans by the address from which they are sent, so each address has separate connections, rate limits, ban gate
 * and clocks.
 */
import type * as HttpClient from "@effect/platform/HttpClient"
import * as Layer from "effect/Layer"
import * as BanGate from "../bans/BanGate.js"
import type * as Connections from "../connections/Connections.js"
import * as RateLimiter from "../limits/RateLimiter.js"
import * as RateLimitStore from "../stores/RateLimitStore.js"
import * as ServerClock from "../time/ServerClock.js"

/** The services that the accounts of an address share. */
export type Services =
  BanGate.BanGate | Connections.Connections | HttpClient.HttpClient | RateLimiter.RateLimiter | ServerClock.ServerClock

/** An address from which calls are sent. */
export interface Egress<out E = never, out R = never> {
  /** Unique among the addresses of an application. */
  readonly name: string
  /** The services that its accounts share. Built once in each process that sends from this address. */
  readonly layer: Layer.Layer<Services, E, R>
  /**
   * The same services in a process that follows another one, if it is known how much of each rate limit that had used when it ended, by the key of the limit.
   * Defaults to `layer`.
   */
  readonly layerAfter?: ((used: ReadonlyMap<string, number>) => Layer.Layer<Services, E, R>) | undefined
}

export interface Options {
  /**
   * Begins as if every rate limit were full, and sends nothing for one window, because another process may have sent from this address until now. Defaults to
   * true.
   */
  readonly rest?: boolean | undefined
}

/**
 * Makes an egress address from its connections, such as those of `NodeConnections.layerAddress` and `NodeConnections.layerProxy`. Its rate limits are in the
 * memory of the process, so only one process at a time can send from it.
 */
export const make = <E, R>(
  name: string,
  connections: Layer.Layer<Connections.Connections | HttpClient.HttpClient, E, R>,
  { rest = true }: Options = {}
): Egress<E, R> => {
  const services = (options: RateLimitStore.MemoryOptions) =>
    Layer.mergeAll(
      connections,
      Layer.provide(RateLimiter.layer, Layer.effect(RateLimitStore.RateLimitStore, RateLimitStore.makeMemory(options))),
      BanGate.layer,
      ServerClock.layer
    ).pipe(
      // Each build has separate memory: an address that changes owners within a process starts anew.
      Layer.fresh
    )
  return { name, layer: services({ rest }), layerAfter: (used) => services({ rest: rest && used }) }
}
