import { fork } from "node:child_process"
import type { ChildProcess } from "node:child_process"
import { fileURLToPath } from "node:url"
import type { Name, Order, Took } from "./clientProcess.js"

// What is measured has a process to itself: neither its garbage nor what the engine has learnt from another is in it.

const start = (file: string, args: ReadonlyArray<string>): ChildProcess =>
  fork(fileURLToPath(new URL(file, import.meta.url)), [...args], {
    execArgv: ["--import", new URL("../loader.mjs", import.meta.url).href]
  })

/** The next thing that a process says; fails when it ends instead. */
const said = (child: ChildProcess): Promise<unknown> =>
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
}

/** Runs a measurement with a server and clients in processes of their own, and ends them. */
export const withClients = async <N extends Name, A>(
  names: ReadonlyArray<N>,
  use: (clients: Readonly<Record<N, RemoteClient>>) => Promise<A>
): Promise<A> => {
  const server = start("./serverProcess.ts", [])
  const children: Array<ChildProcess> = []
  try {
    const url = String(await said(server))
    const open = async (name: N): Promise<readonly [string, RemoteClient]> => {
      const child = start("./clientProcess.ts", [name, url])
      children.push(child)
      await said(child)
      const run = async (order: Order): Promise<Took> => {
        child.send(order)
        const message = await said(child)
        if (isTook(message)) return message
        throw new Error(`${name}: ${JSON.stringify(message)}`)
      }
      return [name, { run }]
    }
    // One for each of the names.
    return await use(
      Object.fromEntries(await Promise.all(names.map(open))) as unknown as Readonly<Record<N, RemoteClient>>
    )
  } finally {
    for (const child of children) child.send("end")
    server.disconnect()
  }
}
