import type * as Faults from "@effect-venue/sandbox/Faults"
import type * as State from "@effect-venue/sandbox/State"
import * as Judges from "@effect-venue/simulation/judges/Judges"
import * as BigDecimal from "effect/BigDecimal"
import * as Option from "effect/Option"
import * as Call from "./Call.js"
import * as Journal from "./Journal.js"
import * as Told from "./Told.js"

/** What was reported to the callers, and the state of the exchange. */
export interface Case {
  readonly told: ReadonlyArray<Told.Told>
  readonly log: ReadonlyArray<Faults.Entry>
  readonly after: State.State
  readonly uids: { readonly [C in Call.Caller]: string }
}

const name = ({ call }: Told.Told): string => `${call.caller} ${call.key}`

const wordFor = (told: Told.Told): string => (told._tag === "Failed" ? told.failure._tag : told._tag)

const grouped = (told: ReadonlyArray<Told.Told>, by: (told: Told.Told) => string) => {
  const groups = new Map<string, [Told.Told, ...Array<Told.Told>]>()
  for (const one of told) {
    const group = groups.get(by(one))
    if (group === undefined) groups.set(by(one), [one])
    else group.push(one)
  }
  return Array.from(groups.values())
}

/** The requests that ask for literally the same, by account and call. */
const requestsOf = (log: ReadonlyArray<Faults.Entry>): ReadonlyMap<string, ReadonlyArray<Faults.Entry>> => {
  const requests = new Map<string, Array<Faults.Entry>>()
  for (const entry of log) {
    const key = `${Option.getOrElse(entry.uid, () => "")} ${Call.keyOf(entry.operation, entry.parameters)}`
    const same = requests.get(key)
    if (same === undefined) requests.set(key, [entry])
    else same.push(entry)
  }
  return requests
}

const executions = (requests: ReadonlyArray<Faults.Entry> = []): number =>
  requests.filter(({ executed }) => executed).length

/** The number of calls with an outcome. */
const count = (told: ReadonlyArray<Told.Told>, what: (told: Told.Told) => boolean): number => told.filter(what).length

const isDone = (told: Told.Told): boolean => told._tag === "Done"

/** What a group of equal wishes may have led to: no less than was reported, no more than was left open. */
const judge = (group: readonly [Told.Told, ...ReadonlyArray<Told.Told>], made: number, most: number) => {
  const done = Math.min(most, count(group, isDone))
  const open = Math.min(most, count(group, isDone) + count(group, Told.isUnknown))
  if (made < done) return [`${name(group[0])}: ${group.map(wordFor).join(", ")}; made ${made} times`]
  return made > open ? [`${name(group[0])}: ${group.map(wordFor).join(", ")}; made ${made} times`] : []
}

/** How many records the exchange has for a request id; of another amount than was asked for, the record counts as none. */
const recorded = (account: State.Account | undefined, requestId: string): number =>
  (account?.transfers.filter((one) => one.transferId === requestId).length ?? 0) +
  (account?.withdrawals.filter((one) => one.requestId === requestId).length ?? 0)

/** Every outcome that contradicts the exchange. */
export const violations = ({ after, log, told, uids }: Case): ReadonlyArray<string> => {
  const requests = requestsOf(log)
  const defects = told.flatMap((one) => (one._tag === "Died" ? [`${name(one)}: ${one.why}`] : []))
  const writes = grouped(
    told.filter(({ call }) => call.safety === "write"),
    ({ call }) => `${uids[call.caller]} ${call.key}`
  ).map((group) => ({ group, made: requests.get(`${uids[group[0].call.caller]} ${group[0].call.key}`) ?? [] }))
  const alone = writes.flatMap(({ group: [one, ...others], made }) =>
    others.length === 0 && one._tag !== "Died" ? [{ name: name(one), told: one, requests: made }] : []
  )
  const judged = Judges.violations(Journal.make(alone)).map(({ detail, rule }) => `${rule}: ${detail}`)
  // Which request of several with the same words is whose cannot be known: they are counted.
  const counted = writes.flatMap(({ group, made }) =>
    group.length === 1 ? [] : judge(group, executions(made), Number.POSITIVE_INFINITY)
  )
  const idempotent = grouped(
    told.filter(({ call }) => call.safety === "idempotent"),
    ({ call }) => (call.requestId === "" ? "" : `${uids[call.caller]} ${call.requestId}`)
  ).flatMap((group) => {
    const { caller, requestId } = group[0].call
    // A request that breaks a rule here has no id there, and is reported so.
    if (requestId === "") return count(group, isDone) === 0 ? [] : ["a call without a request id was made"]
    const made = recorded(after.accounts.get(uids[caller]), requestId)
    return made > 1 ? [`${name(group[0])}: there are ${made}`] : judge(group, made, 1)
  })
  const ids = new Set(told.map(({ call }) => call.requestId))
  return [...defects, ...judged, ...counted, ...idempotent, ...strangers(after, ids)]
}

