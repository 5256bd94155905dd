import { expect, it } from "@effect/vitest"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const top = fileURLToPath(new URL("../../../", import.meta.url))

const filesOf = (folder: string, pattern: RegExp): ReadonlyArray<string> =>
  readdirSync(`${top}${folder}`)
    .filter((name) => pattern.test(name))
    .map((name) => `${folder}${name}`)

const packageReadmes = readdirSync(`${top}packages`)
  .map((name) => `packages/${name}/README.md`)
  .filter((file) => existsSync(`${top}${file}`))

/** The blocks of code of a page, with the line where each begins; all of a source file is one. */
const blocksOf = (file: string): ReadonlyArray<{ readonly at: string; readonly code: string }> => {
  const text = readFileSync(`${top}${file}`, "utf8")
  if (!file.endsWith(".md")) return [{ at: file, code: text }]
  return Array.from(text.matchAll(/^```\w.*\n([\s\S]*?)^```$/gm), ({ 1: code = "", index }) => ({
    at: `${file}:${text.slice(0, index).split("\n").length}`,
    code
  }))
}

const sumsFees = /sum\S*\([^\n]*execFee|execFee[^\n]*\bsum\b|\+=[^\n]*execFee|execFee\)::|execFee"\][^\n]*sum/i

it("every example that adds up execFee says of which rows: those of funding carry funding there", () => {
  const files = [
    "README.md",
    ...packageReadmes,
    ...filesOf("docs/", /\.md$/),
    ...filesOf("packages/examples/src/", /\.ts$/)
  ]
  const sums = files.flatMap(blocksOf).filter(({ code }) => sumsFees.test(code))
  expect(sums.length).toBeGreaterThan(10)
  expect(sums.filter(({ code }) => !/Trade|trades\b|Funding/.test(code)).map(({ at }) => at)).toEqual([])
})
