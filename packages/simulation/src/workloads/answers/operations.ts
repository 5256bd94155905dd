/** The operations that are called, and their answers. */
import * as AssetsSchemas from "@effect-venue/schemas/Assets"
import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import * as Executions from "@effect-venue/schemas/Executions"
import * as Instruments from "@effect-venue/schemas/Instruments"
import * as Orders from "@effect-venue/schemas/Orders"
import * as Positions from "@effect-venue/schemas/Positions"
import type * as Failure from "@effect-venue/transport/Failure"
import * as Transport from "@effect-venue/transport/Transport"
import * as Effect from "effect/Effect"
import * as Network from "../../world/Network.js"
import type * as Plan from "./Plan.js"

const requestId = "42c0cfb0-6bca-4da0-8b6f-0123456789ab"

const order = { symbol: "BTCUSDT", orderId: "o" }

const page = { list: [], nextPageCursor: "" }

/** The result of an operation; of another request, if `isForeign`. */
const resultOf = ({ category, operation }: Plan.AnsweredCall, isForeign: boolean): unknown => {
  switch (operation) {
    case "read":
    case "publicRead":
      return { category, ...page }
    case "legacyRead":
      return { rows: [], cursor: "" }
    case "bareRead":
      return { list: [], cursor: "" }
    case "write":
      return { orderId: isForeign ? "p" : "o", orderLinkId: "" }
    case "position":
      return {}
    case "transfer":
      return { transferId: isForeign ? requestId.replace("4", "5") : requestId }
  }
}

export const endpoints = {
  read: Executions.list,
  legacyRead: AssetsSchemas.deposits,
  bareRead: AssetsSchemas.subAccountTransfers,
  publicRead: Instruments.list,
  position: Positions.setTradingStop,
  write: Orders.cancel,
  transfer: AssetsSchemas.transfer
} satisfies Readonly<Record<Plan.AnswerOperation, Endpoint.Properties>>

export const callOf = ({ category, operation }: Plan.AnsweredCall) =>
  Effect.flatMap(Transport.Transport, (transport): Effect.Effect<unknown, Failure.Failure> => {
    switch (operation) {
      case "read":
        return transport.callWire(endpoints.read, { category })
      case "legacyRead":
        return transport.callWire(endpoints.legacyRead, {})
      case "bareRead":
        return transport.callWire(endpoints.bareRead, {})
      case "publicRead":
        return transport.callWire(endpoints.publicRead, { category })
      case "position":
        return transport.callWire(endpoints.position, {
          category,
          symbol: "BTCUSDT",
          positionIdx: 1,
          takeProfit: "0"
        })
      case "write":
        return transport.callWire(
          endpoints.write,
          category === "spot" ? { category, ...order } : { category, ...order }
        )
      case "transfer":
        return transport.callWire(endpoints.transfer, {
          requestId,
          coin: "USDT",
          amount: "1",
          fromAccountType: "UNIFIED",
          toAccountType: "FUND"
        })
    }
  })

/** The key and the signature of a request, as its headers have them. */
export interface Quoted {
  readonly key: string
  readonly sign: string
}

/** A page with its quotes in one spelling. */
const quoting = (text: string, { key, sign }: Quoted, spelling: number): string => {
  const spell = (secret: string) => Array.from(secret, Network.spellings[spelling] ?? String).join("")
  return text.replaceAll("{key}", () => spell(key)).replaceAll("{sign}", () => spell(sign))
}

/** The excerpt of a page in a failure. */
export const scrub = (text: string, { key, sign }: Quoted): string => {
  const left = (secret: string) => (secret === "" ? "" : "<redacted>")
  const whole = text.replaceAll("{key}", left(key)).replaceAll("{sign}", left(sign))
  return whole.length > 512 ? `${whole.slice(0, 512)}…` : whole
}

export const bodyOf = (call: Plan.AnsweredCall, time: number, quoted: Quoted): string => {
  const { body } = call.answer
  if (body._tag === "Text") return quoting(body.text, quoted, call.spelling)
  const { code, isForeign, kind, message } = body
  const result = code === 0 ? resultOf(call, isForeign) : null
  switch (kind) {
    case "standard":
      return JSON.stringify({ retCode: code, retMsg: message, result, retExtInfo: {}, time })
    case "legacy":
      return JSON.stringify({ ret_code: code, ret_msg: message, ext_code: "", result, ext_info: null, time_now: time })
    case "bare":
      return JSON.stringify({ ret_code: code, ret_msg: message, result })
  }
}

export const headersOf = (
  { limit, remaining, reset }: Plan.Answer,
  time: number
): Readonly<Record<string, string>> => ({
  ...(limit === undefined ? {} : { "x-bapi-limit": limit }),
  ...(remaining === undefined ? {} : { "x-bapi-limit-status": remaining }),
  ...(reset === undefined
    ? {}
    : { "x-bapi-limit-reset-timestamp": typeof reset === "number" ? String(time + reset) : reset })
})
