import type * as Faults from "@effect-venue/sandbox/Faults"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Server from "@effect-venue/sandbox/Server"
import * as NodeConnections from "@effect-venue/transport/NodeConnections"
import * as PlatformError from "@effect/platform/Error"
import * as Terminal from "@effect/platform/Terminal"
import * as NodeContext from "@effect/platform-node/NodeContext"
import { ConfigProvider, Console, Effect, Exit, Mailbox, Option, Redacted, Scope } from "effect"
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { setTimeout } from "node:timers/promises"
import { format } from "node:util"
import { afterAll, beforeAll, beforeEach, expect, inject } from "vitest"
import * as Diagnostics from "../../src/output/diagnostics.js"
import * as program from "../../src/start/program.js"

const folders = new Map<string | undefined, string>()

/** The folder in which the current file of tests runs the command. */
export const folder = (): string => {
  const { testPath } = expect.getState()
  const existing = folders.get(testPath)
  if (existing !== undefined) return existing
  const created = fs.mkdtempSync(path.join(inject("scratch"), "cli-"))
  folders.set(testPath, created)
  return created
}

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly out: string
  readonly err: string
  /** How far it said it was, on its way: standard error of a process has it too. */
  readonly progress?: string
}

export interface Running {
  readonly pid: number | undefined
  readonly kill: (signal?: NodeJS.Signals) => void
  readonly ended: Promise<Ended>
}

/** The command as a person runs it: a process of its own, with an environment of its own. */
export const launch = (
  args: ReadonlyArray<string>,
  env: Record<string, string> = {},
  onOutput: (output: string, kill: Running["kill"]) => void = () => undefined,
  /** The number of another user, as whom it runs. */
  uid?: number
): Running => {
  const child = spawn(process.execPath, [inject("venue"), ...args], {
    cwd: folder(),
    env: { PATH: process.env.PATH ?? "", NO_COLOR: "1", ...env },
    stdio: ["ignore", "pipe", "pipe"],
    ...(uid === undefined ? {} : { uid })
  })
  const kill: Running["kill"] = (signal = "SIGINT") => void child.kill(signal)
  const ended = new Promise<Ended>((resolve) => {
    let out = ""
    let err = ""
    child.stdout.on("data", (chunk: Buffer) => {
      out += chunk.toString()
      onOutput(out + err, kill)
    })
    child.stderr.on("data", (chunk: Buffer) => {
      err += chunk.toString()
      onOutput(out + err, kill)
    })
    child.on("close", (code, signal) => resolve({ code, signal, out, err }))
  })
  return { pid: child.pid, kill, ended }
}

/** The same, to its end. */
export const launched = (...args: Parameters<typeof launch>): Promise<Ended> => launch(...args).ended

/** The same, interrupted once something is so. */
export const interruptedWhen = async (
  isReached: () => boolean | Promise<boolean>,
  ...[args, env]: Parameters<typeof launch>
): Promise<Ended> => {
  const { ended, kill } = launch(args, env)
  const child = { isRunning: true }
  void ended.then(() => (child.isRunning = false))
  while (child.isRunning && !(await isReached())) await setTimeout(10)
  // A second signal would end the process at once.
  kill()
  return ended
}

const home = process.cwd()

let running = 0

const enter = () => {
  running += 1
  process.chdir(folder())
}

const leave = () => {
  running -= 1
  if (running === 0) process.chdir(home)
}

const keyOf = (name: string, letter?: string): Terminal.UserInput => ({
  input: Option.fromNullable(letter),
  key: { name, ctrl: false, meta: false, shift: false }
})

/**
 * The command in the process of the tests, to its end: a process of its own takes half a second of processor time to start. Signals,
 * closed pipes and exit codes of the process are for `launch`. With an `outputFailure`, standard output refuses all text.
 */
