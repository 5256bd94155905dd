import type * as ReturnCodes from "@effect-venue/schemas/ReturnCodes"
import * as ReturnCode from "@effect-venue/schemas/siblings/ReturnCode"
import * as Failure from "../model/Failure.js"
import { makeBanned } from "./banAnswer.js"
import { isLimitText, rateLimited, unavailable, type Waits } from "./limitAnswer.js"
import type { Head } from "./answer.js"
import { shown } from "@effect-venue/schemas/siblings/ShownText"

/** The circumstances that determine the meaning of a return code. */
interface Circumstances {
  readonly status: number
  readonly retCode: number
  readonly message: string
  /** When the service accepts calls again. */
  readonly waits: Waits
  /** The service's clock minus this process's, if the service has sent its time. */
  readonly skewMillis: number | undefined
  /** The end of a ban that the code reports. */
  readonly bannedUntil: number
  /** Only a documented code proves that a transfer or withdrawal was not executed. */
  readonly movesFunds: boolean
}

const reasonOf = (code: number, family: ReturnCodes.Family): Failure.Unauthorized["reason"] =>
  family === "permission" ? "Permission" : code === 10004 || code === 10022 ? "Signature" : "Key"

const rejectedReasons: Partial<Record<ReturnCodes.Family, Failure.RejectedReason>> = {
  invalidRequest: "InvalidRequest",
  notFound: "NotFound",
  insufficientBalance: "InsufficientBalance",
  duplicate: "Duplicate",
  orderState: "OrderState",
  positionState: "PositionState",
  riskLimit: "RiskLimit"
}

/** The rule for a return code and its message. The limit of the UID is documented by its text. (rule errors/3) */
const ruleOf = (codes: ReturnCodes.Table, code: number, message: string): ReturnCodes.Rule | undefined => {
  const row = codes.get(code)
  return row?.family !== "ipBan" && isLimitText(message)
    ? { code, family: "rateLimit", executed: "no", noChange: false }
    : row
}

/** Whether a refusal reports that nothing was left to change. Amendments have no code of their own for that. */
const isUnchangedText = (message: string): boolean => /\border remains unchanged\b/i.test(message)

/** The failure for a return code other than 0, of a whole response or of one slot of a batch response. */
export const fromCode = (head: Head, codes: ReturnCodes.Table, circumstances: Circumstances): Failure.ReadFailure => {
  const { attempts, operation } = head
  const { bannedUntil, message, movesFunds, retCode, skewMillis, status, waits } = circumstances
  const fields = { operation, attempts, status, retCode, retMsg: shown(head.scrub, message) }
  const row = ruleOf(codes, retCode, message)
  if (row === undefined) {
    const proof = ReturnCode.isRefusingFamily(retCode) && !movesFunds ? "family" : "none"
    return new Failure.Rejected({ ...fields, reason: "Unknown", noChange: false, proof })
  }
  switch (row.family) {
    case "timestamp":
      return new Failure.ClockSkew({ ...fields, ...(skewMillis === undefined ? {} : { skewMillis }) })
    case "ipBan":
      return makeBanned(head, bannedUntil)
    case "rateLimit":
      return rateLimited(fields, waits)
    case "auth":
    case "permission":
      return new Failure.Unauthorized({ ...fields, reason: reasonOf(row.code, row.family) })
    case "unavailable":
      return unavailable(fields, waits, row.executed)
    default:
      // A code that proves nothing, such as "still processing", must not be reported as a refusal.
      return row.executed === "unknown"
        ? unavailable(fields, waits, "unknown")
        : new Failure.Rejected({
            ...fields,
            reason: rejectedReasons[row.family] ?? "Unknown",
            noChange: row.noChange || isUnchangedText(message)
          })
  }
}
