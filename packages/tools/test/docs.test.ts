/** The examples of the documentation: which blocks there are, and what they print. */
import assert from "node:assert/strict"
import * as fs from "node:fs"
import * as path from "node:path"
import { describe, it } from "node:test"
import { blocksOf, differing, isPrinted } from "../src/docs.js"
import { root } from "../src/repository.js"

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
    assert.ok(block !== undefined)
    assert.equal(block.source, "LICENSE")
    const at = { page: "page.md", ...block }
    assert.deepEqual(differing([at]), ["page.md:2: differs from LICENSE"])
    assert.deepEqual(differing([{ ...at, code: fs.readFileSync(path.join(root, "LICENSE"), "utf8") }]), [])
    assert.deepEqual(differing([{ ...at, source: "NOWHERE" }]), ["page.md:2: there is no NOWHERE"])
  })

  it("finds what a block that runs prints, in the block behind it", () => {
    const page = "```ts runnable\na\n```\n\n```text output\n1\n2\n```\n\n```ts\nb\n```\n\n```text output\n3\n```\n"
    const [first, second] = blocksOf(page)
    assert.deepEqual(first?.output, { line: 6, text: "1\n2" })
    assert.ok(second !== undefined)
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
