/** The API rate limits of UIDs. (docs/reference/api-limits.md) */
import type * as Enumerations from "@effect-venue/schemas/Enumerations"
import type * as Endpoints from "@effect-venue/schemas/ApiLimits"
import * as Option from "effect/Option"
import * as Handler from "../handling/handler.js"
import * as Ids from "../trading/ids.js"
import * as Refusal from "../handling/refusal.js"
import * as Upgrades from "../handling/upgrades.js"
import * as Exchange from "../state/Exchange.js"

type LimitChange = Endpoints.SetRequest["list"][number]

// A master account sets the limits of its sub-accounts; any other account sets its limits.
const maySet = (state: Exchange.State, caller: Exchange.Account, uid: string): boolean =>
  Option.isNone(caller.masterUid) && Exchange.subAccounts(state, caller.uid).length > 0
    ? Exchange.subAccounts(state, caller.uid).some((sub) => sub.uid === uid)
    : caller.uid === uid

/** Returns the master account and its sub-accounts, for any account of the family. */
const family = (state: Exchange.State, account: Exchange.Account): ReadonlyArray<Exchange.Account> => {
  const master = Option.getOrElse(account.masterUid, () => account.uid)
  return Array.from(state.accounts.values()).filter(
    (candidate) => candidate.uid === master || Option.contains(candidate.masterUid, master)
  )
}

const refusalOf = (
  state: Exchange.State,
  caller: Exchange.Account,
  entry: LimitChange
): Enumerations.ApiLimitMessage | undefined => {
  const cap = Upgrades.caps.get(entry.bizType)
  if (cap === undefined) return "API cap configuration not found for bizType"
  if (!entry.uids.every((uid) => maySet(state, caller, uid))) return "No permission to operate these UIDs"
  if (entry.rate > cap.perUid) return "Requested limit exceeds maximum allowed per user"
  const together = family(state, caller).reduce(
    (sum, candidate) =>
      sum + (entry.uids.includes(candidate.uid) ? entry.rate : (candidate.apiLimits.get(entry.bizType) ?? 0)),
    0
  )
  return together > cap.together ? "Requested limit would exceed institutional quota" : undefined
}

const withRate = (state: Exchange.State, entry: LimitChange): Exchange.State =>
  entry.uids.reduce((next, uid) => {
    const account = next.accounts.get(uid)
    return account === undefined
      ? next
      : Exchange.withAccount(next, {
          ...account,
          apiLimits: new Map(account.apiLimits).set(entry.bizType, entry.rate)
        })
  }, state)

/** Checks each entry separately, in order, and returns the outcome of each. A new rate applies from the next request. */
export const set: Handler.Handler<typeof Endpoints.set> = (request, context) => {
  const { account } = context
  if (!account.institutional) {
    return Refusal.left(10005, "Permission denied, the caller is not an institutional user.")
  }
  if (request.list.length === 0) return Refusal.parameter("list must have at least one entry")
  let { state } = context
  const list = request.list.map((entry): Endpoints.ApiLimitChange => {
    const refused = refusalOf(state, account, entry)
    if (refused === undefined) state = withRate(state, entry)
    return {
      uids: entry.uids.map((uid) => Ids.Uid(uid)),
      bizType: entry.bizType,
      rate: entry.rate,
      success: refused === undefined,
      msg: refused ?? "API limit updated successfully"
    }
  })
  return Handler.write(state, { list })
}

/** Returns one entry per UID and business type. */
export const query: Handler.Handler<typeof Endpoints.query> = ({ uids }, context) => {
  const { account, state } = context
  const visible = Option.isSome(account.masterUid) ? [account] : family(state, account)
  const requested = uids.map((uid) => visible.find((candidate) => candidate.uid === uid))
  if (requested.includes(undefined)) return Refusal.left(10005, "No permission to operate these UIDs")
  return Handler.read(context, {
    list: requested.flatMap((candidate) =>
      candidate === undefined
        ? []
        : Array.from(Upgrades.caps.keys(), (bizType) => ({
            uids: [Ids.Uid(candidate.uid)],
            bizType,
            rate: candidate.apiLimits.get(bizType) ?? Upgrades.defaultRate
          }))
    )
  })
}
