/** The rules of imports, each seen refusing what it should and letting its neighbour pass: the real configuration over invented modules. */
import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import * as path from "node:path"
import { after, before, describe, it } from "node:test"
import { root, tools } from "../src/repository/repository.js"
import { byFile, remove, workspace } from "./workspace.js"
import type { Case } from "./workspace.js"

interface Violation {
  readonly from: string
  readonly rule: { readonly name: string }
}

interface Report {
  readonly summary: { readonly violations: ReadonlyArray<Violation> }
}

describe("dependency-cruiser", () => {
  const imports = (from: string, what: string, ...rules: ReadonlyArray<string>): Case => [
    from,
    `export * from "${what}"\n`,
    rules
  ]
  const types = (from: string, what: string, ...rules: ReadonlyArray<string>): Case => [
    from,
    `import type * as A from "${what}"\nexport type B = typeof A\n`,
    rules
  ]
  const line = ["schemas", "signing", "transport", "services", "history", "cli"]
  const direction = line.flatMap((from, at) =>
    line.flatMap((to, other) =>
      from === to
        ? []
        : [
            imports(
              `${from}/src/To_${to}.ts`,
              `@effect-venue/${to}/Leaf`,
              ...(other > at ? [`${from}-imports-only-what-comes-before`] : [])
            )
          ]
    )
  )
  const sandboxMayImport = ["schemas", "signing"]
  const cases: ReadonlyArray<Case> = [
    ...direction,
    types("schemas/src/TypeOnly.ts", "@effect-venue/signing/Leaf", "schemas-imports-only-what-comes-before"),
    imports("schemas/src/ByPath.ts", "../../signing/src/Leaf.js", "schemas-imports-only-what-comes-before"),
    [
      "schemas/src/Dynamic.ts",
      'export const a = () => import("@effect-venue/signing/Leaf")\n',
      ["schemas-imports-only-what-comes-before"]
    ],
    ...line.map((to) =>
      imports(
        `sandbox/src/To_${to}.ts`,
        `@effect-venue/${to}/Leaf`,
        ...(sandboxMayImport.includes(to) ? [] : ["sandbox-imports-only-schemas-and-signing"])
      )
    ),
    ...line.map((from) =>
      imports(
        `${from}/src/Sandbox.ts`,
        "@effect-venue/sandbox/Leaf",
        ...(from === "cli" ? [] : ["nothing-imports-sandbox"])
      )
    ),
    imports("services/test/sandbox.ts", "@effect-venue/sandbox/Leaf"),
    imports("services/src/Tools.ts", "@effect-venue/tools/Leaf", "nothing-imports-what-is-private"),
    imports("services/src/Test.ts", "../test/helper.js", "no-tests-in-sources"),
    imports("signing/src/Circle1.ts", "./Circle2.js", "no-circle"),
    types(
      "simulation/src/models/TypeCircle1.ts",
      "../judges/TypeCircle2.js",
      "simulation-models-imports-only-rooms-before-it"
    ),
    types("simulation/src/run/TypeCircle1.ts", "./TypeCircle2.js"),
    imports("services/src/ByFile.ts", "../../schemas/src/room/hidden.js", "another-package-by-its-name"),
    imports("services/test/byFile.ts", "../../schemas/src/room/hidden.js", "another-package-by-its-name"),
    imports("services/src/Closed.ts", "@effect-venue/schemas/room/hidden", "no-unresolvable"),
    imports("signing/src/OwnRoom.ts", "./room/hidden.js"),
    imports("signing/test/ownRoom.ts", "../src/room/hidden.js", "tests-import-public-modules"),
    types("signing/test/ownTypes.ts", "../src/room/hidden.js", "tests-import-public-modules"),
    imports("signing/test/publicly.ts", "../src/Leaf.js"),
    imports("services/src/Printed.ts", "@effect-venue/schemas/siblings/Docblocks", "docblocks-only-in-print"),
    imports("services/src/Barrel.ts", "@effect-venue/schemas", "no-barrel"),
    imports("services/src/OwnBarrel.ts", "./index.js", "no-barrel"),
    imports("services/test/barrel.ts", "@effect-venue/schemas", "no-barrel"),
    imports("services/src/Built.ts", "../../schemas/dist/Leaf.js", "no-built-output"),
    imports("services/src/Nowhere.ts", "./Nothing.js", "no-unresolvable"),
    imports("services/src/Node.ts", "@effect/platform-node/NodeRuntime", "platform-node-at-the-edge"),
    types("services/src/NodeTypes.ts", "@effect/platform-node/NodeRuntime", "platform-node-at-the-edge"),
    imports("sandbox/src/sandbox/Sandbox.ts", "@effect/platform-node/NodeRuntime", "platform-node-at-the-edge"),
    imports("sandbox/src/sandbox/Server.ts", "@effect/platform-node/NodeRuntime"),
    imports("transport/src/connections/NodeConnections.ts", "@effect/platform-node/NodeHttpClient"),
    imports(
      "transport/src/connections/Connections.ts",
      "@effect/platform-node/NodeHttpClient",
      "platform-node-at-the-edge"
    ),
    imports("cli/src/Node.ts", "@effect/platform-node/NodeRuntime"),
    imports("services/test/node.ts", "@effect/platform-node/NodeRuntime"),
    imports("services/src/Platform.ts", "@effect/platform/HttpClient")
  ]
  // The far side of what the cases import. (A circle is reported once, where it is first met.)
  const others: ReadonlyArray<Case> = [
    imports("signing/src/Circle2.ts", "./Circle1.js"),
    types("simulation/src/judges/TypeCircle2.ts", "../models/TypeCircle1.js"),
    types("simulation/src/run/TypeCircle2.ts", "./TypeCircle1.js"),
    ["schemas/dist/Leaf.js", "export const leaf = 1\n", []]
  ]
  let folder: string
  let violations: ReadonlyArray<Violation>

  before(() => {
    folder = workspace("imports", byFile([...cases, ...others]))
    const child = spawnSync(
      process.execPath,
      [
        path.join(tools, "node_modules/dependency-cruiser/bin/dependency-cruise.mjs"),
        ...["--config", path.join(root, ".dependency-cruiser.cjs"), "--output-type", "json"],
        ...["packages/*/src", "packages/*/test"]
      ],
      { cwd: folder, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 }
    )
    assert.ok(child.stdout.startsWith("{"), child.stderr)
    // As its reporter of that type writes it.
    violations = (JSON.parse(child.stdout) as Report).summary.violations
  })
  after(() => {
    remove(folder)
  })

  for (const [file, code, rules] of cases) {
    it(`${rules.length === 0 ? "passes" : `refuses (${rules.join(", ")})`} ${file}: ${code.split("\n")[0]}`, () => {
      const spoke = violations.filter(({ from }) => from === `packages/${file}`).map(({ rule }) => rule.name)
      for (const rule of rules) assert.ok(spoke.includes(rule), `${rule} did not speak, only: ${spoke.join(", ")}`)
      if (rules.length === 0) assert.deepEqual(spoke, [])
    })
  }
})
