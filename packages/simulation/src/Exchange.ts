/**
 * The exchange of a world: the sandbox or the small exchange, under a clock of its own, at an address that may be banned. It judges a
 * request in one step, whether or not its caller still waits.
 */
import type * as Edge from "@effect-venue/sandbox/Edge"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import type * as State from "@effect-venue/sandbox/State"
import * as Credentials from "@effect-venue/signing/Credentials"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import * as Draws from "./Draws.js"
import type * as Plan from "./Plan.js"
import type * as Recorder from "./Recorder.js"
import * as Sim from "./Sim.js"
import * as SmallExchange from "./SmallExchange.js"

export const banLength = 600_000

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

/** The seeded exchange, made once and shared by every run: what a run makes first would differ from what the others find. */
export const initialState = (() => {
  let state: State.State | undefined
  return (): State.State => {
    if (state !== undefined) return state
    const clock = Sim.make(Draws.make(0), { _tag: "lawful" }).makeClock(Sim.epoch).clock
    const sandbox = Effect.runSync(
      Effect.withClock(
        Effect.flatMap(Sandbox.make({ seed: 3, prices: "still" }), (sandbox) => sandbox.snapshot),
        clock
      )
    )
    state = sandbox
    return sandbox
  }
})()

interface Codes {
  readonly retCode?: number
  readonly ret_code?: number
  readonly result?: { readonly list?: ReadonlyArray<{ readonly orderLinkId?: string }> } | null
  readonly retExtInfo?: { readonly list?: ReadonlyArray<{ readonly code: number }> }
}

type Handled = Pick<Edge.Response, "body" | "headers" | "status">

/** What the exchange granted by an answer. */
const grantedBy = (call: Plan.Call, { body, status }: Handled, wishes: ReadonlyArray<string>) => {
  if (status !== 200) return { code: 0, executed: [] }
  // The exchanges' own answers are JSON.
  const answer = JSON.parse(body) as Codes
  const code = answer.retCode ?? answer.ret_code ?? 0
  if (code !== 0) return { code, executed: [] }
  const granted = answer.result?.list?.filter((_, index) => answer.retExtInfo?.list?.[index]?.code === 0)
  return {
    code,
    executed:
      call.kind === "batch" ? wishes.filter((wish) => granted?.some(({ orderLinkId }) => orderLinkId === wish)) : wishes
  }
}

/** The orders of a batch request, or the call itself. */
const wishesIn = (call: Plan.Call, { body }: Edge.Request): ReadonlyArray<string> =>
  call.kind === "batch"
    ? [...new TextDecoder().decode(body).matchAll(/"orderLinkId":"([^"]+)"/g)].map(([, link = ""]) => link)
    : [call.id]

/** How the service says that an address is banned. */
const banBodies = [
  '{"retCode":10009,"retMsg":"access too frequent","result":{},"retExtInfo":{},"time":0}',
  '{"ret_code":10009,"ret_msg":"IP has been banned","ext_code":"","result":null,"ext_info":null,"time_now":0}',
  "Access too frequent. Please try again later."
] as const

interface Service {
  readonly credentials: Credentials.Credentials.Shape
  readonly handle: (raw: Edge.Request) => Handled
}

const sandboxed = (sim: Sim.Sim): Service => {
  const { clock } = sim.makeClock(Sim.epoch)
  const sandbox = Effect.runSync(Effect.withClock(Sandbox.make({ state: initialState(), prices: "still" }), clock))
  return {
    credentials: sandbox.credentials.main,
    handle: (raw) => {
      const exit = Effect.runSyncExit(Effect.withClock(sandbox.handle(raw), clock))
      if (Exit.isFailure(exit)) throw new Error(`the exchange failed: ${Cause.pretty(exit.cause)}`)
      return exit.value
    }
  }
}

const small = (sim: Sim.Sim, { ahead = 0, isShuffling, orderLimit }: Planned): Service => {
  const { clock } = sim.makeClock(Sim.epoch + ahead)
  const { handle } = SmallExchange.make({ isShuffling, orderLimit })
  return {
    credentials: {
      baseUrl: "https://exchange.example",
      apiKey: Redacted.make("simulatedkey"),
      apiSecret: Redacted.make("simulatedsecret0123456789abcdef"),
      recvWindow: Credentials.defaultRecvWindow
    },
    handle: (raw) => handle(raw, clock.unsafeCurrentTimeMillis())
  }
}

/** What a plan says of the exchange. Defaults to the sandbox. */
export interface Planned extends Pick<Plan.Plan, "bannedAt" | "calls" | "isShuffling" | "orderLimit"> {
  readonly exchange?: Plan.Plan["exchange"]
  readonly ahead?: number
}

/** Makes the exchange of a run, which records what arrives. */
export const make = (sim: Sim.Sim, draws: Draws.Draws, plan: Planned, { add }: Recorder.Recorder) => {
  const { bannedAt } = plan
  const calls = new Map(plan.calls.map((call) => [call.id, call]))
  const record = ({ call, isCopy, raw, sending }: Request, response: Handled) => {
    const wanted = calls.get(call)
    if (wanted === undefined) throw new Error(`a request of no call: ${raw.target}`)
    const wishes = wishesIn(wanted, raw)
    const { code, executed } = grantedBy(wanted, response, wishes)
    add(
      { _tag: "Arrived", call, sending, wishes, executed, code, status: response.status, isCopy },
      `exchange ${call}.${sending} ${response.status} ${code} executed ${executed.join(" ")}`
    )
  }
  const { credentials, handle } = plan.exchange === "small" ? small(sim, plan) : sandboxed(sim)
  const isBanned = () => bannedAt !== undefined && sim.now() >= bannedAt && sim.now() < bannedAt + banLength
  const banned = ({ call, sending }: Request): Answer => ({
    status: 403,
    headers: { "content-type": "application/json" },
    body: plan.exchange === "small" ? draws.pick(banBodies, "ban", call, sending) : banBodies[0],
    isBan: true
  })
  return {
    credentials,
    judge: (request: Request): Answer => {
      const answer = isBanned() ? banned(request) : { ...handle(request.raw), isBan: false }
      record(request, answer)
      return answer
    }
  }
}
