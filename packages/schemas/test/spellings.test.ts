/** Every integer, instant and flag of the recorded answers, as text and as a bare number: neither loses the page. */
import { describe, expect, it } from "@effect/vitest"
import { DateTime, Either, Option, Schema } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import * as Decoder from "../src/Decoder.js"
import * as Endpoints from "../src/Endpoints.js"
import * as Json from "../src/Json.js"

type Path = ReadonlyArray<string>

const leaves = (value: unknown, path: Path = []): ReadonlyArray<readonly [Path, unknown]> =>
  typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([key, inner]) => leaves(inner, [...path, key]))
    : [[path, value]]

const replaced = (value: unknown, [key, ...rest]: Path, by: unknown): unknown => {
  if (key === undefined) return by
  if (Array.isArray(value)) return value.map((item, index) => (String(index) === key ? replaced(item, rest, by) : item))
  return Object.fromEntries(
    Object.entries(value as object).map(([name, inner]) => [name, name === key ? replaced(inner, rest, by) : inner])
  )
}

/** Keys as the domain has them, whatever their spelling on the wire. */
const spelled = (key: string): string => key.replaceAll("_", "").toLowerCase()

const inDomain = (domain: unknown, [key, ...rest]: Path): unknown => {
  const value = Option.isOption(domain) ? Option.getOrUndefined(domain) : domain
  if (key === undefined || typeof value !== "object" || value === null) return value
  const found = Object.entries(value).find(([name]) => spelled(name) === spelled(key))
  return inDomain(found?.[1], rest)
}

/** Instants, integers and flags: what a service may spell as text or as a number. */
const isCounted = (value: unknown): boolean =>
  typeof value === "number" || typeof value === "boolean" || DateTime.isDateTime(value)

/** The same digits in the other spelling. */
const respelled = (wire: unknown): string | number | undefined =>
  typeof wire === "number"
    ? String(wire)
    : typeof wire === "string" && /^\d{1,15}$/.test(wire)
      ? Number(wire)
      : undefined

const fixtures = new URL("fixtures/successes/", import.meta.url)

describe("a page", () => {
  const kinds = { text: 0, number: 0 }

  for (const file of readdirSync(fixtures)) {
    const endpoint = Endpoints.all.find(({ name }) => `${name}.json` === file)
    if (endpoint === undefined || endpoint.extended === true) continue
    const { result } = Option.getOrThrow(Json.parse(readFileSync(new URL(file, fixtures), "utf8"))) as {
      readonly result: unknown
    }
    const schema = endpoint.result as Schema.Schema<unknown, unknown>
    const read = Decoder.decodeUnknownEither(schema)
    const check = Decoder.validateWireEither(schema)
    const ordinary = Schema.decodeUnknownEither(schema)
    const domain = Either.getOrThrow(read(result))

    it(`of ${endpoint.name} is not lost by the other spelling of an integer, an instant or a flag`, () => {
      for (const [path, wire] of leaves(result)) {
        const other = respelled(wire)
        if (other === undefined || !isCounted(Option.getOrUndefined(Option.fromNullable(inDomain(domain, path)))))
          continue
        const where = path.join(".")
        const changed = replaced(result, path, other)
        for (const decode of [read, ordinary]) {
          const decoded = Either.map(decode(changed), (page) => inDomain(page, path))
          expect([where, decoded]).toEqual([where, Either.right(inDomain(domain, path))])
        }
        expect([where, Either.isRight(check(changed))]).toEqual([where, true])
        kinds[typeof other === "number" ? "number" : "text"]++
      }
    })

    it(`of ${endpoint.name} is not lost by an id that is a number beyond 2^53`, () => {
      const id = "1523347543495541248"
      for (const [path, wire] of leaves(result)) {
        if (typeof wire !== "string" || wire === "" || !/id$/i.test(path.at(-1) ?? "")) continue
        const text = JSON.stringify(replaced(result, path, "<id>")).replace('"<id>"', id)
        const where = path.join(".")
        const decoded = Either.map(read(Option.getOrThrow(Json.parse(text))), (page) => inDomain(page, path))
        expect([where, decoded]).toEqual([where, Either.right(id)])
      }
    })
  }

  it("has such fields", () => {
    expect(kinds.text).toBeGreaterThan(20)
    expect(kinds.number).toBeGreaterThan(20)
  })
})
