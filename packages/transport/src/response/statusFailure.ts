import type * as ReturnCodes from "@effect-venue/schemas/ReturnCodes"
import * as Failure from "../model/Failure.js"
import { makeBanned, isBanBody } from "./banAnswer.js"
import { isLimitText, rateLimited, unavailable, type Waits } from "./limitAnswer.js"
import { type Answer, type Head, makeUnexpected } from "./answer.js"
import { excerpt } from "@effect-venue/schemas/siblings/ShownText"

/** The failure for an HTTP status other than 200. */
export const fromStatus = (
  head: Head,
  answer: Answer,
  codes: ReturnCodes.Table,
  wall: number,
  waits: Waits
): Failure.ReadFailure => {
  const { attempts, operation, scrub } = head
  const { body, status } = answer
  const fields = { operation, attempts, status, retMsg: excerpt(scrub, body.trim()) }
  if (status === 403 && isBanBody(body, codes, true)) return makeBanned(head, wall)
  if (status >= 400 && status < 500 && isLimitText(body)) return rateLimited(fields, waits)
  switch (status) {
    case 400:
      return new Failure.Rejected({ ...fields, reason: "InvalidRequest", noChange: false })
    case 401:
      return new Failure.Unauthorized({ ...fields, reason: "Key" })
    case 403:
      return new Failure.Unauthorized({ ...fields, reason: "Permission" })
    case 404:
      return new Failure.Rejected({ ...fields, reason: "NotFound", noChange: false })
  }
  return status === 429 || status >= 500
    ? unavailable(fields, waits, "unknown")
    : makeUnexpected(head, answer, "", "expected HTTP status 200")
}
