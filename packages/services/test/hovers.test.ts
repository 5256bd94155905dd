/** What an editor shows of the services, of requests and of records. */
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
const program = ts.createProgram(files, { ...options, noEmit: true, composite: false, incremental: false, types: [] })
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

describe("an editor", () => {
  for (const domain of domains) {
    it(`names the request and the result of every method: ${domain}`, () => {
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

    it(`shows what every parameter and every field means: ${domain}`, () => {
      const models = exportsOf(fileOf("schemas", domain)).filter(
        ({ flags }) => (flags & (ts.SymbolFlags.Interface | ts.SymbolFlags.TypeAlias)) !== 0
      )
      expect(models.length).toBeGreaterThan(1)
      const silent = models.flatMap((model) =>
        membersOf(checker.getDeclaredTypeOfSymbol(model)).flatMap((member) =>
          docOf(member) === "" && (member.flags & ts.SymbolFlags.Property) !== 0 ? [`${model.name}.${member.name}`] : []
        )
      )
      expect([...new Set(silent)]).toEqual([])
    })
  }
})
