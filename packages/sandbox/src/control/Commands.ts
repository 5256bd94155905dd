/**
 * The commands of control, with the schemas of their arguments and results.
 *
 * @sibling
 */
import * as Schema from "effect/Schema"
import {
  AccountEntry,
  AddAddress,
  BanAccount,
  ClockReading,
  Deleverage,
  Deposit,
  Deposited,
  Fill,
  Grant,
  Liquidate,
  MarkReduceOnly,
  OpenAccount,
  OpenKey,
  OpenScenario,
  Opened,
  ReleasePrice,
  SetClock,
  SetInstrument,
  SetModes,
  SetPrice
} from "./Control.js"
import * as Faults from "../faults/Faults.js"
import * as RequestLog from "../faults/RequestLog.js"
import * as StateView from "./StateView.js"

const nothing = Schema.Struct({}).annotations({ jsonSchema: { type: "object", additionalProperties: false } })

const StateJson = Schema.Unknown.annotations({
  jsonSchema: { type: "object", description: "a state, as in a state file" }
})

const done = Schema.transform(nothing, Schema.Void, { strict: true, decode: () => undefined, encode: () => ({}) })

const Rules = Schema.Struct({
  /** The rules; of those that apply to a request the first hits it. */
  rules: Schema.Array(Faults.Rule)
})

/** Every command. The paths of the server, their list and the OpenAPI document follow from this record, and the methods of `SandboxControl` must fit it. */
export const commands = {
  openAccount: { summary: "Opens an account with a new key", argument: OpenAccount, result: Opened },
  openScenario: {
    summary: "Opens an account in a scenario, with a new key",
    argument: OpenScenario,
    result: Opened
  },
  openKey: { summary: "Gives a further key to an account", argument: OpenKey, result: Opened },
  setModes: {
    summary: "Puts an account, or a symbol of it, into isolated or cross margin, one-way or hedge mode",
    argument: SetModes,
    result: done
  },
  banAccount: { summary: "Bans an account, or lifts the ban", argument: BanAccount, result: done },
  addAddress: {
    summary: "Adds a recipient of withdrawals to the address book of an account",
    argument: AddAddress,
    result: done
  },
  deposit: { summary: "Brings coins from outside into the funding wallet", argument: Deposit, result: Deposited },
  grant: {
    summary: "Gives a bonus, which trades and pays losses and fees, or a coupon, which pays fees",
    argument: Grant,
    result: done
  },
  setPrice: {
    summary: "Holds the prices of a symbol at a price, with all that follows from it",
    argument: SetPrice,
    result: done
  },
  releasePrice: { summary: "Lets the prices of a symbol move again", argument: ReleasePrice, result: done },
  fill: { summary: "Fills an open order or a part of it, or triggers one that waits", argument: Fill, result: done },
  liquidate: { summary: "Takes a position over at its bankruptcy price", argument: Liquidate, result: done },
  deleverage: {
    summary: "Closes a position or a part of it at the mark price, against a bankrupt trader",
    argument: Deleverage,
    result: done
  },
  markReduceOnly: {
    summary: "Marks the positions of a symbol, which may then only be reduced until a new risk limit is confirmed",
    argument: MarkReduceOnly,
    result: done
  },
  setInstrument: {
    summary: "Changes the listing of a symbol: status, going offline, delivery, funding interval",
    argument: SetInstrument,
    result: done
  },
  setClock: { summary: "Moves the clock on, stops it or starts it", argument: SetClock, result: ClockReading },
  clock: { summary: "Returns the clock", argument: nothing, result: ClockReading },
  accounts: {
    summary: "Lists all accounts with their keys",
    argument: nothing,
    result: Schema.Struct({
      /** The accounts. */
      accounts: Schema.Array(AccountEntry)
    })
  },
  restart: {
    summary: "Restarts the service: the open-orders query forgets what was closed before",
    argument: nothing,
    result: done
  },
  snapshot: {
    summary: "Returns the whole state, to be kept and restored",
    argument: nothing,
    result: StateJson
  },
  restore: {
    summary: "Replaces the present state with one from a snapshot",
    argument: StateJson,
    result: done
  },
  reset: { summary: "Goes back to the state that the sandbox started from", argument: nothing, result: done },
  setFaults: {
    summary: "Replaces the rules that make requests go wrong",
    argument: Rules,
    result: done
  },
  addFaults: {
    summary: "Adds rules that make requests go wrong to those that are set",
    argument: Rules,
    result: done
  },
  state: {
    summary: "Returns markets, balances, positions, orders and executions, by account and symbol",
    argument: StateView.Query,
    result: StateView.StateView
  },
  requests: {
    summary: "Returns the latest requests, in the order of their arrival, with how their signatures were checked",
    argument: RequestLog.Query,
    result: Schema.Struct({
      /** The requests. */
      requests: Schema.Array(RequestLog.Entry)
    })
  }
}

/** The commands that change nothing. The server takes them with GET too, with the argument in the query. */
export const reads: ReadonlySet<string> = new Set<CommandName>(["accounts", "clock", "requests", "snapshot", "state"])

/** The name of a command. */
export type CommandName = keyof typeof commands

/** The names of the commands. */
export const names = Object.keys(commands) as ReadonlyArray<CommandName> // The record has no other keys.

/** The argument of a command in a program. */
export type ArgumentOf<Name extends CommandName> = (typeof commands)[Name]["argument"]["Type"]

/** The result of a command in a program. */
export type ResultOf<Name extends CommandName> = (typeof commands)[Name]["result"]["Type"]
