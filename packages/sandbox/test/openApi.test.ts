import * as Server from "@effect-venue/sandbox/Server"
import * as Endpoints from "@effect-venue/schemas/Endpoints"
import * as OpenApi from "@effect-venue/schemas/OpenApi"
import { describe, expect, it } from "@effect/vitest"
import { Validator } from "@seriousme/openapi-schema-validator"
import * as Effect from "effect/Effect"
import { onServer } from "./utils/tests.js"

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a document is looked at as it is
type Any = any

const get = (url: string) =>
  Effect.promise(async () => {
    const response = await fetch(url)
    const header = (name: string) => response.headers.get(name) ?? ""
    return {
      status: response.status,
      type: header("content-type"),
      policy: header("content-security-policy"),
      text: await response.text()
    }
  })

describe("the OpenAPI document", () => {
  const document: Any = OpenApi.make({ baseUrl: "/", inline: true })
  const operationOf = (name: string): Any => {
    const endpoint = Endpoints.all.find((one) => one.name === name)
    return document.paths[endpoint?.path ?? ""][endpoint?.method.toLowerCase() ?? ""]
  }

  it.effect("is a valid OpenAPI 3.1 document", () =>
    Effect.gen(function* () {
      const judge = (json: Record<string, unknown>) =>
        Effect.promise(() => new Validator().validate(structuredClone(json)))
      expect(yield* judge(document)).toEqual({ valid: true })
      // The judge says no too.
      expect((yield* judge({ ...document, paths: { nowhere: 1 } })).valid).toBe(false)
    })
  )

  it("contains every operation with its properties", () => {
    const operations: ReadonlyArray<Any> = Object.values(document.paths).flatMap((path) =>
      Object.values(path as object)
    )
    expect(operations.map(({ operationId }) => operationId).sort()).toEqual(
      Endpoints.all.map(({ name }) => name).sort()
    )
    for (const endpoint of Endpoints.all) {
      expect(operationOf(endpoint.name)).toMatchObject({
        summary: endpoint.summary,
        "x-evidence": endpoint.evidence,
        "x-signing": endpoint.signing,
        "x-safety": endpoint.safety,
        "x-envelope": endpoint.envelope
      })
    }
    expect(operationOf("executions.list")["x-rate-limit"]).toEqual({
      count: 10,
      windowSeconds: 1,
      scope: "uid x category",
      upgradable: false,
      assumed: "spot"
    })
  })

  it("marks query parameters as required only if all categories need them", () => {
    const parameters: ReadonlyArray<Any> = operationOf("orders.open").parameters
    expect(parameters.find(({ name }) => name === "category")).toEqual({
      name: "category",
      description: "Spot, USDT-linear or inverse contracts",
      in: "query",
      required: true,
      schema: { type: "string", enum: ["spot", "linear", "inverse"], "x-source": "document" }
    })
    expect(parameters.find(({ name }) => name === "symbol")).toMatchObject({ required: false })
  })

  it("describes the wire: decimals as text, absent values as empty text or null, and the place of the signature", () => {
    const amend = operationOf("orders.amend")
    const [spot] = amend.requestBody.content["application/json"].schema.anyOf
    expect(spot.properties.qty).toMatchObject({ type: "string" })
    expect(amend.security).toEqual([{ apiKey: [], timestamp: [], signature: [] }])
    const [done, refused] =
      operationOf("account.walletBalance").responses["200"].content["application/json"].schema.oneOf
    expect(done.properties.retCode).toEqual({ type: "integer", const: 0 })
    expect(refused.properties.retCode).toEqual({ type: "integer", not: { const: 0 } })
    const wallet = done.properties.result.properties.list.items
    expect(wallet.properties.coin.items.properties.equity).toMatchObject({ type: "string" })
    expect(wallet.properties.totalEquity.anyOf.map(({ type }: Any) => type)).toEqual(["string", "string", "null"])
    const deposits: ReadonlyArray<Any> = operationOf("assets.deposits").parameters
    expect(deposits.map(({ name }) => name)).toEqual(expect.arrayContaining(["api_key", "timestamp", "sign"]))
    expect(operationOf("assets.transfer").requestBody.content["application/json"].schema.allOf[1].required).toEqual([
      "api_key",
      "timestamp",
      "sign"
    ])
    expect(operationOf("instruments.list").security).toEqual([])
  })

  it("describes both lists in the response of a batch", () => {
    const answers = (name: string): Any => operationOf(name).responses["200"].content["application/json"].schema.oneOf
    for (const name of ["orders.createBatch", "orders.amendBatch", "orders.cancelBatch"]) {
      const [done, refused] = answers(name)
      expect(Object.keys(done.properties).sort()).toEqual(["result", "retCode", "retExtInfo", "retMsg", "time"])
      expect(done.required).toEqual(expect.arrayContaining(["retCode", "retMsg", "time", "result", "retExtInfo"]))
      const slot = done.properties.result.properties.list.items.properties
      expect(Object.keys(slot)).toEqual(expect.arrayContaining(["category", "symbol", "orderId", "orderLinkId"]))
      expect("createAt" in slot).toBe(name === "orders.createBatch")
      expect(done.properties.retExtInfo.properties.list.items.properties).toMatchObject({
        code: { anyOf: [{ type: "string" }, { type: "number" }] },
        msg: { type: "string" }
      })
      // A refusal of the whole batch has no list.
      expect(refused.properties).toMatchObject({ result: {}, retExtInfo: {} })
      expect(refused.required).not.toContain("retExtInfo")
    }
    expect(answers("orders.create")[0].required).not.toContain("retExtInfo")
  })
})

