/**
 * A dispatcher as undici's: it reports each step of a request to its handler, and a request may go wrong between any two of them.
 */
import type * as Undici from "@effect/platform-node/Undici"
import type * as Draws from "../Draws.js"
import type * as Exchange from "../Exchange.js"
import * as Network from "../Network.js"
import type * as Sim from "../Sim.js"
import { type Fault, type Step, steps, usual } from "./faults.js"

/** The header by which a request names its call. */
export const callHeader = "x-simulated-call"

export interface Listener {
  readonly given: (call: string, fault: string | undefined) => void
  readonly sent: (call: string, sending: number, fault: string | undefined) => void
  readonly ended: (call: string, sending: number, isBan: boolean) => void
}

export interface Dependencies {
  readonly sim: Sim.Sim
  readonly draws: Draws.Draws
  readonly process: Sim.Process
  readonly latency: number
  readonly faults: { readonly probability: number; readonly kinds: ReadonlyArray<Fault> }
  readonly judge: (request: Exchange.Request) => Exchange.Answer
  readonly listener: Listener
}

const waiting = 12_000

const utf8 = new TextEncoder()

type Name = ReadonlyArray<number | string>

/** One request. Reports after its end or its abortion are lost, as are reports to a dead process. */
class Exchanging implements Undici.Dispatcher.DispatchController {
  aborted = false
  paused = false
  reason: Error | null = null
  private answer: Exchange.Answer = Network.proxy
  private isStarted = false
  private isDone = false
  private hasData = false

  constructor(
    private readonly dependencies: Dependencies,
    private readonly handler: Undici.Dispatcher.DispatchHandler,
    private readonly request: Omit<Exchange.Request, "isCopy">,
    private readonly name: Name,
    private readonly fault: Fault | undefined
  ) {}

  run(script: ReadonlyArray<Step>): void {
    const [step, ...others] = script
    if (step === undefined) return
    const { draws, latency, sim } = this.dependencies
    const delay = step === "wait" ? waiting : (draws.fraction(...this.name, script.length) * latency) / 2
    sim.after(delay, () => {
      // A request that has left goes on without its sender; one that has not does not leave.
      if (this.isOver() && (!this.isStarted || step === "start")) return
      this.take(step, !others.includes("start"))
      this.run(others)
    })
  }

  abort(reason: Error): void {
    if (this.aborted || this.isDone) return
    this.aborted = true
    this.reason = reason
    // A ban is known by what was received of it when the attempt timed out; an interrupted call looks at nothing any more.
    const isLookedAt = "_tag" in reason && reason._tag === "TimedOut"
    if (this.isStarted) this.ended(isLookedAt && this.hasData && this.answer.isBan)
    this.handler.onResponseError?.(this, reason)
  }

  pause(): void {
    this.paused = true
  }

  resume(): void {
    this.paused = false
  }

  private isOver(): boolean {
    return this.aborted || this.isDone || this.dependencies.process.isDead()
  }

  private ended(isBan: boolean): void {
    const { call, sending } = this.request
    this.dependencies.listener.ended(call, sending, isBan)
  }

  private take(step: Step, isLastStart: boolean): void {
    switch (step) {
      case "wait":
        return
      case "arrive":
        this.answer = this.dependencies.judge({ ...this.request, isCopy: false })
        return
      case "proxy":
        this.answer = Network.proxy
        return
      case "start":
        if (this.isOver()) return
        this.handler.onRequestStart?.(this, {})
        if (this.isOver() || !isLastStart) return
        this.isStarted = true
        this.dependencies.listener.sent(this.request.call, this.request.sending, this.fault)
        return
      case "interim":
      case "headers":
      case "firstHalf":
      case "secondHalf":
        if (!this.isOver()) this.respond(step)
        return
      case "end":
        if (this.isOver()) return
        this.isDone = true
        this.ended(this.answer.isBan)
        this.handler.onResponseEnd?.(this, {})
        return
      case "error":
      case "unconnected":
        this.fail(step === "error" ? Network.broken : Network.unconnected)
    }
  }

  private respond(step: "firstHalf" | "headers" | "interim" | "secondHalf"): void {
    const { body, headers, status } = this.answer
    const middle = body.length >> 1
    switch (step) {
      case "interim":
        this.handler.onResponseStart?.(this, 103, { link: "</>; rel=preconnect" })
        return
      case "headers":
        this.handler.onResponseStart?.(this, status, { ...headers })
        return
      case "firstHalf":
        this.hasData = true
        this.handler.onResponseData?.(this, Buffer.from(utf8.encode(body.slice(0, middle))))
        return
      case "secondHalf":
        this.handler.onResponseData?.(this, Buffer.from(utf8.encode(body.slice(middle))))
    }
  }

  private fail(errors: readonly [Error, ...ReadonlyArray<Error>]): void {
    if (this.aborted || this.dependencies.process.isDead()) return
    if (!this.isDone && this.isStarted) this.ended(this.hasData && this.answer.isBan)
    this.isDone = true
    this.handler.onResponseError?.(this, this.dependencies.draws.pick(errors, ...this.name, "error"))
  }
}

/** Makes the dispatchers of a process: a new one whenever its connections are renewed. */
export const make = (dependencies: Dependencies) => {
  const { draws, faults } = dependencies
  const sendings = new Map<string, number>()
  const [first, ...others] = faults.kinds

  const dispatch = (
    { body, headers, method, path }: Undici.Dispatcher.DispatchOptions,
    handler: Undici.Dispatcher.DispatchHandler
  ): boolean => {
    // The library gives its own headers as a record, and its body as bytes or none.
    const fields = headers as Readonly<Record<string, string>>
    const call = fields[callHeader] ?? ""
    const sending = (sendings.get(call) ?? 0) + 1
    sendings.set(call, sending)
    const name = ["dispatch", call, sending] as const
    const fault =
      first !== undefined && draws.chance(faults.probability, ...name, "isFaulty")
        ? draws.pick([first, ...others], ...name, "fault")
        : undefined
    dependencies.listener.given(call, fault)
    const raw = { method, target: path, headers: fields, body: body instanceof Uint8Array ? body : new Uint8Array(0) }
    new Exchanging(dependencies, handler, { call, sending, raw }, name, fault).run(
      fault === undefined ? usual : steps[fault]
    )
    return true
  }

  return (): Undici.Dispatcher =>
    // Of a dispatcher the library calls these two. A promise would end in another turn of the event loop: this one has ended.
    ({
      dispatch,
      close: () => ({
        then: (ended: () => void) => {
          ended()
        }
      })
    }) as unknown as Undici.Dispatcher
}
