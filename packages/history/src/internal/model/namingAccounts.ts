import type * as Failure from "@effect-venue/transport/Failure"
import * as Option from "effect/Option"
import { AccountFailed } from "../../ExportFailure.js"

interface OfAccount {
  readonly name: string
  readonly account: Option.Option<string>
}

/** Names the account in the failures of a part if an export has several. */
export const namingAccounts = (parts: ReadonlyArray<OfAccount>) => {
  const hasSeveral = new Set(parts.map(({ account }) => Option.getOrNull(account))).size > 1
  return ({ account, name }: OfAccount, failure: Failure.ReadFailure): Failure.ReadFailure | AccountFailed =>
    hasSeveral && Option.isSome(account) ? new AccountFailed({ account: account.value, part: name, failure }) : failure
}
