import type * as ReturnCodes from "@effect-venue/schemas/ReturnCodes"
import type { Attempt, Call } from "../attempt/callState.js"
import { noWaits } from "../response/limitAnswer.js"
import { isAmbiguous } from "../response/unknownOutcome.js"
import { fromCode } from "../response/returnCodeFailure.js"

/** A field that is text and not empty. */
export const textOf = (value: unknown, name: string): string | undefined => {
  const text: unknown = typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined
  return typeof text === "string" && text !== "" ? text : undefined
}

/** The return codes of the parts of a batch. `isClear`: they report for each part whether it was executed. */
export interface BatchCodes {
  readonly codes: ReadonlyArray<number>
  readonly isClear: boolean
}

const listOf = (value: unknown): ReadonlyArray<unknown> => {
  const list = typeof value === "object" && value !== null && "list" in value ? value.list : undefined
  return Array.isArray(list) ? list : []
}

/** Whether a slot of the response names the part at its position, as far as both have ids. */
const isOf = (slot: unknown, part: unknown): boolean =>
  ["orderId", "orderLinkId"].every((name) => {
    const [answered, requested] = [textOf(slot, name), textOf(part, name)]
    return answered === undefined || requested === undefined || answered === requested
  })

/** Reads the parts from the response to a batch. `isDefinite`: whether a return code proves that a part was not executed. */
export const partsOf = (
  { parameters }: Call,
  { extInfo, result }: { readonly extInfo: unknown; readonly result: unknown },
  isDefinite: (code: number, message: string) => boolean
): BatchCodes => {
  const parts = Array.isArray(parameters.request) ? parameters.request : []
  const slots = listOf(result)
  const verdicts = listOf(extInfo)
  const codes = verdicts.flatMap((slot) => {
    const code: unknown = typeof slot === "object" && slot !== null ? Reflect.get(slot, "code") : undefined
    return typeof code === "number" ? [code] : []
  })
  const isPartClear = (code: number, index: number): boolean =>
    code === 0 ? textOf(slots[index], "orderId") !== undefined : isDefinite(code, textOf(verdicts[index], "msg") ?? "")
  const isClear =
    slots.length === parts.length &&
    codes.length === parts.length &&
    parts.every((part, index) => isOf(slots[index], part)) &&
    codes.every(isPartClear)
  return { codes, isClear }
}

/** Whether a return code in the response to a batch proves that a part was not executed. */
export const isDefinite =
  (attempt: Attempt, codes: ReturnCodes.Table) =>
  (retCode: number, message: string): boolean =>
    !isAmbiguous(
      fromCode(attempt, codes, {
        status: 200,
        retCode,
        message,
        waits: noWaits,
        skewMillis: undefined,
        bannedUntil: attempt.wall(),
        movesFunds: attempt.call.endpoint.movesFunds === true
      })
    )
