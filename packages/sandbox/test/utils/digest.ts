import * as Seed from "@effect-venue/sandbox/siblings/Seed"
import type * as Exchange from "@effect-venue/sandbox/siblings/Exchange"
import { createHash } from "node:crypto"
import * as StateCodec from "../../src/state/stateCodec.js"

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The order of fields is none of a record's content. */
const withSortedFields = (_: string, value: unknown): unknown =>
  isRecord(value) ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))) : value

/** 16 hex digits that change with any digit of the value. */
export const digest = (value: unknown): string =>
  createHash("sha256")
    .update(JSON.stringify(StateCodec.encode(value), withSortedFields))
    .digest("hex")
    .slice(0, 16)

/** A part of a world by its path: a field of the state, an account, or a field of the main account. */
export const parts = (state: Exchange.State): ReadonlyMap<string, () => unknown> => {
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
] as const satisfies ReadonlyArray<keyof Exchange.Account>

const fieldOf = (state: Exchange.State, field: (typeof mainFields)[number]): unknown =>
  state.accounts.get(Seed.uids.main)?.[field]

/** The digest of every part, looked at in the given order. */
export const digests = (
  state: Exchange.State,
  order: (paths: ReadonlyArray<string>) => ReadonlyArray<string> = (paths) => paths
): Readonly<Record<string, string>> => {
  const all = parts(state)
  const found = order([...all.keys()]).map((path) => [path, digest(all.get(path)?.())] as const)
  return Object.fromEntries(found.sort(([one], [other]) => (one < other ? -1 : 1)))
}
