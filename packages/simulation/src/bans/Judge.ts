/**
 * What processes that share their bans may do: judged by what each of them knew, and by what the server had replied to each call.
 */
import type * as RemoteStore from "@effect-venue/transport/RemoteStore"
import type * as World from "../World.js"

/** The last reply of the store to a call; `Unreachable` where there was none. */
type Reply = RemoteStore.BanReply["_tag"] | "Unreachable"

/** What the fractions of a millisecond may make of one instant. */
const rounding = 1.5

export interface Judge {
  readonly entered: (process: number, call: string, reply: RemoteStore.BanReply | undefined) => void
  readonly closing: (process: number, call: string, duration: number) => void
  /** A call begins to leave. */
  readonly sent: (process: number, call: string) => void
  /** A call came back, and the process learns whether it was banned. */
  readonly ended: (process: number, call: string, isBan: boolean) => void
  /** A call ended with the failure of a closed gate. */
  readonly refused: (process: number, call: string) => void
  /** Whether a process knows of a ban that is not over. */
  readonly isClosed: (process: number) => boolean
  readonly violate: (rule: string, call: string, detail: string) => void
  readonly violations: (isDead: (process: number) => boolean) => ReadonlyArray<World.Violation>
}

export const make = (now: () => number, banLength: number): Judge => {
  const violations: Array<World.Violation> = []
  /** The end of the longest ban that a process knows of. */
  const known = new Map<number, number>()
  const replies = new Map<string, Reply>()
  /** Bans that were met, and not yet reported to the server. */
  const unreported = new Map<string, number>()
  const violate = (rule: string, call: string, detail: string) => void violations.push({ rule, call, detail })
  const learn = (process: number, until: number) => {
    known.set(process, Math.max(known.get(process) ?? 0, until))
  }
  const isClosed = (process: number) => now() < (known.get(process) ?? 0) - rounding
  return {
    entered: (process, call, reply) => {
      replies.set(call, reply === undefined ? "Unreachable" : reply._tag)
      if (reply?._tag === "Closed") learn(process, now() + reply.remaining / 1000)
    },
    closing: (_, call, duration) => {
      unreported.delete(call)
      if (duration < banLength) violate("Report", call, `closes for ${duration} ms`)
    },
    sent: (process, call) => {
      const reply = replies.get(call)
      // It was sent, and asks again when it is sent again.
      replies.delete(call)
      if (isClosed(process)) violate("IntoBan", call, `is sent by process ${process}, which knows of a ban`)
      if (reply === undefined) violate("Unasked", call, "is sent, and the store was not asked")
      if (reply === "Closed") violate("Shared", call, "is sent, and the store had said that the address is banned")
      if (reply === "Probing") violate("Probes", call, "is sent beside the probe")
    },
    ended: (process, call, isBan) => {
      if (!isBan) return
      learn(process, now() + banLength)
      unreported.set(call, process)
    },
    refused: (process, call) => {
      if (now() > (known.get(process) ?? 0) + rounding) violate("Barred", call, "is refused, and no ban is known")
    },
    isClosed,
    violate,
    violations: (isDead) => [
      ...violations,
      ...[...unreported]
        .filter(([, process]) => !isDead(process))
        .map(([call]) => ({ rule: "Report", call, detail: "was banned, and the store does not learn of it" }))
    ]
  }
}
