import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Server from "@effect-venue/sandbox/Server"
import { Effect, Exit, Redacted, Scope } from "effect"
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { afterAll, inject } from "vitest"

/** How long one test may take: each starts processes, on a machine that may be busy. */
export const timeout = 180_000

/** A folder for a file of tests, in which the command is run. */
export const folder = fs.mkdtempSync(path.join(os.tmpdir(), "venue-cli-"))

afterAll(() => {
  fs.rmSync(folder, { recursive: true, force: true })
})

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly out: string
  readonly err: string
}

export interface Running {
  readonly kill: (signal?: NodeJS.Signals) => void
  readonly ended: Promise<Ended>
}

/** The command as a person runs it: a process of its own, with an environment of its own. */
export const launch = (
  args: ReadonlyArray<string>,
  env: Record<string, string> = {},
  onOutput: (output: string, kill: Running["kill"]) => void = () => undefined
): Running => {
  const child = spawn(process.execPath, [inject("venue"), ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? "", NO_COLOR: "1", ...env },
    stdio: ["ignore", "pipe", "pipe"]
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
  return { kill, ended }
}

/** The same, to its end. */
export const venue = (...args: Parameters<typeof launch>): Promise<Ended> => launch(...args).ended

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
      .readdirSync(path.join(folder, name), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => {
        const text = fs.readFileSync(path.join(entry.parentPath, entry.name), "latin1")
        return [entry.name, entry.name === "manifest.json" ? text.replace(/"run": \{[^}]*\}/, "") : text] as const
      })
      .sort(([one], [other]) => (one < other ? -1 : 1))
  )

/** The lines of a text, without the empty ones. */
export const linesOf = (text: string): ReadonlyArray<string> => text.split("\n").filter((line) => line !== "")
