/**
 * The rules of the repository, each seen refusing what it should and letting its neighbour pass. A small workspace of
 * invented modules is written under `build/`, and the real configurations are run over it.
 */
import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { after, before, describe, it } from "node:test"
import { fileURLToPath } from "node:url"
import { ESLint } from "eslint"
import { indexOf, moduleDoc, run as codegen } from "../src/codegen.ts"
import { blocksOf, differing, isPrinted } from "../src/docs.ts"
import { run as reference, titlesOf } from "../src/reference/rules.ts"

const tools = path.resolve(fileURLToPath(import.meta.url), "../..")
const root = path.resolve(tools, "../..")

const names = ["schemas", "signing", "transport", "services", "history", "sandbox", "cli"]

const workspace = (title, files) => {
  const folder = path.join(tools, "build", `rules-${title}-${process.pid}`)
  const write = (file, text) => {
    fs.mkdirSync(path.dirname(path.join(folder, file)), { recursive: true })
    fs.writeFileSync(path.join(folder, file), text)
  }
  for (const name of [...names, "tools"]) {
    const manifest = path.join(root, "packages", name, "package.json")
    write(`packages/${name}/package.json`, fs.readFileSync(manifest, "utf8"))
    write(
      `packages/${name}/tsconfig.json`,
      JSON.stringify({
        extends: path.join(root, "tsconfig.base.json"),
        include: ["src", "test"],
        compilerOptions: { composite: false, incremental: false, noEmit: true, types: ["node"] }
      })
    )
    write(`packages/${name}/src/internal/hidden.ts`, "export const hidden = 1\n")
    write(`packages/${name}/src/Leaf.ts`, "export const leaf = 1\n")
    write(`packages/${name}/src/index.ts`, 'export * as Leaf from "./Leaf.js"\n')
    write(`packages/${name}/test/helper.ts`, "export const helper = 1\n")
    fs.mkdirSync(path.join(folder, "node_modules/@effect-venue"), { recursive: true })
    fs.symlinkSync(path.join(folder, "packages", name), path.join(folder, "node_modules/@effect-venue", name), "dir")
  }
  for (const [file, text] of Object.entries(files)) write(`packages/${file}`, text)
  return folder
}

const remove = (folder) => fs.rmSync(folder, { recursive: true, force: true })

/** Cases by file: the code, and the rules that must speak on it. */
const byFile = (cases) => Object.fromEntries(cases.map(([file, code]) => [file, code]))

