/** The indexes that codegen writes. */
import assert from "node:assert/strict"
import * as fs from "node:fs"
import * as path from "node:path"
import { after, before, describe, it } from "node:test"
import { indexOf, moduleDoc, run } from "../src/codegen.js"
import { names, remove, workspace } from "./workspace.js"

describe("codegen", () => {
  let folder: string
  before(() => {
    folder = workspace("codegen", {})
  })
  after(() => {
    remove(folder)
  })

  it("lists the modules in order, each with its docblock", async () => {
    const src = path.join(folder, "packages/schemas/src")
    fs.writeFileSync(path.join(src, "Bare.ts"), 'import * as A from "a"\n\n/** Of a. */\nexport const a = A\n')
    fs.writeFileSync(
      path.join(src, "Told.ts"),
      '/**\n * What it is.\n */\nimport * as A from "a"\nexport const a = A\n'
    )
    for (const file of ["bin.ts", "notes.md", "types.d.ts"]) fs.writeFileSync(path.join(src, file), "")
    const [header, ...rest] = ((await indexOf(src)) ?? "").split("\n")
    assert.match(header ?? "", /generated/i)
    assert.equal(
      rest.join("\n"),
      '\nexport * as Bare from "./Bare.js"\n\nexport * as Leaf from "./Leaf.js"\n\n/**\n * What it is.\n */\nexport * as Told from "./Told.js"\n'
    )
  })

  it("says what is stale, writes it, and then has nothing to say", async () => {
    const packages = path.join(folder, "packages")
    const expected = names.map((name) => path.join("packages", name, "src", "index.ts")).sort()
    assert.deepEqual([...(await run(packages, true))].sort(), expected)
    assert.deepEqual([...(await run(packages, false))].sort(), expected)
    assert.deepEqual(await run(packages, true), [])
  })

  it("takes a docblock for the module's only where it stands alone", () => {
    assert.equal(moduleDoc("/** A */\n\nexport const a = 1\n"), "/** A */")
    assert.equal(moduleDoc('/** A */\nimport "a"\n'), "/** A */")
    assert.equal(moduleDoc("/** A */\nexport const a = 1\n"), undefined)
    assert.equal(moduleDoc("export const a = 1\n/** A */\nexport const b = 1\n"), undefined)
  })
})
