import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { describe, expect, it } from "vitest"
import { folder, linesOf, venue } from "./utils/venue.js"

describe("venue", () => {
  it("refuses an unknown command with code 2 and one line", async () => {
    const { code, err } = await venue(["nonsense"])
    expect(code).toBe(2)
    expect(linesOf(err)).toHaveLength(1)
    expect(err).toMatch(/^venue: "nonsense" is not a command: it is one of .*export.*verify \(see venue --help\)$/m)
  })

  const commands = [
    "accounts",
    "call",
    "doctor",
    "export",
    "init",
    "log",
    "operations",
    "report",
    "sandbox",
    "schema",
    "start",
    "tap",
    "verify"
  ]

  for (const words of [["--help"], ["-h"], [], ...commands.map((command) => [command, "--help"])]) {
    it(`prints help for "${words.join(" ")}" in lines of at most 80 columns, without colours`, async () => {
      const { code, err, out } = await venue(words)
      expect({ code, err }).toEqual({ code: 0, err: "" })
      expect(out.split("\n").filter((line) => line.length > 80)).toEqual([])
      // eslint-disable-next-line no-control-regex -- the one that colours begin with
      expect(out).not.toMatch(/\u001b/)
      expect(out).toMatch(/^Examples\n {2}venue /m)
    })
  }

  it.each([
    ["", "--log-level debug"],
    ["", "--log-level=debug"],
    ["", "--"],
    ["fleet", "fleet"],
    ["fleet", "fleet --"],
    ["fleet", "fleet --log-level debug"],
    ["fleet", "--log-level debug fleet"],
    ["fleet", "help fleet"]
  ])("prints the help of venue %s for %j, which names no command of it", async (group, words) => {
    const { out: help } = await venue(`${group} --help`.trim().split(" "))
    expect(await venue(words.split(" "))).toMatchObject({ code: 0, err: "", out: help })
  })

  it("lists every command in its help, with its exit codes", async () => {
    const { out } = await venue(["--help"])
    for (const command of commands) expect(out).toMatch(new RegExp(`^  ${command} +[A-Z]`, "m"))
    expect(out).toMatch(/^ {2}3 +a write was sent, its outcome is unknown$/m)
    const { out: help } = await venue(["export", "--help"])
    expect(help).toMatch(/^ {2}1 +it failed, or may lack rows$/m)
    expect(help).toMatch(/^ {2}bonus-usage +What bonuses and coupons were used for\.$/m)
    expect(help).toMatch(/One of ndjson,\s+csv,\s+parquet,\s+sqlite\./)
  })

  it("has examples that the parser understands", async () => {
    const calls: Array<ReadonlyArray<string>> = []
    for (const command of ["", ...commands, "fleet run", "fleet status"]) {
      const { out } = await venue(`${command} --help`.trim().split(" "))
      const [examples = ""] = (out.split("\nExamples\n")[1] ?? "").replaceAll(/\s*\\\n\s*/g, " ").split("\n\n")
      calls.push(...[...examples.matchAll(/^ {2}venue (.*)$/gm)].map(([, words = ""]) => words.split(" ")))
    }
    expect(calls.length).toBeGreaterThan(16)
    for (const words of calls.filter((words) => !words.includes("--help"))) {
      // The unknown option is all that is wrong with them.
      expect((await venue([...words, "--nonsense"])).err).toMatch(
        /^venue: --nonsense is not an option \(see venue .*--help\)\n$/
      )
    }
  })

  const misunderstood: ReadonlyArray<readonly [words: string, line: string]> = [
    ["exprot", '"exprot" is not a command: did you mean export? (see venue --help)'],
    ["--vers", "--vers is not an option: did you mean --version? (see venue --help)"],
    [
      "export executionz --from 2026-01-01",
      '<dataset>: "executionz" is unknown: did you mean executions? (see venue export --help)'
    ],
    [
      "export executions --format parqet",
      '--format: "parqet" is unknown: did you mean parquet? (see venue export --help)'
    ],
    [
      "export executions --format=parqet",
      '--format: "parqet" is unknown: did you mean parquet? (see venue export --help)'
    ],
    [
      "export executions --catgory spot",
      "--catgory is not an option: did you mean --category? (see venue export --help)"
    ],
    ["call orders.open --jsn", "--jsn is not an option: did you mean --json? (see venue call --help)"],
    ["export executions --from", "--from: its value is missing (see venue export --help)"],
    ["export executions --seed x", '--seed: "x" is not a whole number (see venue export --help)'],
    [
      "call orders.creat",
      '<operation>: "orders.creat" is unknown: did you mean orders.create? (see venue call --help)'
    ],
    ["sandbox --limits non", '--limits: "non" is unknown: it is one of documented, off (see venue sandbox --help)'],
    ["verify", "<folder> is missing (see venue verify --help)"],
    ["fleet rnu", '"fleet rnu" is not a command: did you mean run? (see venue fleet --help)'],
    ["fleet run accounts.json --onse", "--onse is not an option: did you mean --once? (see venue fleet run --help)"],
    ["fleet run", "<accounts.json> is missing (see venue fleet run --help)"]
  ]
  for (const [words, line] of misunderstood) {
    it(`"${words}" is refused with option, value and what was probably meant`, async () => {
      expect(await venue(words.split(" "))).toMatchObject({ code: 2, out: "", err: `venue: ${line}\n` })
    })
  }

  it("completes commands, options and their choices in bash", async () => {
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
    expect(completed("venue", "export", "bon")).toEqual(["bonus-usage"])
    expect(completed("venue", "export", "executions", "dep")).toEqual(["deposits"])
    expect(completed("venue", "call", "orders.create")).toEqual(["orders.create", "orders.createBatch"])
  })

  it("prints completions for zsh, with a function for each command", async () => {
    const { code, out } = await venue(["--completions", "zsh"])
    expect(code).toBe(0)
    expect(out).toMatch(/^#compdef venue\n/)
    const functionOf = (name: string): string => new RegExp(`^${name}\\(\\) \\{\n.*?^\\}$`, "ms").exec(out)?.[0] ?? ""
    for (const command of commands) expect(functionOf(`_venue_${command}`), command).toContain("_arguments")
    expect(functionOf("_venue_export")).toContain(":format:(ndjson csv parquet sqlite)'")
    expect(functionOf("_venue_export")).toMatch(/'\*--incremental\[[^:]*\]' /)
    expect(functionOf("_venue_export")).toMatch(/'\*:dataset:\(executions .* bonus-usage .*\)'/)
    for (const option of ["--bundle", "--catalog", "--config", "--out", "--state"])
      expect(out).toMatch(new RegExp(`'\\*${option}\\[.*\\]:[a-z]+:_files'`))
    expect(functionOf("_venue_call")).toMatch(/'1:operation:\(orders\.open .*orders\.create .*\)'/)
    expect(functionOf("_venue_fleet_run")).toContain("'*--once[")
    expect(functionOf("_venue_verify")).toContain("'1:folder:_files'")
    // Called by the completion itself the first time, or read by a shell's configuration.
    expect(out).toMatch(
      /\nif \[\[ \$funcstack\[1\] == _venue \]\]; then\n {2}_venue "\$@"\nelse\n {2}compdef _venue venue\nfi\n$/
    )
  })

  it("prints completions for fish", async () => {
    const { code, out } = await venue(["--completions", "fish"])
    expect(code).toBe(0)
    expect(out).toMatch(/^complete -c venue /)
    for (const word of ["export", "incremental", "ndjson", "bonus-usage", "orders.create"]) {
      expect(out).toContain(word)
    }
  })
})
