import * as Decoder from "@effect-venue/schemas/siblings/Decoder"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import * as Page from "./clients/page.js"
import * as Cost from "../measure/cost.js"
import * as Rounds from "../measure/rounds.js"
import * as Row from "../measure/row.js"

const options = { count: 25, warmUp: 3 }
const repetitions = 200

/** The envelope of a page. */
const parse = (): { readonly result: unknown } => JSON.parse(Page.text) as { readonly result: unknown } // an envelope

const measureCall = (call: (index: number) => unknown): Effect.Effect<number> =>
  Effect.map(Cost.micros(Cost.repeat(repetitions, call)), (taken) => taken / repetitions)

/** The cost of checking and of decoding a page, each compared with `JSON.parse` of its text. */
export const decode = ({ overlaps }: Row.Selection): Stream.Stream<Row.Row> => {
  // Rotates pages, so that no result is cached from the previous call.
  const pages = Array.from({ length: 20 }, () => parse().result)
  const page = (index: number): unknown => pages[index % pages.length]
  const validate = Decoder.validateWireEither(Page.endpoint.result)
  const read = Decoder.decodeUnknownEither(Page.endpoint.result)
  return Stream.make(
    { name: "decode.wire", target: { atMost: 0.3 }, call: (at: number) => Either.getOrThrow(validate(page(at))) },
    { name: "decode.domain", target: { atMost: 1.5 }, call: (at: number) => Either.getOrThrow(read(page(at))) }
  ).pipe(
    Stream.filter(({ name }) => overlaps(name)),
    Stream.mapEffect(({ call, name, target }) => {
      const description = { baselineName: "JSON.parse of the same text", unit: "us a page of 100" }
      return Effect.map(Rounds.pairs(options, measureCall(call), measureCall(parse)), (pairs) =>
        Row.ofPairs({ ...description, name, target }, pairs)
      )
    })
  )
}
