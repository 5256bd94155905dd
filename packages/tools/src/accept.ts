/**
 * The acceptance runs: what takes too long for `.ci/run`. They need an hour or more, and are run before a release.
 *
 *     npm run accept                        all of them
 *     npm run accept -- kill-test soak      only these
 *     npm run accept -- fleet               a group: fleets, and the limits that processes share
 *     npm run accept -- --list              their names, and what each of them runs
 *     npm run accept -- soak --seed 7       with another seed, where a run has one
 *
 * Prints a line for each run: its name, how it ended, minutes by the clock. Exit code 1 when one failed, 2 when a name is unknown.
 */
import { spawn } from "node:child_process"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { root } from "./repository.js"

export interface Run {
  readonly name: string
  /** What it does, in a few words. */
  readonly title: string
  /** The command of packages/tools/bootstrap.mjs, and its arguments. */
  readonly command: ReadonlyArray<string>
  readonly env?: Readonly<Record<string, string>>
}

/** Other work, as much as on the slowest machine seen. */
const beside = `--beside=${String(3 * os.availableParallelism())}`

/** The runs, with a seed for those that have one. */
export const runs = (seed: number): ReadonlyArray<Run> => [
  {
    name: "kill-test",
    title: "200 exports that are killed at random instants",
    command: ["kill-test", "--runs", "200", "--seed", String(seed)]
  },
  {
    name: "rivals",
    title: "100 exports by two processes at once, of which one is killed",
    command: ["kill-test", "--runs", "100", "--processes", "2", "--seed", String(seed)]
  },
  {
    name: "kill-writes",
    title: "100 processes with a journal of writes that are killed between send and answer",
    command: ["kill-writes", "--runs", "100", "--seed", String(seed)]
  },
  {
    name: "fleet-cluster",
    title: "three processes of a fleet on one Postgres: one joins, one is killed, one frozen, Postgres restarted",
    command: ["fleet-cluster"]
  },
  {
    name: "kill-fleet",
    title: "a fleet of 200 accounts that is killed 10 times",
    command: ["kill-fleet", "--accounts", "200", "--kills", "10", "--seed", String(seed)]
  },
  {
    name: "soak",
    title: "10,000 calls over sockets, with faults",
    command: ["soak", "--calls", "10000", "--seed", String(seed)]
  },
  {
    name: "shared-limits",
    title: "four processes on one address or UID through Redis and Postgres, and what the shared stores cost",
    command: ["shared-limits"]
  },
  {
    name: "history",
    title: "730 days of history of three worlds",
    command: ["test:long", "--project", "history", "complete"],
    env: { EXPORT_SEEDS: "3", EXPORT_DAYS: "730" }
  },
  {
    name: "frozen",
    title: "exports that are frozen at each operation on files",
    command: ["test:long", "--project", "history", "frozen"],
    env: { VENUE_TEST_FREEZE: "all" }
  },
  {
    name: "lock",
    title: "2,000 acquisitions of a lock by competing processes",
    command: ["test", "--project", "history", "exclusion"],
    env: { VENUE_TEST_ACQUISITIONS: "2000" }
  },
  {
    name: "hour",
    title: "one simulated hour of all operations at full rate",
    command: ["test:long", "--project", "services", "hour"],
    env: { VENUE_HOUR: "1" }
  },
  {
    name: "sandbox",
    title: "10,000 random commands of the sandbox, with its invariants",
    command: ["test", "--project", "sandbox", "invariants"],
    env: { VENUE_MODEL_COMMANDS: "10000" }
  },
  {
    name: "properties",
    title: "the tests with other examples of their properties",
    command: ["test"],
    env: { VENUE_PROPERTIES_SEED: String(seed + 1) }
  },
  {
    name: "busy",
    title: "the tests on a machine whose cores have three other processes each",
    command: ["test", beside]
  },
  {
    name: "busy-long",
    title: "the same with the long tests",
    command: ["test:long", beside]
  },
  {
    name: "simulate",
    title: "100,000 worlds from seeds",
    command: ["simulate", "--seeds", "100000", "--from", String(seed * 100_000)]
  },
  {
    name: "exports",
    title: "5,000 worlds of exports from seeds",
    command: ["simulate", "--world", "export", "--seeds", "5000", "--from", String(seed * 5_000)]
  },
  { name: "mutation", title: "mutants of signing and transport", command: ["mutation"] },
  {
    name: "simulator",
    title: "faults and mutants that the simulator has to find",
    command: ["mutation", "simulator", "--seed", String(seed)]
  }
]

/** Names that stand for several runs. */
const groups: ReadonlyMap<string, ReadonlyArray<string>> = new Map([
  ["fleet", ["kill-fleet", "fleet-cluster", "shared-limits"]]
])

export interface Request {
  readonly runs: ReadonlyArray<Run>
  readonly isList: boolean
}

/** The runs that the arguments name, or what is wrong with the arguments. */
export const requestOf = (args: ReadonlyArray<string>): Request | { readonly problem: string } => {
  const names: Array<string> = []
  let seed = 1
  for (let index = 0; index < args.length; index++) {
    const argument = args[index] ?? ""
    if (argument === "--seed") {
      seed = Number(args[++index])
      if (!Number.isSafeInteger(seed)) return { problem: "--seed must be followed by a whole number" }
    } else if (argument !== "--list") names.push(...(groups.get(argument) ?? [argument]))
  }
  const all = runs(seed)
  const unknown = names.filter((name) => !all.some((run) => run.name === name))
  if (unknown.length > 0) {
    const known = [...all.map(({ name }) => name), ...groups.keys()]
    return { problem: `there is no run ${unknown.join(", ")}: ${known.join(", ")}` }
  }
  return {
    runs: names.length === 0 ? all : all.filter(({ name }) => names.includes(name)),
    isList: args.includes("--list")
  }
}

const commandLine = ({ command, env = {} }: Run): string =>
  [
    ...Object.entries(env).map(([name, value]) => `${name}=${value}`),
    "npm run",
    command[0],
    "--",
    ...command.slice(1)
  ].join(" ")

const start = (run: Run): Promise<boolean> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [path.join(root, "packages", "tools", "bootstrap.mjs"), ...run.command], {
      cwd: root,
      stdio: "inherit",
      env: { ...process.env, ...run.env }
    })
    child.on("error", () => {
      resolve(false)
    })
    child.on("close", (code) => {
      resolve(code === 0)
    })
  })

const main = async (): Promise<number> => {
  const request = requestOf(process.argv.slice(2))
  if ("problem" in request) {
    console.error(`accept: ${request.problem}`)
    return 2
  }
  if (request.isList) {
    for (const run of request.runs)
      console.log(`${run.name.padEnd(10)} ${run.title}\n${" ".repeat(11)}${commandLine(run)}`)
    for (const [name, members] of groups) console.log(`${name.padEnd(10)} the group of ${members.join(", ")}`)
    return 0
  }
  const lines: Array<string> = []
  let failed = 0
  for (const run of request.runs) {
    console.log(`\n== ${run.name}: ${run.title}\n   ${commandLine(run)}`)
    const started = performance.now()
    const ok = await start(run)
    if (!ok) failed++
    lines.push(
      `${ok ? "ok    " : "FAILED"} ${run.name.padEnd(10)} ${((performance.now() - started) / 60_000).toFixed(1)} minutes`
    )
  }
  console.log(`\n${lines.join("\n")}\n${String(lines.length - failed)} passed, ${String(failed)} failed`)
  return failed === 0 ? 0 : 1
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = await main()
