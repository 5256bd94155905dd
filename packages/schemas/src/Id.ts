/**
 * Branded identifiers: text in the domain, text or a number on the wire. Records contain branded ids; requests accept any text, so an id
 * from a record can be passed unchanged.
 *
 * @since 0.1.0
 */
import type * as Arbitrary from "effect/Arbitrary"
import type * as Brand from "effect/Brand"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { reads, refused } from "./internal/compiler/protocol.js"
import { textOrNumber } from "./internal/textOrNumber.js"
import type { Read } from "./internal/compiler/protocol.js"

/**
 * The schema of an identifier. `make` brands text, and throws if it is empty.
 *
 * @since 0.1.0
 * @category models
 */
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
  const schema = Schema.transformOrFail(
    textOrNumber(rule, texts).annotations({ jsonSchema: { type: "string" } }),
    branded,
    {
      strict: true,
      decode: (wire, _, ast) => {
        const text = read(wire)
        return text === refused ? Either.left(new ParseResult.Type(ast, wire, rule)) : Either.right(text)
      },
      encode: (text) => Either.right(text)
    }
  ).annotations({ identifier: name, ...reads(() => read as Read<string & Brand.Brand<Name>>) }) // the schema adds the brand
  return Object.assign(schema, { make: Schema.decodeSync(branded) })
}

/**
 * The id that the service assigns to an order.
 *
 * @since 0.1.0
 * @category schemas
 */
export const OrderId = id("OrderId")

/**
 * @since 0.1.0
 * @category models
 */
export type OrderId = typeof OrderId.Type

/**
 * The id that the caller assigns to an order: at most 36 letters, digits, `-` and `_` (docs/reference/listed-operations.md#orderscreate).
 *
 * @since 0.1.0
 * @category schemas
 */
export const OrderLinkId = id("OrderLinkId")

/**
 * @since 0.1.0
 * @category models
 */
export type OrderLinkId = typeof OrderLinkId.Type

/**
 * An execution of an order.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ExecId = id("ExecId")

/**
 * @since 0.1.0
 * @category models
 */
export type ExecId = typeof ExecId.Type

/**
 * A tradable instrument such as `BTCUSDT`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Symbol = id("Symbol")

/**
 * @since 0.1.0
 * @category models
 */
export type Symbol = typeof Symbol.Type

/**
 * A coin such as `USDT`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Coin = id("Coin")

/**
 * @since 0.1.0
 * @category models
 */
export type Coin = typeof Coin.Type

/**
 * A chain for deposits and withdrawals.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Chain = id("Chain")

/**
 * @since 0.1.0
 * @category models
 */
export type Chain = typeof Chain.Type

/**
 * A user of the service.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Uid = id("Uid")

/**
 * @since 0.1.0
 * @category models
 */
export type Uid = typeof Uid.Type

/**
 * An internal transfer: the UUID chosen by the caller.
 *
 * @since 0.1.0
 * @category schemas
 */
export const TransferId = id("TransferId")

/**
 * @since 0.1.0
 * @category models
 */
export type TransferId = typeof TransferId.Type

/**
 * A deposit.
 *
 * @since 0.1.0
 * @category schemas
 */
export const TransactionId = id("TransactionId")

/**
 * @since 0.1.0
 * @category models
 */
export type TransactionId = typeof TransactionId.Type

/**
 * An internal withdrawal.
 *
 * @since 0.1.0
 * @category schemas
 */
export const WithdrawId = id("WithdrawId")

/**
 * @since 0.1.0
 * @category models
 */
export type WithdrawId = typeof WithdrawId.Type

/**
 * The start of the next page. Opaque: it can look percent-encoded, and is encoded once more when it is sent.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Cursor = id("Cursor", /^[a-z_]{1,9}%3D\d{1,6}(%26)?$/)

/**
 * @since 0.1.0
 * @category models
 */
export type Cursor = typeof Cursor.Type
