/**
 * The kinds of orders by category, as `orderFilter` names them.
 *
 * @sibling
 */

/**
 * The kinds of orders that each category has: `Order` is active, `StopOrder` waits for the trigger of a contract, and `tpslOrder` for that of
 * a spot pair. Every operation that selects orders by `orderFilter` takes these. (docs/reference/orders/open.md)
 */
export const orderKinds = {
  spot: ["Order", "tpslOrder"],
  linear: ["Order", "StopOrder"],
  inverse: ["Order", "StopOrder"]
} as const

/** A kind of orders of a category. */
export type OrderKind<Category extends keyof typeof orderKinds = keyof typeof orderKinds> =
  (typeof orderKinds)[Category][number]