const strangers = (after: State.State, ids: ReadonlySet<string>): ReadonlyArray<string> =>
  Array.from(after.accounts.values()).flatMap((account) =>
    account.transfers
      .filter(({ timestamp, transferId }) => timestamp.epochMillis > after.openedAt && !ids.has(transferId))
      .map(({ transferId }) => `transfer ${transferId} was not requested`)
  )

const isWord = (word: unknown): word is Call.Word => word === "taken" || word === "refused" || word === "unknown"

const isWords = (result: unknown): result is ReadonlyArray<Call.Word> => Array.isArray(result) && result.every(isWord)

const wordsFor = (told: Told.Told): ReadonlyArray<Call.Word> => {
  if (told._tag === "Done") {
    // Of a batch there is a word for each order.
    return isWords(told.result) ? told.result : told.call.orders.map(() => "taken")
  }
  return told.call.orders.map(() => (Told.isUnknown(told) ? "unknown" : "refused"))
}

const cancelled = new Set(["Cancelled", "Deactivated", "PartiallyFilledCanceled"])

/**
 * Every order is there at most once; what was reported as placed or cancelled is, what was reported as refused is not, unless the
 * same was wished for once more.
 */
export const orders = ({ after, told, uids }: Case): ReadonlyArray<string> => {
  const found = new Map<string, ReadonlyArray<State.Order>>()
  const account = after.accounts.get(uids.main)
  for (const order of [...(account?.openOrders ?? []), ...(account?.closedOrders ?? [])]) {
    const link = Option.getOrElse(order.orderLinkId, () => "")
    found.set(link, [...(found.get(link) ?? []), order])
  }
  const words = new Map<string, ReadonlyArray<Call.Word>>()
  for (const one of told) {
    const given = wordsFor(one)
    one.call.orders.forEach(({ orderLinkId, verb }, index) => {
      const key = `${verb} ${orderLinkId}`
      words.set(key, [...(words.get(key) ?? []), given[index] ?? "refused"])
    })
  }
  const asked = Array.from(words).flatMap(([key, given]) => {
    const [verb, link = ""] = key.split(" ")
    const there = found.get(link) ?? []
    const isSo = verb === "place" ? there.length > 0 : there.some(({ orderStatus }) => cancelled.has(orderStatus))
    const isWrong = isSo ? given.every((one) => one === "refused") : given.includes("taken")
    return isWrong ? [`${key}: ${given.join(", ")}; ${isSo ? "and it is so" : "and it is not so"}`] : []
  })
  const twice = Array.from(found).flatMap(([link, there]) =>
    link.startsWith("soak-") && there.length > 1 ? [`order ${link}: there are ${there.length}`] : []
  )
  const strangers = Array.from(found.keys()).flatMap((link) =>
    link.startsWith("soak-") && !words.has(`place ${link}`) ? [`order ${link} was not requested`] : []
  )
  return [...asked, ...twice, ...strangers]
}

/** The margin that was added to isolated positions is what the exchange was asked for as often as it said yes to itself. */
export const margins = (before: State.State, { after, log }: Case): ReadonlyArray<string> => {
  const zero = BigDecimal.make(0n, 0)
  const sum = (state: State.State) =>
    Array.from(state.accounts.values())
      .flatMap(({ positions }) => positions.map(({ addedMargin }) => addedMargin))
      .reduce(BigDecimal.sum, zero)
  const asked = log
    .filter(({ executed, operation }) => executed && operation === "positions.addMargin")
    .map(({ parameters }) => BigDecimal.unsafeFromString(String(parameters.margin)))
    .reduce(BigDecimal.sum, zero)
  const added = BigDecimal.subtract(sum(after), sum(before))
  return BigDecimal.equals(added, asked)
    ? []
    : [`margin: ${BigDecimal.format(added)} was added instead of ${BigDecimal.format(asked)}`]
}

/** Whether a write was made, where that is certain: no other call wished for the same. */
export const wasMade = ({ after, log, told, uids }: Case): ((call: Call.Call) => Option.Option<boolean>) => {
  const requests = requestsOf(log)
  const keyOf = ({ caller, key }: Call.Call) => `${uids[caller]} ${key}`
  const asked = new Map<string, number>()
  for (const { call } of told) asked.set(keyOf(call), (asked.get(keyOf(call)) ?? 0) + 1)
  return (call) => {
    if (call.safety === "idempotent") {
      return Option.some(recorded(after.accounts.get(uids[call.caller]), call.requestId) > 0)
    }
    if (asked.get(keyOf(call)) !== 1) return Option.none()
    const made = executions(requests.get(keyOf(call))) > 0
    return made || !isMoot(call, after.accounts.get(uids[call.caller])) ? Option.some(made) : Option.none()
  }
}

/** Nothing open is what a cancel-all asks for: its look-up says yes also where the orders were filled instead. */
const isMoot = ({ operation }: Call.Call, account: State.Account | undefined): boolean =>
  operation === "orders.cancelAll" && account?.openOrders.every(({ category }) => category !== "linear") === true
