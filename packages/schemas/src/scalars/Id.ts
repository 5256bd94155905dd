/**
 * Branded identifiers: text in the domain, text or a number on the wire. Records contain branded ids; requests accept any text, so an id
 * from a record can be passed unchanged.
 */
import type * as Arbitrary from "effect/Arbitrary"
import type * as Brand from "effect/Brand"
import * as Schema from "effect/Schema"
import * as Codec from "./codec.js"
import { type Read, refused } from "../compiler/protocol.js"

/** The schema of an identifier. `make` brands text, and throws if it is empty. */
export interface Id<Name extends string> extends Schema.Schema<string & Brand.Brand<Name>, string | number> {
  readonly make: (text: string) => string & Brand.Brand<Name>
}

const rule = "must be an id: text that is not empty, or a whole number below 2^53"

// An unsafe integer has lost digits; `Json.parse` returns such a number as text.
const read = (input: unknown): string | typeof refused =>
  typeof input === "string" && input !== "" ? input : Number.isSafeInteger(input) ? String(input) : refused

const id = <const Name extends string>(name: Name, spelling = /^[A-Za-z0-9][A-Za-z0-9_-]{0,35}$/): Id<Name> => {
  const texts: Arbitrary.LazyArbitrary<string> = (fc) => fc.stringMatching(spelling)
  const branded = Schema.String.annotations({ arbitrary: () => texts }).pipe(
    Schema.nonEmptyString(),
    Schema.brand(name),
    Schema.annotations({ identifier: name })
  )
  const schema = Codec.make<string & Brand.Brand<Name>, string | number>({
    wire: Codec.textOrNumber(rule, texts).annotations({ jsonSchema: { type: "string" } }),
    domain: Schema.typeSchema(branded),
    rule,
    read: read as Read<string & Brand.Brand<Name>>, // every text that is not empty
    write: (text) => text
  }).annotations({ identifier: name })
  return Object.assign(schema, { make: Schema.decodeSync(branded) })
}

/** The id that the service assigns to an order. */
export const OrderId = id("OrderId")

export type OrderId = typeof OrderId.Type

/** The id that the caller assigns to an order: at most 36 letters, digits, `-` and `_` (docs/reference/listed-operations.md#orderscreate). */
export const OrderLinkId = id("OrderLinkId")

export type OrderLinkId = typeof OrderLinkId.Type

/** An execution of an order. */
export const ExecId = id("ExecId")

export type ExecId = typeof ExecId.Type

/** A tradable instrument such as `BTCUSDT`. */
export const Symbol = id("Symbol")

export type Symbol = typeof Symbol.Type

/** A coin such as `USDT`. */
export const Coin = id("Coin")

export type Coin = typeof Coin.Type

/** A chain for deposits and withdrawals. */
export const Chain = id("Chain")

export type Chain = typeof Chain.Type

/** A user of the service. */
export const Uid = id("Uid")

export type Uid = typeof Uid.Type

/** An internal transfer: the UUID chosen by the caller. */
export const TransferId = id("TransferId")

export type TransferId = typeof TransferId.Type

/** A deposit. */
export const TransactionId = id("TransactionId")

export type TransactionId = typeof TransactionId.Type

/** An internal withdrawal. */
export const WithdrawId = id("WithdrawId")

export type WithdrawId = typeof WithdrawId.Type

/** The start of the next page. Opaque: it can look percent-encoded, and is encoded once more when it is sent. */
export const Cursor = id("Cursor", /^[a-z_]{1,9}%3D\d{1,6}(%26)?$/)

export type Cursor = typeof Cursor.Type