describe("eslint", () => {
  const gen = 'import * as Effect from "effect/Effect"\n'
  const src = (code, ...rules) => ["src", code, rules]
  const cases = [
    // Banned globals and properties.
    src("export const a = () => Date.now()\n", "no-restricted-properties"),
    src("const { now } = Date\nexport const a = now\n", "no-restricted-properties"),
    src("export const a = () => globalThis.Date.now()\n", "no-restricted-properties"),
    src("export const a = () => new Date()\n", "no-restricted-syntax"),
    src("export const a = () => Date()\n", "no-restricted-syntax"),
    src("export const a = () => new Date(0)\n"),
    src("export const a = () => performance.now()\n", "no-restricted-properties"),
    src("export const a = () => Math.random()\n", "no-restricted-properties"),
    src("export const a = () => Math.floor(1.5)\n"),
    src("export const a = () => setTimeout(() => 1, 1)\n", "no-restricted-globals"),
    src("export const a = () => setInterval(() => 1, 1)\n", "no-restricted-globals"),
    src("export const a = () => globalThis.setTimeout(() => 1, 1)\n", "no-restricted-properties"),
    src("export const a = () => {\n  console.log(1)\n}\n", "no-restricted-globals"),
    src("export const a = process.env\n", "no-restricted-properties"),
    src('import { env } from "node:process"\nexport const a = env\n', "@typescript-eslint/no-restricted-imports"),
    src(
      'import { setTimeout as wait } from "node:timers/promises"\nexport const a = wait\n',
      "@typescript-eslint/no-restricted-imports"
    ),
    // The command is at the edge.
    ["cli", "export const a = () => {\n  console.log(Date.now(), new Date(), process.env, Math.random())\n}\n", []],
    ["cli", "export const a = (x: unknown) => x as string\n", ["venue/commented-cast"]],
    [
      "cli",
      'import { Effect } from "effect"\nexport const a = Effect.void\n',
      ["@typescript-eslint/no-restricted-imports"]
    ],
    // Types.
    src("export const a = (x: any): unknown => x\n", "@typescript-eslint/no-explicit-any"),
    src("export const a = (x: string | undefined) => x!.length\n", "@typescript-eslint/no-non-null-assertion"),
    src("export class A {\n  a!: string\n}\n", "no-restricted-syntax"),
    src("// @ts-ignore\nexport const a: string = 1\n", "@typescript-eslint/ban-ts-comment"),
    src("// @ts-expect-error: it is a number\nexport const a: string = 1\n", "@typescript-eslint/ban-ts-comment"),
    src(
      `${gen}export const a = async () => {\n  Promise.resolve(1)\n  return Effect.void\n}\n`,
      "@typescript-eslint/no-floating-promises",
      "@typescript-eslint/require-await"
    ),
    // A directive that silences nothing is reported under no rule's name.
    src("// eslint-disable-next-line no-console\nexport const a = 1\n", null),
    // Casts.
    src("export const a = (x: unknown) => x as string\n", "venue/commented-cast"),
    src(
      "export const a = (x: unknown) => <string>x\n",
      "@typescript-eslint/consistent-type-assertions",
      "venue/commented-cast"
    ),
    src("/** What it is. */\nexport const a = (x: unknown) => x as string\n", "venue/commented-cast"),
    src("const b = 1 // of b\nexport const a = (x: unknown) => [x as string, b]\n", "venue/commented-cast"),
    src(
      "// Of the line below alone.\nexport const b = 1\nexport const a = (x: unknown) => x as string\n",
      "venue/commented-cast"
    ),
    src("// prettier-ignore\nexport const a = (x: unknown) => x as string\n", "venue/commented-cast"),
    src("export const a = [1, 2] as const\n"),
    src("export const a = (x: unknown) => x as string // the caller looked\n"),
    src("// The caller looked.\nexport const a = (x: unknown) => x as string\n"),
    src("// The caller\n// looked.\nexport const a = (x: unknown) => x as string\n"),
    src("export const a = (x: unknown) =>\n  // The caller looked.\n  x as string\n"),
    src("export const a = (x: unknown) => x as /* the caller looked */ string\n"),
    src("export const a = (x: number) => {\n  // The caller looked.\n  return x as unknown as string\n}\n"),
    // Barrels.
    src('import { Effect } from "effect"\nexport const a = Effect.void\n', "@typescript-eslint/no-restricted-imports"),
    src(
      'import type { Effect } from "effect"\nexport type A = Effect.Effect<void>\n',
      "@typescript-eslint/no-restricted-imports"
    ),
    src('export { Effect } from "effect"\n', "@typescript-eslint/no-restricted-imports"),
    src('export const a = () => import("effect")\n', "no-restricted-syntax"),
    src('export type A = import("effect").Effect.Effect<void>\n', "no-restricted-syntax"),
    src(
      'import { HttpClient } from "@effect/platform"\nexport const a = HttpClient.HttpClient\n',
      "@typescript-eslint/no-restricted-imports"
    ),
    src(`${gen}export const a = Effect.void\n`),
    src('import * as HttpClient from "@effect/platform/HttpClient"\nexport const a = HttpClient.HttpClient\n'),
    src(
      'import { Leaf } from "@effect-venue/schemas"\nexport const a = Leaf.leaf\n',
      "@typescript-eslint/no-restricted-imports"
    ),
    src('import * as Leaf from "@effect-venue/schemas/Leaf"\nexport const a = Leaf.leaf\n'),
    src('import { Leaf } from "./index.js"\nexport const a = Leaf.leaf\n', "@typescript-eslint/no-restricted-imports"),
    src('import * as Leaf from "./Leaf.js"\nexport const a = Leaf.leaf\n'),
    src(
      'import { leaf } from "../../schemas/src/Leaf.js"\nexport const a = leaf\n',
      "@typescript-eslint/no-restricted-imports"
    ),
    ["test", 'import { Effect } from "effect"\nexport const a = Effect.runSync(Effect.sync(() => Date.now()))\n', []],
    [
      "test",
      'import { Leaf } from "@effect-venue/schemas"\nexport const a = Leaf.leaf\n',
      ["@typescript-eslint/no-restricted-imports"]
    ],
    // What idiomatic code does is let through.
    src(`${gen}export const a = Effect.gen(function* () {\n  return 1\n})\n`),
    src(
      'import * as Context from "effect/Context"\nimport type * as Effect from "effect/Effect"\n' +
        'export class A extends Context.Tag("a/A")<A, A.Shape>() {}\n' +
        "export declare namespace A {\n  interface Shape {\n    readonly get: (id: string) => Effect.Effect<void>\n  }\n}\n"
    ),
    src(
      'import * as Schema from "effect/Schema"\n' +
        'export const A = Schema.Literal("a")\nexport type A = typeof A.Type\n' +
        'export class E extends Schema.TaggedError<E>()("E", { a: A }) {}\n'
    )
  ].map(([place, code, rules], index) => {
    const file = {
      src: `transport/src/Case${index}.ts`,
      test: `transport/test/case${index}.ts`,
      cli: `cli/src/Case${index}.ts`
    }
    return [file[place], code, rules]
  })
  let folder
  let found

  before(async () => {
    folder = workspace("eslint", byFile(cases))
    const eslint = new ESLint({ cwd: folder, overrideConfigFile: path.join(tools, "eslint.config.mjs") })
    const results = await eslint.lintFiles(["packages"])
    found = new Map(results.map((one) => [path.relative(path.join(folder, "packages"), one.filePath), one.messages]))
  })
  after(() => remove(folder))

  for (const [file, code, rules] of cases) {
    it(`${rules.length === 0 ? "passes" : `refuses (${rules.join(", ")})`} ${file.includes("transport/src") ? "" : file} ${JSON.stringify(code)}`, () => {
      const messages = found.get(file)
      assert.ok(messages !== undefined, "was not linted")
      const spoke = [
        ...new Set(
          messages.map(({ message, ruleId }) => ruleId ?? (/unused eslint-disable/i.test(message) ? null : message))
        )
      ]
      assert.deepEqual(spoke.sort(), [...rules].sort())
    })
  }
})

