import type * as Endpoint from "../Endpoint.js"

type Fields = Readonly<Record<string, unknown>>

/** An id, a number or a word as text; `undefined` for nothing. */
const valueOf = (value: unknown): string | undefined =>
  typeof value === "number" ? String(value) : typeof value === "string" && value !== "" ? value : undefined

const different = (field: string, sent: string | undefined, received: string | undefined) =>
  sent === undefined || received === undefined || sent === received ? undefined : { field, sent, received }

/** Compares fields that repeat the parameters of the same names. */
export const each =
  (...names: ReadonlyArray<string>): Endpoint.Contradicts =>
  (parameters, result) => {
    for (const name of names) {
      const contradiction = different(name, valueOf(parameters[name]), valueOf(result[name]))
      if (contradiction !== undefined) return contradiction
    }
    return undefined
  }

/** The ids of an order. If both are sent, the service finds the order by its own id, whatever the caller has named it. */
export const orderIds: Endpoint.Contradicts = (parameters, result) => {
  const isById = valueOf(parameters.orderId) !== undefined && valueOf(result.orderId) !== undefined
  return each(isById ? "orderId" : "orderLinkId")(parameters, result)
}

/** The id of a transfer, which is its request id. A UUID is the same in either case. */
export const transferId: Endpoint.Contradicts = ({ requestId }, { transferId, transfer_id }) =>
  different(
    "transferId",
    valueOf(requestId)?.toLowerCase(),
    (valueOf(transferId) ?? valueOf(transfer_id))?.toLowerCase()
  )

const entries = (list: unknown): ReadonlyArray<Fields> =>
  Array.isArray(list) ? list.filter((entry): entry is Fields => typeof entry === "object" && entry !== null) : []

const limitsOf = (list: unknown): ReadonlyArray<string> =>
  entries(list).flatMap(({ bizType, uids }) =>
    String(uids)
      .split(",")
      .map((uid) => `${uid} ${valueOf(bizType) ?? ""}`.trim())
  )

/** The UIDs and business types of rate limits. */
export const limits: Endpoint.Contradicts = ({ list }, { list: changes, result }) => {
  const sent = limitsOf(list)
  const other = limitsOf(changes ?? result).find((limit) => !sent.some((each) => each.startsWith(limit)))
  return other === undefined ? undefined : { field: "uids", sent: sent.join(", "), received: other }
}
