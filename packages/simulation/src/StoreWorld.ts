/**
 * A store of rate limits alone, as two processes of different addresses share it, beside a model of what its documentation says.
 */
import * as RateLimitStore from "@effect-venue/transport/RateLimitStore"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Draws from "./Draws.js"
import * as Sim from "./Sim.js"
import * as Model from "./store/Model.js"
import * as Plan from "./store/Plan.js"
import * as World from "./World.js"

const limit = 86_400_000

const chargeOf = ({ window, ...charge }: Plan.Charge): RateLimitStore.Charge => ({
  ...charge,
  window: Duration.millis(window)
})

/** The limits of an address are its own, those of an account are everybody's. */
const keyOf = (charge: Plan.Charge, egress: string) => (charge.scope === "ip" ? `${egress}/${charge.key}` : charge.key)

/** A reservation of the store, and the model's. */
interface Pair {
  readonly real: RateLimitStore.Reservation | undefined
  readonly modelled: number | undefined
  readonly charges: ReadonlyArray<Plan.Charge>
  readonly egress: Plan.Operation["egress"]
}

const told = (value: unknown) => JSON.stringify(value, (_, part: unknown) => (part === Infinity ? "infinite" : part))

/** Runs a plan. */
const run = (plan: Plan.Plan): World.Outcome => {
  const sim = Sim.make(Draws.make(plan.seed), { _tag: "lawful" })
  const violations: Array<World.Violation> = []
  const coverage = new Set<string>()
  const pairs: Array<Pair> = []

  const compare = ({ id, step }: Plan.Operation, real: unknown, modelled: unknown) => {
    const [seen, expected] = [told(real), told(modelled)]
    sim.trace(`${id} ${step._tag} ${seen}`)
    if (seen === expected) return
    violations.push({ rule: "Model", call: id, detail: `${step._tag} gave ${seen}, and is to give ${expected}` })
  }

  const program = Effect.gen(function* () {
    const store = yield* Effect.provide(
      RateLimitStore.RateLimitStore,
      RateLimitStore.layerMemoryWith({ rest: plan.isResting })
    )
    const stores = { a: RateLimitStore.withEgress(store, "a"), b: RateLimitStore.withEgress(store, "b") }
    const model = Model.make(plan.isResting, sim.now())

    const perform = (operation: Plan.Operation) =>
      Effect.gen(function* () {
        const { egress, step } = operation
        const own = (charge: Plan.Charge): Plan.Charge => ({ ...charge, key: keyOf(charge, egress) })
        const now = sim.now()
        switch (step._tag) {
          case "Reserve": {
            const result = yield* stores[egress].reserve(step.charges.map(chargeOf))
            const modelled = model.reserve(step.charges.map(own), now)
            coverage.add(
              `reserve ${modelled._tag}${modelled._tag === "Full" && modelled.retryAfter === Infinity ? " infinite" : ""}`
            )
            compare(
              operation,
              result._tag === "Full"
                ? { keys: result.keys, retryAfter: Duration.toMillis(result.retryAfter) }
                : result._tag,
              modelled._tag === "Full"
                ? {
                    keys: step.charges
                      .filter((charge) => modelled.keys.includes(own(charge).key))
                      .map(({ key }) => key),
                    retryAfter: modelled.retryAfter
                  }
                : modelled._tag
            )
            pairs.push({
              real: result._tag === "Taken" ? result.reservation : undefined,
              modelled: modelled._tag === "Taken" ? modelled.reservation : undefined,
              charges: step.charges,
              egress
            })
            return
          }
          case "Settle": {
            const pair = pairs[step.which % Math.max(pairs.length, 1)]
            if (pair === undefined) return
            const { charges, modelled, real } = pair
            if (real !== undefined) {
              yield* stores[pair.egress].settle(real, step.outcome, Duration.millis(step.arrivesWithin))
            }
            if (modelled !== undefined) {
              const settled = charges.map((charge) => ({ ...charge, key: keyOf(charge, pair.egress) }))
              model.settle(modelled, settled, step.outcome, now + step.arrivesWithin)
              coverage.add(`settle ${step.outcome}`)
            }
            return
          }
          case "Observe": {
            const { limit, refused, remaining, resetAfter, roundTrip } = step.observation
            yield* stores[egress].observe(chargeOf(step.charge), {
              limit,
              refused,
              remaining,
              resetAfter: resetAfter === undefined ? undefined : Duration.millis(resetAfter),
              roundTrip: Duration.millis(roundTrip)
            })
            model.observe(own(step.charge), step.observation, now)
            coverage.add(`observe ${limit === undefined ? "no limit" : "a limit"}${refused ? " refused" : ""}`)
            return
          }
          case "State": {
            const { limit, remaining, retryAfter } = yield* stores[egress].state(chargeOf(step.charge))
            compare(
              operation,
              { limit, remaining, retryAfter: Duration.toMillis(retryAfter) },
              model.state(own(step.charge), now)
            )
          }
        }
      })

    for (const operation of plan.operations) {
      yield* Effect.sleep(operation.after)
      yield* perform(operation)
    }
  })

  const { _tag } = sim.run(Effect.withClock(program, sim.makeClock(Sim.epoch).clock), { limit })
  if (_tag !== "Done") violations.push({ rule: "Stuck", call: "", detail: _tag })
  return {
    violations,
    coverage: [...coverage],
    events: sim.events(),
    hash: sim.hash(),
    calls: plan.operations.length,
    virtual: sim.now()
  }
}

export const world = World.make({ name: "store", plan: (seed) => Plan.make(seed), run, without: Plan.without })
