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
import type * as Plan from "./Plan.js"

const requestId = "42c0cfb0-6bca-4da0-8b6f-0123456789ab"

const page = { list: [], nextPageCursor: "" }

/** The result of an operation; of another request, if `isForeign`. */
const resultOf = (operation: Plan.Operation, isForeign: boolean): unknown => {
  switch (operation) {
    case "read":
    case "publicRead":
      return { category: "linear", ...page }
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
} satisfies Readonly<Record<Plan.Operation, Endpoint.Properties>>

export const callOf = (operation: Plan.Operation) =>
  Effect.flatMap(Transport.Transport, (transport): Effect.Effect<unknown, Failure.Failure> => {
    switch (operation) {
      case "read":
        return transport.callWire(endpoints.read, { category: "linear" })
      case "legacyRead":
        return transport.callWire(endpoints.legacyRead, {})
      case "bareRead":
        return transport.callWire(endpoints.bareRead, {})
      case "publicRead":
        return transport.callWire(endpoints.publicRead, { category: "linear" })
      case "position":
        return transport.callWire(endpoints.position, {
          category: "linear",
          symbol: "BTCUSDT",
          positionIdx: 1,
          takeProfit: "0"
        })
      case "write":
        return transport.callWire(endpoints.write, { category: "linear", symbol: "BTCUSDT", orderId: "o" })
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

export const bodyOf = (body: Plan.Body, operation: Plan.Operation, time: number): string => {
  if (body._tag === "Text") return body.text
  const { code, isForeign, kind, message } = body
  const result = code === 0 ? resultOf(operation, isForeign) : null
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
