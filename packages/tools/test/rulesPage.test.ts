/** The page of the rules: which tests show a rule, and which rules have none. */
import assert from "node:assert/strict"
import * as fs from "node:fs"
import * as path from "node:path"
import { describe, it } from "node:test"
import { run as reference, titlesOf } from "../src/reference/rules.js"
import { tools } from "../src/repository.js"
import { remove } from "./workspace.js"

interface List {
  readonly outside: Readonly<Record<string, string>>
  readonly pending?: Readonly<Record<string, string>>
  readonly sections: ReadonlyArray<{
    readonly title: string
    readonly source: string
    readonly rules: Readonly<Record<string, string>>
  }>
}

describe("reference", () => {
  const ids = (text: string): Array<string> => titlesOf(text).flatMap((title) => title.ids)

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
    assert.equal(titlesOf('it("[a/2, b/c.d] two", () => 1)')[0]?.title, "two")
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

  const list = (
    outside: Readonly<Record<string, string>> = {},
    ...more: ReadonlyArray<readonly [rule: string, text: string]>
  ): List => ({
    outside,
    sections: [
      { title: "A", source: "A, 1", rules: { "a/1": "One | two.", "a/2": "Three.", ...Object.fromEntries(more) } }
    ]
  })
  const both = 'it("[a/1] shows <one> | two", () => 1)\nit("[a/2] and this", () => 1)\n'
  const wrongWith = async (rules: List, tests: string, check = true) => {
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
    assert.match(wrong[0] ?? "", /A\.test\.ts: there is no rule a\/4/)
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
