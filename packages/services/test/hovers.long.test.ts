/** What an editor shows of the services, of requests, of records, and of mistakes. */
import { describe, expect, it } from "@effect/vitest"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import ts from "typescript"

const packages = fileURLToPath(new URL("../..", import.meta.url))
const domains = ["Orders", "Positions", "Executions", "Instruments", "Account", "Assets", "Broker", "ApiLimits"]
const fileOf = (name: string, domain: string) =>
  path.join(packages, name, "src", ...(name === "schemas" ? ["domains"] : []), `${domain}.ts`)
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
const order = { symbol: "BTCUSDT", side: "Buy", orderType: "Limit", qty: "1", price: "64000.5", orderLinkId: "a" } as const
`

/** The length of a message without the types of the argument, which the author of the program knows. */
const lengthOf = (message: string): number => message.replaceAll(/'\{[^']*\}(\[\])?'/g, "").length

/** A mistake, and the words of its message that lead to the remedy. */
const mistakes: ReadonlyArray<readonly [title: string, code: string, words: string]> = [
  [
    "a Limit order without a price",
    `orders.create({ category: "linear", orderLinkId: "a", symbol: "BTCUSDT", side: "Buy", orderType: "Limit", qty: "1" })`,
    "'price' is missing"
  ],
  [
    "a parameter of contracts in an order of spot",
    `orders.create({ ...order, category: "spot", reduceOnly: true })`,
    "only for contracts"
  ],
  ["a side in lower case", `orders.create({ ...order, category: "linear", side: "buy" })`, `Did you mean '"Buy"'`],
  ["a number as money", `orders.create({ ...order, category: "linear", qty: 1 })`, "'DecimalInput'"],
  [
    "a misspelt parameter",
    `orders.create({ category: "spot", symbol: "BTCUSDT", side: "Buy", orderType: "Market", quantity: "1", orderLinkId: "a" })`,
    "'quantity' does not exist in type"
  ],
  [
    "a request without a category",
    `orders.create({ orderLinkId: "a", symbol: "BTCUSDT", side: "Buy", orderType: "Market", qty: "1" })`,
    "'category' is missing"
  ],
  [
    "a category that does not exist",
    `orders.create({ ...order, category: "option" })`,
    "not assignable to type 'Category'"
  ],
  [
    "a request in a variable of wider types",
    `const wide = { category: "linear", orderLinkId: "a", symbol: "BTCUSDT", side: "Buy", orderType: "Market", qty: "1" }
     orders.create(wide)`,
    "'side' are incompatible"
  ],
  [
    "a batch with a Limit order without a price",
    `orders.createBatch({
       category: "linear",
       request: [{ orderLinkId: "a", symbol: "BTCUSDT", side: "Buy", orderType: "Limit", qty: "1" }]
     })`,
    "'price' is missing"
  ],
  [
    "a batch of spot with a parameter of contracts",
    `orders.createBatch({ category: "spot", request: [{ ...order, reduceOnly: true }] })`,
    "only for contracts"
  ],
  [
    "a change of no order",
    `orders.amend({ category: "linear", symbol: "BTCUSDT", qty: "2" })`,
    `"orderId" | "orderLinkId"`
  ],
  ["a cancellation of no order", `orders.cancel({ category: "spot", symbol: "BTCUSDT" })`, `"orderId" | "orderLinkId"`],
  ["positions of nothing", `positions.list({ category: "linear" })`, "'ListOfSymbol | ListOfSettleCoin'"],
  [
    "open orders of nothing",
    `orders.open({ category: "linear" })`,
    "'OpenOfSymbol | ContractsOfSymbol | ContractsOfBaseCoin | LinearOfSettleCoin'"
  ],
  [
    "cancelling all of nothing",
    `orders.cancelAll({ category: "linear" })`,
    "CancelContractsOfBaseCoin | CancelContractsOfSettleCoin'"
  ],
  [
    "a coin that only linear contracts settle in",
    `orders.open({ category: "spot", settleCoin: "USDT" })`,
    "only for linear"
  ],
  [
    "an order without its id",
    `orders.create({ category: "linear", symbol: "BTCUSDT", side: "Buy", orderType: "Market", qty: "1" })`,
    "'orderLinkId' is missing"
  ],
  [
    "a time in force that does not exist",
    `orders.create({ ...order, category: "linear", timeInForce: "GTX" })`,
    `"GTC" | "IOC" | "FOK"`
  ],
  ["an instant that is none", `executions.list({ category: "linear", startTime: true })`, "'InstantInput"],
  [
    "a withdrawal to a phone number without its area code",
    `assets.withdrawInternal({ requestId: "a", coin: "USDT", amount: "1", address: "5550100", addressType: 2 })`,
    "'areaCode' is missing"
  ],
  [
    "a request id under another name",
    `assets.transfer({ transferId: "a", coin: "USDT", amount: "1", fromAccountType: "SPOT", toAccountType: "FUND" })`,
    "'transferId' does not exist in type 'TransferRequest'"
  ],
  [
    "arithmetic on an absent price",
    `Effect.map(orders.open({ category: "inverse" }), ({ list }) => list.map(({ price }) => price * 2))`,
    "left-hand side of an arithmetic operation"
  ],
  [
    "a failure that is not handled",
    `const effect: Effect.Effect<unknown> = orders.cancel({ category: "spot", symbol: "BTCUSDT", orderId: "a" })`,
    "'WriteFailure' is not assignable to type 'never'"
  ]
]

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

const nameOf = (index: number) => path.join(packages, "services/test", `mistake${index}.ts`)
const hoversName = path.join(packages, "services/test", "hovered.ts")
const hoversText = `${preamble}${samples}
${hovered.map((expression) => `void ${expression}`).join("\n")}
`
const texts = new Map([
  ...mistakes.map(([, code], index) => [nameOf(index), `${preamble}${code}\n`] as const),
  [hoversName, hoversText] as const
])

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

/** Parts of which the service's requests for new orders are made, with an id. */
const parts = new Set([
  "AnyOrderFields",
  "SpotOrderFields",
  "ContractOrderFields",
  "PricedOrder",
  "MarketOrder",
  "BatchOf",
  "OfBatch"
])

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

    it(`shows that every type has a schema of the same name: ${domain}`, () => {
      const types = exportsOf(fileOf("schemas", domain)).filter(
        ({ flags, name }) => (flags & (ts.SymbolFlags.Interface | ts.SymbolFlags.TypeAlias)) !== 0 && !parts.has(name)
      )
      expect(types.filter(({ flags }) => (flags & ts.SymbolFlags.Value) === 0).map(({ name }) => name)).toEqual([])
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

  for (const [index, [title, , words]] of mistakes.entries()) {
    it(`explains in at most 400 characters: ${title}`, () => {
      const messages = service
        .getSemanticDiagnostics(nameOf(index))
        .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"))
      expect(messages).toEqual([expect.stringContaining(words)])
      for (const message of messages) expect(lengthOf(message), message).toBeLessThanOrEqual(400)
    })
  }

  it("has twenty of them", () => {
    expect(mistakes.length).toBeGreaterThanOrEqual(20)
  })
})
