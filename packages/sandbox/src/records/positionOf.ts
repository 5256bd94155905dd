import type * as Enumerations from "@effect-venue/schemas/Enumerations"
import * as Either from "effect/Either"
import type * as Exchange from "../state/Exchange.js"
import * as Accounts from "../state/accounts.js"
import * as PositionRecord from "./positionRecord.js"
import * as Refusal from "../handling/refusal.js"

const isOf = (category: Exchange.Contract, symbol: string) => (position: Exchange.Position) =>
  position.category === category && position.symbol === symbol

/** Returns the positions of a symbol, even if it was never traded: one in one-way mode, two in hedge mode. */
export const all = (
  account: Exchange.Account,
  category: Exchange.Contract,
  symbol: string,
  openedAt: number
): ReadonlyArray<Exchange.Position> => {
  const known = account.positions.filter(isOf(category, symbol))
  const hedged =
    known.length > 0 ? known.some(({ positionIdx }) => positionIdx !== 0) : account.modes?.positionMode === "hedge"
  return (hedged ? ([1, 2] as const) : ([0] as const)).map(
    (side) =>
      known.find(({ positionIdx }) => positionIdx === side) ??
      // In hedge mode the other side has the same settings.
      PositionRecord.makeEmpty(category, symbol, side, openedAt, known[0]?.tradeMode ?? account.modes?.tradeMode)
  )
}

/** Returns the position that a request selects. Hedge mode requires a side; one-way mode only has 0. */
export const select = (
  account: Exchange.Account,
  category: Exchange.Contract,
  symbol: string,
  positionIdx: Enumerations.PositionIdx | undefined,
  openedAt: number
): Either.Either<Exchange.Position, Refusal.Refusal> => {
  const positions = all(account, category, symbol, openedAt)
  const hedged = positions.some((position) => position.positionIdx !== 0)
  if (hedged && positionIdx === undefined) return Refusal.parameter("positionIdx is required in hedge mode")
  const found = positions.find((position) => position.positionIdx === (positionIdx ?? 0))
  return found === undefined ? Refusal.left(10001, "position idx not match position mode") : Either.right(found)
}

/** Replaces a position of an account. */
export const put = (account: Exchange.Account, position: Exchange.Position): Exchange.Account => {
  const same = (candidate: Exchange.Position) => Accounts.isSamePosition(candidate, position)
  return {
    ...account,
    positions: account.positions.some(same)
      ? account.positions.map((candidate) => (same(candidate) ? position : candidate))
      : [...account.positions, position]
  }
}
