/**
 * What a return code alone tells.
 *
 * @sibling
 */
import { refusingRanges } from "./returnCodeRules.js"

/**
 * Returns true if the code is in a range whose documented codes refuse, such as 110xxx, 131xxx, 170xxx and 34xxx. A code in this range that
 * the table lacks is still interpreted as a refusal.
 */
export const isRefusingFamily = (code: number): boolean =>
  refusingRanges.some(([first, last]) => code >= first && code <= last)

/** Return code 0: success. */
export const success = 0
