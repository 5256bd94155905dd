/**
 * What an editor shows of the services: what a method does, how often it may be called and how it fails, when the pointer rests
 * on it; and the tags that can be caught, where one is to be typed. The docblocks are checked against the Endpoint values.
 */
import assert from "node:assert/strict"
import * as fs from "node:fs"
import * as path from "node:path"
import { after, before, describe, it } from "node:test"
import * as Endpoints from "@effect-venue/schemas/Endpoints"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import ts from "typescript"
import { root, tools } from "../src/repository.js"

const domains = [...new Set(Endpoints.all.map(({ domain }) => domain))]

/** How a limit is stated: `Limit: 10 calls a second per category.` */
const limitOf = ({ rateLimit }: (typeof Endpoints.all)[number]): string =>
  Option.match(rateLimit, {
    onNone: () => "Limit: none is documented.",
    onSome: ({ count, scope, window }) => {
      const per = Duration.toSeconds(window) === 1 ? "second" : "minute"
      return `Limit: ${count} call${count === 1 ? "" : "s"} a ${per}${scope === "uid x category" ? " per category" : ""}.`
    }
  })

interface Method {
  readonly name: string
  /** Its docblock in one line. */
  readonly doc: string
}

/** The methods in the shape of a service. */
const methodsOf = (domain: string): ReadonlyArray<Method> => {
  const file = path.join(root, "packages", "services", "src", `${domain}.ts`)
  const source = ts.createSourceFile(file, fs.readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true)
  const methods: Array<Method> = []
  const visit = (node: ts.Node): void => {
    if (ts.isInterfaceDeclaration(node) && node.name.text === "Shape") {
      for (const member of node.members) {
        const doc = ts.getJSDocCommentsAndTags(member).map((block) => ts.getTextOfJSDocComment(block.comment) ?? "")
        methods.push({ name: member.name?.getText() ?? "", doc: doc.join(" ").replace(/\s+/g, " ") })
      }
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return methods
}

/** What a docblock lacks. */
const lacks = ({ doc, name }: Method, domain: string, methods: ReadonlyArray<Method>): ReadonlyArray<string> => {
  const operation = `${domain.charAt(0).toLowerCase()}${domain.slice(1)}.${name}`
  const endpoint = Endpoints.all.find((one) => one.name === operation)
  // A method that is no operation of its own names one that it calls.
  const wanted =
    endpoint === undefined
      ? [
          methods.some((one) => one.name !== name && doc.includes(`fails as \`${one.name}\` does`))
            ? ""
            : "fails as `...` does"
        ]
      : [
          limitOf(endpoint),
          `Fails as any ${endpoint.safety === "read" ? "read" : "write"} does`,
          `docs/reference/${domain === "ApiLimits" ? "api-limits" : domain.toLowerCase()}.md#${name.toLowerCase()}`
        ]
  return wanted.filter((one) => !doc.includes(one))
}

describe("the docblock of every method", () => {
  for (const domain of domains) {
    it(`of ${domain} names limit, failures and its page of the reference`, () => {
      const methods = methodsOf(domain)
      const operations = Endpoints.all.filter((one) => one.domain === domain).length
      assert.ok(methods.length >= operations, `${domain} has ${methods.length} methods for ${operations} operations`)
      const missing = methods.flatMap((method) =>
        lacks(method, domain, methods).map((one) => `${domain}.${method.name}: ${one} is not in "${method.doc}"`)
      )
      assert.deepEqual(missing, [])
    })
  }

  it("is missed when it is not there, or says another limit", () => {
    const [first] = methodsOf("Orders")
    assert.ok(first !== undefined)
    assert.notDeepEqual(lacks({ ...first, doc: "" }, "Orders", []), [])
    assert.notDeepEqual(lacks({ ...first, doc: first.doc.replace("10 calls", "20 calls") }, "Orders", []), [])
    assert.deepEqual(lacks(first, "Orders", []), [])
  })
})

describe("an editor", () => {
  const file = path.join(tools, "typetest", "editor.ts")
  const text = `import type * as Executions from "@effect-venue/services/Executions"
import type * as Orders from "@effect-venue/services/Orders"
import * as Effect from "effect/Effect"
declare const orders: Orders.Orders.Shape
declare const executions: Executions.Executions.Shape
const amended = orders.amend({ category: "linear", symbol: "BTCUSDT", orderId: "1", price: "1" })
export const a = amended.pipe(Effect.catchTag(""))
export const b = executions.list({ category: "linear" }).pipe(Effect.catchTag(""))
export const c = Effect.catchTags(amended, {  })
export const d = orders.open({ category: "spot", orderFilter: "" })
`
  let service: ts.LanguageService

  before(() => {
    const config = path.join(tools, "typetest", "tsconfig.json")
    const { options } = ts.parseJsonConfigFileContent(
      ts.readConfigFile(config, (name) => ts.sys.readFile(name)).config,
      ts.sys,
      path.dirname(config)
    )
    service = ts.createLanguageService({
      ...ts.sys,
      getCompilationSettings: () => options,
      getScriptFileNames: () => [file],
      getScriptVersion: () => "1",
      getScriptSnapshot: (name) => {
        const content = name === file ? text : ts.sys.readFile(name)
        return content === undefined ? undefined : ts.ScriptSnapshot.fromString(content)
      },
      getCurrentDirectory: () => root,
      getDefaultLibFileName: (settings) => ts.getDefaultLibFilePath(settings),
      useCaseSensitiveFileNames: () => ts.sys.useCaseSensitiveFileNames,
      fileExists: (name) => name === file || ts.sys.fileExists(name)
    })
  })

  after(() => service.dispose())

  const behind = (marker: string): number => text.indexOf(marker) + marker.length

  const completions = (marker: string): ReadonlyArray<string> =>
    (service.getCompletionsAtPosition(file, behind(marker), {})?.entries ?? []).map(({ name }) => name).sort()

  const reads = [
    "Banned",
    "ClockSkew",
    "ConnectionFailed",
    "InvalidRequest",
    "RateLimited",
    "Rejected",
    "Unauthorized",
    "Unavailable",
    "UnexpectedResponse"
  ]
  const writes = [...reads.filter((tag) => tag !== "UnexpectedResponse"), "OutcomeUnknown"].sort()

  it("shows what an operation does, its limit and its failures", () => {
    const info = service.getQuickInfoAtPosition(file, behind("const amended = orders."))
    const shown = ts.displayPartsToString(info?.documentation).replace(/\s+/g, " ")
    assert.match(
      shown,
      /^Changes an order .* Fails as any write does, .*`OrderState`.* Limit: 10 calls a second per category\./
    )
    assert.match(ts.displayPartsToString(info?.displayParts), /WriteFailure/)
  })

  it("completes the tags of a write and of a read", () => {
    assert.deepEqual(completions('amended.pipe(Effect.catchTag("'), writes)
    assert.deepEqual(completions('executions.list({ category: "linear" }).pipe(Effect.catchTag("'), reads)
  })

  it("completes the keys of catchTags", () => {
    assert.deepEqual(completions("Effect.catchTags(amended, { "), writes)
  })

  it("completes what a category takes", () => {
    assert.deepEqual(completions('category: "spot", orderFilter: "'), ["Order", "tpslOrder"])
  })
})