it("names the variants of a body by the property that tells them apart", () => {
  const named: Any = OpenApi.make()
  const { oneOf, discriminator } =
    named.paths["/cloud/trade/v3/order/create"].post.requestBody.content["application/json"].schema
  expect(discriminator.propertyName).toBe("category")
  expect(oneOf).toEqual(Object.values(discriminator.mapping).map(($ref) => ({ $ref })))
  for (const [category, reference] of Object.entries<string>(discriminator.mapping)) {
    const name = reference.replace("#/components/schemas/", "")
    expect(named.components.schemas[name].properties.category.enum).toEqual([category])
  }
})

describe("a server's pages", () => {
  onServer("show the operations without loading anything from another host", function* () {
    const { url } = yield* Server.Server
    const { text, type } = yield* get(`${url}/openapi.json`)
    expect(type).toBe("application/json; charset=utf-8")
    const document = JSON.parse(text)
    expect(yield* Effect.promise(() => new Validator().validate(structuredClone(document)))).toEqual({ valid: true })
    const { components, paths } = JSON.parse(JSON.stringify(OpenApi.make({ baseUrl: "/" })))
    expect(document).toMatchObject({ components, paths, servers: [{ url: "/" }] })
    // The commands of the sandbox come with their fields.
    const command = document.paths["/sandbox/control/setFaults"].post
    const body = command.requestBody.content["application/json"].schema
    const { discriminator, oneOf } = body.properties.rules.items.properties.fault
    expect(oneOf.length).toBeGreaterThan(15)
    expect(discriminator.propertyName).toBe("kind")
    expect(discriminator.mapping.dropAfter).toBe("#/components/schemas/FaultDropAfter")
    expect(document.components.schemas.FaultDelay.required).toEqual(["kind", "millis", "executed"])
    expect(command.requestBody.required).toBe(true)
    expect(document.paths["/sandbox/control/openAccount"].post.requestBody.required).toBe(false)
    expect(Object.keys(command.responses)).toEqual(["200", "400", "401", "403", "404", "405", "409", "413", "422"])
    expect(command.security).toEqual([{ controlToken: [] }, {}])
    expect(document.components.securitySchemes.controlToken).toMatchObject({ type: "http", scheme: "bearer" })
    const { parameters } = document.paths["/sandbox/control/requests"].get
    expect(parameters).toContainEqual(
      expect.objectContaining({ name: "signature", in: "query", required: false, description: expect.any(String) })
    )
    const page = yield* get(url)
    expect(page).toMatchObject({ status: 200, type: "text/html; charset=utf-8" })
    for (const { method, name, path } of Endpoints.all) {
      expect(page.text).toContain(`<details id="${name}"><summary><b>${name}</b> <code>${method} ${path}</code>`)
    }
    // A parameter of a query, one of a body, a field of a record in a result, fields of commands and of their results.
    for (const field of [
      "openOnly",
      "triggerPrice",
      "result.list[].CumExecFee",
      "funds",
      "takes",
      "markets[].isHeld"
    ]) {
      expect(page.text).toContain(`<td><code>${field}</code></td>`)
    }
    expect(page.text).toContain("<td>&quot;spot&quot; | &quot;linear&quot; | &quot;inverse&quot;</td>")
    const links = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => link)
    expect([...new Set(links)].sort()).toEqual(["#api", "/openapi.json", "/page.css", "/page.js", "data:,"])
    expect(page.policy).toMatch(/^default-src 'none'; /)
    expect(page.policy).not.toMatch(/unsafe|\*|https?:/)
    // Neither a script nor a style stands in the page: the policy would not allow it.
    expect(page.text).not.toMatch(/<style|<script(?! src="\/page\.js" defer><\/script>)|\son\w+=|\sstyle=/)
    expect((yield* get(`${url}/page.js`)).type).toBe("text/javascript; charset=utf-8")
    expect((yield* get(`${url}/page.css`)).type).toBe("text/css; charset=utf-8")
  })
})
