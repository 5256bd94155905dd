import * as BigDecimal from "effect/BigDecimal"
import * as Either from "effect/Either"
import * as Instant from "@effect-venue/schemas/Instant"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type * as Control from "./Control.js"
import * as Exchange from "../state/Exchange.js"
import * as EngineAccounts from "../state/accounts.js"
import * as Events from "../engine/events.js"
import * as Handler from "../handling/handler.js"
import * as Random from "../state/random.js"
import * as Accounts from "../seed/accounts.js"
import * as Transfers from "../trading/transfers.js"
import * as Refusal from "../engine/refusal.js"

const account = (
  state: Exchange.State,
  field: string,
  uid: string
): Either.Either<Exchange.Account, Refusal.Refusal> => {
  const found = state.accounts.get(uid)
  return found === undefined ? Refusal.refuse("NotFound", field, `has no account: ${uid}`) : Either.right(found)
}

/** Far from the UIDs of the seed. */
const firstUid = 90_000_001

const freeUid = (state: Exchange.State): string => {
  let uid = firstUid
  while (state.accounts.has(String(uid))) uid += 1
  return String(uid)
}

/** A new key of an account that is there. Key and secret follow from the seed, as all of the world does. */
const withKey = (
  state: Exchange.State,
  now: number,
  { expiresAt, readOnly, uid }: Pick<Exchange.Key, "uid" | "readOnly" | "expiresAt">
): readonly [Control.Opened, Exchange.State] => {
  const random = Random.make(state.seed, `opened key ${state.issued}`)
  const [, next] = Handler.issue(state, now)
  const key: Exchange.Key = {
    apiKey: `sandbox${uid}${random.hex(12)}`,
    apiSecret: Redacted.make(random.hex(36)),
    uid,
    readOnly,
    expiresAt
  }
  return [
    { uid, apiKey: key.apiKey, apiSecret: key.apiSecret },
    { ...next, keys: new Map(next.keys).set(key.apiKey, key) }
  ]
}

const masterOf = (
  state: Exchange.State,
  uid: string | undefined
): Either.Either<Exchange.Account | undefined, Refusal.Refusal> =>
  uid === undefined
    ? Either.right(undefined)
    : Either.flatMap(account(state, "master", uid), (master) =>
        Option.isSome(master.masterUid)
          ? Refusal.refuse("NotPossible", "master", `is a sub-account itself: ${uid}`)
          : Either.right(master)
      )

export const openAccount = (
  options: Control.OpenAccount,
  state: Exchange.State,
  now: number
): Refusal.Transition<Control.Opened> =>
  Either.gen(function* () {
    const uid = options.uid ?? freeUid(state)
    if (state.accounts.has(uid)) return yield* Refusal.refuse("Conflict", "uid", `is an account already: ${uid}`)
    const master = yield* masterOf(state, options.master)
    const unified = options.unified ?? true
    const wallet = options.wallet ?? (unified ? "UNIFIED" : "CONTRACT")
    if (!Transfers.walletTypes({ unified }).includes(wallet)) {
      return yield* Refusal.refuse("NotPossible", "wallet", `is none of such an account: ${wallet}`)
    }
    const opened: Exchange.Account = {
      ...Accounts.fresh(uid),
      unified,
      institutional: options.institutional ?? master?.institutional ?? false,
      masterUid: Option.fromNullable(master?.uid),
      ...(options.tradeMode === undefined && options.positionMode === undefined
        ? {}
        : { modes: { tradeMode: options.tradeMode ?? "cross", positionMode: options.positionMode ?? "oneWay" } })
    }
    let next = Exchange.withAccount(state, opened)
    for (const [coin, input] of Object.entries(options.funds ?? {})) {
      if (!Events.isCoin(state, coin)) return yield* Refusal.refuse("NotFound", "funds", `has no coin: ${coin}`)
      const amount = Handler.decimal(input)
      if (!BigDecimal.isZero(amount)) next = yield* fund(next, { uid, coin, amount, wallet }, now)
    }
    return withKey(next, now, { uid, readOnly: false, expiresAt: Option.none() })
  })

/** A user outside of the sandbox, who sends coins without a chain. */
const outsider = "60000001"

/** Records the origin of funds: a deposit, then a transfer to their wallet. */
const fund = (
  state: Exchange.State,
  {
    amount,
    coin,
    uid,
    wallet
  }: {
    readonly uid: string
    readonly coin: string
    readonly amount: BigDecimal.BigDecimal
    readonly wallet: Exchange.WalletType
  },
  now: number
): Either.Either<Exchange.State, Refusal.Refusal> =>
  Either.gen(function* () {
    const from = state.coins.some((existing) => existing.coin === coin) ? undefined : outsider
    const [, deposited] = yield* Either.mapLeft(
      Events.deposit(state, { uid, coin, amount, from }, now),
      (refusal): Refusal.Refusal => ({ ...refusal, field: `funds.${coin}` })
    )
    if (wallet === "FUND") return deposited
    const [transferId, issued] = Handler.issue(deposited, now)
    return EngineAccounts.update(issued, uid, (account) =>
      Transfers.move(account, { transferId, coin, amount, from: "FUND", to: wallet }, now)
    )
  })

export const addAddress = (
  { address, addressType, areaCode, uid }: Control.AddAddress,
  state: Exchange.State
): Refusal.Transition<void> =>
  Either.flatMap(account(state, "uid", uid), (owner) => {
    if (Option.isSome(owner.masterUid)) {
      return Refusal.refuse("NotPossible", "uid", `is a sub-account, which cannot withdraw: ${uid}`)
    }
    if (addressType === 2 && areaCode === undefined) {
      return Refusal.refuse("InvalidArgument", "areaCode", "is required for a phone number")
    }
    const entry: Exchange.AddressBookEntry = {
      addressType,
      areaCode: addressType === 2 ? Option.fromNullable(areaCode) : Option.none(),
      address
    }
    const isThere = owner.addressBook.some(
      (known) =>
        known.addressType === entry.addressType &&
        known.address === entry.address &&
        Option.getOrUndefined(known.areaCode) === Option.getOrUndefined(entry.areaCode)
    )
    return Either.right([
      undefined,
      isThere ? state : Exchange.withAccount(state, { ...owner, addressBook: [...owner.addressBook, entry] })
    ])
  })

export const openKey = (
  { expiresAt, readOnly, uid }: Control.OpenKey,
  state: Exchange.State,
  now: number
): Refusal.Transition<Control.Opened> =>
  Either.map(account(state, "uid", uid), () =>
    withKey(state, now, {
      uid,
      readOnly: readOnly ?? false,
      expiresAt: expiresAt === undefined ? Option.none() : Instant.millis(expiresAt)
    })
  )
