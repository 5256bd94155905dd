import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { describe, expect, it } from "vitest"
import { folder, linesOf, timeout, venue } from "./utils/venue.js"

describe("venue", () => {
  it(
    "refuses a command that there is not, in one line and with code 2",
    async () => {
      const { code, err } = await venue(["nonsense"])
      expect(code).toBe(2)
      expect(linesOf(err)).toHaveLength(1)
      expect(err).toMatch(/Invalid subcommand/)
    },
    timeout
  )

  it(
    "has help for every command, with the codes that it ends with",
    async () => {
      const { code, out } = await venue(["--help"])
      expect(code).toBe(0)
      for (const command of ["call", "export", "operations", "sandbox", "start", "verify"]) {
        expect(out).toMatch(new RegExp(`- ${command} `))
      }
      expect(out).toContain("Exit codes: 0 complete; 1 it failed, or may lack rows; 2")
      expect(out).toContain("3 a write of which it is not known whether it was executed")
    },
    timeout
  )

  it(
    "completes commands, options and their choices in bash",
    async () => {
      const { code, out } = await venue(["--completions", "bash"])
      expect(code).toBe(0)
      const script = path.join(folder(), "completions.bash")
      fs.writeFileSync(script, out)
      const completed = (...words: ReadonlyArray<string>) => {
        const { stderr, stdout } = spawnSync("bash", [
          "-c",
          `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _venue_bash_completions venue; echo "\${COMPREPLY[@]}"`,
          "bash",
          script,
          ...words
        ])
        expect(String(stderr)).toBe("")
        return String(stdout).trim().split(" ")
      }
      expect(completed("venue", "ex")).toEqual(["export"])
      expect(completed("venue", "export", "--incr")).toEqual(["--incremental"])
      expect(completed("venue", "export", "--format", "")).toEqual(["ndjson", "csv", "parquet", "sqlite"])
    },
    timeout
  )

  for (const [shell, head] of [
    ["zsh", /^#compdef venue/],
    ["fish", /^complete -c venue /]
  ] as const) {
    it(
      `prints completions for ${shell}`,
      async () => {
        const { code, out } = await venue(["--completions", shell])
        expect(code).toBe(0)
        expect(out).toMatch(head)
        for (const word of ["export", "incremental", "ndjson", "orders.create"]) expect(out).toContain(word)
      },
      timeout
    )
  }
})
