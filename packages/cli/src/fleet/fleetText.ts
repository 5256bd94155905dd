import type * as Status from "@effect-venue/fleet/siblings/Status"
import { countNoun, formatCount, formatDuration } from "@effect-venue/schemas/siblings/Words"
import * as Option from "effect/Option"
import * as Layout from "../output/layout.js"

const rateOf = (rate: number): string => rate.toFixed(1)

/** The exports and accounts in trouble. */
const troubles = (status: Status.Status): ReadonlyArray<string> =>
  (["failing", "stopped", "incomplete", "lost", "paused"] as const).flatMap((name) =>
    status[name] === 0 ? [] : [`${formatCount(status[name])} ${name}`]
  )

const leftOf = ({ secondsLeft }: Pick<Status.Status, "secondsLeft">): Option.Option<string> =>
  Option.map(
    Option.filter(secondsLeft, (seconds) => seconds > 0),
    (seconds) => formatDuration(seconds * 1000)
  )

/** The state of a fleet in one line of at most `width` columns. Trouble and the time left are dropped last. */
export const line = (status: Status.Status, width: number): string => {
  const { callsPerSecond, done, due, exports, running } = status
  const ranked = (rank: number) => (text: string) => ({ text, rank })
  return Layout.fitParts(
    [
      ranked(0)(`${formatCount(done)}/${countNoun(exports, "export")} done`),
      ranked(3)(`${formatCount(due)} due`),
      ranked(4)(`${formatCount(running)} running`),
      ...troubles(status).map(ranked(1)),
      ranked(5)(`${rateOf(callsPerSecond)} calls/s`),
      ...Option.toArray(leftOf(status)).map((left) => ranked(2)(`about ${left} left`))
    ],
    width
  )
}

/** The same for a program. */
export const jsonLine = ({ addresses: _, secondsLeft, ...status }: Status.Status): string =>
  JSON.stringify({ ...status, secondsLeft: Option.getOrNull(secondsLeft) })

const counts = ["accounts", "exports", "done", "due", "running", "failing", "stopped", "incomplete", "lost"] as const

const heads = ["address", ...counts, "calls/s", "left", "owner"]

const rowOf = (address: Status.Address): ReadonlyArray<string> => [
  address.egress,
  ...counts.map((name) => formatCount(address[name])),
  address.isOwned ? rateOf(address.callsPerSecond) : "not running",
  ...[leftOf(address), address.owner].map(Option.getOrElse(() => ""))
]

/** The addresses of a fleet, one per line, and a line for the whole fleet. */
export const addresses = (status: Status.Status, page: Layout.Page): string =>
  `${Layout.list({ heads, rows: status.addresses.map(rowOf) }, page)}\n${countNoun(status.accounts, "account")}  ${line(status, Number.POSITIVE_INFINITY)}`
