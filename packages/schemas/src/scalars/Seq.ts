/**
 * Cross sequences: unbounded whole numbers that link executions to position updates. They are text, because a `number` is exact only up to
 * 2^53.
 *
 * @sibling
 */
import * as EffectOrder from "effect/Order"
import * as Schema from "effect/Schema"
import * as Codec from "./codec.js"
import { refused } from "../compiler/protocol.js"

const SeqFromSelf = Schema.String.pipe(
  Schema.pattern(/^(0|-?[1-9]\d*)$/),
  Schema.brand("Seq"),
  Schema.annotations({ identifier: "Seq" })
)

/** The digits of a cross sequence, without leading zeros. */
export type Seq = typeof SeqFromSelf.Type

const read = (input: unknown): Seq | typeof refused => {
  if (typeof input === "number" ? !Number.isSafeInteger(input) : typeof input !== "string" || !/^-?\d+$/.test(input)) {
    return refused
  }
  // Digits only, checked above: `BigInt` removes leading zeros.
  return String(BigInt(input as string | number)) as Seq
}

const write = (seq: string): string | number => (Number.isSafeInteger(Number(seq)) ? Number(seq) : seq)

/**
 * A cross sequence. Written as a number up to 2^53 - 1 and as text beyond; both are accepted. A number beyond 2^53 - 1 is refused, because
 * it has lost digits: `Json.parse` returns it as text.
 */
export const Seq: Schema.Schema<Seq, string | number> = Codec.make<Seq, string | number>({
  wire: Schema.Union(Schema.String, Schema.Number).annotations({
    identifier: "Seq(number)",
    jsonSchema: { anyOf: [{ type: "string" }, { type: "number" }], format: "seq" },
    arbitrary: () => (fc) => fc.bigInt({ min: 0n, max: 2n ** 64n }).map((value) => write(String(value)))
  }),
  domain: Schema.typeSchema(SeqFromSelf),
  rule: "must be a whole number, as text beyond 2^53",
  read,
  write
})

/** Orders by value: `"9"` before `"10"`. */
export const Order: EffectOrder.Order<Seq> = EffectOrder.mapInput(EffectOrder.bigint, (seq: Seq) => BigInt(seq))
