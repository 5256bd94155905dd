import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import type * as Control from "@effect-venue/sandbox/Control"
import { Clock, Effect } from "effect"
import { invariants } from "./invariants.js"
import { expect } from "@effect/vitest"
import * as Raw from "./raw.js"

export type Parameters = Readonly<Record<string, unknown>>

// What an answer holds is looked at as it is.
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- as above
export type Row = Record<string, any>

export interface Trader {
  readonly uid: string
  readonly get: (path: string, parameters: Parameters) => Effect.Effect<Raw.Answered>
  readonly post: (path: string, parameters: Parameters) => Effect.Effect<Raw.Answered>
  readonly code: (path: string, parameters: Parameters) => Effect.Effect<number | undefined>
  readonly rows: (path: string, parameters: Parameters) => Effect.Effect<ReadonlyArray<Row>>
  /** All pages of a list, whose rows are in a field of that name. */
  readonly all: (path: string, parameters: Parameters, field?: string) => Effect.Effect<ReadonlyArray<Row>>
  /** The id of an order that is taken; fails the test otherwise. */
  readonly place: (parameters: Parameters) => Effect.Effect<string>
  readonly order: (category: string, symbol: string, orderId: string) => Effect.Effect<Row>
  readonly position: (category: string, symbol: string, positionIdx?: number) => Effect.Effect<Row>
  /** Executions, oldest first. */
  readonly fills: (category: string, symbol?: string) => Effect.Effect<ReadonlyArray<Row>>
  readonly balance: (coin: string, accountType?: string) => Effect.Effect<string>
}

const v3 = (path: string) => (path.startsWith("/") ? path : `/cloud/trade/v3/${path}`)

export const trader = (sandbox: Sandbox.Sandbox.Shape, options: Control.OpenAccount = {}): Effect.Effect<Trader> =>
  Effect.gen(function* () {
    const credentials = yield* Effect.orDie(sandbox.control.openAccount(options))
    const send = (method: "GET" | "POST", path: string, parameters: Parameters) =>
      Effect.gen(function* () {
        const timestamp = yield* Clock.currentTimeMillis
        return Raw.read(
          yield* Effect.orDie(
            sandbox.handle(Raw.request({ method, path: v3(path), parameters, credentials, timestamp }))
          )
        )
      })
    const get = (path: string, parameters: Parameters) => send("GET", path, parameters)
    const post = (path: string, parameters: Parameters) => send("POST", path, parameters)
    const rows = (path: string, parameters: Parameters): Effect.Effect<ReadonlyArray<Row>> =>
      Effect.map(get(path, parameters), ({ json, text }) => json?.result?.list ?? expect.fail(text))
    const all = (path: string, parameters: Parameters, field = "list"): Effect.Effect<ReadonlyArray<Row>> =>
      Effect.gen(function* () {
        const found: Array<Row> = []
        let cursor = ""
        do {
          const { code, json, text } = yield* get(path, cursor === "" ? parameters : { ...parameters, cursor })
          expect(code, text).toBe(0)
          found.push(...json.result[field])
          cursor = json.result.nextPageCursor ?? json.result.cursor
        } while (cursor !== "")
        return found
      })
    const first = (path: string, parameters: Parameters) =>
      Effect.map(rows(path, parameters), ([row]) => row ?? expect.fail(`${path} is empty`))
    return {
      uid: credentials.uid,
      get,
      post,
      rows,
      all,
      code: (path, parameters) => Effect.map(post(path, parameters), ({ code }) => code),
      place: (parameters) =>
        Effect.map(post("order/create", parameters), ({ code, json, text }) => {
          expect(code, text).toBe(0)
          return String(json.result.orderId)
        }),
      order: (category, symbol, orderId) => first("order/realtime", { category, symbol, orderId }),
      position: (category, symbol, positionIdx = 0) =>
        Effect.map(
          rows("position/list", { category, symbol }),
          (list) => list.find((row) => row.positionIdx === positionIdx) ?? expect.fail("no such position")
        ),
      fills: (category, symbol) =>
        Effect.map(all("execution/list", symbol === undefined ? { category } : { category, symbol }), (list) =>
          list.toReversed()
        ),
      balance: (coin, accountType = "UNIFIED") =>
        Effect.map(first("account/wallet-balance", { accountType, coin }), (row): string => row.coin[0].walletBalance)
    }
  })

/** An empty world without limits whose prices stand still, and checks of all that must be so. */
export const world = (options: Sandbox.Options = {}) =>
  Effect.map(Sandbox.make({ seed: 5, world: "empty", prices: "still", limits: "off", ...options }), (sandbox) => ({
    sandbox,
    control: sandbox.control,
    trader: (options: Control.OpenAccount = {}) => trader(sandbox, options),
    holds: Effect.map(sandbox.snapshot, (state) => expect(invariants(state)).toEqual([]))
  }))
