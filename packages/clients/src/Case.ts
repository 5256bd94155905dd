/** A test case: one call of a client and the checks of its result. */

import { setTimeout } from "node:timers/promises"

export type Category = "spot" | "linear" | "inverse"

/** The environment of the cases of a client. */
export interface World {
  /** The UID of the signing account. */
  readonly uid: string
  /** The ids of the executions in the sandbox from `from` (inclusive) to `to` (exclusive), in milliseconds. */
  readonly executionIds: (category: Category, from: number, to: number) => Promise<ReadonlyArray<string>>
  /** The executions without funding payments. */
  readonly tradeIds: (category: Category, from: number, to: number) => Promise<ReadonlyArray<string>>
  /** The ids and times of the pre-upgrade executions in the sandbox, oldest first. */
  readonly preUpgrade: () => Promise<ReadonlyArray<{ readonly id: string; readonly at: number }>>
}

export interface Case<C> {
  /** The method of the client, as in user code. */
  readonly call: string
  /** The documented paths of the call. */
  readonly paths: ReadonlyArray<string>
  /** The verified result, for the page. */
  readonly result: string
  readonly run: (client: C, world: World) => Promise<void>
}

/** Adds the common prefix to a path. */
export const v3 = (path: string) => `/cloud/trade/v3/${path}`

export const v1 = (path: string) => `/private/v1/${path}`

export const day = 86_400_000

/** The longest documented time range. */
export const week = 7 * day

/** Returns a price far below the market, at which a buy order rests. It is a multiple of 100, which is on every tick here. */
export const farBelow = (price: string): string => String(Math.floor((Number(price) * 0.8) / 100) * 100)

/** The last 60 days in windows of seven days, the longest range that the document allows, inclusive at both ends. */
export const sixtyDays = () => {
  // Wall-clock time, as in the clients, which do not use Effect.
  const to = Date.now()
  const from = to - 60 * day
  const windows = Array.from({ length: Math.ceil((to - from) / week) }, (_, index) => {
    const startTime = from + index * week
    return { startTime, endTime: Math.min(startTime + week, to) - 1 }
  })
  return { from, to, windows }
}

/** Waits, for limits of one call per second. */
export const pause = (millis: number): Promise<void> => setTimeout(millis)
