/**
 * An exchange of a page, beside the sandbox: orders, their cancellation, batches, transfers and a list, with receive windows and limits.
 * It shares no code with the sandbox, and answers in a tenth of its time. It checks no signature.
 */
import type * as Edge from "@effect-venue/sandbox/siblings/Edge"

export interface Options {
  /** Orders a second that an account can create, if that is not the documented number. */
  readonly orderLimit?: number | undefined
  /** By how much the instants are wrong at which limits are to be free again, in milliseconds. */
  readonly resetShift?: number | undefined
}

export interface SmallExchange {
  /** Judges a request in one step. `now` is the exchange's clock. */
  readonly handle: (request: Edge.Request, now: number) => Edge.Response
}

/** The result of an operation: the content of its envelope, without code and time. */
interface Done {
  readonly code: number
  readonly message?: string
  readonly result?: unknown
  readonly extended?: unknown
}

interface SmallOperation {
  readonly isLegacy?: boolean
  /** Places a second; an operation without a limit is public. */
  readonly limit?: number
  readonly places?: (request: Parameters) => number
  /** `places` is how many places the limit had for it. */
  readonly run: (request: Parameters, places: number) => Done
}

type Parameters = Readonly<Record<string, unknown>>

const window = 1_000

/** The size of the largest order that the account has money for. */
const mostOrdered = 1_000

const text = (value: unknown): string => (typeof value === "string" ? value : "")

/** Arrivals in a rolling second. */
const makeWindow = (limit: number, resetShift: number) => {
  let arrivals: Array<number> = []
  return {
    take: (now: number, asked: number) => {
      arrivals = arrivals.filter((at) => at > now - window)
      const places = Math.max(0, Math.min(asked, limit - arrivals.length))
      for (let place = 0; place < places; place++) arrivals.push(now)
      const reset = places > 0 ? now : (arrivals[0] ?? now) + window
      const headers = {
        "X-Bapi-Limit": String(limit),
        "X-Bapi-Limit-Status": String(limit - arrivals.length),
        "X-Bapi-Limit-Reset-Timestamp": String(reset + resetShift)
      }
      return { places, headers }
    }
  }
}

const tooMany = { code: 10_006, message: "Too many visits!" }
const tooLittle = { code: 110_007, message: "ab not enough for new order" }

/** The operations of one account. */
const operationsOf = ({ orderLimit = 10 }: Options): Readonly<Record<string, SmallOperation>> => {
  const orders = new Map<string, "canceled" | "open">()
  const create = (link: string): Done => {
    if (orders.has(link)) return { code: 110_072, message: "OrderLinkedID is duplicate" }
    orders.set(link, "open")
    return { code: 0, result: { orderId: `order-${orders.size}`, orderLinkId: link } }
  }
  // The library's requests are as documented.
  const partsOf = ({ request }: Parameters) => (Array.isArray(request) ? (request as ReadonlyArray<Parameters>) : [])
  return {
    "/cloud/trade/v3/order/create": { limit: orderLimit, run: ({ orderLinkId }) => create(text(orderLinkId)) },
    "/cloud/trade/v3/order/cancel": {
      limit: 10,
      run: ({ orderLinkId }) => {
        const link = text(orderLinkId)
        const state = orders.get(link)
        if (state === undefined) return { code: 110_001, message: "order not exists or too late to replace" }
        if (state === "canceled") return { code: 110_008, message: "Order has been finished or canceled" }
        orders.set(link, "canceled")
        return { code: 0, result: { orderId: `order-of-${link}`, orderLinkId: link } }
      }
    },
    "/cloud/trade/v3/order/create-batch": {
      limit: orderLimit,
      places: (request) => partsOf(request).length,
      run: (request, places) => {
        const slots = partsOf(request).map(({ orderLinkId, qty, symbol }, index) => {
          const isRefused = Number(qty) > mostOrdered
          const done = index >= places ? tooMany : isRefused ? tooLittle : create(text(orderLinkId))
          const { code, message = "OK" } = done
          const [orderId, createAt] = code === 0 ? [`order-of-${text(orderLinkId)}`, "1"] : ["", ""]
          const slot = { category: request.category, symbol, orderId, orderLinkId, createAt }
          return { slot, said: { code, msg: message } }
        })
        return {
          code: 0,
          result: { list: slots.map(({ slot }) => slot) },
          extended: { list: slots.map(({ said }) => said) }
        }
      }
    },
    "/private/v1/asset/transfer/single-account-transfer": {
      isLegacy: true,
      limit: 1,
      // A transfer of the same id is answered as the first was.
      run: ({ requestId }) => ({ code: 0, result: { transferId: requestId } })
    },
    "/cloud/trade/v3/market/instruments-info": {
      run: ({ category }) => ({ code: 0, result: { category, list: [], nextPageCursor: "" } })
    }
  }
}

const answer = (
  { isLegacy = false }: SmallOperation,
  { code, extended = {}, message = "OK", result }: Done,
  now: number,
  headers: Readonly<Record<string, string>> = {}
): Edge.Response => ({
  status: 200,
  headers: { "content-type": "application/json", timenow: String(now), ...headers },
  body: JSON.stringify(
    isLegacy
      ? { ret_code: code, ret_msg: message, ext_code: "", result: result ?? null, ext_info: null, time_now: now }
      : { retCode: code, retMsg: message, result: result ?? {}, retExtInfo: extended, time: now }
  )
})

/** The service takes a timestamp up to its receive window behind its own clock, and less than a second ahead. */
const isInTime = ({ headers }: Edge.Request, now: number): boolean => {
  const at = Number(headers["x-bapi-timestamp"])
  return at >= now - Number(headers["x-bapi-recv-window"]) && at < now + 1_000
}

const parametersOf = ({ body, method, target }: Edge.Request): Parameters => {
  if (method === "GET") return Object.fromEntries(new URLSearchParams(target.split("?")[1]))
  // The library's requests are objects.
  return JSON.parse(new TextDecoder().decode(body)) as Parameters
}

export const make = (options: Options = {}): SmallExchange => {
  const operations = operationsOf(options)
  const windows = new Map<SmallOperation, ReturnType<typeof makeWindow>>()
  return {
    handle: (request, now) => {
      const operation = operations[request.target.split("?")[0] ?? ""]
      if (operation === undefined) throw new Error(`the small exchange has no ${request.target}`)
      const parameters = parametersOf(request)
      const { limit, places = () => 1, run } = operation
      if (limit === undefined) return answer(operation, run(parameters, 1), now)
      if (!isInTime(request, now))
        return answer(
          operation,
          { code: 10_002, message: "invalid request, please check your server timestamp or recv_window param." },
          now
        )
      const spent = windows.get(operation) ?? makeWindow(limit, options.resetShift ?? 0)
      windows.set(operation, spent)
      const taken = spent.take(now, places(parameters))
      return answer(operation, taken.places === 0 ? tooMany : run(parameters, taken.places), now, taken.headers)
    }
  }
}
