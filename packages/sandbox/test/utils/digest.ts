import * as Seed from "@effect-venue/sandbox/Seed"
import type * as State from "@effect-venue/sandbox/State"
import { createHash } from "node:crypto"
import * as StateCodec from "../../src/internal/stateCodec.js"

/** The worlds were recorded when a cross sequence was a number: in their digests it is one still. */
const withNumericSequences = (text: string): string => text.replace(/("seq":(?:\{[^{}]*?)?)"(\d+)"/g, "$1$2")

/** 16 hex digits that change with any digit of the value. */
export const digest = (value: unknown): string =>
  createHash("sha256")
    .update(withNumericSequences(JSON.stringify(StateCodec.encode(value))))
    .digest("hex")
    .slice(0, 16)

/** A part of a world by its path: a field of the state, an account, or a field of the main account. */
export const parts = (state: State.State): ReadonlyMap<string, () => unknown> => {
  const paths = new Map<string, () => unknown>()
  for (const [field, value] of Object.entries(state)) if (field !== "accounts") paths.set(field, () => value)
  for (const [uid, account] of state.accounts) {
    if (uid !== Seed.uids.main) paths.set(`accounts.${uid}`, () => account)
  }
  for (const field of mainFields) paths.set(`accounts.${Seed.uids.main}.${field}`, () => fieldOf(state, field))
  return paths
}

const mainFields = [
  "uid",
  "masterUid",
  "unified",
  "institutional",
  "banned",
  "email",
  "phone",
  "openOrders",
  "closedOrders",
  "preUpgradeOrders",
  "executions",
  "preUpgradeExecutions",
  "closedPnl",
  "preUpgradeClosedPnl",
  "positions",
  "wallets",
  "grants",
  "coupons",
  "bonusUsage",
  "deposits",
  "transfers",
  "subAccountTransfers",
  "withdrawals",
  "addressBook",
  "customers",
  "apiLimits"
] as const satisfies ReadonlyArray<keyof State.Account>

const fieldOf = (state: State.State, field: (typeof mainFields)[number]): unknown =>
  state.accounts.get(Seed.uids.main)?.[field]

/** The digest of every part, looked at in the given order. */
export const digests = (
  state: State.State,
  order: (paths: ReadonlyArray<string>) => ReadonlyArray<string> = (paths) => paths
): Readonly<Record<string, string>> => {
  const all = parts(state)
  const found = order([...all.keys()]).map((path) => [path, digest(all.get(path)?.())] as const)
  return Object.fromEntries(found.sort(([one], [other]) => (one < other ? -1 : 1)))
}