describe("dependency-cruiser", () => {
  const imports = (from, what, ...rules) => [from, `export * from "${what}"\n`, rules]
  const types = (from, what, ...rules) => [from, `import type * as A from "${what}"\nexport type B = typeof A\n`, rules]
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
  const cases = [
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
    types("signing/src/TypeCircle1.ts", "./TypeCircle2.js", "no-circle"),
    imports("services/src/Internal.ts", "../../schemas/src/internal/hidden.js", "no-internals-of-another-package"),
    imports("services/test/internal.ts", "../../schemas/src/internal/hidden.js", "no-internals-of-another-package"),
    imports("services/src/Closed.ts", "@effect-venue/schemas/internal/hidden", "no-unresolvable"),
    imports("services/src/OwnInternal.ts", "./internal/hidden.js"),
    imports("services/test/ownInternal.ts", "../src/internal/hidden.js"),
    imports("services/src/Barrel.ts", "@effect-venue/schemas", "no-barrel"),
    imports("services/src/OwnBarrel.ts", "./index.js", "no-barrel"),
    imports("services/test/barrel.ts", "@effect-venue/schemas", "no-barrel"),
    imports("services/src/Built.ts", "../../schemas/dist/Leaf.js", "no-built-output"),
    imports("services/src/Nowhere.ts", "./Nothing.js", "no-unresolvable"),
    imports("services/src/Node.ts", "@effect/platform-node/NodeRuntime", "platform-node-at-the-edge"),
    types("services/src/NodeTypes.ts", "@effect/platform-node/NodeRuntime", "platform-node-at-the-edge"),
    imports("sandbox/src/Sandbox.ts", "@effect/platform-node/NodeRuntime", "platform-node-at-the-edge"),
    imports("sandbox/src/Server.ts", "@effect/platform-node/NodeRuntime"),
    imports("transport/src/NodeConnections.ts", "@effect/platform-node/NodeHttpClient"),
    imports("transport/src/Connections.ts", "@effect/platform-node/NodeHttpClient", "platform-node-at-the-edge"),
    imports("cli/src/Node.ts", "@effect/platform-node/NodeRuntime"),
    imports("services/test/node.ts", "@effect/platform-node/NodeRuntime"),
    imports("services/src/Platform.ts", "@effect/platform/HttpClient")
  ]
  // The far side of what the cases import. (A circle is reported once, where it is first met.)
  const others = [
    imports("signing/src/Circle2.ts", "./Circle1.js"),
    types("signing/src/TypeCircle2.ts", "./TypeCircle1.js"),
    ["schemas/dist/Leaf.js", "export const leaf = 1\n"]
  ]
  let folder
  let violations

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
    violations = JSON.parse(child.stdout).summary.violations
  })
  after(() => remove(folder))

  for (const [file, code, rules] of cases) {
    it(`${rules.length === 0 ? "passes" : `refuses (${rules.join(", ")})`} ${file}: ${code.split("\n")[0]}`, () => {
      const spoke = violations.filter(({ from }) => from === `packages/${file}`).map(({ rule }) => rule.name)
      for (const rule of rules) assert.ok(spoke.includes(rule), `${rule} did not speak, only: ${spoke.join(", ")}`)
      if (rules.length === 0) assert.deepEqual(spoke, [])
    })
  }
})

