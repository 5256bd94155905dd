/** The library in a program without Effect: a plain server of Node that lists and places orders, over a `ManagedRuntime`. */
import * as Orders from "@effect-venue/services/Orders"
import type * as Venue from "@effect-venue/services/Venue"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Option from "effect/Option"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"

interface Answer {
  readonly status: number
  readonly body: unknown
}

/** A connection that stays open after its answer would delay a server that stops. */
const writeAnswer = (response: ServerResponse, { body, status }: Answer, isStopping: boolean): void => {
  if (isStopping) response.setHeader("connection", "close")
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
}

/** A failure of the library has a `_tag`; anything else is a defect. */
const fromCause = (cause: Cause.Cause<{ readonly _tag: string }>): Answer =>
  Option.match(Cause.failureOption(cause), {
    onNone: () => ({ status: 500, body: { error: "Defect" } }),
    // The write can have been executed, so the caller must not send it again.
    onSome: ({ _tag }) => ({ status: _tag === "OutcomeUnknown" ? 504 : 502, body: { error: _tag } })
  })

const textOf = async (request: IncomingMessage): Promise<string> => {
  let text = ""
  for await (const chunk of request.setEncoding("utf8")) text += String(chunk)
  return text
}

/** The server with a function that stops it: open requests are answered first, then the services are released. */
export const make = <E extends { readonly _tag: string }>(venue: Layer.Layer<Venue.Venue, E>) => {
  const runtime = ManagedRuntime.make(venue)

  const run = async <A>(effect: Effect.Effect<A, { readonly _tag: string }, Venue.Venue>): Promise<Answer> => {
    const exit = await runtime.runPromiseExit(effect)
    return Exit.isSuccess(exit) ? { status: 200, body: exit.value } : fromCause(exit.cause)
  }

  const place = (orderLinkId: string) =>
    Effect.flatMap(Orders.Orders, (orders) =>
      orders.create({
        category: "linear",
        symbol: "LTCUSDT",
        side: "Buy",
        orderType: "Limit",
        qty: "1",
        price: "20",
        orderLinkId
      })
    ).pipe(Effect.map(({ orderId }) => ({ orderId })))

  const server = createServer((request, response) => {
    const route = async (): Promise<Answer> =>
      request.method === "POST" && request.url === "/orders"
        ? run(place(await textOf(request)))
        : { status: 404, body: { error: "NotFound" } }
    route().then(
      (answer) => writeAnswer(response, answer, !server.listening),
      () => writeAnswer(response, { status: 500, body: { error: "Defect" } }, !server.listening)
    )
  })

  const stop = async (): Promise<void> => {
    await new Promise((resolve) => server.close(resolve))
    await runtime.dispose()
  }
  return { server, stop }
}
