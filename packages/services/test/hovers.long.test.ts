/** What an editor shows of the services, of requests and of records. What it says of mistakes: packages/tools/typetest/refusals.tst.ts. */
import { describe, expect, it } from "@effect/vitest"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import ts from "typescript"

const packages = fileURLToPath(new URL("../..", import.meta.url))
const domains = ["Orders", "Positions", "Executions", "Instruments", "Account", "Assets", "Broker", "ApiLimits"]
const fileOf = (name: string, domain: string) => path.join(packages, name, "src", `${domain}.ts`)
const files = domains.flatMap((domain) => [fileOf("services", domain), fileOf("schemas", domain)])

const config = path.join(packages, "services/tsconfig.src.json")
const { options } = ts.parseJsonConfigFileContent(
  ts.readConfigFile(config, (file) => ts.sys.readFile(file)).config,
  ts.sys,
  path.dirname(config)
)

const preamble = `
import { Effect, Option } from "effect"
import { Account } from "../src/Account.js"
import { Assets } from "../src/Assets.js"
import { Executions } from "../src/Executions.js"
import { Orders } from "../src/Orders.js"
import { Positions } from "../src/Positions.js"
import * as Venue from "../src/Venue.js"
declare const account: Account.Shape
declare const assets: Assets.Shape
declare const executions: Executions.Shape
declare const orders: Orders.Shape
declare const positions: Positions.Shape
const order = { symbol: "BTCUSDT", side: "Buy", orderType: "Limit", qty: "1", price: "64000.5" } as const
`

/** Expressions, hovered at the name after the last dot. */
const hovered: ReadonlyArray<string> = [
  ...["orders.open", "orders.create", "orders.amend", "orders.cancelAll", "orders.cancelEverything"],
  ...["orders.createBatch", "orders.historyStream", "positions.list", "executions.list", "executions.preUpgradeStream"],
  ...[
    "account.walletBalance",
    "assets.transfer",
    "assets.withdrawInternal",
    "Venue.layerConfig",
    "Venue.layerServices"
  ],
  ...["openResult.list", "openResult.nextPageCursor", "openOrder.price", "openOrder.orderStatus", "createRequest"],
  ...["createRequest.triggerPrice", "outcomeUnknown.lookUp", "created", "openResult", "openOrder"]
]

const samples = `
declare const createRequest: Parameters<typeof orders.create>[0]
declare const outcomeUnknown: Extract<Effect.Effect.Error<ReturnType<typeof orders.create>>, { readonly _tag: "OutcomeUnknown" }>
declare const openResult: Effect.Effect.Success<ReturnType<typeof orders.open>>
const created = orders.create({ ...order, category: "linear" })
declare const openOrder: (typeof openResult.list)[number]
`

const hoversName = path.join(packages, "services/test", "hovered.ts")
const hoversText = `${preamble}${samples}
${hovered.map((expression) => `void ${expression}`).join("\n")}
`
const texts = new Map([[hoversName, hoversText]])

const service = ts.createLanguageService({
  getScriptFileNames: () => [...files, ...texts.keys()],
  getScriptVersion: () => "1",
  getScriptSnapshot: (file) => {
    const text = texts.get(file) ?? ts.sys.readFile(file)
    return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text)
  },
  getCurrentDirectory: () => packages,
  getCompilationSettings: () => ({
    ...options,
    ...{ noEmit: true, composite: false, incremental: false, types: [], noUnusedLocals: false }
  }),
  getDefaultLibFileName: (settings) => ts.getDefaultLibFilePath(settings),
  fileExists: (file) => texts.has(file) || ts.sys.fileExists(file),
  readFile: (file) => texts.get(file) ?? ts.sys.readFile(file),
  directoryExists: (folder) => ts.sys.directoryExists(folder),
  getDirectories: (folder) => ts.sys.getDirectories(folder)
})
const program = service.getProgram()
if (program === undefined) throw new Error("the language service has no program")
const checker = program.getTypeChecker()

const exportsOf = (file: string): ReadonlyArray<ts.Symbol> => {
  const source = program.getSourceFile(file)
  const module = source === undefined ? undefined : checker.getSymbolAtLocation(source)
  return module === undefined ? [] : checker.getExportsOfModule(module)
}

/** The members of an object, or of all objects of a union. */
const membersOf = (type: ts.Type): ReadonlyArray<ts.Symbol> =>
  type.isUnion() ? type.types.flatMap(membersOf) : checker.getPropertiesOfType(type)

const docOf = (symbol: ts.Symbol): string => ts.displayPartsToString(symbol.getDocumentationComment(checker))

/** A parameter that is refused has its reason in its type. */
const isRefused = (symbol: ts.Symbol): boolean =>
  /\bRefused<"/.test(checker.typeToString(checker.getTypeOfSymbol(symbol)))

describe("an editor", () => {
  for (const domain of domains) {
    it(`shows the names of request and result of every method: ${domain}`, () => {
      const service = exportsOf(fileOf("services", domain)).find(({ name }) => name === domain)
      const shape = service?.exports?.get(ts.escapeLeadingUnderscores("Shape"))
      const methods = shape === undefined ? [] : membersOf(checker.getDeclaredTypeOfSymbol(shape))
      expect(methods.length).toBeGreaterThan(0)
      for (const method of methods) {
        const shown = checker.typeToString(checker.getTypeOfSymbol(method))
        expect([method.name, shown]).toEqual([method.name, expect.stringMatching(/^[^{]{0,300}$|options\?: \{/)])
        expect([method.name, docOf(method)]).toEqual([method.name, expect.stringMatching(/\w/)])
      }
    })

    it(`shows the meaning of every parameter and field: ${domain}`, () => {
      const models = exportsOf(fileOf("schemas", domain)).filter(
        ({ flags }) => (flags & (ts.SymbolFlags.Interface | ts.SymbolFlags.TypeAlias)) !== 0
      )
      expect(models.length).toBeGreaterThan(1)
      const silent = models.flatMap((model) =>
        membersOf(checker.getDeclaredTypeOfSymbol(model)).flatMap((member) =>
          docOf(member) === "" && (member.flags & ts.SymbolFlags.Property) !== 0 && !isRefused(member)
            ? [`${model.name}.${member.name}`]
            : []
        )
      )
      expect([...new Set(silent)]).toEqual([])
    })
  }

  for (const expression of hovered) {
    it(`shows ${expression} correctly in fewer than 600 characters`, () => {
      const position = hoversText.indexOf(`void ${expression}\n`) + "void ".length + expression.lastIndexOf(".") + 1
      const shown = service.getQuickInfoAtPosition(hoversName, position)
      const signature = ts.displayPartsToString(shown?.displayParts)
      expect(signature).toContain(expression.replace(/^.*\./, ""))
      expect(signature.length, signature).toBeLessThan(600)
    })
  }
})
