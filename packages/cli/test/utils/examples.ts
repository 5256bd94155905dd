import * as Samples from "@effect-venue/testing/Samples"

/** An order that rests in the book. */
export const order = ["category=linear", "symbol=BTCUSDT", "side=Buy", "orderType=Limit", "qty=0.01", "price=9000"]

/** A value as it is typed: a list of texts with commas, a list of objects as JSON. */
const typed = (value: unknown): string =>
  typeof value === "string"
    ? value
    : Array.isArray(value) && value.every((item) => typeof item === "string")
      ? value.join(",")
      : JSON.stringify(value)

/** The words for a call of an operation, such that the service accepts or refuses it by a rule of its own. */
export const words = (operation: Samples.Operation): ReadonlyArray<string> =>
  Object.entries(Samples.requests[operation]).map(([name, value]) => `${name}=${typed(value)}`)
