/** The reference of the operations: what every one of them says of its result, and what the generator refuses to write. */
import assert from "node:assert/strict"
import * as fs from "node:fs"
import * as path from "node:path"
import { describe, it } from "node:test"
import { fileURLToPath } from "node:url"
import { resultOf } from "../operations.mjs"

const Endpoints = await import("@effect-venue/schemas/Endpoints")
const Schema = await import("effect/Schema")

const folder = path.resolve(fileURLToPath(import.meta.url), "../../../../docs/reference")
const pages = fs.readdirSync(folder).map((file) => fs.readFileSync(path.join(folder, file), "utf8"))

const withoutResult = ["positions.setTradingStop", "positions.setLeverage", "positions.confirmNewRiskLimit"]

/** The text about an operation, up to the heading of the next. */
const sectionOf = ({ name }) =>
  pages.flatMap((page) => page.split(/^## /m)).find((section) => section.includes(`\n\n\`${name}\``)) ?? ""

describe("the reference", () => {
  for (const endpoint of Endpoints.all) {
    it(`lists the result of ${endpoint.name}, or says that there is none`, () => {
      const [, result = ""] = sectionOf(endpoint).split("**Result**")
      const [before] = result.split("**Failures**")
      if (withoutResult.includes(endpoint.name)) assert.match(before, /^: none\. /)
      else assert.match(before, /\| Field +\| Type +\|\n\| -+ \| -+ \|\n(\| `[^`]+` +\| [^|]*\S[^|]*\|\n)+/)
    })
  }

  it("does not invent a result that a schema does not have", () => {
    const endpoint = (result, more = {}) => ({ name: "a.b", result, ...more })
    const refused = [
      [endpoint(Schema.Unknown), /no fields/],
      [endpoint(Schema.Struct({})), /no fields/],
      [endpoint(Schema.declare((_) => true)), /no fields/],
      [endpoint(Schema.Struct({ odd: Schema.declare((_) => true) })), /type of odd/],
      [endpoint(Schema.Struct({ odd: Schema.SymbolFromSelf })), /type of odd/],
      [endpoint(Schema.Array(Schema.String), { extended: true }), /no fields/]
    ]
    for (const [one, why] of refused) assert.throws(() => resultOf(one, new Set()), why)
  })
})
