import type * as History from "@effect-venue/history/History"
import type * as Failure from "@effect-venue/transport/Failure"
import type { CredentialsUnavailable } from "../accounts/CredentialSource.js"

/** The failures of an export that are judged; any other is repeated. */
export type Failed =
  History.RunFailure | CredentialsUnavailable | { readonly _tag: "ExportDied"; readonly message: string }

/** What follows from a failure of an export. */
export type Verdict =
  /** It is run again after a pause. */
  | { readonly _tag: "Retry" }
  /** It would fail again until someone changes something. */
  | { readonly _tag: "Stop"; readonly scope: "export" | "account" }

const retry: Verdict = { _tag: "Retry" }

const stop = (scope: "export" | "account"): Verdict => ({ _tag: "Stop", scope })

const ofUnauthorized = ({ reason }: Failure.Unauthorized): Verdict =>
  // A key can lack the permission for one dataset and have it for another.
  stop(reason === "Permission" ? "export" : "account")

export const judge = (failure: Failed): Verdict => {
  switch (failure._tag) {
    case "Unauthorized":
      return ofUnauthorized(failure)
    case "CredentialsUnavailable":
      return failure.reason === "Unavailable" ? retry : stop("account")
    case "InvalidRequest":
      return stop("export")
    case "Refused":
      // The previous run can still be active.
      return failure.reason === "Locked" ? retry : stop("export")
    case "AccountFailed":
      return judge(failure.failure)
    default:
      return retry
  }
}

const firstPause = 30_000

const longestPause = 3_600_000

/** The pause before another attempt, in milliseconds: it doubles from 30 seconds to an hour. */
export const pauseAfter = (attempts: number): number => Math.min(firstPause * 2 ** Math.min(attempts, 20), longestPause)

const longestText = 500

const messageOf = (failure: Failed): string =>
  failure._tag === "Refused" && failure.reason === "UnknownKey"
    ? `${failure.location}: ${failure.detail}, nor has another export of the account: declare it with "sameAccount": true of this account`
    : failure.message

const shorten = (text: string): string => (text.length <= longestText ? text : `${text.slice(0, longestText)}…`)

/** A failure as text for the ledger. */
export const textOf = (failure: Failed): string => shorten(messageOf(failure))

/** Why an export that ended is not whole. */
export const incompleteText = (because: string): string => shorten(`rows may be missing: ${because}`)
