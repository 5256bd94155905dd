import { formatAddress } from "@effect-venue/schemas/siblings/Words"
import * as RunnerAddress from "@effect/cluster/RunnerAddress"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { connect, createServer } from "node:net"
import { Refusal } from "../run/failures.js"

// The address of this process for the other processes of a fleet.

const standardPort = 5432

const connectTimeout = 10_000

const loopback = "127.0.0.1"

const parse = (text: string): RunnerAddress.RunnerAddress | undefined => {
  const { host, port } = /^(?<host>\[[^\]]+\]|[^:]+):(?<port>\d{1,5})$/.exec(text)?.groups ?? {}
  const number = Number(port)
  if (host === undefined || number < 1 || number > 65_535) return undefined
  return RunnerAddress.make(host.replace(/^\[|\]$/g, ""), number)
}

/** The address of this machine from which a database is reached: there the others reach it too, as they share that database. */
const localAddress = (url: Redacted.Redacted): Effect.Effect<string, string> =>
  Effect.async((resume) => {
    const { hostname, port } = new URL(Redacted.value(url))
    // Over a socket in the file system all processes are on one machine.
    if (hostname === "") {
      resume(Effect.succeed(loopback))
      return
    }
    const host = hostname.replace(/^\[|\]$/g, "")
    const socket = connect({ host, port: port === "" ? standardPort : Number(port), timeout: connectTimeout })
    const end = (result: Effect.Effect<string, string>) => {
      socket.destroy()
      resume(result)
    }
    socket.once("connect", () => {
      end(Effect.succeed(socket.localAddress ?? loopback))
    })
    socket.once("timeout", () => {
      end(Effect.fail("it did not answer"))
    })
    socket.once("error", ({ message }) => {
      end(Effect.fail(message))
    })
    return Effect.sync(() => socket.destroy())
  })

/** A port that no process listens on. */
const freePort = (host: string): Effect.Effect<number, string> =>
  Effect.async((resume) => {
    const server = createServer()
    server.once("error", ({ message }) => {
      resume(Effect.fail(message))
    })
    server.listen(0, host, () => {
      const found = server.address()
      server.close(() => {
        resume(
          typeof found === "object" && found !== null
            ? Effect.succeed(found.port)
            : Effect.fail("there is no free port")
        )
      })
    })
  })

/** The configured address, or the one from which this machine reaches the database, with a free port. Fails with the obstacle. */
export const address = (
  address: string | undefined,
  database: Redacted.Redacted
): Effect.Effect<RunnerAddress.RunnerAddress, string | Refusal> => {
  if (address === undefined) {
    return Effect.flatMap(localAddress(database), (host) =>
      Effect.map(freePort(host), (port) => RunnerAddress.make(host, port))
    )
  }
  const parsed = parse(address)
  return parsed === undefined
    ? Effect.fail(new Refusal({ message: `--listen: "${address}" is not host:port, such as 10.0.0.11:34431` }))
    : Effect.succeed(parsed)
}

/** The port cannot be listened on. */
export const refuse = ({ host, port }: RunnerAddress.RunnerAddress, error: { readonly cause?: unknown }): Refusal =>
  new Refusal({
    message: `--listen ${formatAddress(host, port)}: ${error.cause instanceof Error ? error.cause.message : "it cannot be listened on"}`
  })
