/**
 * The exchange of a world: the sandbox or the small exchange, with a separate clock, at an address that can be banned. It judges a
 * request in one step, whether or not its caller still waits.
 */
import type * as Edge from "@effect-venue/sandbox/siblings/Edge"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import type * as Exchange from "@effect-venue/sandbox/siblings/Exchange"
import * as Credentials from "@effect-venue/signing/Credentials"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import * as Draws from "../kernel/Draws.js"
import * as Sim from "../kernel/Sim.js"
import type * as Network from "../world/Network.js"
import type * as World from "../world/World.js"
import * as SmallExchange from "./SmallExchange.js"

export const banLength = 600_000

/** The seeded exchange, created once and shared by every run: a run that created it first would differ from the others. */
export const initialState = (() => {
  let state: Exchange.State | undefined
  return (): Exchange.State => {
    const clock = () => Sim.make(Draws.make(0), { _tag: "lawful" }).makeClock(Sim.epoch).clock
    state ??= Effect.runSync(
      Effect.withClock(
        Effect.flatMap(Sandbox.make({ seed: 3, prices: "still" }), (sandbox) => sandbox.snapshot),
        clock()
      )
    )
    return state
  }
})()

/** The name of requests that belong to no call, such as look-ups: they are not recorded. */
export const noCall = "none"

/** A call as the exchange finds its wishes in a request. */
export interface ExchangeCall {
  readonly id: string
  readonly isBatch: boolean
  /** The request id of a transfer. */
  readonly requestId?: string | undefined
}

/**
 * What is wrong with the answers to batches. `shuffled`: the slots are in another order than the request. `doubtful`: the code of the last order does not say
 * that it was created. `hole`: its slot is missing too. `codeless` or `empty`: there is no code for any order, or no list of codes.
 */
export type Batches = "codeless" | "doubtful" | "empty" | "hole" | "right" | "shuffled"

export interface Options extends SmallExchange.Options {
  readonly batches: Batches
  readonly exchange: "sandbox" | "small"
  /** The exchange's clock minus a right one, in milliseconds; the sandbox's is 0. */
  readonly ahead: number
  /** The answer to each batch states another limit, of 1 to 3 orders: the next one is sent in other parts. */
  readonly isLimitChanging?: boolean | undefined
  /** When the address is banned for ten minutes, in milliseconds after the start. */
  readonly bannedAt?: number | undefined
}

interface Codes {
  readonly retCode?: number
  readonly ret_code?: number
  readonly result?: { readonly list?: ReadonlyArray<{ readonly orderLinkId?: string }> } | null
  readonly retExtInfo?: { readonly list?: ReadonlyArray<{ readonly code: number }> }
}

type Handled = Pick<Edge.Response, "body" | "headers" | "status">

/** The wishes that the exchange granted by an answer. */
const readGrants = ({ isBatch }: ExchangeCall, { body, status }: Handled, wishes: ReadonlyArray<string>) => {
  if (status !== 200) return { code: 0, executed: [] }
  // The exchanges answer in JSON.
  const answer = JSON.parse(body) as Codes
  const code = answer.retCode ?? answer.ret_code ?? 0
  if (code !== 0) return { code, executed: [] }
  const granted = answer.result?.list?.filter((_, index) => answer.retExtInfo?.list?.[index]?.code === 0)
  // The orders of a batch are refused one by one.
  const isLimited = isBatch && answer.retExtInfo?.list?.some(({ code }) => code === 10006) === true
  const isGranted = (wish: string) => granted?.some(({ orderLinkId }) => orderLinkId === wish) === true
  return { code: isLimited ? 10006 : code, executed: isBatch ? wishes.filter(isGranted) : wishes }
}

/** The orders of a batch request, or the call itself; of a transfer under another id, that id. */
const wishesIn = ({ id, isBatch, requestId }: ExchangeCall, { body }: Edge.Request): ReadonlyArray<string> => {
  if (!isBatch && requestId === undefined) return [id]
  const text = new TextDecoder().decode(body)
  if (isBatch) return [...text.matchAll(/"orderLinkId":"([^"]+)"/g)].map(([, link = ""]) => link)
  const sentAs = /"requestId":"([^"]+)"/.exec(text)?.[1] ?? ""
  return [sentAs === requestId ? id : sentAs]
}

const doubtful = { code: 10016, msg: "Server error." }

