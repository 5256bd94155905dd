/** A store of rate limits alone, as two processes of different addresses share it: random programs give the same results on it and on the model. */
import * as RateLimitStore from "@effect-venue/transport/RateLimitStore"
import * as RemoteStore from "@effect-venue/transport/siblings/RemoteStore"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Sim from "../../kernel/Sim.js"
import * as LimitServer from "../../models/LimitServer.js"
import type * as World from "../../world/World.js"
import * as Workload from "../../run/Workload.js"
import * as Plan from "./Plan.js"

type Shape = RateLimitStore.RateLimitStore.Shape

/** A store as the processes of two addresses see it. */
type Stores = Readonly<Record<"a" | "b", Shape>>

const memory = ({ isResting }: Plan.StoresPlan): Effect.Effect<Stores> =>
  Effect.map(RateLimitStore.makeMemory({ rest: isResting }), (store) => ({
    a: RateLimitStore.withEgress(store, "a"),
    b: RateLimitStore.withEgress(store, "b")
  }))

/** The model as a store, whose server is reached at once and keeps places for longer than any run. */
const model = ({ isResting }: Plan.StoresPlan, now: () => number): Effect.Effect<Stores> => {
  const server = new LimitServer.LimitServer(() => (Sim.epoch + now()) * 1000, LimitServer.empty)
  const backend = (process: RemoteStore.Process): RemoteStore.RateLimitBackend => ({
    reserve: (id, lease, places, waiter) => Effect.sync(() => server.reserve(process, id, lease, places, waiter)),
    settle: (ended, ago) => Effect.sync(() => server.settle(process, ended, ago)),
    observe: (id, place, observed) => Effect.sync(() => server.observe(process, id, place, observed)),
    state: (place) => Effect.sync(() => server.look(process, place))
  })
  // It begins to rest at its first operation.
  server.isUsed({ name: "model", rest: isResting })
  const of = (egress: string) => RemoteStore.makeRateLimits({ egress, lease: "1000 days", rest: isResting }, backend)
  return Effect.all({ a: of("a"), b: of("b") })
}

const chargeOf = ({ window, ...charge }: Plan.Charge): RateLimitStore.Charge => ({
  ...charge,
  window: Duration.millis(window)
})

const observationOf = ({ resetAfter, roundTrip, ...stated }: Plan.Observation): RateLimitStore.Observation => ({
  ...stated,
  resetAfter: resetAfter === undefined ? undefined : Duration.millis(resetAfter),
  roundTrip: Duration.millis(roundTrip)
})

const textOf = (value: unknown) =>
  JSON.stringify(value, (_, part: unknown) => (Duration.isDuration(part) ? String(Duration.toMillis(part)) : part))

/** The reservations of a store so far, in the order of the operations. */
type Reservations = Array<{ readonly store: Shape; readonly reservation: RateLimitStore.Reservation | undefined }>

/** Runs an operation on one store, and returns its result as text. */
const perform = (
  stores: Stores,
  reservations: Reservations,
  { egress, step }: Plan.StoreOperation
): Effect.Effect<string> => {
  const store = stores[egress]
  switch (step._tag) {
    case "Reserve":
      return Effect.map(store.reserve(step.charges.map(chargeOf)), (result) => {
        reservations.push({ store, reservation: result._tag === "Taken" ? result.reservation : undefined })
        return result._tag === "Full" ? textOf(result) : result._tag
      })
    case "Settle": {
      const settled = reservations[step.which % Math.max(reservations.length, 1)]
      return settled?.reservation === undefined
        ? Effect.succeed("nothing")
        : Effect.as(
            settled.store.settle(settled.reservation, step.outcome, Duration.millis(step.arrivesWithin)),
            step.outcome
          )
    }
    case "Observe":
      return Effect.as(
        store.observe(chargeOf(step.charge), observationOf(step.observation)),
        `${step.observation.limit === undefined ? "no limit" : "a limit"}${step.observation.refused ? " refused" : ""}`
      )
    case "State":
      return Effect.map(store.state(chargeOf(step.charge)), textOf)
  }
}

const start = ({ add, cover, sim }: World.World, plan: Plan.StoresPlan): Workload.Started => ({
  program: Effect.gen(function* () {
    const [stores, models] = [yield* memory(plan), yield* model(plan, sim.now)]
    const [reservations, modelled]: [Reservations, Reservations] = [[], []]
    for (const operation of plan.operations) {
      yield* Effect.sleep(operation.after)
      const got = yield* perform(stores, reservations, operation)
      const expected = yield* perform(models, modelled, operation)
      const kind = got.startsWith("{") ? (got.includes('"Infinity"') ? "infinite" : "finite") : got
      cover(`${operation.step._tag} ${kind}`)
      add({ _tag: "Compared", call: operation.id, rule: "Model", got, expected })
    }
  })
})

export const workload = Workload.make({
  name: "stores",
  plan: Plan.make,
  calm: { isResting: false },
  limit: 86_400_000,
  start
})
