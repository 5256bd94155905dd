/**
 * Branded identifiers. Records carry them; requests take any text, so that a branded one can be handed back as it is.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

const id = <const Name extends string>(name: Name, spelling = /^[A-Za-z0-9][A-Za-z0-9_-]{0,35}$/) =>
  Schema.String.annotations({ arbitrary: () => (fc) => fc.stringMatching(spelling) }).pipe(
    Schema.nonEmptyString(),
    Schema.brand(name),
    Schema.annotations({ identifier: name })
  )

/**
 * An order, as the service numbers it.
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
 * An order, as its owner named it: at most 36 letters, digits, `-` and `_` (facts/listed-endpoints.md 1).
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
 * One execution of an order.
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
 * A chain that coins are moved on.
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
 * An internal transfer: the UUID that its creator gave it.
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
 * Where the next page begins. Opaque: it may look percent-encoded already, and is encoded once more when sent.
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
