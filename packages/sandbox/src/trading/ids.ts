import type * as Id from "@effect-venue/schemas/Id"
import type * as Seq from "@effect-venue/schemas/siblings/Seq"
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

// A test clock that starts at zero leads to instants before 1970; this offset makes them positive.
const origin = 2 ** 46

/** Formats an instant as text that sorts by time. */
export const sortable = (millis: number): string => (millis + origin).toString(16).padStart(12, "0")

/** The part of an id that does not depend on time: a count below 2^28 and 12 hex digits. */
export const ending = (count: number, tail: string): string => {
  const counter = (count % 2 ** 28).toString(16).padStart(7, "0")
  return `-7${counter.slice(0, 3)}-8${counter.slice(3, 6)}-${counter.slice(6)}${tail.slice(0, 11)}`
}

/** Builds an id in the form of a UUID that sorts by time, then by count. */
export const makeTimed = (millis: number, ending: string): string => {
  const time = sortable(millis)
  // `join` produces flat strings. Concatenated strings take three times the memory, and worlds have thousands of ids.
  return [time.slice(0, 8), "-", time.slice(8), ending].join("")
}

/** Returns the cross sequence of a millisecond; later ones are larger. */
export const sequence = (millis: number): Seq.Seq => Brand.nominal<Seq.Seq>()(String(millis + origin))
