/** What a refusal says to a caller who sent something that no operation takes: words, never a schema. */
import * as Endpoints from "@effect-venue/schemas/Endpoints"
import { describe, expect, it } from "@effect/vitest"
import * as Rules from "./rules/utils.js"
import { parametersOf } from "./utils/openApiParameters.js"

const fieldsOf = (operation: Rules.Operation): ReadonlyArray<string> => Object.keys(parametersOf(operation))

const base: Rules.Parameters = {
  category: "linear",
  symbol: "BTCUSDT",
  settleCoin: "USDT",
  coin: "USDT",
  accountType: "UNIFIED",
  fromAccountType: "FUND",
  toAccountType: "UNIFIED",
  orderId: "none"
}

const wrong = ["nonsense", "-1", "1e400", 5, -1.5, true, [], [1], [{}], {}, { a: 1 }]
// What JSON can say and no text can be made of.
const withoutText = { toString: 1, valueOf: 2 }

// What a schema prints of itself.
const ofSchema = /Expected|actual|undefined|readonly|\{|[<>]|a string|minLength| \| |→|└|─/

describe("refusals", () => {
  it("are tested for the parameters of every operation", () => {
    expect(Rules.names.toSorted()).toEqual(Endpoints.all.map(({ name }) => name).toSorted())
    for (const operation of Rules.names) {
      expect(fieldsOf(operation).length, operation).toBeGreaterThan(0)
    }
  })

  Rules.rule("state the requirement of a parameter", function* () {
    const messages: Array<string> = []
    for (const operation of Rules.names) {
      const values = Rules.routeOf(operation).method === "POST" ? [...wrong, withoutText] : wrong
      const requests = fieldsOf(operation).flatMap((field) => values.map((value) => ({ ...base, [field]: value })))
      for (const parameters of [{}, ...requests]) {
        const { json, status } = yield* Rules.send(operation, parameters)
        expect(status, JSON.stringify(parameters)).toBe(operation === "instruments.list" ? status : 200)
        if (Object.values(parameters).includes(withoutText)) expect(json.retCode ?? json.ret_code).not.toBe(0)
        const message: string = json?.retMsg ?? json?.ret_msg ?? ""
        // A signature that does not fit shows what was signed.
        if (ofSchema.test(message) && !message.startsWith("error sign!")) messages.push(`${operation} ${message}`)
      }
    }
    expect(Rules.distinct(messages)).toEqual([])
  })

  Rules.rule("name the allowed categories", function* () {
    for (const operation of Rules.names) {
      if (!fieldsOf(operation).includes("category") || operation === "instruments.list") continue
      const { json } = yield* Rules.send(operation, { ...base, category: "option" })
      expect(`${operation}: ${json.retMsg}`).toMatch(
        /: params error: category must be (spot, linear or inverse|linear or inverse), not "option"$/
      )
    }
  })
})
