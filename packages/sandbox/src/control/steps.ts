import type * as Decimal from "@effect-venue/schemas/Decimal"
import * as Instant from "@effect-venue/schemas/Instant"
import type * as BigDecimal from "effect/BigDecimal"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import type * as Control from "./Control.js"
import type * as Commands from "./Commands.js"
import type * as Faults from "../faults/Faults.js"
import * as Seed from "../seed/Seed.js"
import type { Entry } from "../faults/RequestLog.js"
import type * as Exchange from "../state/Exchange.js"
import * as stateFile from "../state/stateFile.js"
import * as RecentRequests from "../faults/recentRequests.js"
import * as Advance from "../engine/advance.js"
import * as Events from "../engine/events.js"
import * as Modes from "../engine/modes.js"
import * as Resume from "../engine/resume.js"
import * as Handler from "../handling/handler.js"
import type { SandboxClock } from "../state/sandboxClock.js"
import * as Accounts from "./accounts.js"
import * as Refusal from "../engine/refusal.js"
import * as Scenarios from "./scenarios.js"
import * as View from "./view.js"

/** What commands work on. */
export interface ControlledWorld {
  readonly state: Ref.Ref<Exchange.State>
  /** The state that `reset` goes back to. */
  readonly initial: Exchange.State
  readonly faults: Faults.Control
  readonly requests: Effect.Effect<ReadonlyArray<Entry>>
  readonly clock: SandboxClock
}

/** Runs a command with a valid argument. */
export type Step<A, R> = (argument: A, world: ControlledWorld) => Effect.Effect<R, Refusal.Refusal>

/** Changes the world after the market has advanced to the clock, as before every request. */
const change = <A>(
  { state }: ControlledWorld,
  step: (state: Exchange.State, now: number) => readonly [result: A, state: Exchange.State]
): Effect.Effect<A> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    Ref.modify(state, (before) => step(Advance.advance(before, now), now))
  )

/** A command that is a pure function of the state. If it is refused, nothing has changed but the time. */
const transition =
  <A, R>(step: (argument: A, state: Exchange.State, now: number) => Refusal.Transition<R>): Step<A, R> =>
  (argument, world) =>
    Effect.flatten(
      change(world, (state, now): readonly [Either.Either<R, Refusal.Refusal>, Exchange.State] =>
        Either.match(step(argument, state, now), {
          onLeft: (refusal) => [Either.left(refusal), state],
          onRight: ([result, after]) => [Either.right(result), after]
        })
      )
    )

/** The same, of a command without a result. */
const event = <A>(step: (argument: A, state: Exchange.State, now: number) => Events.Happened): Step<A, void> =>
  transition((argument, state, now) => Either.map(step(argument, state, now), (after) => [undefined, after]))

const decimal = (input: Decimal.Input | undefined): BigDecimal.BigDecimal | undefined =>
  input === undefined ? undefined : Handler.decimal(input)

const instant = (input: Instant.Input | undefined): number | undefined =>
  input === undefined ? undefined : Option.getOrUndefined(Instant.millis(input))

export const restart = (world: ControlledWorld): Effect.Effect<void> =>
  change(world, (state, now) => [undefined, Events.restart(state, now)])

export const present = (world: ControlledWorld): Effect.Effect<Exchange.State> =>
  change(world, (state) => [state, state])

/** Continues another state. The clock moves ahead to its instant if it is behind. */
export const goOnFrom = ({ clock, state }: ControlledWorld, from: Exchange.State): Effect.Effect<void> =>
  Effect.flatMap(clock.read, ({ now }) =>
    Effect.zipRight(
      now < from.advancedAt ? clock.change({ to: from.advancedAt }) : Effect.void,
      Ref.set(state, Resume.resume(from, Math.max(now, from.advancedAt)))
    )
  )

/** Each key with the account that it opens; the role of a seeded one. */
export const accounts = (world: ControlledWorld): Effect.Effect<ReadonlyArray<Control.AccountEntry>> =>
  Effect.map(present(world), ({ accounts, keys, seed }) => {
    const roles = new Map(
      Object.entries(Seed.apiKeys(seed)).map(([role, apiKey]) => [apiKey, role as Seed.Role]) // its keys are the roles
    )
    return Array.from(accounts.values(), ({ banned, institutional, masterUid, uid, unified }) => ({
      uid,
      master: Option.getOrNull(masterUid),
      unified,
      institutional,
      banned,
      keys: Array.from(keys.values())
        .filter((key) => key.uid === uid)
        .map(({ apiKey, apiSecret, expiresAt, readOnly }) => ({
          role: roles.get(apiKey) ?? null,
          apiKey,
          apiSecret,
          readOnly,
          expiresAt: Option.getOrNull(expiresAt)
        }))
    }))
  })

