/** The check of the tags of public docblocks, seen to refuse what it should. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { categories, problemsOf, run } from "../src/docTags.js"

const head = "/**\n * A module.\n *\n * @since 0.1.0\n */\n"

const docblock = (...tags: ReadonlyArray<string>): string =>
  `/**\n * What it is.\n *\n${tags.map((tag) => ` * ${tag}\n`).join("")} */\n`

const good = docblock("@since 0.1.0", "@category models")

const cases: ReadonlyArray<readonly [title: string, text: string, problems: ReadonlyArray<string>]> = [
  ["a docblock with both tags", `${head}${good}export const a = 1\n`, []],
  ["a docblock of one line", `${head}/** @since 0.1.0 */\nexport type A = 1\n`, ["A has no @category"]],
  ["no docblock", `${head}import "x"\nexport const a = 1\n`, ["a has no @since", "a has no @category"]],
  ["a comment between docblock and export", `${head}${good}// Why.\nexport const a = 1\n`, []],
  [
    "a category that is not in the list",
    `${head}${docblock("@since 0.1.0", "@category odds and ends")}export interface A {}\n`,
    ['A has the category "odds and ends": they are']
  ],
  [
    "a version that is not published yet",
    `${head}${docblock("@since 0.2.0", "@category models")}export class A {}\n`,
    ["A is there since 0.2.0, and the package has 0.1.0"]
  ],
  [
    "a version that is none",
    `${head}${docblock("@since next", "@category models")}export function a() {}\n`,
    ["a has @since next, which is no version"]
  ],
  [
    "a module without @since",
    `/** A module. */\nimport "x"\n${good}export const a = 1\n`,
    ["the module has no @since"]
  ],
  ["a namespace, which needs no category", `${head}${docblock("@since 0.1.0")}export declare namespace A {}\n`, []],
  [
    "a type inside of a namespace",
    `${head}${docblock("@since 0.1.0")}export declare namespace A {\n${docblock("@since 0.1.0")}export type B = 1\n}\n`,
    ["A.B has no @category"]
  ],
  [
    "a name in a list of exports",
    `${head}import "x"\nexport {\n${good}a,\nb } from "./a.js"\n`,
    ["b has no @since", "b has no @category"]
  ],
  ["what is not exported", `${head}import "x"\nconst a = 1\n`, []],
  ["the further signatures of a function", `${head}${good}export function a(b: 1): 1\nexport function a(b: 2): 2\n`, []]
]

describe("the tags of a module", () => {
  for (const [title, text, expected] of cases) {
    it(`of ${title}: ${expected.length === 0 ? "nothing is wrong" : expected.join(", ")}`, () => {
      const found = problemsOf("A.ts", text, "0.1.0")
      assert.equal(found.length, expected.length, found.join("\n"))
      for (const [index, problem] of expected.entries()) assert.ok(found[index]?.startsWith(`A.ts: ${problem}`))
    })
  }

  it("are looked at in every package", () => {
    const { modules, used } = run()
    assert.ok(modules > 100)
    // A category that is used nowhere is no longer one.
    assert.deepEqual([...used].sort(), Object.keys(categories).sort())
  })
})
