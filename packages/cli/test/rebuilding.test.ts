import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { afterAll, beforeEach, describe, expect, it } from "vitest"
import { current } from "../bundle.mjs"

// A repository of two packages: building the real one while it is edited would disturb who edits it.

const home = fs.mkdtempSync(path.join(os.tmpdir(), "venue-rebuilding-"))

afterAll(() => fs.rmSync(home, { recursive: true, force: true }))

const write = (root: string, file: string, content: string) => {
  fs.mkdirSync(path.dirname(path.join(root, file)), { recursive: true })
  fs.writeFileSync(path.join(root, file), content)
}

const repository = (): string => {
  const root = fs.mkdtempSync(path.join(home, "repository-"))
  write(root, "pnpm-lock.yaml", "")
  write(
    root,
    "packages/cli/package.json",
    '{ "name": "cli", "type": "module", "dependencies": { "words": "workspace:^" } }'
  )
  write(root, "packages/cli/src/bin.ts", 'import { word } from "words"\nconst said: string = word\nconsole.log(said)\n')
  write(root, "packages/words/package.json", '{ "name": "words", "type": "module", "exports": "./src/index.ts" }')
  write(root, "packages/words/src/index.ts", 'export const word = "first"\n')
  fs.mkdirSync(path.join(root, "packages/cli/node_modules"))
  fs.symlinkSync(path.join(root, "packages/words"), path.join(root, "packages/cli/node_modules/words"), "junction")
  return root
}

const module = new URL("../bundle.mjs", import.meta.url).href

/** Runs the command of a repository as `npm run venue` does, in a process of its own. */
const venue = (root: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const code = `import { current } from ${JSON.stringify(module)}; import { pathToFileURL } from "node:url"
      await import(pathToFileURL(await current(process.argv[1])).href)`
    const child = spawn(process.execPath, ["--input-type=module", "--eval", code, root], {
      stdio: ["ignore", "pipe", "pipe"]
    })
    let output = ""
    child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()))
    child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()))
    child.on("error", reject)
    child.on("close", () => resolve(output.trim()))
  })

const buildsOf = (root: string) => fs.readdirSync(path.join(root, "packages/cli/build/command"))

/** Lets a build look as if it was last started `hours` hours ago. */
const age = (file: string, hours: number) => {
  const then = new Date(fs.statSync(file).mtimeMs - hours * 3_600_000)
  fs.utimesSync(path.dirname(file), then, then)
}

describe("the command in the repository", () => {
  let root = ""
  beforeEach(() => {
    root = repository()
  })

  it("is built once as long as no source changes", async () => {
    expect(await venue(root)).toBe("first")
    const [build] = buildsOf(root)
    const file = path.join(root, "packages/cli/build/command", build ?? "", "venue.mjs")
    const before = fs.statSync(file)
    expect(await venue(root)).toBe("first")
    expect(fs.statSync(file).mtimeMs).toBe(before.mtimeMs)
    expect(buildsOf(root)).toEqual([build])
  })

  it("is rebuilt when a source of a package that it imports changes, though its size and times stay", async () => {
    const source = path.join(root, "packages/words/src/index.ts")
    expect(await venue(root)).toBe("first")
    const { atime, mtime } = fs.statSync(source)
    fs.writeFileSync(source, 'export const word = "other"\n')
    fs.utimesSync(source, atime, mtime)
    expect(await venue(root)).toBe("other")
    fs.writeFileSync(source, 'export const word = "first"\n')
    expect(await venue(root)).toBe("first")
  })

  it("is whole for each of several processes that start at once", async () => {
    const outputs = await Promise.all(Array.from({ length: 4 }, () => venue(root)))
    expect(outputs).toEqual(Array.from({ length: 4 }, () => "first"))
    expect(buildsOf(root)).toHaveLength(1)
  })

  it("keeps the build that a process runs from, and removes one that none has used for an hour", async () => {
    const source = path.join(root, "packages/words/src/index.ts")
    const held = await current(root)
    age(held, 2)
    fs.writeFileSync(source, 'export const word = "second"\n')
    await venue(root)
    expect(fs.existsSync(held)).toBe(true)
    const [unused = ""] = buildsOf(root).filter((name) => !held.includes(name))
    age(path.join(root, "packages/cli/build/command", unused, "venue.mjs"), 2)
    fs.writeFileSync(source, 'export const word = "third"\n')
    await venue(root)
    expect(buildsOf(root)).not.toContain(unused)
    expect(fs.existsSync(held)).toBe(true)
  })

  it("fails with the place in the source when a source cannot be compiled", async () => {
    write(root, "packages/words/src/index.ts", "export const = 1\n")
    await expect(current(root)).rejects.toThrow(/packages\/words\/src\/index\.ts:1:13/)
  })

  it("names the sources in its source maps", async () => {
    const map: unknown = JSON.parse(fs.readFileSync(`${await current(root)}.map`, "utf8"))
    const folder = path.dirname(await current(root))
    expect(map).toMatchObject({
      sources: expect.arrayContaining([path.relative(folder, path.join(root, "packages/cli/src/bin.ts"))])
    })
  })
})
