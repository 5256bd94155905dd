import type * as Decimal from "@effect-venue/schemas/Decimal"
import * as Instant from "@effect-venue/schemas/Instant"
import type * as BigDecimal from "effect/BigDecimal"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"
import * as Control from "../../Control.js"
import * as Faults from "../../Faults.js"
import type * as State from "../../State.js"
import * as StateFile from "../../StateFile.js"
import * as Events from "../engine/events.js"
import * as Modes from "../engine/modes.js"
import * as Resume from "../engine/resume.js"
import * as Handler from "../handler.js"
import * as Accounts from "./accounts.js"
import * as Command from "./command.js"
import * as Refusal from "./refusal.js"

const nothing = Schema.Struct({})

const done = Schema.transform(nothing, Schema.Undefined, {
  strict: true,
  decode: () => undefined,
  encode: () => ({})
})

const happened = (after: Events.Happened): Refusal.Transition<undefined> =>
  Either.map(after, (state) => [undefined, state])

const decimal = (input: Decimal.Input | undefined): BigDecimal.BigDecimal | undefined =>
  input === undefined ? undefined : Handler.decimal(input)

/**
 * Every command, once, for both faces: `SandboxControl` and the control path. A further one is a line here, a method of the Shape and
 * its line in `control.ts`. The steps of the market are the engine's events.
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

export const setModes = Command.transition({
  name: "setModes",
  summary: "Puts an account, or a symbol of it, into isolated or cross margin, one-way or hedge mode",
  argument: Control.SetModes,
  result: done,
  step: ({ category, symbol, ...options }, state, now) =>
    happened(
      Modes.set(
        state,
        { ...options, symbol: category === undefined || symbol === undefined ? undefined : { category, symbol } },
        now
      )
    )
})

export const banAccount = Command.transition({
  name: "banAccount",
  summary: "Bans an account, or lifts the ban",
  argument: Control.BanAccount,
  result: done,
  step: ({ banned = true, uid }, state) => happened(Events.ban(state, { uid, banned }))
})

export const deposit = Command.transition({
  name: "deposit",
  summary: "Brings coins from outside into the funding wallet",
  argument: Control.Deposit,
  result: Control.Deposited,
  step: ({ amount, takes, ...options }, state, now) =>
    Either.map(
      Events.deposit(
        state,
        {
          ...options,
          amount: Handler.decimal(amount),
          takes: takes === undefined ? 0 : Duration.toMillis(takes)
        },
        now
      ),
      ([transactionId, after]) => [{ transactionId }, after]
    )
})

export const grant = Command.transition({
  name: "grant",
  summary: "Gives a bonus, which trades, or a coupon, which pays fees",
  argument: Control.Grant,
  result: done,
  step: (options, state, now) =>
    happened(Events.grant(state, { ...options, amount: Handler.decimal(options.amount) }, now))
})

export const setPrice = Command.transition({
  name: "setPrice",
  summary: "Holds the prices of a symbol at a price, with all that follows from it",
  argument: Control.SetPrice,
  result: done,
  step: (options, state, now) =>
    happened(Events.setPrice(state, { ...options, price: Handler.decimal(options.price) }, now))
})

export const releasePrice = Command.transition({
  name: "releasePrice",
  summary: "Lets the prices of a symbol move again",
  argument: Control.ReleasePrice,
  result: done,
  step: (options, state, now) => happened(Events.releasePrice(state, options, now))
})

export const fill = Command.transition({
  name: "fill",
  summary: "Fills an open order or a part of it, or triggers one that waits",
  argument: Control.Fill,
  result: done,
  step: ({ orderId, price, qty }, state, now) =>
    happened(Events.fill(state, { orderId, price: decimal(price), qty: decimal(qty) }, now))
})

export const liquidate = Command.transition({
  name: "liquidate",
  summary: "Takes a position over at its bankruptcy price",
  argument: Control.Liquidate,
  result: done,
  step: (options, state, now) => happened(Events.liquidate(state, options, now))
})

export const deleverage = Command.transition({
  name: "deleverage",
  summary: "Closes a position or a part of it at the mark price, against a bankrupt trader",
  argument: Control.Deleverage,
  result: done,
  step: (options, state, now) => happened(Events.deleverage(state, { ...options, qty: decimal(options.qty) }, now))
})

export const markReduceOnly = Command.transition({
  name: "markReduceOnly",
  summary: "Marks the positions of a symbol, which may then only be reduced until a new risk limit is confirmed",
  argument: Control.MarkReduceOnly,
  result: done,
  step: ({ adjustsAt, riskLimit, ...options }, state, now) =>
    happened(
      Events.markReduceOnly(
        state,
        {
          ...options,
          riskLimit: decimal(riskLimit),
          adjustsAt: adjustsAt === undefined ? undefined : Option.getOrUndefined(Instant.millis(adjustsAt))
        },
        now
      )
    )
})

const instant = (input: Instant.Input | undefined): number | undefined =>
  input === undefined ? undefined : Option.getOrUndefined(Instant.millis(input))

export const setInstrument = Command.transition({
  name: "setInstrument",
  summary: "Changes what the listing of a symbol says: status, going offline, delivery, funding interval",
  argument: Control.SetInstrument,
  result: done,
  step: ({ deliveryFeeRate, deliveryTime, offlineTime, ...options }, state) =>
    happened(
      Events.setInstrument(state, {
        ...options,
        offlineTime: instant(offlineTime),
        deliveryTime: instant(deliveryTime),
        deliveryFeeRate: decimal(deliveryFeeRate)
      })
    )
})

/** What a program that cannot be refused anything does, and the control path with it. */
export const restarted = (world: Command.World): Effect.Effect<undefined> =>
  Command.change(world, (state, now) => [undefined, Events.restart(state, now)])

