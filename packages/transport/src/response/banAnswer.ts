import type * as ReturnCodes from "@effect-venue/schemas/ReturnCodes"
import * as DateTime from "effect/DateTime"
import * as Failure from "../model/Failure.js"
import type { Head } from "./answer.js"

/** `until`: milliseconds of the wall clock. That of a response is its instant, until the gate has closed. */
export const makeBanned = ({ attempts, operation }: Head, until: number): Failure.Banned =>
  new Failure.Banned({ operation, attempts, until: DateTime.unsafeMake(until) })

const banText = "access too frequent"

/**
 * Whether the body of an HTTP 403 reports a ban of the address, by its text or by the return code of a ban. Other 403s refuse one request only, such
 * as a blocked country or a GET with a body. In a truncated body, a part of the text is enough. (rule errors/2.status; docs/reference/responses.md#http-statuses)
 */
export const isBanBody = (body: string, codes: ReturnCodes.Table, isWhole: boolean): boolean => {
  const text = body.trim().toLowerCase()
  if (text.includes(banText) || (!isWhole && text !== "" && banText.startsWith(text))) return true
  const code = /"ret_?code"\s*:\s*(\d+)\s*[,}]/.exec(text)?.[1]
  return code !== undefined && codes.get(Number(code))?.family === "ipBan"
}
