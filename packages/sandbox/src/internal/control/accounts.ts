import * as BigDecimal from "effect/BigDecimal"
import * as DateTime from "effect/DateTime"
import * as Either from "effect/Either"
import * as Instant from "@effect-venue/schemas/Instant"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type * as Control from "../../Control.js"
import * as State from "../../State.js"
import * as Handler from "../handler.js"
import * as Ids from "../ids.js"
import * as Margin from "../margin.js"
import * as Random from "../random.js"
import * as Accounts from "../seed/accounts.js"
import * as Ledger from "../seed/ledger.js"
import * as Command from "./command.js"

const account = (state: State.State, field: string, uid: string): Either.Either<State.Account, Command.Refusal> => {
  const found = state.accounts.get(uid)
  return found === undefined ? Command.refuse("NotFound", field, `has no account: ${uid}`) : Either.right(found)
}

/** Coins that are moved, and those that something is traded in. */
const isCoin = (state: State.State, coin: string): boolean =>
  state.coins.some((one) => one.coin === coin) ||
  state.listings.some(
    ({ instrument, settleCoin }) => settleCoin === coin || instrument.baseCoin === coin || instrument.quoteCoin === coin
  )

/** Far from the UIDs of the seed. */
const firstUid = 90_000_001

const freeUid = (state: State.State): string => {
  let uid = firstUid
  while (state.accounts.has(String(uid))) uid += 1
  return String(uid)
}

/** A new key of an account that is there. Key and secret follow from the seed, as all of the world does. */
const withKey = (
  state: State.State,
  now: number,
  { expiresAt, readOnly, uid }: Pick<State.Key, "uid" | "readOnly" | "expiresAt">
): readonly [Control.Opened, State.State] => {
  const random = Random.make(state.seed, `opened key ${state.issued}`)
  const [, next] = Handler.issue(state, now)
  const key: State.Key = {
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
  state: State.State,
  uid: string | undefined
): Either.Either<State.Account | undefined, Command.Refusal> =>
  uid === undefined
    ? Either.right(undefined)
    : Either.flatMap(account(state, "master", uid), (master) =>
        Option.isSome(master.masterUid)
          ? Command.refuse("NotPossible", "master", `is a sub-account itself: ${uid}`)
          : Either.right(master)
      )

export const openAccount = (
  options: Control.OpenAccount,
  state: State.State,
  now: number
): Command.Transition<Control.Opened> =>
  Either.gen(function* () {
    const uid = options.uid ?? freeUid(state)
    if (state.accounts.has(uid)) return yield* Command.refuse("Conflict", "uid", `is an account already: ${uid}`)
    const master = yield* masterOf(state, options.master)
    const unified = options.unified ?? true
    const wallet = options.wallet ?? (unified ? "UNIFIED" : "CONTRACT")
    // What is there has come from somewhere: deposited, then moved to where it lies.
    const ledger = Ledger.make(uid, Random.make(state.seed, `account ${uid}`))
    for (const [name, input] of Object.entries(options.funds ?? {})) {
      const amount = Handler.decimal(input)
      if (!isCoin(state, name)) return yield* Command.refuse("NotFound", "funds", `has no coin: ${name}`)
      if (BigDecimal.isZero(amount)) continue
      Ledger.deposit(ledger, now, name, amount)
      if (wallet !== "FUND") Ledger.transfer(ledger, now, name, amount, "FUND", wallet)
    }
    const opened = Accounts.fromLedger(ledger, {
      unified,
      institutional: options.institutional ?? master?.institutional ?? false,
      masterUid: Option.fromNullable(master?.uid)
    })
    return withKey(State.withAccount(state, opened), now, { uid, readOnly: false, expiresAt: Option.none() })
  })

export const openKey = (
  { expiresAt, readOnly, uid }: Control.OpenKey,
  state: State.State,
  now: number
): Command.Transition<Control.Opened> =>
  Either.map(account(state, "uid", uid), () =>
    withKey(state, now, {
      uid,
      readOnly: readOnly ?? false,
      expiresAt: expiresAt === undefined ? Option.none() : Instant.millis(expiresAt)
    })
  )

export const banAccount = (
  { banned = true, uid }: Control.BanAccount,
  state: State.State
): Command.Transition<undefined> =>
  Either.map(account(state, "uid", uid), (found) => [undefined, State.withAccount(state, { ...found, banned })])

export const deposit = (
  options: Control.Deposit,
  state: State.State,
  now: number
): Command.Transition<Control.Deposited> =>
  Either.gen(function* () {
    const found = yield* account(state, "uid", options.uid)
    const info = state.coins.find((one) => one.coin === options.coin)
    if (info === undefined) return yield* Command.refuse("NotFound", "coin", `has no chain: ${options.coin}`)
    const chain = info.depositChains.find((one) => options.chain === undefined || one.chain === options.chain)
    if (chain === undefined) {
      return yield* Command.refuse("NotFound", "chain", `is none of ${options.coin}: ${options.chain ?? ""}`)
    }
    const amount = Handler.decimal(options.amount)
    if (!BigDecimal.isPositive(amount)) return yield* Command.refuse("InvalidArgument", "amount", "must be over 0")
    const random = Random.make(state.seed, `deposit ${state.issued}`)
    const [id, next] = Handler.issue(state, now)
    // The records count in seconds.
    const at = DateTime.unsafeMake(Math.floor(now / 1000) * 1000)
    const booked = Margin.post(found, "FUND", options.coin, amount)
    return [
      { transactionId: id },
      State.withAccount(next, {
        ...booked,
        deposits: [
          ...booked.deposits,
          {
            type: "0",
            chain: Option.some(chain.chain),
            coin: info.coin,
            amount,
            address: Option.some(`T${random.hex(33)}`),
            status: "1",
            time: at,
            transactionId: Ids.TransactionId(id),
            txId: Option.some(random.hex(64)),
            createTime: at
          }
        ]
      })
    ]
  })
