// Compares the decoders in a process that may not make code from text, and prints what failed for each schema.
import { FastCheck as fc, Schema } from "effect"
import * as assert from "node:assert/strict"
import * as Endpoints from "../src/document/Endpoints.js"
import { check } from "../src/compiler/check.js"
import { read } from "../src/compiler/read.js"
import * as Orders from "../src/domains/Orders.js"
import { agrees, isStraight, mutated, otherSchemas, runs, strange } from "./decoding.js"

const failures = new Map<string, string>()

const attempt = (name: string, run: () => void): void => {
  try {
    run()
    failures.set(name, "")
  } catch (error) {
    failures.set(name, error instanceof Error ? error.message : String(error))
  }
}

const compare = (name: string, schema: Schema.Schema.AnyNoContext, inputs: fc.Arbitrary<unknown>): void => {
  attempt(name, () => {
    fc.assert(
      fc.property(inputs, (input) => {
        agrees(schema, input)
      }),
      { numRuns: runs.forbidden }
    )
  })
}

for (const { name, result } of Endpoints.all) compare(name, result, mutated(result))
for (const [name, schema] of Object.entries(otherSchemas)) compare(name, schema, fc.oneof(mutated(schema), strange))

attempt("lists of fields", () => {
  // eslint-disable-next-line @typescript-eslint/no-implied-eval -- that it is forbidden is the premise of all else
  assert.throws(() => new Function("return 1"), EvalError)
  assert.ok(!isStraight(read(Orders.Order.ast)))
  assert.ok(!isStraight(check(Schema.encodedSchema(Orders.Order).ast)))
})

process.stdout.write(JSON.stringify(Object.fromEntries(failures)))
