import type * as Journal from "../../world/Journal.js"

/** When calls left, or ended without that. One that is sent again has left once. */
export const departures = ({ of }: Journal.Journal) => {
  const sent = new Map(
    of("Sent")
      .map(({ at, call }) => [call, at] as const)
      .reverse()
  )
  const ended = new Map([...of("Reported"), ...of("Lost")].map(({ at, call }) => [call, at]))
  return { sent, goneAt: (call: string) => sent.get(call) ?? ended.get(call) ?? Number.POSITIVE_INFINITY }
}
