/**
 * The embedded exchange. `layer` provides it as an `HttpClient` without sockets, with credentials of its main account, so that a program
 * written for the service runs on it unchanged.
 */
import * as Credentials from "@effect-venue/signing/Credentials"
import type * as Instant from "@effect-venue/schemas/Instant"
import type { ClosedPnl } from "@effect-venue/schemas/Positions"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Ref from "effect/Ref"
import { SandboxControl } from "../control/Control.js"
import * as Edge from "../edge/Edge.js"
import * as Faults from "../faults/Faults.js"
import * as RunCommand from "../control/runCommand.js"
import * as SandboxClock from "../state/sandboxClock.js"
import { checkSandbox } from "./checkOptions.js"
import * as Resume from "../engine/resume.js"
import * as InProcess from "../edge/inProcess.js"
import * as Windows from "../handling/windows.js"
import * as Seed from "../seed/Seed.js"
import type * as Exchange from "../state/Exchange.js"
import type * as State from "../state/State.js"

export class Sandbox extends Context.Tag("@effect-venue/sandbox/Sandbox")<Sandbox, Sandbox.Shape>() {}

export declare namespace Sandbox {
  export interface Shape {
    /** Responds to one raw request. */
    readonly handle: (request: Edge.Request) => Effect.Effect<Edge.Response, Faults.ConnectionReset>
    /** Injects faults into requests, and logs the outcome of each. */
    readonly faults: Faults.Control
    /** The control commands. `layer` also provides them as a separate service. */
    readonly control: SandboxControl.Shape
    /** Credentials of the seeded keys, for the host without sockets. */
    readonly credentials: { readonly [R in Seed.Role]: Credentials.Credentials.Shape }
    /** The UID of each key. */
    readonly uids: { readonly [R in Seed.Role]: string }
    /** The current state of the exchange. */
    readonly snapshot: Effect.Effect<State.State>
    /** Counts an account's records in a time range, to check an export against. */
    readonly holds: (query: HoldsQuery) => Effect.Effect<Holds>
  }
}

export {
  /** A request as received. */
  type Request,
  /** A response before it is sent. */
  type Response
} from "../edge/Edge.js"

export {
  /**
   * The roles of the seeded keys. `main`: the master account, institutional and a broker. `sub`: its sub-account. `customer`: a direct customer of the
   * broker. `readOnly` and `expired`: more keys of the master account. `classic`: an account that is neither unified nor institutional.
   */
  type Role
} from "../seed/Seed.js"
export { OptionInvalid } from "./checkOptions.js"
import type { RecordList, Records } from "../state/recordList.js"

/**
 * The records to count: those of `uid` in `category` from `from` (inclusive) to `to` (exclusive). Executions are counted by `execTime`,
 * closed profits by `createdTime`, as the service lists them; those from before an upgrade by `updatedTime`.
 */
export interface HoldsQuery {
  /** Default: the main account. */
  readonly uid?: string | undefined
  readonly category: Exchange.Category
  readonly from: Instant.Input
  readonly to: Instant.Input
}

export interface Count {
  readonly count: number
  readonly first: Option.Option<DateTime.Utc>
  readonly last: Option.Option<DateTime.Utc>
}

export interface Holds {
  readonly executions: Count
  readonly preUpgradeExecutions: Count
  readonly closedPnl: Count
  readonly preUpgradeClosedPnl: Count
}

export interface Options {
  /** The seed of the world. Default: 1. Ignored with `state`. */
  readonly seed?: number | undefined
  /**
   * The content of the world. `seeded` (default): two years of history, open orders, positions and money. `empty`: only the accounts of the
   * seeded keys and the markets, for tests that create their data with `SandboxControl`. Ignored with `state`.
   */
  readonly world?: "seeded" | "empty" | undefined
  /**
   * A state to continue, such as the snapshot of another sandbox. It continues from its instant, as after a `restore`, and its seeded keys
   * stay valid. Default: the world of `seed`.
   */
  readonly state?: State.State | undefined
  /** The rate limits of the service. `off`: no request is refused because of a limit. Default: `documented`. */
  readonly limits?: "documented" | "off" | undefined
  /** `moving`: prices move with time. `still`: they change only when they are set. Default: `moving`. */
  readonly prices?: "moving" | "still" | undefined
  /**
   * Scheme and host of the exchange, for its credentials. The `HttpClient` of `layer` answers for this host only, and refuses requests to
   * others. Default: `http://sandbox.invalid`.
   */
  readonly baseUrl?: string | undefined
  /** Faults that are active from the start. Default: none. */
  readonly faults?: Faults.Options | undefined
}

/** The address of a sandbox without sockets. The name is reserved, so no host can have it. */
export const baseUrl = "http://sandbox.invalid"

