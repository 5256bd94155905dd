/**
 * The network between the library and the exchange: every request takes its time, and may go wrong at each step at which a connection can.
 */
import type * as Edge from "@effect-venue/sandbox/Edge"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type * as Draws from "./Draws.js"
import type * as Exchange from "./Exchange.js"
import type * as Journal from "./Journal.js"
import type * as Plan from "./Plan.js"
import type * as Sim from "./Sim.js"

/** The call that a request belongs to. */
export class CurrentCall extends Context.Reference<CurrentCall>()("@effect-venue/simulation/CurrentCall", {
  defaultValue: () => ""
}) {}

export interface Listener {
  readonly sent: (call: string, sending: number, fault: Plan.Fault | undefined) => void
  readonly ended: (call: string, sending: number, isBan: boolean, answer: NonNullable<Journal.Ended["answer"]>) => void
}

const systemError = (code: string, syscall: string) => Object.assign(new Error(`${syscall} ${code}`), { code, syscall })

/** Errors of connections that were never made. Half of them come as `fetch` reports them. */
export const unconnected = [
  systemError("ECONNREFUSED", "connect"),
  systemError("EHOSTUNREACH", "connect"),
  systemError("ENOTFOUND", "getaddrinfo"),
  Object.assign(new Error("Connect Timeout Error"), { name: "ConnectTimeoutError", code: "UND_ERR_CONNECT_TIMEOUT" })
] as const

/** Errors of connections that were made: they prove nothing, whatever their code. */
export const broken = [
  systemError("ECONNRESET", "read"),
  systemError("EPIPE", "write"),
  systemError("ETIMEDOUT", "read"),
  systemError("EHOSTUNREACH", "read"),
  systemError("ENETUNREACH", "write"),
  systemError("ECONNREFUSED", "read"),
  Object.assign(new Error("other side closed"), { name: "SocketError", code: "UND_ERR_SOCKET" })
] as const

/** What a proxy answers for itself. */
export const proxy: Exchange.Answer = {
  status: 502,
  headers: { "content-type": "text/html" },
  body: "<html><head><title>502 Bad Gateway</title></head><body>502 Bad Gateway</body></html>",
  isBan: false
}

const utf8 = new TextEncoder()

const bytesOf = (request: HttpClientRequest.HttpClientRequest): Uint8Array =>
  request.body._tag === "Uint8Array" ? request.body.body : new Uint8Array(0)

/** An answer whose body is there at once: reading it through the platform's streams would wait for the real world. */
export const responseOf = (
  request: HttpClientRequest.HttpClientRequest,
  { body, headers, status }: Exchange.Answer,
  isCut: boolean
): HttpClientResponse.HttpClientResponse => {
  const response = HttpClientResponse.fromWeb(request, new Response(null, { status, headers: { ...headers } }))
  const failure = new HttpClientError.ResponseError({ request, response, reason: "Decode", cause: broken[0] })
  const bytes = utf8.encode(isCut ? body.slice(0, body.length >> 1) : body)
  const text = isCut ? Effect.fail(failure) : Effect.succeed(body)
  return Object.create(response, {
    text: { value: text },
    json: { value: Effect.map(text, (body): unknown => JSON.parse(body)) },
    arrayBuffer: { value: Effect.as(text, bytes.buffer) },
    stream: { value: isCut ? Stream.concat(Stream.make(bytes), Stream.fail(failure)) : Stream.make(bytes) }
  }) as HttpClientResponse.HttpClientResponse // What `Object.create` makes has no type of its own.
}

/** A client of the network. `exchange` judges a request in one step. */
export const make = (
  sim: Sim.Sim,
  draws: Draws.Draws,
  plan: Pick<Plan.Plan, "faults" | "latency">,
  exchange: (request: Exchange.Request) => Exchange.Answer,
  listener: Listener
): HttpClient.HttpClient => {
  const sendings = new Map<string, number>()
  const [first, ...others] = plan.faults.kinds

  return HttpClient.make((request, url) =>
    Effect.flatMap(CurrentCall, (call) =>
      Effect.async<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError>((resume) => {
        const sending = (sendings.get(call) ?? 0) + 1
        sendings.set(call, sending)
        const name = ["net", call, sending] as const
        const fault =
          first !== undefined && draws.chance(plan.faults.probability, ...name, "isFaulty")
            ? draws.pick([first, ...others], ...name, "fault")
            : undefined
        const there = draws.fraction(...name, "there") * plan.latency
        const back = draws.fraction(...name, "back") * plan.latency
        let isOpen = true
        listener.sent(call, sending, fault)

        const end = (
          isBan: boolean,
          kind: NonNullable<Journal.Ended["answer"]>,
          effect: Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError>
        ) => {
          if (!isOpen) return
          isOpen = false
          listener.ended(call, sending, isBan, kind)
          resume(effect)
        }
        const fail = (error: Error, kind: "broken" | "unsent" = "broken") => {
          const cause = draws.chance(0.5, ...name, "wrapped") ? new TypeError("fetch failed", { cause: error }) : error
          end(false, kind, Effect.fail(new HttpClientError.RequestError({ request, reason: "Transport", cause })))
        }
        const answer = (answer: Exchange.Answer, isCut = false) => {
          const isWhole = !isCut && answer.body !== proxy.body
          end(answer.isBan, isWhole ? "whole" : "broken", Effect.succeed(responseOf(request, answer, isCut)))
        }
        const raw: Edge.Request = {
          method: request.method,
          target: url.pathname + url.search,
          headers: request.headers,
          body: bytesOf(request)
        }
        const arrive = (isCopy = false) => exchange({ call, sending, isCopy, raw })
        const broke = () => draws.pick(broken, ...name, "error")
        // A proxy's page may say that all is well.
        const page = { ...proxy, status: draws.pick([502, 502, 200], ...name, "status") }
        switch (fault) {
          case "notConnected":
            sim.after(there, () => {
              fail(draws.pick(unconnected, ...name, "error"), "unsent")
            })
            break
          case "lostBefore":
            sim.after(there, () => {
              fail(broke())
            })
            break
          case "lostAfter":
            sim.after(there, () => {
              arrive()
              sim.after(back, () => {
                fail(broke())
              })
            })
            break
          case "silentBefore":
            break
          case "silentAfter":
            sim.after(there, () => {
              arrive()
            })
            break
          case "lateAnswer":
            sim.after(there, () => {
              const late = arrive()
              sim.after(15_000, () => {
                answer(late)
              })
            })
            break
          case "lateRequest":
            sim.after(12_000, () => {
              const late = arrive()
              sim.after(back, () => {
                answer(late)
              })
            })
            break
          case "htmlBefore":
            sim.after(there + back, () => {
              answer(page)
            })
            break
          case "htmlAfter":
            sim.after(there, () => {
              arrive()
              sim.after(back, () => {
                answer(page)
              })
            })
            break
          case "cutBody":
          case "doubled":
          case undefined:
            sim.after(there, () => {
              const response = arrive()
              if (fault === "doubled") {
                sim.after(back, () => {
                  arrive(true)
                })
              }
              sim.after(back, () => {
                answer(response, fault === "cutBody")
              })
            })
        }
        // The caller has left; what was sent is executed all the same.
        return Effect.sync(() => {
          if (isOpen) listener.ended(call, sending, false, "left")
          isOpen = false
        })
      })
    )
  )
}