export const venue = (
  args: ReadonlyArray<string>,
  env: Record<string, string> = {},
  outputFailure?: Error,
  /** Makes standard input and output a terminal, on which these lines are typed. */
  typed?: ReadonlyArray<string>,
  /** The width of a terminal to which both outputs go; 0 for pipes. */
  columns = 0
): Promise<Ended> => {
  let out = ""
  let err = ""
  let progress = ""
  const keys = typed?.flatMap((line) => [...Array.from(line, (letter) => keyOf(letter, letter)), keyOf("enter")])
  const diagnostics: Diagnostics.Shape = {
    isTTY: columns > 0,
    columns: Effect.succeed(columns),
    write: (text) => Effect.sync(() => void (progress += text))
  }
  const terminal = (terminal: Terminal.Terminal): Terminal.Terminal => ({
    ...terminal,
    isTTY: Effect.succeed(typed !== undefined || columns > 0),
    columns: Effect.succeed(columns),
    readInput:
      keys === undefined
        ? terminal.readInput
        : Effect.gen(function* () {
            const mailbox = yield* Mailbox.make<Terminal.UserInput>()
            yield* mailbox.offerAll(keys)
            return mailbox
          }),
    display: (text) =>
      outputFailure === undefined
        ? Effect.sync(() => {
            out += text
          })
        : new PlatformError.BadArgument({ module: "Terminal", method: "display", cause: outputFailure })
  })
  const console = (console: Console.Console): Console.Console => {
    const log = (...words: ReadonlyArray<unknown>) => void (out += `${format(...words)}\n`)
    const error = (...words: ReadonlyArray<unknown>) => void (err += `${format(...words)}\n`)
    return {
      ...console,
      log: (...words) => Effect.sync(() => log(...words)),
      error: (...words) => Effect.sync(() => error(...words)),
      unsafe: { ...console.unsafe, log, error }
    }
  }
  enter()
  return program.run(["node", "venue", ...args], NodeConnections.layer).pipe(
    Effect.updateService(Terminal.Terminal, terminal),
    (run) => Console.consoleWith((current) => Console.withConsole(run, console(current))),
    Effect.provideService(Diagnostics.Diagnostics, diagnostics),
    Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(env)))),
    Effect.provide(NodeContext.layer),
    Effect.map((code) => ({ code, signal: null, out, err, progress })),
    Effect.ensuring(Effect.sync(leave)),
    Effect.runPromise
  )
}

type Credentials = Sandbox.Sandbox.Shape["credentials"]["main"]

/** The variables that name an account. */
export const variablesOf = ({ apiKey, apiSecret, baseUrl }: Credentials): Record<string, string> => ({
  VENUE_BASE_URL: baseUrl,
  VENUE_API_KEY: Redacted.value(apiKey),
  VENUE_API_SECRET: Redacted.value(apiSecret)
})

/** A sandbox that listens until the tests of the file are done. */
export const exchange = async (options: Sandbox.Options = {}) => {
  const scope = await Effect.runPromise(Scope.make())
  const { credentials, sandbox } = await Effect.runPromise(
    Effect.gen(function* () {
      const sandbox = yield* Sandbox.make({ seed: 7, ...options })
      const server = yield* Effect.provideService(Server.serve(), Sandbox.Sandbox, sandbox)
      return { sandbox, credentials: server.credentials }
    }).pipe(Scope.extend(scope))
  )
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  return { sandbox, credentials, variables: variablesOf(credentials.main) }
}

/** A sandbox for the tests of a file, in which nothing goes wrong unless a test says so. */
export const sharedExchange = (options: Sandbox.Options = {}) => {
  let world: Awaited<ReturnType<typeof exchange>> | undefined
  const current = () => world ?? expect.fail("the sandbox has not started")
  const faults = (...rules: ReadonlyArray<Faults.Rule>) => Effect.runPromise(current().sandbox.faults.set(rules))
  beforeAll(async () => {
    world = await exchange(options)
  })
  beforeEach(() => faults())
  return { current, faults }
}

/** Variables that name a service which is not there. */
export const nowhere = {
  VENUE_BASE_URL: "http://127.0.0.1:9",
  VENUE_API_KEY: "EXAMPLEKEY0001",
  VENUE_API_SECRET: "example-secret-0001"
}

export const day = 86_400_000

/** A day so long ago, as the command line has it. */
export const ago = (days: number): string => new Date(Date.now() - days * day).toISOString().slice(0, 10)

/** All files of a folder, by name; of the manifest all but how its run went. */
export const filesOf = (name: string): Record<string, string> =>
  Object.fromEntries(
    fs
      .readdirSync(path.join(folder(), name), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => {
        const text = fs.readFileSync(path.join(entry.parentPath, entry.name), "latin1")
        return [
          entry.name,
          entry.name === "manifest.json" ? text.slice(0, text.lastIndexOf('"run": {')) : text
        ] as const
      })
      .sort(([one], [other]) => (one < other ? -1 : 1))
  )

/** The lines of a text, without the empty ones. */
export const linesOf = (text: string): ReadonlyArray<string> => text.split("\n").filter((line) => line !== "")
