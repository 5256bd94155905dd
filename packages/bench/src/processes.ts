import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { fork } from "node:child_process"
import type { ChildProcess } from "node:child_process"
import { fileURLToPath } from "node:url"
import type { Name, Order, Took } from "./clientProcess.js"

// Each measurement runs in a separate process, free of the garbage and the optimised code of others.

const start = (file: string, args: ReadonlyArray<string>): ChildProcess =>
  fork(fileURLToPath(new URL(file, import.meta.url)), [...args], {
    execArgv: ["--import", new URL("../loader.mjs", import.meta.url).href]
  })

/** Returns the next message of a process; fails if it ends. */
export const said = (child: ChildProcess): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const onMessage = (message: unknown) => {
      child.off("exit", onExit)
      resolve(message)
    }
    const onExit = (code: number | null) => {
      child.off("message", onMessage)
      reject(new Error(`a process of the measurement ended with ${code ?? "a signal"}`))
    }
    child.once("message", onMessage)
    child.once("exit", onExit)
  })

const isTook = (message: unknown): message is Took =>
  typeof message === "object" && message !== null && "wall" in message && "cpu" in message

export interface RemoteClient {
  readonly run: (order: Order) => Promise<Took>
  /** Sends a message and returns the reply. */
  readonly ask: (message: string) => Promise<unknown>
}

/** Starts a process that ends with the scope. */
export const started = (file: string, args: ReadonlyArray<string>, stop: (child: ChildProcess) => void) =>
  Effect.acquireRelease(
    Effect.sync(() => start(file, args)),
    (child) => Effect.sync(() => stop(child))
  )

/** Starts a client in a separate process that ends with the scope. */
export const remote = (file: string, args: ReadonlyArray<string>): Effect.Effect<RemoteClient, never, Scope.Scope> =>
  Effect.gen(function* () {
    const child = yield* started(file, args, (process) => process.send("end"))
    yield* Effect.promise(() => said(child))
    const run = async (order: Order): Promise<Took> => {
      child.send(order)
      const message = await said(child)
      if (isTook(message)) return message
      throw new Error(`${args[0] ?? file}: ${JSON.stringify(message)}`)
    }
    const ask = (message: string): Promise<unknown> => {
      child.send(message)
      return said(child)
    }
    return { run, ask }
  })

const client = (name: Name, url: string): Effect.Effect<RemoteClient, never, Scope.Scope> =>
  remote("./clientProcess.ts", [name, url])

/** Starts a server and clients in separate processes that end with the scope. */
export const withClients = <N extends Name>(
  names: ReadonlyArray<N>
): Effect.Effect<Readonly<Record<N, RemoteClient>>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const server = yield* started("./serverProcess.ts", [], (process) => process.disconnect())
    const url = String(yield* Effect.promise(() => said(server)))
    const clients: Array<readonly [string, RemoteClient]> = []
    for (const name of names) clients.push([name, yield* client(name, url)])
    // One client per name.
    return Object.fromEntries(clients) as unknown as Readonly<Record<N, RemoteClient>>
  })
