import * as Decoder from "@effect-venue/schemas/Decoder"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Page from "./page.js"
import { interleaved, microsEach } from "./rounds.js"
import * as Row from "./row.js"

const rounds = 15
const repetitions = 200

/** Pages that are read in turn, so that none of what is known of one is left over for itself. */
const parse = (): { readonly result: unknown } => JSON.parse(Page.text) as { readonly result: unknown } // an envelope

/** Checking a page, and decoding it, each on top of `JSON.parse`, which is the baseline. */
export const decode: Effect.Effect<ReadonlyArray<Row.Row>> = Effect.promise(async () => {
  const pages = Array.from({ length: 20 }, () => parse().result)
  const page = (index: number): unknown => pages[index % pages.length]
  const validate = Decoder.validateWireEither(Page.endpoint.result)
  const read = Decoder.decodeUnknownEither(Page.endpoint.result)
  const measured = (once: (index: number) => unknown) => () => microsEach(repetitions, once)
  const contenders = {
    parse: measured(parse),
    wire: measured((index) => Either.getOrThrow(validate(page(index)))),
    domain: measured((index) => Either.getOrThrow(read(page(index))))
  }
  await interleaved(3, contenders)
  const figures = await interleaved(rounds, contenders)
  const common = { baselineName: "JSON.parse of the same text", unit: "us a page of 100" }
  return [
    Row.ofRounds({ ...common, name: "decode.wire", target: "<= 0.3" }, figures.wire, figures.parse),
    Row.ofRounds({ ...common, name: "decode.domain", target: "<= 1.5" }, figures.domain, figures.parse)
  ]
})
