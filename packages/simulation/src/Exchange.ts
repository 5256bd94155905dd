/**
 * The exchange of a world: the sandbox under a clock of its own, and an address that may be banned. It judges a request in one step,
 * whether or not its caller still waits.
 */
import type * as Edge from "@effect-venue/sandbox/Edge"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import type * as State from "@effect-venue/sandbox/State"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Draws from "./Draws.js"
import type * as Plan from "./Plan.js"
import type * as Recorder from "./Recorder.js"
import * as Sim from "./Sim.js"

export const epoch = Date.UTC(2026, 5, 15, 12)

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
const initialState = (() => {
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

interface Codes {
  readonly retCode?: number
  readonly ret_code?: number
  readonly retExtInfo?: { readonly list?: ReadonlyArray<{ readonly code: number }> }
}

/** What the exchange granted by an answer. */
const grantedBy = (call: Plan.Call, { body, status }: Edge.Response, wishes: ReadonlyArray<string>) => {
  if (status !== 200) return { code: 0, executed: [] }
  // The sandbox's own answers are JSON.
  const answer = JSON.parse(body) as Codes
  const code = answer.retCode ?? answer.ret_code ?? 0
  if (code !== 0) return { code, executed: [] }
  const slots = answer.retExtInfo?.list
  return {
    code,
    executed: call.kind === "batch" ? wishes.filter((_, index) => slots?.[index]?.code === 0) : wishes
  }
}

/** The orders of a batch request, or the call itself. */
const wishesIn = (call: Plan.Call, { body }: Edge.Request): ReadonlyArray<string> =>
  call.kind === "batch"
    ? [...new TextDecoder().decode(body).matchAll(/"orderLinkId":"([^"]+)"/g)].map(([, link = ""]) => link)
    : [call.id]

const banned = (): Answer => ({
  status: 403,
  headers: { "content-type": "application/json" },
  body: '{"retCode":10009,"retMsg":"access too frequent","result":{},"retExtInfo":{},"time":0}',
  isBan: true
})

/** Makes the exchange of a run, which records what arrives. */
export const make = (
  sim: Sim.Sim,
  { bannedAt, calls: planned }: Pick<Plan.Plan, "bannedAt" | "calls">,
  { add }: Recorder.Recorder
) => {
  const calls = new Map(planned.map((call) => [call.id, call]))
  const record = ({ call, isCopy, raw, sending }: Request, response: Edge.Response) => {
    const wanted = calls.get(call)
    if (wanted === undefined) throw new Error(`a request of no call: ${raw.target}`)
    const wishes = wishesIn(wanted, raw)
    const { code, executed } = grantedBy(wanted, response, wishes)
    add(
      { _tag: "Arrived", call, sending, wishes, executed, code, status: response.status, isCopy },
      `exchange ${call}.${sending} ${response.status} ${code} executed ${executed.join(" ")}`
    )
  }
  const { clock } = sim.makeClock(epoch)
  const sandbox = Effect.runSync(Effect.withClock(Sandbox.make({ state: initialState(), prices: "still" }), clock))
  const isBanned = () => bannedAt !== undefined && sim.now() >= bannedAt && sim.now() < bannedAt + banLength
  return {
    credentials: sandbox.credentials.main,
    judge: (request: Request): Answer => {
      if (isBanned()) {
        record(request, banned())
        return banned()
      }
      const exit = Effect.runSyncExit(Effect.withClock(sandbox.handle(request.raw), clock))
      if (Exit.isFailure(exit)) throw new Error(`the exchange failed: ${Cause.pretty(exit.cause)}`)
      record(request, exit.value)
      return { ...exit.value, isBan: false }
    }
  }
}