export const present = (world: Command.World): Effect.Effect<State.State> =>
  Command.change(world, (state) => [state, state])

export const goOnFrom = ({ state }: Command.World, from: State.State): Effect.Effect<undefined> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.as(Ref.set(state, Resume.resume(from, now)), undefined))

const restart = Command.make({
  name: "restart",
  summary: "Restarts the service: the open-orders query forgets what was closed before",
  argument: nothing,
  result: done,
  run: (_, world) => restarted(world)
})

const reset = Command.make({
  name: "reset",
  summary: "Goes back to the state that the sandbox started from",
  argument: nothing,
  result: done,
  run: (_, world) => goOnFrom(world, world.initial)
})

const snapshot = Command.make({
  name: "snapshot",
  summary: "Gives all that the exchange knows, to be kept and restored",
  argument: nothing,
  result: Schema.Unknown,
  run: (_, world) => Effect.map(present(world), StateFile.toJson)
})

const restore = Command.make({
  name: "restore",
  summary: "Replaces the present state with one from a snapshot",
  argument: Schema.Unknown,
  result: done,
  run: (json, world) =>
    Either.match(StateFile.fromJson(json), {
      onLeft: ({ path, reason }) => Refusal.refuse("InvalidArgument", path, reason),
      onRight: (restored) => goOnFrom(world, restored)
    })
})

const setFaults = Command.make({
  name: "setFaults",
  summary: "Replaces the rules that make requests go wrong",
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
  summary: "Returns the outcomes of the latest requests, in the order of their arrival",
  argument: nothing,
  result: Schema.Struct({ entries: Schema.Array(Entry) }),
  run: (_, { faults }) => Effect.map(faults.log, (entries) => ({ entries }))
})

/** What the control path takes, by name. In the Shape faults and states have values of their own. */
export const byName: ReadonlyMap<string, Command.Command<never, unknown>> = new Map(
  [
    openAccount,
    openKey,
    setModes,
    banAccount,
    deposit,
    grant,
    setPrice,
    releasePrice,
    fill,
    liquidate,
    deleverage,
    markReduceOnly,
    setInstrument,
    restart,
    snapshot,
    restore,
    reset,
    setFaults,
    faultLog
  ].map((command): readonly [string, Command.Command<never, unknown>] => [command.name, command])
)