/** The answer to a batch, with what is wrong with it. */
const changeResponse = (response: Handled, batches: Batches): Handled => {
  if (response.status !== 200) return response
  // The exchanges answer in JSON.
  const { result, retExtInfo, ...rest } = JSON.parse(response.body) as Codes
  const [slots, codes] = [result?.list, retExtInfo?.list]
  if (slots === undefined || codes === undefined) return response
  const said = (slots: ReadonlyArray<unknown>, codes: ReadonlyArray<unknown> | null) => ({
    ...response,
    body: JSON.stringify({ ...rest, result: { list: slots }, retExtInfo: codes === null ? null : { list: codes } })
  })
  switch (batches) {
    case "shuffled":
      return said(slots.toReversed(), codes.toReversed())
    case "codeless":
      return said(
        slots,
        slots.map(() => null)
      )
    case "doubtful":
      return said(slots, [...codes.slice(0, -1), doubtful])
    case "hole":
      return said([...slots.slice(0, -1), null], [...codes.slice(0, -1), doubtful])
    case "empty":
      return said(slots, null)
    default:
      return response
  }
}

/** Answers by which the service bans an address. */
const banBodies = [
  '{"retCode":10009,"retMsg":"access too frequent","result":{},"retExtInfo":{},"time":0}',
  '{"ret_code":10009,"ret_msg":"IP has been banned","ext_code":"","result":null,"ext_info":null,"time_now":0}',
  "Access too frequent. Please try again later."
] as const

interface Service {
  readonly accounts: Readonly<Record<"main" | "sub", Credentials.Credentials.Shape>>
  readonly handle: (raw: Edge.Request) => Handled
}

const makeSandbox = (sim: Sim.Sim): Service => {
  const { clock } = sim.makeClock(Sim.epoch)
  const sandbox = Effect.runSync(Effect.withClock(Sandbox.make({ state: initialState(), prices: "still" }), clock))
  return {
    accounts: sandbox.credentials,
    handle: (raw) => {
      const exit = Effect.runSyncExit(Effect.withClock(sandbox.handle(raw), clock))
      if (Exit.isFailure(exit)) throw new Error(`the exchange failed: ${Cause.pretty(exit.cause)}`)
      return exit.value
    }
  }
}

/** Of all credentials for the small exchange. */
export const uid = "1001"

/** Credentials for an exchange that checks no signature. */
export const credentials: Credentials.Credentials.Shape = {
  baseUrl: "https://exchange.example",
  apiKey: Redacted.make("simulated-key"),
  apiSecret: Redacted.make("simulatedsecret0123456789abcdef"),
  uid,
  recvWindow: Credentials.defaultRecvWindow
}

const small = (sim: Sim.Sim, options: Options): Service => {
  const { clock } = sim.makeClock(Sim.epoch + options.ahead)
  const { handle } = SmallExchange.make(options)
  return {
    accounts: { main: credentials, sub: credentials },
    handle: (raw) => handle(raw, clock.unsafeCurrentTimeMillis())
  }
}

/** The exchange of a run, which records the requests that arrive. */
export const make = (
  { add, draws, secrets, sim }: World.World,
  calls: ReadonlyArray<ExchangeCall>,
  options: Options
) => {
  const { bannedAt, batches, exchange, isLimitChanging } = options
  const known = new Map(calls.map((call) => [call.id, call]))
  const record = ({ call, isCopy, raw, sending }: Network.Request, response: Handled) => {
    if (call === noCall) return
    const made = known.get(call)
    if (made === undefined) throw new Error(`a request of no call: ${raw.target}`)
    const wishes = wishesIn(made, raw)
    const { code, executed } = readGrants(made, response, wishes)
    add({ _tag: "Arrived", call, sending, wishes, executed, code, status: response.status, isCopy })
  }
  const service = exchange === "small" ? small(sim, options) : makeSandbox(sim)
  for (const { apiSecret } of [service.accounts.main, service.accounts.sub]) secrets.add(Redacted.value(apiSecret))
  const isBanned = () => bannedAt !== undefined && sim.now() >= bannedAt && sim.now() < bannedAt + banLength
  const statedLimit = ({ call, sending }: Network.Request) => {
    const limit = 1 + draws.int(3, "limit", call, sending, sim.now())
    return { "X-Bapi-Limit": String(limit), "X-Bapi-Limit-Status": String(limit - 1) }
  }
  const makeBan = ({ call, sending }: Network.Request): Network.Answer => ({
    status: 403,
    headers: { "content-type": "application/json" },
    body: exchange === "small" ? draws.pick(banBodies, "ban", call, sending) : banBodies[0],
    isBan: true
  })
  return {
    accounts: service.accounts,
    judge: (request: Network.Request): Network.Answer => {
      const answer = isBanned() ? makeBan(request) : { ...service.handle(request.raw), isBan: false }
      record(request, answer)
      if (known.get(request.call)?.isBatch !== true) return answer
      const headers = isLimitChanging === true ? { ...answer.headers, ...statedLimit(request) } : answer.headers
      return { ...answer, ...changeResponse(answer, batches), headers }
    }
  }
}
