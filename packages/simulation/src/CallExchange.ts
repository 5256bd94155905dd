/**
 * The exchange that the calls of a world arrive at: the sandbox or the small exchange, under a clock of its own, at an address that may be
 * banned.
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
import type * as Network from "./Network.js"
import type * as Plan from "./Plan.js"
import * as Sim from "./Sim.js"
import * as SmallExchange from "./SmallExchange.js"

export const epoch = Date.UTC(2026, 5, 15, 12)

export const banLength = 600_000

export interface Exchange {
  readonly credentials: Credentials.Credentials.Shape
  readonly judge: (request: Network.Request) => Network.Answer
}

/** The seeded exchange, made once and shared by every run: what a run makes first would differ from what the others find. */
export const initialState = (() => {
  let state: State.State | undefined
  return (): State.State => {
    if (state !== undefined) return state
    const clock = Sim.make(Draws.make(0), { _tag: "lawful" }).makeClock(epoch).clock
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

/** How the service says that an address is banned. */
const banBodies = [
  '{"retCode":10009,"retMsg":"access too frequent","result":{},"retExtInfo":{},"time":0}',
  '{"ret_code":10009,"ret_msg":"IP has been banned","ext_code":"","result":null,"ext_info":null,"time_now":0}',
  "Access too frequent. Please try again later."
] as const

type Handled = Pick<Edge.Response, "body" | "headers" | "status">

interface Service {
  readonly credentials: Credentials.Credentials.Shape
  readonly handle: (raw: Edge.Request) => Handled
}

const sandboxed = (sim: Sim.Sim): Service => {
  const { clock } = sim.makeClock(epoch)
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

const small = (sim: Sim.Sim, { ahead, isShuffling, orderLimit }: Plan.Plan): Service => {
  const { clock } = sim.makeClock(epoch + ahead)
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

export const make = (
  sim: Sim.Sim,
  draws: Draws.Draws,
  plan: Plan.Plan,
  record: (request: Network.Request, response: Handled) => void
): Exchange => {
  const { credentials, handle } = plan.exchange === "small" ? small(sim, plan) : sandboxed(sim)
  const isBanned = () =>
    plan.bannedAt !== undefined && sim.now() >= plan.bannedAt && sim.now() < plan.bannedAt + banLength
  const banned = ({ call, sending }: Network.Request): Network.Answer => ({
    status: 403,
    headers: { "content-type": "application/json" },
    body: plan.exchange === "small" ? draws.pick(banBodies, "ban", call, sending) : banBodies[0],
    isBan: true
  })
  return {
    credentials,
    judge: (request) => {
      const answer = isBanned() ? banned(request) : { ...handle(request.raw), isBan: false }
      record(request, answer)
      return answer
    }
  }
}
