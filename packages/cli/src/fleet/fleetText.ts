import type * as Status from "@effect-venue/fleet/siblings/Status"
import { countNoun, formatCount, formatDuration } from "@effect-venue/schemas/siblings/Words"
import * as Option from "effect/Option"
import * as Layout from "../output/layout.js"

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
  ).flatMap(([number, word]) => (number === 0 ? [] : [`${formatCount(number)} ${word}`]))

/** The state of a fleet in one line of at most `width` columns. Trouble and the time left are dropped last. */
export const line = (status: Status.Status, width: number): string => {
  const { callsPerSecond, done, due, exports, running, secondsLeft } = status
  const left = Option.match(secondsLeft, {
    onNone: () => [],
    onSome: (seconds) => (seconds === 0 ? [] : [`about ${formatDuration(seconds * 1000)} left`])
  })
  const ranked = (rank: number) => (text: string) => ({ text, rank })
  return Layout.fitParts(
    [
      ranked(0)(`${formatCount(done)}/${countNoun(exports, "export")} done`),
      ranked(3)(`${formatCount(due)} due`),
      ranked(4)(`${formatCount(running)} running`),
      ...troubles(status).map(ranked(1)),
      ranked(5)(`${rateOf(callsPerSecond)} calls/s`),
      ...left.map(ranked(2))
    ],
    width
  )
}

/** The same for a program. */
export const jsonLine = ({ addresses: _, secondsLeft, ...status }: Status.Status): string =>
  JSON.stringify({ ...status, secondsLeft: Option.getOrNull(secondsLeft) })

const heads = [
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
  ].map(formatCount),
  address.isOwned ? rateOf(address.callsPerSecond) : "not running",
  Option.match(address.secondsLeft, {
    onNone: () => "",
    onSome: (seconds) => (seconds === 0 ? "" : formatDuration(seconds * 1000))
  }),
  Option.getOrElse(address.owner, () => "")
]

/** The addresses of a fleet, one per line, and a line for the whole fleet. */
export const addresses = (status: Status.Status, page: Layout.Page): string =>
  `${Layout.list({ heads, rows: status.addresses.map(rowOf) }, page)}\n${countNoun(status.accounts, "account")}  ${line(status, Number.POSITIVE_INFINITY)}`