describe("codegen", () => {
  let folder
  before(() => (folder = workspace("codegen", {})))
  after(() => remove(folder))

  it("lists the modules in order, each with its docblock", async () => {
    const src = path.join(folder, "packages/schemas/src")
    fs.writeFileSync(path.join(src, "Bare.ts"), 'import * as A from "a"\n\n/** Of a. */\nexport const a = A\n')
    fs.writeFileSync(
      path.join(src, "Told.ts"),
      '/**\n * What it is.\n */\nimport * as A from "a"\nexport const a = A\n'
    )
    for (const file of ["bin.ts", "notes.md", "types.d.ts"]) fs.writeFileSync(path.join(src, file), "")
    const [header, ...rest] = (await indexOf(src)).split("\n")
    assert.match(header, /generated/i)
    assert.equal(
      rest.join("\n"),
      '\nexport * as Bare from "./Bare.js"\n\nexport * as Leaf from "./Leaf.js"\n\n/**\n * What it is.\n */\nexport * as Told from "./Told.js"\n'
    )
  })

  it("says what is stale, writes it, and then has nothing to say", async () => {
    const packages = path.join(folder, "packages")
    const expected = names.map((name) => path.join("packages", name, "src", "index.ts")).sort()
    assert.deepEqual((await codegen(packages, true)).sort(), expected)
    assert.deepEqual((await codegen(packages, false)).sort(), expected)
    assert.deepEqual(await codegen(packages, true), [])
  })

  it("takes a docblock for the module's only where it stands alone", () => {
    assert.equal(moduleDoc("/** A */\n\nexport const a = 1\n"), "/** A */")
    assert.equal(moduleDoc('/** A */\nimport "a"\n'), "/** A */")
    assert.equal(moduleDoc("/** A */\nexport const a = 1\n"), undefined)
    assert.equal(moduleDoc("export const a = 1\n/** A */\nexport const b = 1\n"), undefined)
  })
})

