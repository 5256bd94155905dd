/** Citations that lead a reader somewhere, and those that do not. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { problemsOfPage, problemsOfSource } from "../src/citations.js"
import { headingIds } from "../src/markdown.js"

const cited = {
  pages: new Map([["docs/reference/orders.md", new Set(["amend", "cancelall"])]]),
  rules: new Set(["limits/ip", "states/4"])
}

const paper = "interface" + ".md"

describe("citations", () => {
  it("passes pages, headings and rules that exist, also across a line break of a comment", () => {
    const text = [
      "// (docs/reference/orders.md#amend; rule limits/ip)",
      "/**",
      " * Ends here. (rules states/4 and",
      " * limits/ip)",
      " */",
      'const source = "docs/reference/orders.md#cancelall"',
      "// the rule a/b of other places, and node_modules/x/docs/reference/gone.md"
    ].join("\n")
    assert.deepEqual(problemsOfSource("a.ts", text, cited), [])
  })

  it("refuses a page, a heading and a rule that do not exist, with their lines", () => {
    const text = "// (docs/reference/gone.md)\n// (docs/reference/orders.md#gone)\n// (rule limits/gone)\n"
    assert.deepEqual(problemsOfSource("a.ts", text, cited), [
      "a.ts:1: there is no docs/reference/gone.md",
      "a.ts:2: docs/reference/orders.md has no heading #gone",
      "a.ts:3: there is no rule limits/gone"
    ])
  })

  it("refuses papers that are not in the repository, in code and on pages", () => {
    const reason = "is not in this repository: cite a page of docs/reference, or a rule by its id"
    assert.deepEqual(problemsOfSource("a.ts", `\n// (${paper}, 3)`, cited), [`a.ts:2: ${paper} ${reason}`])
    assert.deepEqual(problemsOfPage("docs/a.md", `See facts` + "/http.", cited), [`docs/a.md:1: facts/ ${reason}`])
  })

  it("refuses a link of a page to a heading that does not exist, but not one in code", () => {
    const text = "[a](reference/orders.md#amend) [b](reference/orders.md#gone)\n\n```md\n[c](gone.md#x)\n```\n"
    assert.deepEqual(problemsOfPage("docs/a.md", text, cited), [
      "docs/a.md:1: docs/reference/orders.md has no heading #gone"
    ])
  })

  it("counts headings with equal titles, and none inside code", () => {
    const text = "# One two\n\n## `one` two!\n\n```md\n# three\n```\n\n### [Four](x.md)\n"
    assert.deepEqual([...headingIds(text)], ["one-two", "one-two-1", "four"])
  })
})