const setClock: Step<Control.SetClock, Control.ClockReading> = ({ by, stopped, to }, world) =>
  Effect.flatMap(world.clock.read, ({ now }) => {
    const target = by === undefined ? instant(to) : now + Duration.toMillis(by)
    return target !== undefined && target < now
      ? Refusal.refuse("InvalidArgument", "to", `has passed: the clock stands at ${new Date(now).toISOString()}`)
      : Effect.zipLeft(
          world.clock.change({ to: target, stopped }),
          world.clock.within(Effect.suspend(() => present(world)))
        )
  })

/** The steps of all commands. Those of the market are events of the engine. */
export const steps: {
  readonly [Name in Commands.CommandName]: Step<Commands.ArgumentOf<Name>, Commands.ResultOf<Name>>
} = {
  openAccount: transition(Accounts.openAccount),
  openScenario: transition(Scenarios.open),
  openKey: transition(Accounts.openKey),
  setModes: event(({ category, symbol, ...modes }, state, now) =>
    Modes.set(
      state,
      { ...modes, symbol: category === undefined || symbol === undefined ? undefined : { category, symbol } },
      now
    )
  ),
  banAccount: event(({ banned = true, uid }, state) => Events.ban(state, { uid, banned })),
  addAddress: transition(Accounts.addAddress),
  deposit: transition(({ amount, takes, ...options }, state, now) =>
    Either.map(
      Events.deposit(
        state,
        { ...options, amount: Handler.decimal(amount), takes: takes === undefined ? 0 : Duration.toMillis(takes) },
        now
      ),
      ([transactionId, after]) => [{ transactionId }, after]
    )
  ),
  grant: event((options, state, now) =>
    Events.grant(state, { ...options, amount: Handler.decimal(options.amount) }, now)
  ),
  setPrice: event((options, state, now) =>
    Events.setPrice(state, { ...options, price: Handler.decimal(options.price) }, now)
  ),
  releasePrice: event((options, state, now) => Events.releasePrice(state, options, now)),
  fill: event(({ orderId, price, qty }, state, now) =>
    Events.fill(state, { orderId, price: decimal(price), qty: decimal(qty) }, now)
  ),
  liquidate: event((options, state, now) => Events.liquidate(state, options, now)),
  deleverage: event((options, state, now) => Events.deleverage(state, { ...options, qty: decimal(options.qty) }, now)),
  markReduceOnly: event(({ adjustsAt, riskLimit, ...options }, state, now) =>
    Events.markReduceOnly(state, { ...options, riskLimit: decimal(riskLimit), adjustsAt: instant(adjustsAt) }, now)
  ),
  setInstrument: event(({ deliveryFeeRate, deliveryTime, offlineTime, ...options }, state) =>
    Events.setInstrument(state, {
      ...options,
      offlineTime: instant(offlineTime),
      deliveryTime: instant(deliveryTime),
      deliveryFeeRate: decimal(deliveryFeeRate)
    })
  ),
  restart: (_, world) => restart(world),
  snapshot: (_, world) => Effect.map(present(world), stateFile.toJson),
  restore: (json, world) =>
    Either.match(stateFile.fromJson(json), {
      onLeft: ({ path, reason }) => Refusal.refuse("InvalidArgument", path, reason),
      onRight: (restored) => goOnFrom(world, restored)
    }),
  reset: (_, world) => goOnFrom(world, world.initial),
  setFaults: ({ rules }, { faults }) => faults.set(rules),
  setClock,
  clock: (_, { clock }) => clock.read,
  accounts: (_, world) => Effect.map(accounts(world), (accounts) => ({ accounts })),
  addFaults: ({ rules }, { faults }) => faults.add(rules),
  state: (query, world) =>
    Effect.flatMap(Effect.zip(present(world), world.faults.rules), ([state, rules]) => View.make(query, state, rules)),
  requests: (query, { requests }) =>
    Effect.map(requests, (entries) => ({ requests: RecentRequests.select(entries, query) }))
}
