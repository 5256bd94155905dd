import type * as Id from "@effect-venue/schemas/Id"
import type * as Seq from "@effect-venue/schemas/Seq"
import * as Brand from "effect/Brand"

export const OrderId = Brand.nominal<Id.OrderId>()
export const OrderLinkId = Brand.nominal<Id.OrderLinkId>()
export const ExecId = Brand.nominal<Id.ExecId>()
export const Symbol = Brand.nominal<Id.Symbol>()
export const Coin = Brand.nominal<Id.Coin>()
export const Chain = Brand.nominal<Id.Chain>()
export const Uid = Brand.nominal<Id.Uid>()
export const TransferId = Brand.nominal<Id.TransferId>()
export const TransactionId = Brand.nominal<Id.TransactionId>()
export const WithdrawId = Brand.nominal<Id.WithdrawId>()
export const Cursor = Brand.nominal<Id.Cursor>()

// Instants before 1970 come up under a test clock that starts at zero; from here on they are positive.
const origin = 2 ** 46

/** An instant as text that sorts as the instants do. */
export const sortable = (millis: number): string => (millis + origin).toString(16).padStart(12, "0")

/** The end of an id that is the same whenever it is given out: a count under 2^28, and 12 hex digits of any origin. */
export const ending = (count: number, tail: string): string => {
  const counter = (count % 2 ** 28).toString(16).padStart(7, "0")
  return `-7${counter.slice(0, 3)}-8${counter.slice(3, 6)}-${counter.slice(6)}${tail.slice(0, 11)}`
}

/** An id in the form of a UUID that sorts by instant, then by count. */
export const timed = (millis: number, ending: string): string => {
  const time = sortable(millis)
  // In one piece: a text of parts takes three times the memory, and worlds have thousands of ids.
  return [time.slice(0, 8), "-", time.slice(8), ending].join("")
}

/** The cross sequence: one for everything that is concluded in the same millisecond, larger the later. */
export const sequence = (millis: number): Seq.Seq => Brand.nominal<Seq.Seq>()(String(millis + origin))
