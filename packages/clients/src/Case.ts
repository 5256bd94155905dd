/**
 * One call of a client, and what its result must be.
 *
 * @since 0.1.0
 */

import { setTimeout } from "node:timers/promises"

export type Category = "spot" | "linear" | "inverse"

/** What the cases of one client have besides the client. */
export interface World {
  /** The UID of the account that signs. */
  readonly uid: string
  /** A UID in the address book of that account. */
  readonly recipient: string
  /** What the sandbox holds: ids of executions from `from` to before `to`, milliseconds. */
  readonly executionIds: (category: Category, from: number, to: number) => Promise<ReadonlyArray<string>>
  /** The executions without the payments of funding. */
  readonly tradeIds: (category: Category, from: number, to: number) => Promise<ReadonlyArray<string>>
  /** The ids of the pre-upgrade executions that the sandbox holds, oldest first, and when each was. */
  readonly preUpgrade: () => Promise<ReadonlyArray<{ readonly id: string; readonly at: number }>>
}

export interface Case<C> {
  /** The client's method, as its users call it. */
  readonly call: string
  /** The paths of the document that the call takes. */
  readonly paths: ReadonlyArray<string>
  /** What the case has seen when it passes. */
  readonly result: string
  readonly run: (client: C, world: World) => Promise<void>
}

/** The document's paths, without what all of them have. */
export const v3 = (path: string) => `/cloud/trade/v3/${path}`

export const v1 = (path: string) => `/private/v1/${path}`

export const day = 86_400_000

/** A window of the document's time-range rule. */
export const week = 7 * day

/** A price far below the market, at which a buy order rests: a whole number of hundreds fits every tick here. */
export const farBelow = (price: string): string => String(Math.floor((Number(price) * 0.8) / 100) * 100)

/** The last 60 days, and the windows of seven days that the document lets be asked for, with both of their ends. */
export const sixtyDays = () => {
  // Wall-clock time, as the clients themselves take it: nothing here runs in Effect.
  const to = Date.now()
  const from = to - 60 * day
  const windows = Array.from({ length: Math.ceil((to - from) / week) }, (_, index) => {
    const startTime = from + index * week
    return { startTime, endTime: Math.min(startTime + week, to) - 1 }
  })
  return { from, to, windows }
}

/** For limits of one call a second, in the programs of clients that know no Effect. */
export const pause = (millis: number): Promise<void> => setTimeout(millis)
