import { Effect } from "effect"
import { spawn, spawnSync } from "node:child_process"
import { networkInterfaces } from "node:os"

export interface OtherMachine {
  /** The address at which it reaches a server of this machine that listens on 0.0.0.0. */
  readonly host: string
  /** Runs a program on it, and returns its exit code and what it prints. */
  readonly run: (
    command: ReadonlyArray<string>,
    env: Readonly<Record<string, string>>
  ) => Effect.Effect<{ readonly code: number | null; readonly out: string }>
}

const ip = (...args: ReadonlyArray<string>) => spawnSync("ip", args).status === 0

const run =
  (prefix: ReadonlyArray<string>): OtherMachine["run"] =>
  (command, env) =>
    Effect.async((resume) => {
      const [program = "", ...args] = [...prefix, ...command]
      const child = spawn(program, args, { env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env } })
      let out = ""
      child.stdout.on("data", (chunk) => (out += String(chunk)))
      child.stderr.on("data", (chunk) => (out += String(chunk)))
      child.on("error", (error) => (out += error.message))
      child.on("close", (code) => resume(Effect.succeed({ code, out })))
      return Effect.sync(() => child.kill("SIGKILL"))
    })

/** Connects a network namespace of this name with the machine. Its addresses are of the range for tests of networks. */
const connect = (name: string): boolean => {
  const net = `198.18.${process.pid % 250}`
  const [near, far] = [`${name}a`, `${name}b`]
  return (
    ip("netns", "add", name) &&
    ip("link", "add", near, "type", "veth", "peer", "name", far, "netns", name) &&
    ip("addr", "add", `${net}.1/30`, "dev", near) &&
    ip("link", "set", near, "up") &&
    ip("-n", name, "addr", "add", `${net}.2/30`, "dev", far) &&
    ip("-n", name, "link", "set", far, "up")
  )
}

/** An address of this machine that is not loopback's, or loopback's if there is none. */
const ownAddress = (): string =>
  Object.values(networkInterfaces())
    .flatMap((found) => found ?? [])
    .find(({ family, internal }) => family === "IPv4" && !internal)?.address ?? "127.0.0.1"

/**
 * A network namespace with an address of its own, which loopback does not reach. Without the right to make one, programs run beside the server
 * and reach it by another address of this machine.
 */
export const otherMachine = Effect.acquireRelease(
  Effect.sync(() => {
    const name = `venue${process.pid}`
    if (connect(name)) {
      return { name, host: `198.18.${process.pid % 250}.1`, run: run(["ip", "netns", "exec", name]) }
    }
    return { name, host: ownAddress(), run: run([]) }
  }),
  ({ name }) => Effect.sync(() => ip("netns", "del", name))
)
