/**
 * The way to a server that processes share, such as a store of limits, of bans or a database: requests and replies are lost or late. An
 * operation is one step of the server, whatever happens to the process that asks for it.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Faults from "./Faults.js"
import type * as World from "./World.js"

/** The faults of one operation of a server. */
export const faults = [
  /** No connection exists, which is known soon. */
  "unreachable",
  /** The request is lost. */
  "lost",
  /** The request is lost, and the client waits for its reply without end. */
  "silent",
  /** The request arrives when its client does not wait for it any more: later ones can have arrived before. */
  "late",
  /** The server has done it, and the connection is lost before the reply arrives. */
  "replyLost",
  /** The server has done it, and never replies. */
  "unanswered",
  /** The reply takes seconds: longer than the client waits for it, or not. */
  "slow",
  /** The client dies: the server has done it, or not. */
  "defect"
] as const

export type Fault = (typeof faults)[number]

/** It is unknown whether the server has run an operation. */
export class RemoteFailed extends Data.TaggedError("RemoteFailed")<{ readonly reason: string }> {}

const makeFailure = (reason: string) => Effect.fail(new RemoteFailed({ reason }))

export interface Options {
  readonly faults: Faults.Faults<Fault>
  /** How long a request or its reply takes at most, in milliseconds. */
  readonly latency: number
  /** How long a client waits for a reply, in milliseconds; if absent, without end. */
  readonly timeout?: number | undefined
  /** Whether the server cannot be reached now. */
  readonly isOut: () => boolean
  /** Whether requests to it are lost now. */
  readonly isSilent?: (() => boolean) | undefined
  /** Counts the restarts of the server: replies to requests before one are lost. */
  readonly restarts?: () => number
}

export interface Request<A> {
  readonly operation: string
  /** The call or the machine that asks. */
  readonly by: string
  readonly act: () => A
  /** A fault that does not occur for this operation, and the one that takes its place. */
  readonly instead?: (fault: Fault) => Fault
  /** Runs when the client learns the end of the operation. */
  readonly replied?: () => void
  /** Nothing passes between the client and the server. */
  readonly isCut?: () => boolean
  /** Runs a step of the client when it is awake. */
  readonly whenAwake?: (step: () => void) => void
}

/** How long a slow reply and a late request take at least, in milliseconds, and how much longer they can take. */
const slowness = 3_000
const slower = 9_000

/** How long a process tries to connect before it reports that the server cannot be reached. */
const connecting = 400

type Name = ReadonlyArray<number | string>

const immediately = (step: () => void) => {
  step()
}

const never = () => false

/** A fault for each operation, and its name in random decisions. */
const drawing = ({ cover, draws, sim, strike }: World.World, { faults }: Options) => {
  const { kinds, probability, until = Number.POSITIVE_INFINITY } = faults
  const counts = new Map<string, number>()
  const [first, ...others] = kinds
  return ({ by, instead, operation }: Request<unknown>): { readonly name: Name; readonly fault: Fault | undefined } => {
    const count = (counts.get(`${operation} ${by}`) ?? 0) + 1
    counts.set(`${operation} ${by}`, count)
    const name = ["remote", operation, by, count]
    const isFaulty = first !== undefined && sim.now() < until && draws.chance(probability, ...name, "isFaulty")
    if (!isFaulty) return { name, fault: undefined }
    const drawn = draws.pick([first, ...others], ...name, "fault")
    const fault = instead?.(drawn) ?? drawn
    cover(`${operation} ${fault}`)
    strike(by, `${operation} ${fault}`)
    return { name, fault }
  }
}

/** The reply to a request that arrives, and after how many milliseconds; `undefined` for none. */
const replying =
  ({ draws }: World.World, { isOut, isSilent = never, latency, restarts = () => 0 }: Options) =>
  <A>({ act }: Request<A>, fault: Fault | undefined, name: Name) => {
    const back = draws.fraction(...name, "back") * latency
    const begun = restarts()
    const later = (after: number, result: Effect.Effect<A, RemoteFailed>) => ({
      after,
      result: Effect.suspend(() => (restarts() === begun ? result : makeFailure("the connection was reset")))
    })
    if (isSilent()) return undefined
    if (isOut() || fault === "unreachable") return later(connecting, makeFailure("no connection"))
    if (fault === "lost" || fault === "silent") return undefined
    if (fault === "defect" && draws.chance(0.5, ...name, "isUndone")) {
      return later(connecting, Effect.die(new Error("the client of the server died")))
    }
    const value = act()
    switch (fault) {
      case "unanswered":
        return undefined
      case "defect":
        return later(connecting, Effect.die(new Error("the client of the server died")))
      case "replyLost":
        return later(back, makeFailure("the connection was lost"))
      case "slow":
        return later(back + slowness + draws.fraction(...name, "slow") * slower, Effect.succeed(value))
      default:
        return later(back, Effect.succeed(value))
    }
  }

/** Makes the way to a server. */
export const make = (world: World.World, options: Options) => {
  const { draws, sim } = world
  const { latency, timeout } = options
  const draw = drawing(world, options)
  const reply = replying(world, options)

  /** One journey to the server and back. */
  return <A>(request: Request<A>): Effect.Effect<A, RemoteFailed> =>
    Effect.async<A, RemoteFailed>((resume) => {
      const { fault, name } = draw(request)
      const { isCut = never, replied, whenAwake = immediately } = request
      let isOver = false
      const end = (result: Effect.Effect<A, RemoteFailed>) => {
        if (isOver) return
        isOver = true
        cancel?.()
        replied?.()
        resume(result)
      }
      const cancel =
        timeout === undefined || fault === "silent"
          ? undefined
          : sim.after(timeout, () => end(makeFailure("no reply in time")))
      const there = draws.fraction(...name, "there") * latency
      const late = timeout ?? slowness + draws.fraction(...name, "late") * slower
      whenAwake(() => {
        sim.after(fault === "late" ? late + there : there, () => {
          const answer = isCut() ? undefined : reply(request, fault, name)
          if (answer === undefined) return
          sim.after(answer.after, () => {
            if (!isCut()) end(answer.result)
          })
        })
      })
    })
}

export type RemoteAsk = ReturnType<typeof make>
