import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import * as Decimal from "@effect-venue/schemas/Decimal"
import * as BigDecimal from "effect/BigDecimal"
import * as Predicate from "effect/Predicate"

// Describes a write in words before it is sent.

type Fields = Readonly<Record<string, unknown>>

/** A value as the user would type it. */
const spellValue = (value: unknown): string =>
  BigDecimal.isBigDecimal(value)
    ? Decimal.format(value)
    : typeof value === "string"
      ? value
      : typeof value === "number" || typeof value === "boolean"
        ? String(value)
        : JSON.stringify(value)

const isOrder = (request: Fields): boolean => ["side", "symbol", "orderType", "qty"].every((name) => name in request)

/** The fields that begin the description of an order; other fields follow by name. */
const ofOrder = new Set(["side", "symbol", "orderType", "qty", "price", "category"])

const nameFields = (fields: Fields, but: ReadonlySet<string> = new Set()): ReadonlyArray<string> =>
  Object.entries(fields).flatMap(([name, value]) =>
    but.has(name) || value === undefined ? [] : [`${name} ${spellValue(value)}`]
  )

const order = (fields: Fields, category: unknown): string => {
  const head = [fields.side, fields.qty, fields.symbol, category]
    .filter((value) => value !== undefined)
    .map(spellValue)
    .join(" ")
  const price = fields.price === undefined ? "" : ` ${spellValue(fields.price)}`
  return [head, `${spellValue(fields.orderType).toLowerCase()}${price}`, ...nameFields(fields, ofOrder)].join(", ")
}

const isFields = (value: unknown): value is Fields => Predicate.isRecord(value)

/** A request in words: `Buy 0.01 BTCUSDT linear, limit 20000`; for a batch each order. It does not contain the destination. */
export const preview = (endpoint: Endpoint.Any, request: Fields): string => {
  if (isOrder(request)) return order(request, request.category)
  const parts = request.request
  if (Array.isArray(parts) && parts.every(isFields)) {
    const each = parts.map((part) => (isOrder(part) ? order(part, request.category) : nameFields(part).join(", ")))
    return `${endpoint.name} of ${parts.length}: ${each.join("; ")}`
  }
  return [endpoint.name, nameFields(request).join(", ")].filter((text) => text !== "").join(": ")
}