const countIn = <A>(
  records: Records<A> | undefined,
  instant: (record: A) => DateTime.Utc,
  range: Windows.Range
): Count => {
  if (records === undefined) return { count: 0, first: Option.none(), last: Option.none() }
  const [start, end] = Windows.slice(records, (record) => instant(record).epochMillis, range)
  const at = (index: number) => Option.map(Option.fromNullable(end > start ? records.at(index) : undefined), instant)
  return { count: end - start, first: at(start), last: at(end - 1) }
}

const ofUpdate = ({ updatedTime }: ClosedPnl) => updatedTime
const ofCreation = ({ createdTime }: ClosedPnl) => createdTime

/** The profits in the order of creation. Each is recorded after its order was created, so those recorded before `from` cannot match. */
const byCreation = (records: RecordList<ClosedPnl>, from: number): ReadonlyArray<ClosedPnl> =>
  Windows.since(records, (record) => record.updatedTime.epochMillis, from).toSorted(
    (a, b) => a.createdTime.epochMillis - b.createdTime.epochMillis
  )

const countRecords = (state: State.State, { category, from, to, uid }: HoldsQuery): Holds => {
  const account = state.accounts.get(uid ?? Seed.uids.main)
  const range = { from: Windows.millis(from), to: Windows.millis(to) - 1 }
  const ofExecutions = ({ execTime }: { readonly execTime: DateTime.Utc }) => execTime
  const closed = account?.closedPnl[category]
  return {
    executions: countIn(account?.executions[category], ofExecutions, range),
    preUpgradeExecutions: countIn(account?.preUpgradeExecutions[category], ofExecutions, range),
    closedPnl: countIn(closed && byCreation(closed, range.from), ofCreation, range),
    preUpgradeClosedPnl: countIn(account?.preUpgradeClosedPnl[category], ofUpdate, range)
  }
}

/**
 * Creates a sandbox. Its history ends at the current second, unless it continues a state. Creation is cheap: parts of the world are
 * generated on first use, and sandboxes with the same seed and second share them until they change them. Dies with `OptionInvalid` for an option of a wrong
 * type or value, which the compiler refuses too.
 */
export const make = (options: Options = {}): Effect.Effect<Sandbox.Shape> =>
  Effect.gen(function* () {
    yield* Effect.orDie(checkSandbox(options))
    const now = yield* Clock.currentTimeMillis
    // Sandboxes that are made within a second share a world.
    const second = Math.floor(now / 1000) * 1000
    const world = options.state ?? Seed.make({ seed: options.seed ?? 1, now: second, world: options.world }).state
    // Lists are in the order of time, so that the clock is never behind the records of a state.
    const start = Math.max(now, world.advancedAt)
    const initial = Resume.resume(Resume.withPrices(world, options.prices ?? world.prices), start)
    const apiKeys = Seed.apiKeys(initial.seed)
    const address = options.baseUrl ?? baseUrl
    const ref = yield* Ref.make(initial)
    const edge = Edge.make({ state: ref, limits: options.limits ?? "documented", faults: options.faults })
    yield* edge.faults.set(options.faults?.rules ?? [])
    const credentials = (role: Seed.Role): Credentials.Credentials.Shape => {
      const apiKey = apiKeys[role]
      return Credentials.make({
        baseUrl: address,
        apiKey,
        apiSecret: initial.keys.get(apiKey)?.apiSecret ?? Redacted.make(""),
        uid: Seed.uids[role]
      })
    }
    const clock = SandboxClock.make(start - now)
    const control = RunCommand.make(
      { state: ref, initial, faults: edge.faults, requests: edge.requests, clock },
      address
    )
    return {
      handle: (request) => Effect.suspend(() => clock.within(edge.handle(request))),
      faults: edge.faults,
      control,
      credentials: {
        main: credentials("main"),
        sub: credentials("sub"),
        customer: credentials("customer"),
        readOnly: credentials("readOnly"),
        expired: credentials("expired"),
        classic: credentials("classic")
      },
      uids: Seed.uids,
      snapshot: control.snapshot,
      holds: (query) => Effect.map(control.snapshot, (state) => countRecords(state, query))
    }
  })

/**
 * Provides the sandbox, its control, its faults, an `HttpClient` that leads to it and to no other host, and credentials of its main account.
 * Every layer is a separate world.
 */
export const layer = (
  options: Options = {}
): Layer.Layer<Sandbox | SandboxControl | Faults.Faults | HttpClient.HttpClient | Credentials.Credentials> =>
  Layer.effectContext(
    Effect.map(make(options), (sandbox) =>
      Context.make(Sandbox, sandbox).pipe(
        Context.add(SandboxControl, sandbox.control),
        Context.add(Faults.Faults, sandbox.faults),
        Context.add(HttpClient.HttpClient, InProcess.client(sandbox.handle, options.baseUrl ?? baseUrl)),
        Context.add(Credentials.Credentials, sandbox.credentials.main)
      )
    )
  )
