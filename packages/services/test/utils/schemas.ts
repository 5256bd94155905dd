/** Every exported schema, by `Module.Name`, and the mistakes that can be made in a value. */
import * as Account from "@effect-venue/schemas/Account"
import * as ApiLimits from "@effect-venue/schemas/ApiLimits"
import * as Assets from "@effect-venue/schemas/Assets"
import * as Broker from "@effect-venue/schemas/Broker"
import * as Decimal from "@effect-venue/schemas/Decimal"
import * as Enumerations from "@effect-venue/schemas/Enumerations"
import * as Executions from "@effect-venue/schemas/Executions"
import * as Id from "@effect-venue/schemas/Id"
import * as Instant from "@effect-venue/schemas/Instant"
import * as Instruments from "@effect-venue/schemas/Instruments"
import * as Orders from "@effect-venue/schemas/Orders"
import * as Positions from "@effect-venue/schemas/Positions"
import { Predicate, Schema } from "effect"

/** The modules of the domains. */
export const domains = { Account, ApiLimits, Assets, Broker, Executions, Instruments, Orders, Positions } as const

export type NamedSchema = readonly [name: string, schema: Schema.Schema.AnyNoContext]

export const schemasOf = (module: object): ReadonlyArray<NamedSchema> =>
  Object.entries(module).flatMap(([name, value]) =>
    Schema.isSchema(value) ? [[name, value as Schema.Schema.AnyNoContext] as const] : []
  )

const named = (modules: Readonly<Record<string, object>>): ReadonlyArray<NamedSchema> =>
  Object.entries(modules).flatMap(([module, members]) =>
    schemasOf(members).map(([name, schema]) => [`${module}.${name}`, schema] as const)
  )

/** The schemas of requests, results and records. */
export const ofDomains = named(domains)

export const all = [...ofDomains, ...named({ Decimal, Enumerations, Id, Instant })]

/** A value with one mistake, and where it is. */
export interface Mistake {
  readonly path: ReadonlyArray<string>
  readonly value: unknown
}

/** A field of no value. */
const extra = "unforeseenField"

/** Values of every type, an unknown word of a list, a number for a decimal, and one that is long. */
const wrong: ReadonlyArray<unknown> = [
  ...[undefined, null, true, 7, 0.01, "", "Unknown", {}, [], [{}], "x".repeat(2000)],
  Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`field${index}`, "x"])),
  Array.from({ length: 21 }, () => ({}))
]

/** Every value with one mistake: another type, a field that is missing, and one too many. */
export const mistakes = (value: unknown, path: ReadonlyArray<string> = []): ReadonlyArray<Mistake> => [
  ...wrong.map((value) => ({ path, value })),
  ...(Array.isArray(value)
    ? value
        .slice(0, 1)
        .flatMap((item: unknown) => mistakes(item, [...path, "0"]))
        .map((mistake) => ({ ...mistake, value: [mistake.value, ...value.slice(1)] as unknown }))
    : Predicate.isRecord(value) && Object.getPrototypeOf(value) === Object.prototype
      ? [
          ...Object.keys(value).flatMap((name) => {
            const { [name]: inner, ...rest } = value
            return [
              { path: [...path, name], value: rest },
              ...mistakes(inner, [...path, name]).map((mistake) => ({
                ...mistake,
                value: { ...rest, [name]: mistake.value }
              }))
            ]
          }),
          { path: [...path, extra], value: { ...value, [extra]: 1 } }
        ]
      : [])
]
