/** Servers that a test starts itself. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as net from "node:net"

export interface Listening {
  /** The open connections. */
  readonly open: ReadonlySet<net.Socket>
  readonly port: number
  readonly url: string
}

/** Listens on a free port until the scope closes, and then ends all connections. Errors of sockets are ignored. */
export const listen = (server: net.Server): Effect.Effect<Listening, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.async<ReadonlySet<net.Socket>>((resume) => {
      const open = new Set<net.Socket>()
      server.on("connection", (socket: net.Socket) => {
        open.add(socket)
        socket.on("error", () => undefined)
        socket.on("close", () => open.delete(socket))
      })
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(open)))
    }),
    (open) =>
      Effect.sync(() => {
        for (const socket of open) socket.destroy()
        server.close()
      })
  ).pipe(
    Effect.map((open) => {
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      return { open, port, url: `http://127.0.0.1:${port}` }
    })
  )
