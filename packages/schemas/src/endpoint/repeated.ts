import type * as Endpoint from "./Endpoint.js"

type Fields = Readonly<Record<string, unknown>>

/** Converts an id, a number or a word to text; `undefined` if it is empty. */
const valueOf = (value: unknown): string | undefined =>
  typeof value === "number" ? String(value) : typeof value === "string" && value !== "" ? value : undefined

const different = (field: string, sent: string | undefined, received: string | undefined) =>
  sent === undefined || received === undefined || sent === received ? undefined : { field, sent, received }

/** Compares fields with the parameters of the same names. */
export const each =
  (...names: ReadonlyArray<string>): Endpoint.Contradicts =>
  (parameters, result) => {
    for (const name of names) {
      const contradiction = different(name, valueOf(parameters[name]), valueOf(result[name]))
      if (contradiction !== undefined) return contradiction
    }
    return undefined
  }

/** Compares the ids of an order. If both are sent, the service finds the order by its id, so the caller's id can differ. */
export const orderIds: Endpoint.Contradicts = (parameters, result) => {
  const isById = valueOf(parameters.orderId) !== undefined && valueOf(result.orderId) !== undefined
  return each(isById ? "orderId" : "orderLinkId")(parameters, result)
}

/** Compares the id of a transfer with the request id. UUIDs are case-insensitive. */
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
    (valueOf(uids) ?? "")
      .split(",")
      .filter((uid) => uid !== "")
      .map((uid) => `${uid} ${valueOf(bizType) ?? ""}`.trim())
  )

/** Compares the UIDs and business types of rate limits. */
export const limits: Endpoint.Contradicts = ({ list }, { list: changes, result }) => {
  const sent = limitsOf(list)
  const unexpected = limitsOf(changes ?? result).find((limit) => !sent.some((each) => each.startsWith(limit)))
  return unexpected === undefined ? undefined : { field: "uids", sent: sent.join(", "), received: unexpected }
}
