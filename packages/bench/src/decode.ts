import * as Decoder from "@effect-venue/schemas/shared/Decoder"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Page from "./page.js"
import * as Processor from "./processor.js"
import * as Rounds from "./rounds.js"
import * as Row from "./row.js"
import type * as Selection from "./selection.js"

const options = { count: 25, warmUp: 3 }
const repetitions = 200

/** The envelope of a page. */
const parse = (): { readonly result: unknown } => JSON.parse(Page.text) as { readonly result: unknown } // an envelope

const measured = (call: (index: number) => unknown): Effect.Effect<number> =>
  Effect.map(Processor.micros(Processor.repeated(repetitions, call)), (taken) => taken / repetitions)

/** The cost of checking and of decoding a page, each compared with `JSON.parse` of its text. */
export const decode = ({ overlaps }: Selection.Selection): Effect.Effect<ReadonlyArray<Row.Row>> =>
  Effect.gen(function* () {
    // Rotates pages, so that no result is cached from the previous call.
    const pages = Array.from({ length: 20 }, () => parse().result)
    const page = (index: number): unknown => pages[index % pages.length]
    const validate = Decoder.validateWireEither(Page.endpoint.result)
    const read = Decoder.decodeUnknownEither(Page.endpoint.result)
    const rows: Array<Row.Row> = []
    for (const { call, name, target } of [
      {
        name: "decode.wire",
        target: { atMost: 0.3 },
        call: (index: number) => Either.getOrThrow(validate(page(index)))
      },
      {
        name: "decode.domain",
        target: { atMost: 1.5 },
        call: (index: number) => Either.getOrThrow(read(page(index)))
      }
    ]) {
      if (!overlaps(name)) continue
      const pairs = yield* Rounds.pairs(options, measured(call), measured(parse))
      const description = { baselineName: "JSON.parse of the same text", unit: "us a page of 100" }
      rows.push(Row.ofPairs({ ...description, name, target }, pairs))
    }
    return rows
  })
