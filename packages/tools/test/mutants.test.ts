/** The mutants of the mutation tests, which only run by hand, are of the code as it is: each file is there, and the text that is replaced. */
import assert from "node:assert/strict"
import * as fs from "node:fs"
import * as path from "node:path"
import { describe, it } from "node:test"
import { pathToFileURL } from "node:url"
import { root } from "../src/repository.js"

const packages = path.join(root, "packages")

/** A list of the mutation tests, which belong to no package that the compiler knows. */
const listed = async (file: string, name: string): Promise<unknown> => {
  const module: Record<string, unknown> = await import(pathToFileURL(path.join(packages, "mutation", file)).href)
  return module[name]
}

interface Named {
  readonly name: string
  readonly file: string
  readonly from: string
}

interface Group {
  readonly name: string
  readonly package: string
  readonly mutate: ReadonlyArray<string>
  readonly tests: ReadonlyArray<string>
}

// Plain JavaScript, written by hand: what is not so fails below.
const named = (await listed("simulator/named.mjs", "named")) as ReadonlyArray<Named>
const groups = (await listed("groups.mjs", "groups")) as ReadonlyArray<Group>

describe("the mutants", () => {
  for (const { file, from, name } of named) {
    it(`can be made: ${name}`, () => {
      assert.equal(fs.readFileSync(path.join(packages, file), "utf8").split(from).length - 1, 1)
    })
  }

  it("are made of files that exist, and looked for by tests that exist", () => {
    for (const { mutate, name, package: folder, tests } of groups) {
      for (const file of [...mutate, ...tests].filter((file) => !file.includes("*"))) {
        assert.ok(fs.existsSync(path.join(packages, folder, file)), `${name}: ${file}`)
      }
    }
  })
})
