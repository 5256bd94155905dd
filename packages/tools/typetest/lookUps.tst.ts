import * as Endpoint from "@effect-venue/schemas/Endpoint"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { describe, expect, test } from "tstyche"

const operation = {
  name: "orders.create",
  domain: "Orders",
  summary: "",
  method: "POST",
  path: "/",
  result: Schema.Struct({}),
  safety: "write",
  source: ""
} as const

const symbol = { symbol: Schema.String }
const item = Schema.Struct({ ...symbol, qty: Schema.optional(Schema.String) })
const batch = Schema.Struct({ request: Schema.Array(item) })
const variants = Schema.Union(Schema.Struct(symbol), item)

const undetermined = () => Effect.succeed<Endpoint.Finding>({ executed: "undetermined", evidence: [] })
const ofSymbol = Endpoint.makeLookUp({ request: "selects", symbol: "selects" }, undetermined)
const ofBoth = Endpoint.makeLookUp({ request: "selects", symbol: "selects", qty: "compares" }, undetermined)

describe("a look-up that leaves a parameter of its write out does not compile", () => {
  test("of a request, of each of its variants, and of the items of a batch", () => {
    expect(Endpoint.make({ ...operation, request: Schema.Struct(symbol), lookUp: ofSymbol })).type.not.toRaiseError()
    expect(Endpoint.make({ ...operation, request: item, lookUp: ofSymbol })).type.toRaiseError("qty")
    expect(Endpoint.make({ ...operation, request: variants, lookUp: ofSymbol })).type.toRaiseError("qty")
    expect(Endpoint.make({ ...operation, request: batch, lookUp: ofSymbol })).type.toRaiseError("qty")
    expect(Endpoint.make({ ...operation, request: item, lookUp: ofBoth })).type.not.toRaiseError()
    expect(Endpoint.make({ ...operation, request: variants, lookUp: ofBoth })).type.not.toRaiseError()
    expect(Endpoint.make({ ...operation, request: batch, lookUp: ofBoth })).type.not.toRaiseError()
  })

  test("also if it states no use of parameters at all", () => {
    expect(Endpoint.make({ ...operation, request: item, lookUp: undetermined })).type.toRaiseError("uses")
  })
})
