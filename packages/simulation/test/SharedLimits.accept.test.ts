import type * as RemoteStore from "@effect-venue/transport/siblings/RemoteStore"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as SharedLimits from "../src/models/SharedLimits.js"
import * as limits from "../src/workloads/limits/limits.js"
import * as Workload from "../src/run/Workload.js"

const settling = (
  change: (settle: RemoteStore.RateLimitBackend["settle"]) => RemoteStore.RateLimitBackend["settle"]
): SharedLimits.SharedLimitMistakes => ({ backend: (backend) => ({ ...backend, settle: change(backend.settle) }) })

/** Plausible mistakes, each with a seed that shows it. */
const mistakes: ReadonlyArray<
  readonly [name: string, rule: string, seed: number, mistakes: SharedLimits.SharedLimitMistakes]
> = [
  ["limits do not begin at rest after a loss", "Limit", 242, { isRestless: true }],
  ["settlements of an earlier life are dropped", "Limit", 1327, { isDroppingEarlier: true }],
  ["a settlement is tried once", "Leak", 5, settling((settle) => (ended, ago) => Effect.ignore(settle(ended, ago)))],
  [
    "a settlement is tried again as another's, and counts twice",
    "Settlement",
    0,
    settling((settle) => (ended, ago) => settle(ago > 0 ? { ...ended, id: `${ended.id}+` } : ended, ago))
  ],
  [
    "a settlement that is tried again counts from then on",
    "Settlement",
    0,
    settling((settle) => (ended) => settle(ended, 0))
  ],
  [
    "a reservation whose reply was lost is not given back",
    "Leak",
    0,
    settling((settle) => (ended, ago) => (ended.life === "" ? Effect.void : settle(ended, ago)))
  ],
  ["the time of the server goes back with its clock", "Stuck", 198, { isGoingBack: true }]
]

describe("the workload of limits shows that", () => {
  it.each(mistakes)("%s", (_, rule, seed, mistakes) => {
    expect(limits.workload.run(seed).violations).toEqual([])
    const mistaken = Workload.make({ ...limits.definition, start: limits.startWith(mistakes) })
    expect(mistaken.run(seed).violations.map((violation) => violation.rule)).toContain(rule)
  })
})
