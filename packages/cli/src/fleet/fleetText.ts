import type * as Status from "@effect-venue/fleet/siblings/Status"
import * as Option from "effect/Option"
import { count, countNoun, table } from "../output/text.js"

/** A length of time, for people. */
export const lengthOf = (seconds: number): string =>
  seconds < 90
    ? `${Math.ceil(seconds)} s`
    : seconds < 5400
      ? `${Math.ceil(seconds / 60)} min`
      : `${(seconds / 3600).toFixed(1)} h`

const rateOf = (rate: number): string => rate.toFixed(1)

/** The exports and accounts in trouble. */
const troubles = ({ failing, incomplete, lost, paused, stopped }: Status.Status): ReadonlyArray<string> =>
  (
    [
      [failing, "failing"],
      [stopped, "stopped"],
      [incomplete, "incomplete"],
      [lost, "lost"],
      [paused, "paused"]
    ] as const
  ).flatMap(([number, word]) => (number === 0 ? [] : [`${count(number)} ${word}`]))

/** The state of a fleet on one line. */
export const line = (status: Status.Status): string => {
  const { callsPerSecond, done, due, exports, running, secondsLeft } = status
  const left = Option.match(secondsLeft, {
    onNone: () => [],
    onSome: (seconds) => (seconds === 0 ? [] : [`about ${lengthOf(seconds)} left`])
  })
  return [
    `${count(done)}/${countNoun(exports, "export")} done`,
    `${count(due)} due`,
    `${count(running)} running`,
    ...troubles(status),
    `${rateOf(callsPerSecond)} calls/s`,
    ...left
  ].join("  ")
}

/** The same for a program. */
export const jsonLine = ({ addresses: _, secondsLeft, ...status }: Status.Status): string =>
  JSON.stringify({ ...status, secondsLeft: Option.getOrNull(secondsLeft) })

const header = [
  "address",
  "accounts",
  "exports",
  "done",
  "due",
  "running",
  "failing",
  "stopped",
  "incomplete",
  "lost",
  "calls/s",
  "left",
  "owner"
]

const rowOf = (address: Status.Address): ReadonlyArray<string> => [
  address.egress,
  ...[
    address.accounts,
    address.exports,
    address.done,
    address.due,
    address.running,
    address.failing,
    address.stopped,
    address.incomplete,
    address.lost
  ].map(count),
  address.isOwned ? rateOf(address.callsPerSecond) : "not running",
  Option.match(address.secondsLeft, {
    onNone: () => "",
    onSome: (seconds) => (seconds === 0 ? "" : lengthOf(seconds))
  }),
  Option.getOrElse(address.owner, () => "")
]

/** The addresses of a fleet, one per line, and a line for the whole fleet. */
export const addresses = (status: Status.Status): string =>
  `${table([header, ...status.addresses.map(rowOf)])}\n${countNoun(status.accounts, "account")}  ${line(status)}`
