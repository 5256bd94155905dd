import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { catalog, problems, withCatalogRanges } from "../src/installLines.js"

const workspace = `packages:
  - packages/*

catalog:
  effect: ^3.22.4
  # A comment.
  "@effect/platform": ^0.97.1

onlyBuiltDependencies: []
`

const ranges = catalog(workspace)
const published = new Set(["@effect-venue/services"])

const page = (command: string, code = "") => `# A page\n\n\`\`\`sh\n${command}\n\`\`\`\n\n\`\`\`ts\n${code}\n\`\`\`\n`

describe("install lines", () => {
  it("reads the catalog of the workspace, and nothing after it", () => {
    assert.deepEqual(
      [...ranges],
      [
        ["effect", "^3.22.4"],
        ["@effect/platform", "^0.97.1"]
      ]
    )
  })

  it("passes the catalog's ranges", () => {
    const command = "npm install @effect-venue/services effect@^3.22.4 @effect/platform@^0.97.1 # with a comment"
    assert.deepEqual(problems(page(command, 'import { Effect } from "effect"'), ranges, published), [])
    assert.deepEqual(problems(page("npm start"), ranges, published), [])
    assert.deepEqual(problems(page("npm install --global @effect-venue/services"), ranges, published), [])
  })

  const refused: ReadonlyArray<readonly [command: string, problem: string]> = [
    ["npm install effect", "4: effect@latest differs from the catalog's effect@^3.22.4"],
    ["npm install effect@^3.21", "4: effect@^3.21 differs from the catalog's effect@^3.22.4"],
    ["npm i effect@^3.22.4", "4: install lines are written with `npm install`"],
    ["npm install left-pad@1.0.0", "4: the catalog has no left-pad"],
    ["npm install @effect-venue/orders", "4: there is no package @effect-venue/orders"],
    ["npm install @effect-venue/services@^0.1.0", "4: @effect-venue/services needs no range"]
  ]
  for (const [command, problem] of refused) {
    it(`refuses \`${command}\``, () => assert.deepEqual(problems(page(command), ranges, published), [problem]))
  }

  it("refuses a page whose code imports a package that no line installs", () => {
    const code = 'import * as HttpClient from "@effect/platform/HttpClient"'
    assert.deepEqual(problems(page("npm install effect@^3.22.4", code), ranges, published), [
      "4: the page imports @effect/platform, which no line installs"
    ])
  })

  it("corrects the ranges, and nothing else", () => {
    const before = page("npm install --save-dev @effect-venue/services effect @effect/platform@^0.1 # effect")
    const after = page("npm install --save-dev @effect-venue/services effect@^3.22.4 @effect/platform@^0.97.1 # effect")
    assert.equal(withCatalogRanges(before, ranges), after)
    assert.equal(withCatalogRanges(after, ranges), after)
  })
})
