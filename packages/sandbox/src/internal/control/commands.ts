import * as Either from "effect/Either"
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"
import * as Control from "../../Control.js"
import * as Faults from "../../Faults.js"
import * as StateFile from "../../StateFile.js"
import * as Accounts from "./accounts.js"
import * as Command from "./command.js"

const nothing = Schema.Struct({})

const done = Schema.transform(nothing, Schema.Undefined, {
  strict: true,
  decode: () => undefined,
  encode: () => ({})
})

/**
 * Every command, once, for both faces: `SandboxControl` and the control path. A further one is a line here, a method of the Shape and
 * its line in `control.ts`. Those of the market belong here too: a pure step of the engine is a `Command.transition`.
 */
export const openAccount = Command.transition({
  name: "openAccount",
  summary: "Opens an account with a key of its own",
  argument: Control.OpenAccount,
  result: Control.Opened,
  step: Accounts.openAccount
})

export const openKey = Command.transition({
  name: "openKey",
  summary: "Gives a further key to an account",
  argument: Control.OpenKey,
  result: Control.Opened,
  step: Accounts.openKey
})

export const banAccount = Command.transition({
  name: "banAccount",
  summary: "Bans an account, or lifts the ban",
  argument: Control.BanAccount,
  result: done,
  step: Accounts.banAccount
})

export const deposit = Command.transition({
  name: "deposit",
  summary: "Brings coins from outside into the funding wallet",
  argument: Control.Deposit,
  result: Control.Deposited,
  step: Accounts.deposit
})

export const reset = Command.make({
  name: "reset",
  summary: "Goes back to the state that the sandbox started from",
  argument: nothing,
  result: done,
  run: (_, { initial, state }) => Effect.as(Ref.set(state, initial), undefined)
})

const snapshot = Command.make({
  name: "snapshot",
  summary: "Gives all that the exchange knows, to be kept and restored",
  argument: nothing,
  result: Schema.Unknown,
  run: (_, { state }) => Effect.map(Ref.get(state), StateFile.toJson)
})

const restore = Command.make({
  name: "restore",
  summary: "Puts a state that a snapshot gave in the place of the present one",
  argument: Schema.Unknown,
  result: done,
  run: (json, { state }) =>
    Either.match(StateFile.fromJson(json), {
      onLeft: ({ path, reason }) => Command.refuse("InvalidArgument", path, reason),
      onRight: (restored) => Effect.as(Ref.set(state, restored), undefined)
    })
})

const setFaults = Command.make({
  name: "setFaults",
  summary: "Puts rules that make requests go wrong in the place of those there are",
  argument: Schema.Struct({ rules: Schema.Array(Faults.Rule) }),
  result: done,
  run: ({ rules }, { faults }) => Effect.as(faults.set(rules), undefined)
})

const Entry = Schema.Struct({
  at: Schema.Number,
  operation: Schema.String,
  uid: Schema.OptionFromNullOr(Schema.String),
  parameters: Schema.Record({ key: Schema.String, value: Schema.Unknown }),
  fault: Schema.OptionFromNullOr(Faults.Fault),
  executed: Schema.Boolean
})

const faultLog = Command.make({
  name: "faultLog",
  summary: "Tells what became of the latest requests, in the order of their arrival",
  argument: nothing,
  result: Schema.Struct({ entries: Schema.Array(Entry) }),
  run: (_, { faults }) => Effect.map(faults.log, (entries) => ({ entries }))
})

/** What the control path takes, by name. In the Shape faults and states have values of their own. */
export const byName: ReadonlyMap<string, Command.Command<never, unknown>> = new Map(
  [openAccount, openKey, banAccount, deposit, snapshot, restore, reset, setFaults, faultLog].map(
    (command): readonly [string, Command.Command<never, unknown>] => [command.name, command]
  )
)