describe("reference", () => {
  const ids = (text) => titlesOf(text).flatMap((title) => title.ids)

  it("finds the rules that titles name, of tests and of what is around them", () => {
    const text = `
      describe("[a/1] all", () => {
        it("[a/2, b/c.d] two", () => 1)
        it.effect("[a/3] one", () => it2("[x/1] no"))
        it.effect.prop(\`[a/4] \${2} of them\`, () => 1)
        it("no rule [x/2]", () => "[x/3] no title")
        it("[x] no id", () => 1)
      })
      describe("[x/4] nothing in it", () => {})
    `
    assert.deepEqual(ids(text).sort(), ["a/1", "a/2", "a/3", "a/4", "b/c.d"])
    assert.equal(titlesOf('it("[a/2, b/c.d] two", () => 1)')[0].title, "two")
  })

  it("finds them in tables that titles are taken from, and in no others", () => {
    const table = 'const cases = [{ title: "[a/1] one" }, ["[a/2] two", 2]]\n'
    assert.deepEqual(ids(`${table}for (const one of cases) it.effect(one.title, () => 1)\n`), ["a/1", "a/2"])
    assert.deepEqual(ids(`${table}it.effect("one", () => cases)\n`), [])
    assert.deepEqual(ids(`${table}for (const one of cases) it.skip(one.title, () => 1)\n`), [])
  })

  it("does not take a skipped test for one", () => {
    assert.deepEqual(ids('it.skip("[a/1] x", () => 1)\nit.effect.skip("[a/2] x", () => 1)\nit.todo("[a/3] x")\n'), [])
    assert.deepEqual(ids('describe.skip("[a/1] x", () => {\n  it("[a/2] x", () => 1)\n})\n'), [])
    assert.deepEqual(ids('describe("[a/1] x", () => {\n  it.skip("[a/2] x", () => 1)\n})\n'), [])
  })

  const list = (outside = {}, ...more) => ({
    outside,
    sections: [
      { title: "A", source: "A, 1", rules: { "a/1": "One | two.", "a/2": "Three.", ...Object.fromEntries(more) } }
    ]
  })
  const both = 'it("[a/1] shows <one> | two", () => 1)\nit("[a/2] and this", () => 1)\n'
  const wrongWith = async (rules, tests, check = true) => {
    const folder = path.join(tools, "build", `rules-reference-${process.pid}`)
    remove(folder)
    fs.mkdirSync(path.join(folder, "packages/sandbox/test/rules"), { recursive: true })
    fs.writeFileSync(path.join(folder, "packages/sandbox/test/rules/rules.json"), JSON.stringify(rules))
    fs.writeFileSync(path.join(folder, "packages/sandbox/test/A.test.ts"), tests)
    await reference(folder, false)
    const { wrong } = await reference(folder, check)
    const text = fs.readFileSync(path.join(folder, "docs/reference/rules.md"), "utf8")
    remove(folder)
    return { wrong, text }
  }

  it("passes a list of which every rule has a test, and names the tests", async () => {
    const { text, wrong } = await wrongWith(list(), both)
    assert.deepEqual(wrong, [])
    assert.match(text, /`a\/1` +\| One \\\| two\. +\| \[sandbox\/A\]\(.*A\.test\.ts\): shows &lt;one> \\\| two/)
  })

  it("refuses a rule without a test", async () => {
    const { wrong } = await wrongWith(list({}, ["a/3", "Four."]), both)
    assert.deepEqual(wrong, ["a/3 has no test"])
  })

  it("refuses a test of an unknown rule", async () => {
    const { wrong } = await wrongWith(list(), `${both}it("[a/4] and that", () => 1)\n`)
    assert.equal(wrong.length, 1)
    assert.match(wrong[0], /A\.test\.ts: there is no rule a\/4/)
  })

  it("lets a rule lie outside, and not one that has a test or is unknown", async () => {
    const told = await wrongWith(list({ "a/3": "elsewhere" }, ["a/3", "Four."]), both)
    assert.deepEqual(told.wrong, [])
    assert.match(told.text, /_outside this library:_ elsewhere/)
    assert.match(told.text, /3 rules, 1 of them outside this library/)
    assert.deepEqual((await wrongWith(list({ "a/1": "elsewhere" }), both)).wrong, [
      "a/1 has a test and does not lie outside"
    ])
    assert.deepEqual((await wrongWith(list({ "a/9": "elsewhere" }), both)).wrong, [
      "there is no rule a/9 to lie outside"
    ])
  })

  it("lets nothing wait for its test", async () => {
    const waiting = await wrongWith({ ...list({}, ["a/3", "Four."]), pending: { "a/3": "later" } }, both)
    assert.deepEqual(waiting.wrong, ["a/3 has no test", "a/3 is pending: nothing may wait for its test"])
  })

  it("refuses a page that is not what would be written", async () => {
    const folder = path.join(tools, "build", `rules-reference-stale-${process.pid}`)
    fs.mkdirSync(path.join(folder, "packages/sandbox/test/rules"), { recursive: true })
    fs.writeFileSync(path.join(folder, "packages/sandbox/test/rules/rules.json"), JSON.stringify(list()))
    fs.writeFileSync(path.join(folder, "packages/sandbox/test/A.test.ts"), both)
    const stale = ["docs/reference/rules.md is not what codegen writes"]
    assert.deepEqual((await reference(folder, true)).wrong, stale)
    await reference(folder, false)
    assert.deepEqual((await reference(folder, true)).wrong, [])
    fs.appendFileSync(path.join(folder, "docs/reference/rules.md"), "\nMore.\n")
    assert.deepEqual((await reference(folder, true)).wrong, stale)
    remove(folder)
  })
})

