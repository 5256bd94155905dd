/** The message of every mistake is short, names the field, and names the rule that is broken and no other. */
import * as Breadth from "@effect-venue/testing/Breadth"
import * as Samples from "@effect-venue/testing/Samples"
import * as Failure from "@effect-venue/transport/Failure"
import { describe, expect, it } from "@effect/vitest"
import { Arbitrary, Effect, Either, FastCheck as fc, ParseResult, Schema } from "effect"
import * as Orders from "../src/Orders.js"
import { call } from "./utils/call.js"
import { mistakes, ofDomains, schemasOf } from "./utils/schemas.js"
import * as scripted from "./utils/scripted.js"

/** Whether a message names the field of a path, which can be an item of a list. */
const isNamed = (text: string, path: ReadonlyArray<string>): boolean =>
  path
    .filter((name) => name !== "0")
    .slice(-1)
    .every((name) => text.includes(name))

/** Why a message is a bad one; empty for a good one. */
const faults = (message: string, path: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...(message.length > 400 ? [`has ${message.length} characters`] : []),
  ...(isNamed(message, path) ? [] : [`does not name ${path.join(".")}`]),
  // The words of a schema, such as `{ readonly symbol: string }` and `(string <-> Instant)`.
  ...(/readonly|<->|Expected|filter|Struct/.test(message) ? ["prints a schema"] : [])
]

const services = schemasOf(Orders)
  .filter(([name]) => name === "CreateRequest" || name === "CreateBatchRequest")
  .map(([name, schema]) => [`services/Orders.${name}`, schema] as const)
const schemas = [...ofDomains, ...services]

describe("a schema", () => {
  const sampling = { numRuns: Breadth.repeats(4, 1), seed: 1 }
  const check = (
    judge: (value: unknown) => Either.Either<unknown, ParseResult.ParseError>,
    sample: unknown
  ): ReadonlyArray<string> =>
    Breadth.some(mistakes(sample), 3, 0).flatMap(({ path, value }) => {
      const judged = judge(value)
      if (Either.isRight(judged)) return []
      const { left } = judged
      const message = ParseResult.TreeFormatter.formatErrorSync(left)
      const issues = ParseResult.ArrayFormatter.formatErrorSync(left)
      return [
        ...faults(message, path),
        // A form shows each issue at the path of its field.
        ...(issues.length === 1 ? [] : [`has ${issues.length} issues`])
      ].map((fault) => `${path.join(".")} ${fault}: ${message.slice(0, 500)}`)
    })

  it.each(schemas)("%s refuses every mistake in what is decoded in a few words", (_, schema) => {
    for (const sample of fc.sample(Arbitrary.make(schema), sampling)) {
      const wire: unknown = Schema.encodeUnknownSync(schema)(sample)
      expect(check(Schema.decodeUnknownEither(schema, { onExcessProperty: "error" }), wire)).toEqual([])
    }
  })

  it.each(schemas)("%s refuses every mistake in what is encoded in a few words", (_, schema) => {
    for (const sample of fc.sample(Arbitrary.make(schema), sampling)) {
      expect(check(Schema.encodeUnknownEither(schema, { onExcessProperty: "error" }), sample)).toEqual([])
    }
  })
})

describe("a request to", () => {
  const nothingIsSent = scripted.layer(() => Effect.die("sent"))

  it.effect.each(Samples.all.map((sample) => [sample.name, sample] as const))(
    "%s is refused for every mistake in a few words, before anything is sent",
    ([name, { endpoint, request }]) =>
      Effect.gen(function* () {
        const isRefused = (value: unknown) =>
          Either.isLeft(Schema.encodeUnknownEither(endpoint.request, { onExcessProperty: "error" })(value))
        for (const { path, value } of [...mistakes(request), ...mistakes({ ...request, category: "option" })]) {
          // A request that can be left out is one without parameters.
          if (!isRefused(value) || (value === undefined && !isRefused({}))) continue
          const failure = yield* Effect.flip(call(name, value as object))
          expect(failure).toBeInstanceOf(Failure.InvalidRequest)
          const { message } = failure
          const named = message.includes("category") ? [] : path
          expect(faults(message, named).map((fault) => `${fault}: ${message}`)).toEqual([])
        }
      }).pipe(Effect.provide(nothingIsSent))
  )
})
