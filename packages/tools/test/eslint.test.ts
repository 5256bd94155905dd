/** The lint rules, each seen refusing what it should and letting its neighbour pass: the real configuration over invented modules. */
import assert from "node:assert/strict"
import * as path from "node:path"
import { after, before, describe, it } from "node:test"
import { ESLint } from "eslint"
import type { Linter } from "eslint"
import { tools } from "../src/repository/repository.js"
import { byFile, remove, workspace } from "./workspace.js"
import type { Case } from "./workspace.js"

/** A module of a private package, a test, a module of the command or a public module; `null` is a report without a rule. */
type Invented = readonly [place: "src" | "test" | "cli" | "public", text: string, rules: ReadonlyArray<string | null>]

const opening = "/** A module. */\n\n"

describe("eslint", () => {
  const gen = 'import * as Effect from "effect/Effect"\n'
  const src = (text: string, ...rules: ReadonlyArray<string | null>): Invented => ["src", text, rules]
  const invented: ReadonlyArray<Invented> = [
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
    // A name from data may be one of JavaScript's.
    src(
      "export const a = (out: Record<string, number>, name: string) => {\n  out[name] = 1\n}\n",
      "venue/map-for-data"
    ),
    src('export const a = (out: Partial<Record<"b" | "c", number>>, name: "b" | "c") => {\n  out[name] = 1\n}\n'),
    src("export const a = (out: Array<number>, index: number) => {\n  out[index] = 1\n}\n"),
    // A test counts work instead of measuring it.
    ["test", "export const a = () => process.cpuUsage()\n", ["no-restricted-properties"]],
    ["test", "export const a = () => process.hrtime.bigint()\n", ["no-restricted-properties"]],
    ["test", "export const a = () => performance.now()\n", ["no-restricted-properties"]],
    ["test", "export const a = () => Date.now()\n", []],
    // Timeouts are those of the tiers.
    ["test", 'import { it } from "vitest"\nit("a", () => undefined, 30_000)\n', ["venue/tier-timeout"]],
    ["test", 'import { it } from "vitest"\nit("a", { timeout: 30_000 }, () => undefined)\n', ["venue/tier-timeout"]],
    ["test", 'import { it } from "vitest"\nit.each([1])("a", () => undefined, 2 * 60_000)\n', ["venue/tier-timeout"]],
    ["test", 'import { beforeAll } from "vitest"\nbeforeAll(() => undefined, 30_000)\n', ["venue/tier-timeout"]],
    ["test", 'import { it } from "vitest"\nit("a", { retry: 0 }, () => undefined)\n', []],
    // The command is at the edge.
    ["cli", "export const a = () => {\n  console.log(Date.now(), new Date(), process.env, Math.random())\n}\n", []],
    ["cli", "export const a = (x: unknown) => x as string\n", ["venue/commented-cast"]],
    [
      "cli",
      'import { Effect } from "effect"\nexport const a = Effect.void\n',
      ["@typescript-eslint/no-restricted-imports"]
    ],
    // Docblocks of public modules.
    ["public", `${opening}/** A. */\nexport const a = 1\n`, []],
    ["public", `${opening}export const make = 1\n`, []],
    ["public", `${opening}/**\n * A.\n *\n * @category running\n */\nexport const a = 1\n`, []],
    ["public", `${opening}export const a = 1\n`, ["jsdoc/require-jsdoc"]],
    [
      "public",
      `${opening}/**\n * A.\n *\n * @category things\n */\nexport const a = 1\n`,
      ["jsdoc/no-restricted-syntax"]
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
    // Namespaces are called as their files, or as a part of their names.
    src('import * as Other from "./Leaf.js"\nexport const a = Other.leaf\n', "venue/named-after-file"),
    src('import type * as Other from "./Leaf.js"\nexport type A = typeof Other.leaf\n', "venue/named-after-file"),
    src('import * as Leaf from "./Leaf.js"\nexport const a = Leaf.leaf\n'),
    src('import * as GreenLeaf from "./Leaf.js"\nexport const a = GreenLeaf.leaf\n'),
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
  ]
  const cases = invented.map(([place, text, rules], index): Case<string | null> => {
    const file = {
      src: `simulation/src/Case${index}.ts`,
      test: `transport/test/case${index}.ts`,
      public: `transport/src/Case${index}.ts`,
      cli: `cli/src/run/case${index}.ts`
    }
    return [file[place], text, rules]
  })
  let folder: string
  let found: ReadonlyMap<string, ReadonlyArray<Linter.LintMessage>>

  before(async () => {
    folder = workspace("eslint", byFile(cases))
    const eslint = new ESLint({ cwd: folder, overrideConfigFile: path.join(tools, "eslint.config.mjs") })
    const results = await eslint.lintFiles(["packages"])
    found = new Map(results.map((one) => [path.relative(path.join(folder, "packages"), one.filePath), one.messages]))
  })
  after(() => {
    remove(folder)
  })

  for (const [file, code, rules] of cases) {
    it(`${rules.length === 0 ? "passes" : `refuses (${rules.join(", ")})`} ${file.includes("simulation/src") ? "" : file} ${JSON.stringify(code)}`, () => {
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
