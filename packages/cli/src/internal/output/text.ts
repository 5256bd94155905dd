import * as DateTime from "effect/DateTime"

/** `12345` as `12,345`. */
export const count = (value: number): string => String(value).replace(/\B(?=(\d{3})+$)/g, ",")

/** `1 page`, `2 pages`. */
export const counted = (value: number, noun: string): string => `${count(value)} ${noun}${value === 1 ? "" : "s"}`

/** An instant to the second, in UTC. */
export const instant = (millis: number): string =>
  DateTime.formatIso(DateTime.unsafeMake(millis))
    .replace("T", " ")
    .replace(/\.\d+Z$/, "")

/** Bytes, for people. */
export const size = (bytes: number): string =>
  bytes < 1000
    ? `${bytes} bytes`
    : bytes < 1_000_000
      ? `${(bytes / 1000).toFixed(1)} kB`
      : `${(bytes / 1_000_000).toFixed(1)} MB`
