/**
 * Checks that the pictures of README.md and docs/home.md are from one run, and from that of the text beside them: the picture of the report names the picture
 * of the terminal and its own first table.
 */
import assert from "node:assert/strict"
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import * as zlib from "node:zlib"
import { root } from "../repository/repository.js"

const pictures = path.join(root, "docs", "public", "pictures")

export const terminalFile = path.join(pictures, "export.svg")

export const reportFile = path.join(pictures, "report.png")

const keyword = "Comment\0"

// A PNG begins with a signature of 8 bytes and the chunk IHDR of 25.
const afterHeader = 33

/** The run of a picture: the digest of the picture of the terminal, and the text beside the picture of the report. */
export const runOf = (terminal: string, alt: string): string =>
  `${createHash("sha256").update(terminal).digest("hex")} ${alt}`

/** Writes a run into a PNG. */
export const stamp = (png: Uint8Array, run: string): Uint8Array => {
  const content = Buffer.concat([Buffer.from("tEXt"), Buffer.from(keyword + run, "latin1")])
  const frame = (value: number) => {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32BE(value)
    return bytes
  }
  const chunk = [frame(content.length - 4), content, frame(zlib.crc32(content))]
  return Buffer.concat([png.subarray(0, afterHeader), ...chunk, png.subarray(afterHeader)])
}

/** The run of a PNG, if it has one. */
const stampOf = (png: Buffer): string | undefined => {
  const length = png.readUInt32BE(afterHeader)
  const content = png.subarray(afterHeader + 4, afterHeader + 8 + length).toString("latin1")
  return content.startsWith(`tEXt${keyword}`) ? content.slice(4 + keyword.length) : undefined
}

const check = (): void => {
  const run = stampOf(fs.readFileSync(reportFile))
  const terminal = fs.readFileSync(terminalFile, "utf8")
  for (const [page, pattern] of [
    ["README.md", /!\[([^\]]*)\]\([^)]*report\.png\)/],
    ["docs/home.md", /report\.png\n +alt: "(.*)"/]
  ] as const) {
    const [, alt = ""] = pattern.exec(fs.readFileSync(path.join(root, page), "utf8")) ?? []
    assert.equal(run, runOf(terminal, alt), `the pictures of ${page} are not from one run: npm run fix -- pictures`)
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) check()
