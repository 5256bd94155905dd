/**
 * What docs/contributing.md says of a new operation, tried on a copy of the repository: an operation that does not exist is added by changing the
 * files that the page names, then each file is left out once. The page's commands pass with all of them, and fail by name without one.
 *
 *     node --import tsx --test packages/tools/test/newOperation.test.ts
 */
import assert from "node:assert/strict"
import * as fs from "node:fs"
import * as path from "node:path"
import { after, describe, it } from "node:test"
import { root } from "../src/repository/repository.js"
import * as Copy from "./newOperation/copy.js"
import { apply, edits } from "./newOperation/edits.js"
import { othersOf, placesOf } from "./newOperation/places.js"
import type { Place } from "./newOperation/places.js"

const page = fs.readFileSync(path.join(root, "docs/contributing.md"), "utf8")
const places = placesOf(page)
const files = [...new Set(edits.map(({ file }) => file))]

/** On the file system of the repository, where the installed packages can have a second name. */
const folder = path.join(root, `packages/tools/build/newOperation-${process.pid}`)

const vitest = (...files: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...["node_modules/vitest/vitest.mjs", "run", "--config", "packages/vitest.run.ts", "--bail", "1"],
  ...files
]

/** `npm run check`, without a look at what is installed. */
const check = ["--import", "tsx", "packages/tools/src/check.ts"]

/** The tests that a command runs, or none. */
const testOf = (command: string): string | undefined => /^npm test (\S+)$/.exec(command)?.[1]

/** The page's commands as Node runs them: of the compiler and the tests of types only what concerns the file. */
const argumentsOf = (command: string, file: string): ReadonlyArray<string> => {
  const test = testOf(command)
  if (test !== undefined) return vitest(test)
  const step = command.replace(/^npm run check -- /, "")
  if (step === "types") return ["node_modules/typescript/bin/tsc", "-b", file.split("/").slice(0, 2).join("/")]
  if (step !== "typetests") return [...check, step]
  const only = path.basename(file).split(".")[0] ?? ""
  return [
    "packages/tools/node_modules/tstyche/build/bin.js",
    ...["--config", "packages/tools/tstyche.json", path.posix.join("packages/tools/typetest", only)]
  ]
}

const compiling = "npm run check -- types"

/** What nothing depends on first, the schemas last: a source that changes and changes back is compiled twice with all that depends on it. */
const cost = ({ command, file }: Place): number => (command !== compiling ? 0 : file.includes("/test/") ? 1 : 2)

const inOrder = places.toReversed().sort((a, b) => cost(a) - cost(b))

/** The generators that an operation concerns. */
const codegen = [...check, "--fix", "meanings", "codegen", "operations", "reference"]

/** Whether codegen writes a file: a list of names, a page that is generated as a whole, or the number of operations in a page. */
const isGenerated = (file: string, text: string): boolean =>
  /^packages\/\w+\/(exports\.txt|src\/\w+\/Docblocks\.ts)$|^README\.md$|^docs\/reference\/listed-operations\.md$/.test(
    file
  ) || text.startsWith("<!-- Generated")

describe("an operation that is added as docs/contributing.md says", () => {
  const copy = Copy.make(root, folder)
  const before = new Map(files.map((file) => [file, copy.read(file)]))
  after(() => {
    fs.rmSync(folder, { recursive: true, force: true })
  })

  it("changes the files that the page names", () => {
    assert.deepEqual([...files].sort(), places.map(({ file }) => file).sort())
    assert.ok(othersOf(page).every((file) => fs.existsSync(path.join(root, file))))
  })

  it("changes no other file but those that codegen writes", () => {
    for (const [file, text] of before) copy.write(file, apply(file, text))
    const { code, output } = copy.node(...codegen)
    assert.equal(code, 0, output)
    const others = copy.changed().filter((file) => !files.includes(file))
    assert.ok(others.includes("docs/reference/account.md"))
    assert.deepEqual(
      others.filter((file) => !isGenerated(file, copy.read(file))),
      []
    )
  })

  it("compiles, in every package", () => {
    const { code, output } = copy.node("node_modules/typescript/bin/tsc", "-b", "packages/tsconfig.json")
    assert.equal(code, 0, output)
  })

  it("passes the commands that the page names", () => {
    const tests = new Set(places.flatMap(({ command }) => testOf(command) ?? []))
    const checks = places.filter(({ command }) => testOf(command) === undefined && command !== compiling)
    for (const args of [vitest(...tests), ...checks.map(({ command, file }) => argumentsOf(command, file))]) {
      const { code, output } = copy.node(...args)
      assert.equal(code, 0, output)
    }
  })

  for (const { command, file } of inOrder) {
    it(`fails ${command} without ${file}, by its name`, () => {
      const text = copy.read(file)
      copy.write(file, before.get(file) ?? "")
      try {
        const { code, output } = copy.node(...argumentsOf(command, file))
        assert.notEqual(code, 0, output)
        assert.match(output, /upgrade-?state|migration/i)
      } finally {
        copy.write(file, text)
      }
    })
  }
})
