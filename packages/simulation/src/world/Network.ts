/** The network between the library and the exchange: every request takes its time, and can fail at each step at which a connection can. */
import type * as Edge from "@effect-venue/sandbox/siblings/Edge"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Faults from "./Faults.js"
import * as World from "./World.js"

/** The call that a request belongs to. */
export class CurrentCall extends Context.Reference<CurrentCall>()("@effect-venue/simulation/CurrentCall", {
  defaultValue: () => ""
}) {}

/** A request as the exchange gets it. */
export interface Request {
  readonly call: string
  readonly sending: number
  readonly isCopy: boolean
  readonly raw: Edge.Request
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** The answer is the one by which the service bans an address. */
  readonly isBan: boolean
}

const systemError = (code: string, syscall: string) => Object.assign(new Error(`${syscall} ${code}`), { code, syscall })

/** Errors before a connection exists. */
export const unconnected = [
  systemError("ECONNREFUSED", "connect"),
  systemError("EHOSTUNREACH", "connect"),
  systemError("ENOTFOUND", "getaddrinfo"),
  Object.assign(new Error("Connect Timeout Error"), { name: "ConnectTimeoutError", code: "UND_ERR_CONNECT_TIMEOUT" })
] as const

/** Errors of existing connections: they prove nothing, with any code. */
export const broken = [
  systemError("ECONNRESET", "read"),
  systemError("EPIPE", "write"),
  systemError("ETIMEDOUT", "read"),
  systemError("EHOSTUNREACH", "read"),
  systemError("ENETUNREACH", "write"),
  systemError("ECONNREFUSED", "read"),
  Object.assign(new Error("other side closed"), { name: "SocketError", code: "UND_ERR_SOCKET" })
] as const

const utf8 = new TextEncoder()

/** A page that a proxy answers itself. */
export const proxy: Answer = {
  status: 502,
  headers: { "content-type": "text/html" },
  body: "<html><head><title>502 Bad Gateway</title></head><body>502 Bad Gateway</body></html>",
  isBan: false
}

const names = new Map(Object.entries(World.entities).map(([name, character]) => [character, `&${name};`]))

const percent = (character: string, sign: string) =>
  Array.from(utf8.encode(character), (byte) => `${sign}${byte.toString(16).padStart(2, "0")}`).join("")

const unicode = (character: string, sign: string) =>
  character
    .split("")
    .map((unit) => `${sign}${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("")

/** How a page spells the characters of a text that it quotes. */
export const spellings: readonly [(character: string) => string, ...ReadonlyArray<(character: string) => string>] = [
  (character) => character,
  (character) => percent(character, "%"),
  (character) => percent(character, "%25").toUpperCase(),
  (character) => unicode(character, "\\u"),
  (character) => unicode(character, "\\\\u").replaceAll(/[a-f]/g, (digit) => digit.toUpperCase()),
  (character) => `&#${character.codePointAt(0)};`,
  (character) => `&#x0${character.codePointAt(0)?.toString(16)};`,
  (character) => names.get(character) ?? `\\${character}`,
  (character) => (character === " " ? "+" : character)
]

/** A page of a proxy, which can quote key and signature of the request. */
export const pageOf = (
  { draws, secrets }: World.World,
  { headers }: Edge.Request,
  name: ReadonlyArray<number | string>
): Answer => {
  // It can have a status of success.
  const page = { ...proxy, status: draws.pick([502, 502, 200], ...name, "status") }
  if (draws.chance(0.5, ...name, "plain")) return page
  const quoted = Object.entries(headers).flatMap(([header, value]) =>
    value !== undefined && /^x-bapi-(api-key|sign)$/i.test(header) ? [value] : []
  )
  for (const secret of quoted) secrets.add(secret)
  const spell = draws.pick(spellings, ...name, "spelling")
  return { ...page, body: `<pre>${Array.from(quoted.join(" "), spell).join("")}</pre>` }
}

/** The network of a run. `exchange` judges a request in one step. */
export interface Options {
  readonly faults: Faults.Faults
  /** How long a request or an answer takes at most, in milliseconds. */
  readonly latency: number
  readonly exchange: (request: Request) => Answer
  /** Runs when a sending of a call has ended, before the library knows of it. */
  readonly ended?: (call: string) => void
}

/** Draws the fault of a sending. Sendings of a call are counted by the function that is returned. */
export const counting = ({ draws, sim }: World.World, faults: Faults.Faults) => {
  const {
    kinds: [first, ...others],
    probability,
    until = Number.POSITIVE_INFINITY
  } = faults
  const sendings = new Map<string, number>()
  return (call: string) => {
    const sending = (sendings.get(call) ?? 0) + 1
    sendings.set(call, sending)
    const name = ["net", call, sending] as const
    const isFaulty = first !== undefined && sim.now() < until && draws.chance(probability, ...name, "isFaulty")
    return { sending, name, fault: isFaulty ? draws.pick([first, ...others], ...name, "fault") : undefined }
  }
}

const bytesOf = (request: HttpClientRequest.HttpClientRequest): Uint8Array =>
  request.body._tag === "Uint8Array" ? request.body.body : new Uint8Array(0)

/**
 * An answer whose body is there at once: reading it through the platform's streams would wait for the real world. Of one that breaks off, only
 * `received` characters arrive.
 */