describe("docs", () => {
  it("finds the blocks, their lines and whether they run", () => {
    const page =
      "# A\n\n```ts\na\n```\n\n```ts runnable\nb\n\nc\n```\n\n```sh\nd\n```\n\n- e\n\n  ```ts\n  f\n    g\n  ```\n"
    assert.deepEqual(blocksOf(page), [
      { line: 4, code: "a", runnable: false },
      { line: 8, code: "b\n\nc", runnable: true },
      { line: 20, code: "f\n  g", runnable: false }
    ])
  })

  it("refuses a block that is not the file whose name it bears", () => {
    const [block] = blocksOf("```ts source=LICENSE\nnot the licence\n```\n")
    assert.equal(block.source, "LICENSE")
    const at = { page: "page.md", ...block }
    assert.deepEqual(differing([at]), ["page.md:2: differs from LICENSE"])
    assert.deepEqual(differing([{ ...at, code: fs.readFileSync(path.join(root, "LICENSE"), "utf8") }]), [])
    assert.deepEqual(differing([{ ...at, source: "NOWHERE" }]), ["page.md:2: there is no NOWHERE"])
  })

  it("finds what a block that runs prints, in the block behind it", () => {
    const page = "```ts runnable\na\n```\n\n```text output\n1\n2\n```\n\n```ts\nb\n```\n\n```text output\n3\n```\n"
    const [first, second] = blocksOf(page)
    assert.deepEqual(first.output, { line: 6, text: "1\n2" })
    assert.equal(second.output, undefined)
  })

  it("compares what is printed with what the page says, where … is any text", () => {
    assert.ok(isPrinted("1\n2", "1\n2\n\n"))
    assert.ok(isPrinted("at …: done\n…\nend", "at 12:00: done\nx\ny\nend\n"))
    assert.ok(isPrinted("a.b (c)", "a.b (c)"))
    for (const printed of ["1", "1\n2\n3", "1\n3", "0\n1\n2", ""]) assert.ok(!isPrinted("1\n2", printed), printed)
    assert.ok(!isPrinted("a.b", "axb"))
    assert.ok(!isPrinted("at …: done", "at 12\n: done"))
  })

  it("refuses a block that is not closed", () => {
    assert.throws(() => blocksOf("```ts\na\n"), /line 1/)
  })
})
