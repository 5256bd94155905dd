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
import type * as World from "./World.js"

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
  return { ...page, body: `<pre>${quoted.join(" ")}</pre>` }
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

/** Hears of each step of a sending. */
export interface Listener {
  readonly started?: () => void
  readonly interim?: () => void
  readonly headers: (answer: Answer) => void
  readonly data: (text: string) => void
  readonly ended: () => void
  readonly failed: (error: Error) => void
}

const waiting = 12_000

/** One sending, which takes the steps of its fault. What happens after its end is lost, unless it is an error; nothing reaches a dead process. */
export class Journey {
  isDone = false
  #isLeft = false
  #isStarted = false
  #isProxied = false
  #hasData = false
  #answer = proxy

  constructor(
    private readonly world: World.World,
    private readonly options: Options,
    private readonly sending: Omit<Request, "isCopy"> & { readonly name: ReadonlyArray<number | string> },
    private readonly listener: Listener,
    private readonly isDead: () => boolean = () => false
  ) {}

  run(script: ReadonlyArray<Faults.FaultStep>): void {
    const [step, ...others] = script
    if (step === undefined) return
    const { draws, sim } = this.world
    const { name } = this.sending
    const delay = step === "wait" ? waiting : (draws.fraction(...name, script.length) * this.options.latency) / 2
    sim.after(delay, () => {
      // A request that has left goes on without its sender; one that has not does not leave.
      if (this.isOver && (!this.#isStarted || step === "start")) return
      this.#take(step, others)
      this.run(others)
    })
  }

  /** The request leaves. */
  start(): void {
    const { call, sending } = this.sending
    this.#isStarted = true
    this.world.add({ _tag: "Sent", call, sending })
  }

  /** Its sender gives it up. A ban is known by the part that was received, if the sender looks at it. */
  leave(isLookedAt: boolean): void {
    if (this.#isLeft || this.isDone) return
    this.#isLeft = true
    this.#note(isLookedAt && this.#hasData && this.#answer.isBan, isLookedAt ? "broken" : "left")
  }

  get isOver(): boolean {
    return this.#isLeft || this.isDone || this.isDead()
  }

  #note(isBan: boolean, answer: "broken" | "left" | "unsent" | "whole"): void {
    const { call, sending } = this.sending
    if (this.#isStarted) this.world.add({ _tag: "Ended", call, sending, isBan, answer })
  }

  #take(step: Faults.FaultStep, others: ReadonlyArray<Faults.FaultStep>): void {
    const { exchange } = this.options
    const { call, name, raw, sending } = this.sending
    switch (step) {
      case "wait":
        return
      case "arrive":
        this.#answer = exchange({ call, sending, raw, isCopy: false })
        return
      case "copy":
        return void exchange({ call, sending, raw, isCopy: true })
      case "proxy":
        this.#answer = pageOf(this.world, raw, name)
        this.#isProxied = true
        return
      case "error": {
        this.#fail(this.world.draws.pick(broken, ...name, "error"), "broken")
        return
      }
      case "unconnected": {
        this.#fail(this.world.draws.pick(unconnected, ...name, "error"), "unsent")
        return
      }
      default:
        if (!this.isOver) this.#respond(step, others)
    }
  }

  #respond(
    step: "end" | "firstHalf" | "headers" | "interim" | "secondHalf" | "start",
    others: ReadonlyArray<Faults.FaultStep>
  ): void {
    const { body, isBan } = this.#answer
    const middle = body.length >> 1
    switch (step) {
      case "start":
        this.listener.started?.()
        if (!this.isOver && !others.includes("start")) this.start()
        return
      case "interim":
        return this.listener.interim?.()
      case "headers": {
        this.listener.headers(this.#answer)
        return
      }
      case "firstHalf":
        this.#hasData = true
        {
          this.listener.data(body.slice(0, middle))
          return
        }
      case "secondHalf": {
        this.listener.data(body.slice(middle))
        return
      }
      case "end":
        this.isDone = true
        this.#note(isBan, this.#isProxied ? "broken" : "whole")
        this.listener.ended()
    }
  }

  #fail(error: Error, answer: "broken" | "unsent"): void {
    if (this.#isLeft || this.isDead()) return
    if (!this.isDone) this.#note(this.#hasData && this.#answer.isBan, answer)
    this.isDone = true
    this.listener.failed(error)
  }
}

/** A client of the network. */
export const client = (world: World.World, options: Options): HttpClient.HttpClient => {
  const next = counting(world, options.faults)
  return HttpClient.make((request, url) =>
    Effect.flatMap(CurrentCall, (call) =>
      Effect.async<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError>((resume) => {
        const { fault, name, sending } = next(call)
        const { method } = request
        const raw = { method, target: url.pathname + url.search, headers: request.headers, body: bytesOf(request) }
        let answer: Answer | undefined
        let received = 0
        const end: typeof resume = (result) => {
          options.ended?.(call)
          resume(result)
        }
        const journey = new Journey(
          world,
          options,
          { call, sending, raw, name },
          {
            headers: (given) => {
              answer = given
            },
            data: (text) => {
              received += text.length
            },
            ended: () => end(Effect.succeed(responseOf(request, answer ?? proxy))),
            failed: (error) => {
              const isWrapped = world.draws.chance(0.5, ...name, "wrapped")
              const cause = isWrapped ? new TypeError("fetch failed", { cause: error }) : error
              const failure = new HttpClientError.RequestError({ request, reason: "Transport", cause })
              end(answer === undefined ? Effect.fail(failure) : Effect.succeed(responseOf(request, answer, received)))
            }
          }
        )
        if (fault !== undefined) world.strike(call, fault)
        journey.start()
        journey.run((fault === undefined ? Faults.usual : Faults.steps[fault]).filter((step) => step !== "start"))
        return Effect.sync(() => journey.leave(false))
      })
    )
  )
}
