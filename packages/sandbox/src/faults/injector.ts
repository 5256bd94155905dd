import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import type * as Faults from "./Faults.js"
import { Rule } from "./Faults.js"
import type * as Answer from "../handling/answer.js"
import type * as RecentRequests from "./recentRequests.js"
import * as Random from "../state/random.js"
import * as Edits from "./edits.js"
import * as Kinds from "./kinds.js"

export type Reply = Kinds.Reply

/** Injects faults between requests and the exchange. */
export interface Injector {
  readonly control: Faults.Control
  /** Runs `run` with the server's time, unless a rule changes the response. */
  readonly around: (
    endpoint: Endpoint.Any,
    entry: RecentRequests.Written,
    run: (now: number) => Effect.Effect<Answer.Answer>
  ) => Effect.Effect<Kinds.Reply, Faults.ConnectionReset>
}

/** An active rule. */
interface Armed {
  readonly rule: Faults.Rule
  readonly random: Random.Random
  readonly until: number
  seen: number
  hits: number
}

const isHit = (armed: Armed, operation: string, now: number): boolean => {
  const { count, operations, probability, skip } = armed.rule
  if (operations !== undefined && !operations.includes(operation)) return false
  if (now >= armed.until) return false
  armed.seen += 1
  if (armed.seen <= (skip ?? 0) || armed.hits >= (count ?? Number.POSITIVE_INFINITY)) return false
  return probability === undefined || armed.random.chance(probability)
}

const rememberedLists = 1000

/** Remembers the responses of lists, as long as a rule can use them. */
const makePages = () => {
  const last = new Map<string, ReadonlyArray<unknown>>()
  return {
    before: (list: string) => Option.fromNullable(last.get(list)),
    learn: (list: string, body: string): void => {
      const rows = Option.flatMap(Edits.parse(body), Edits.rows)
      if (Option.isNone(rows)) return
      last.delete(list)
      last.set(list, rows.value)
      const [oldest] = last.keys()
      if (last.size > rememberedLists && oldest !== undefined) last.delete(oldest)
    }
  }
}

const checkRules = ParseResult.validateEither(Schema.Array(Rule))

const arm = (wanted: ReadonlyArray<Faults.Rule>, seed: number, from: number): Effect.Effect<ReadonlyArray<Armed>> =>
  Effect.zipWith(
    Effect.orDie(Effect.mapError(checkRules(wanted), ParseResult.parseError)),
    Clock.currentTimeMillis,
    (checked, now) =>
      checked.map((rule, index) => ({
        rule,
        random: Random.make(seed, `fault ${from + index}`),
        until: now + (rule.forMillis ?? Number.POSITIVE_INFINITY),
        seen: 0,
        hits: 0
      }))
  )

/** Returns the rule that applies to a request, and the offset of the clock for it. */
const draw = (rules: ReadonlyArray<Armed>, operation: string, now: number) => {
  let ahead = 0
  let clock: Armed | undefined
  for (const armed of rules) {
    if (!isHit(armed, operation, now)) continue
    armed.hits += 1
    if (armed.rule.fault.kind !== "clock") return { ahead, armed }
    ahead += armed.rule.fault.millis
    clock = armed
  }
  return { ahead, armed: clock }
}

export const make = (seed: number, log: RecentRequests.RequestLog): Injector => {
  let rules: ReadonlyArray<Armed> = []
  let pages = makePages()

  const control: Faults.Control = {
    set: (wanted) =>
      Effect.map(arm(wanted, seed, 0), (armed) => {
        pages = makePages()
        rules = armed
      }),
    add: (wanted) =>
      Effect.map(
        Effect.suspend(() => arm(wanted, seed, rules.length)),
        (armed) => {
          rules = [...rules, ...armed]
        }
      ),
    clear: Effect.sync(() => {
      rules = []
    }),
    rules: Effect.sync(() => rules.map(({ rule }) => rule)),
    log: Effect.sync(log.operations)
  }

  const around: Injector["around"] = (endpoint, entry, run) =>
    Effect.suspend(() => {
      const { at, parameters, uid } = entry
      const arrival: Kinds.Arrival = { endpoint, parameters, uid }
      const { ahead, armed } = draw(rules, endpoint.name, at)
      const pagesThen = pages
      const remembers = rules.some(({ rule }) => rule.fault.kind === "repeatedPage")
      // The outcome is logged before the caller can disconnect.
      const execute = Effect.uninterruptible(
        Effect.gen(function* () {
          const now = (yield* Clock.currentTimeMillis) + ahead
          const answer = yield* run(now)
          entry.executed = answer.executed === true
          if (remembers && entry.executed) pagesThen.learn(Kinds.listOf(arrival), answer.body)
          return { answer, now }
        })
      )
      if (armed === undefined) return execute
      const { fault } = armed.rule
      entry.fault = Option.some(fault)
      return Effect.map(
        Kinds.meet(fault, { arrival, now: at + ahead, execute, pages: pagesThen }),
        ({ applied, reply }) => {
          if (!applied) {
            armed.hits -= 1
            entry.fault = Option.none()
          }
          return reply
        }
      )
    })

  return { control, around }
}
