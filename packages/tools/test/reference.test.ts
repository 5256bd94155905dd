/** The reference of the operations: its types are those of decoded responses, and the generator refuses to guess. */
import * as Endpoints from "@effect-venue/schemas/Endpoints"
import * as Envelope from "@effect-venue/schemas/Envelope"
import * as BigDecimal from "effect/BigDecimal"
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import assert from "node:assert/strict"
import * as fs from "node:fs"
import * as path from "node:path"
import { describe, it } from "node:test"
import { fieldsOf, operationsOf } from "../src/reference/document.js"
import { fileOf, pageOf } from "../src/reference/names.js"
import { root } from "../src/repository.js"

const fixtures = path.join(root, "packages/schemas/test/fixtures/successes")
const operations = operationsOf()

/** The type of a decoded value, in the words of the pages. `undefined` where an absent value does not show it. */
const typeOf = (value: unknown): string | undefined => {
  if (Option.isOption(value)) return Option.isNone(value) ? "`Option`" : `\`Option\`: ${typeOf(value.value) ?? ""}`
  if (BigDecimal.isBigDecimal(value)) return "`BigDecimal`"
  if (DateTime.isDateTime(value)) return "`DateTime.Utc`"
  if (Array.isArray(value)) return value.length === 0 ? "list of" : `list of ${typeOf(value[0]) ?? ""}`
  if (typeof value === "object" && value !== null) return "record"
  return typeof value === "string" ? "text" : typeof value
}

/** The fields of a decoded value, by their paths. */
const fieldsIn = (value: unknown, around = ""): ReadonlyArray<readonly [string, unknown]> => {
  if (Option.isOption(value)) return Option.isSome(value) ? fieldsIn(value.value, around) : []
  if (Array.isArray(value)) return value.flatMap((item) => fieldsIn(item, `${around}[]`))
  if (typeof value !== "object" || value === null || BigDecimal.isBigDecimal(value) || DateTime.isDateTime(value))
    return []
  return Object.entries(value).flatMap(([name, field]) => {
    const at = around === "" ? name : `${around}.${name}`
    return [[at, field] as const, ...fieldsIn(field, at)]
  })
}

/** An enumeration or an id is text or a number, with a name of its own. */
const agrees = (stated: string, found: string): boolean =>
  found === "`Option`" || found === "list of"
    ? stated.startsWith(found)
    : stated === found ||
      stated.replaceAll(/`(?!BigDecimal|DateTime|Option)[A-Z]\w*`(?:: text of digits)?/g, "text") === found ||
      stated.replaceAll(/`(?!BigDecimal|DateTime|Option)[A-Z]\w*`/g, "number") === found

describe("the fields of a result on the pages", () => {
  const recorded = fs.readdirSync(fixtures).map((file) => file.replace(/\.json$/, ""))
  for (const endpoint of Endpoints.all.filter(({ extended, name }) => recorded.includes(name) && extended !== true)) {
    it(`of ${endpoint.name} are those of a decoded response, with their types`, () => {
      const text: unknown = JSON.parse(fs.readFileSync(path.join(fixtures, `${endpoint.name}.json`), "utf8"))
      const { result } = Schema.decodeUnknownSync(Envelope.fromKind(endpoint.envelope))(text)
      const decoded: unknown = Schema.decodeUnknownSync(Schema.asSchema(endpoint.result))(result)
      const fields = operations.find(({ name }) => name === endpoint.name)?.result ?? []
      const wrong = fieldsIn(decoded).flatMap(([at, value]) => {
        const stated = fields.find(({ path }) => path === at)?.type
        const found = typeOf(value) ?? ""
        return stated !== undefined && agrees(stated, found) ? [] : [`${at}: ${stated ?? "not listed"}, but ${found}`]
      })
      assert.deepEqual(wrong, [])
    })
  }
})

describe("the pages", () => {
  for (const { domain, name, result } of operations) {
    it(`have a section of ${name} with its result and failures`, () => {
      const page = fs.readFileSync(path.join(root, "docs/reference", fileOf(domain)), "utf8")
      const section = page.split(/^## /m).find((part) => part.includes(`\n\n\`${name}\``)) ?? ""
      assert.equal(section.split("\n")[0]?.toLowerCase(), pageOf(name).split("#")[1])
      assert.match(
        section,
        result.length === 0 ? /\*\*Result\*\*: none\./ : /\| Field +\| Type +\| Unit +\| Meaning +\|/
      )
      assert.match(section, /\*\*Failures\*\*: `InvalidRequest`/)
    })
  }

  it("have a table of what a history and cancelEverything take and emit", () => {
    const orders = fs.readFileSync(path.join(root, "docs/reference/orders.md"), "utf8")
    const executions = fs.readFileSync(path.join(root, "docs/reference/executions.md"), "utf8")
    assert.match(orders, /## cancelEverything[\s\S]*\| `maxRounds`, optional[\s\S]*\| `cancelled`/)
    assert.match(executions, /## history[\s\S]*\| `beyondRetention`, optional/)
  })
})

describe("the generator", () => {
  const record = (property: object) => ({ type: "object", properties: { odd: property } })

  it("refuses a result without fields, and a field without a type or a meaning", () => {
    assert.throws(() => fieldsOf("a.b", {}), /does not say what its result is/)
    assert.throws(() => fieldsOf("a.b", { type: "object", properties: {} }), /does not say what its result is/)
    assert.throws(() => fieldsOf("a.b", record({ description: "odd" })), /does not say what odd is/)
    assert.throws(() => fieldsOf("a.b", record({ type: "string" })), /does not say what odd means/)
  })

  it("takes a result of null for none", () => {
    assert.deepEqual(fieldsOf("a.b", { type: ["object", "null"] }), [])
  })
})