export const responseOf = (
  request: HttpClientRequest.HttpClientRequest,
  { body, headers, status }: Answer,
  received?: number
): HttpClientResponse.HttpClientResponse => {
  const response = HttpClientResponse.fromWeb(request, new Response(null, { status, headers: { ...headers } }))
  const failure = new HttpClientError.ResponseError({ request, response, reason: "Decode", cause: broken[0] })
  const isCut = received !== undefined
  const bytes = utf8.encode(body.slice(0, received))
  const chunks = [bytes.slice(0, bytes.length >> 1), bytes.slice(bytes.length >> 1)]
  const text = isCut ? Effect.fail(failure) : Effect.succeed(body)
  return Object.create(response, {
    text: { value: text },
    json: { value: Effect.map(text, (body): unknown => JSON.parse(body)) },
    arrayBuffer: { value: Effect.as(text, bytes.buffer) },
    stream: { value: isCut ? Stream.concat(Stream.make(...chunks), Stream.fail(failure)) : Stream.make(...chunks) }
  }) as HttpClientResponse.HttpClientResponse // What `Object.create` makes has no type.
}

type Result = Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError>

/** How long a step takes, as a share of the latency, and which draw decides it. */
const shareOf = (step: Faults.FaultStep): "back" | "there" | undefined => {
  if (step === "arrive" || step === "unconnected" || step === "proxy") return "there"
  return step === "end" || step === "error" || step === "copy" ? "back" : undefined
}

const waiting = 12_000

/** One sending of the client. */
interface Sending extends Omit<Request, "isCopy"> {
  readonly name: ReadonlyArray<number | string>
  readonly fault?: Faults.Fault | undefined
}

/** How a sending goes on: `take` takes one step of its fault, and resumes the caller once; `leave` gives it up. */
const stepping = (
  world: World.World,
  { ended, exchange }: Options,
  request: HttpClientRequest.HttpClientRequest,
  { call, name, raw, sending }: Sending,
  resume: (result: Result) => void
) => {
  const { add, draws } = world
  let isOpen = true
  let isProxied = false
  let answer = proxy
  let received = -1
  const end = (kind: "broken" | "left" | "unsent" | "whole", result?: Result) => {
    if (!isOpen) return
    isOpen = false
    add({ _tag: "Ended", call, sending, isBan: kind !== "left" && received > 0 && answer.isBan, answer: kind })
    if (result === undefined) return
    ended?.(call)
    resume(result)
  }
  const fail = (error: Error, kind: "broken" | "unsent") => {
    const cause = draws.chance(0.5, ...name, "wrapped") ? new TypeError("fetch failed", { cause: error }) : error
    end(kind, Effect.fail(new HttpClientError.RequestError({ request, reason: "Transport", cause })))
  }
  const take = (step: Faults.FaultStep) => {
    const { length } = answer.body
    switch (step) {
      case "arrive":
        answer = exchange({ call, sending, isCopy: false, raw })
        return
      case "copy":
        return void exchange({ call, sending, isCopy: true, raw })
      case "proxy":
        answer = pageOf(world, raw, name)
        isProxied = true
        return
      case "headers":
        received = 0
        return
      case "firstHalf":
        received = length >> 1
        return
      case "secondHalf":
        received = length
        return
      case "end":
        end(isProxied ? "broken" : "whole", Effect.succeed(responseOf(request, answer)))
        return
      case "unconnected":
        fail(draws.pick(unconnected, ...name, "error"), "unsent")
        return
      case "error":
        if (received < 0) fail(draws.pick(broken, ...name, "error"), "broken")
        else end("broken", Effect.succeed(responseOf(request, answer, received)))
        return
      default:
    }
  }
  return { take, leave: () => end("left") }
}

/** Takes the steps of a sending, each in its time. Returns how its caller leaves: a request that has left is executed all the same. */
const exchanging = (
  world: World.World,
  options: Options,
  request: HttpClientRequest.HttpClientRequest,
  sent: Sending,
  resume: (result: Result) => void
) => {
  const { fault, name } = sent
  const { draws, sim } = world
  const { leave, take } = stepping(world, options, request, sent, resume)
  const run = ([step, ...others]: ReadonlyArray<Faults.FaultStep>): void => {
    if (step === undefined) return
    const share = shareOf(step)
    const delay = step === "wait" ? waiting : share === undefined ? 0 : draws.fraction(...name, share) * options.latency
    sim.after(delay, () => {
      take(step)
      run(others)
    })
  }
  run(fault === undefined ? Faults.usual : Faults.steps[fault])
  return leave
}

/** A client of the network. */
export const client = (world: World.World, options: Options): HttpClient.HttpClient => {
  const next = counting(world, options.faults)
  return HttpClient.make((request, url) =>
    Effect.flatMap(CurrentCall, (call) =>
      Effect.async<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError>((resume) => {
        const sent = { call, ...next(call) }
        const { method } = request
        const raw = { method, target: url.pathname + url.search, headers: request.headers, body: bytesOf(request) }
        if (sent.fault !== undefined) world.strike(call, sent.fault)
        world.add({ _tag: "Sent", call, sending: sent.sending })
        const leave = exchanging(world, options, request, { ...sent, raw }, resume)
        return Effect.sync(leave)
      })
    )
  )
}
