/** A dispatcher as undici's: it reports each step of a request to its handler, and a request can fail between any two of them. */
import type * as Undici from "@effect/platform-node/Undici"
import * as Context from "effect/Context"
import * as Fiber from "effect/Fiber"
import * as FiberRef from "effect/FiberRef"
import * as Option from "effect/Option"
import type * as Process from "../kernel/Process.js"
import * as Faults from "./Faults.js"
import * as Network from "./Network.js"
import type * as World from "./World.js"

interface Dependencies extends Network.Options {
  readonly world: World.World
  readonly process: Process.Process
}

const waiting = 12_000

const utf8 = new TextEncoder()

/** One request. Reports after its end or its abortion are lost, as are reports to a dead process. */
class Exchanging implements Undici.Dispatcher.DispatchController {
  aborted = false
  paused = false
  reason: Error | null = null
  private answer = Network.proxy
  private isProxied = false
  private isStarted = false
  private isDone = false
  private hasData = false

  constructor(
    private readonly dependencies: Dependencies,
    private readonly handler: Undici.Dispatcher.DispatchHandler,
    private readonly request: Omit<Network.Request, "isCopy">,
    private readonly name: ReadonlyArray<number | string>
  ) {}

  run(script: ReadonlyArray<Faults.FaultStep>): void {
    const [step, ...others] = script
    if (step === undefined) return
    const { latency, world } = this.dependencies
    const delay = step === "wait" ? waiting : (world.draws.fraction(...this.name, script.length) * latency) / 2
    world.sim.after(delay, () => {
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
    // A ban is known by the part that was received when the attempt timed out; an interrupted call looks at nothing any more.
    const isLookedAt = "_tag" in reason && reason._tag === "TimedOut"
    if (this.isStarted) this.ended(isLookedAt && this.hasData && this.answer.isBan, isLookedAt ? "broken" : "left")
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

  private ended(isBan: boolean, answer: "broken" | "left" | "whole"): void {
    const { call, sending } = this.request
    this.dependencies.world.add({ _tag: "Ended", call, sending, isBan, answer })
  }

  private take(step: Faults.FaultStep, isLastStart: boolean): void {
    const { exchange, world } = this.dependencies
    switch (step) {
      case "wait":
        return
      case "arrive":
        this.answer = exchange({ ...this.request, isCopy: false })
        return
      case "copy":
        return void exchange({ ...this.request, isCopy: true })
      case "proxy":
        this.answer = Network.pageOf(world, this.request.raw, this.name)
        this.isProxied = true
        return
      case "start":
        if (this.isOver()) return
        this.handler.onRequestStart?.(this, {})
        if (this.isOver() || !isLastStart) return
        this.isStarted = true
        world.add({ _tag: "Sent", call: this.request.call, sending: this.request.sending })
        return
      case "error":
      case "unconnected": {
        this.fail(step === "error" ? Network.broken : Network.unconnected)
        return
      }
      default:
        if (!this.isOver()) this.respond(step)
    }
  }

  private respond(step: "end" | "firstHalf" | "headers" | "interim" | "secondHalf"): void {
    const { body, headers, isBan, status } = this.answer
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
        return
      case "end":
        this.isDone = true
        this.ended(isBan, this.isProxied ? "broken" : "whole")
        this.handler.onResponseEnd?.(this, {})
    }
  }

  private fail(errors: readonly [Error, ...ReadonlyArray<Error>]): void {
    if (this.aborted || this.dependencies.process.isDead()) return
    if (!this.isDone && this.isStarted) this.ended(this.hasData && this.answer.isBan, "broken")
    this.isDone = true
    this.handler.onResponseError?.(this, this.dependencies.world.draws.pick(errors, ...this.name, "error"))
  }
}

/** The call of the fiber that dispatches: the library does so in the step that sends. */
const currentCall = (): string =>
  Option.match(Fiber.getCurrentFiber(), {
    onNone: () => "",
    onSome: (fiber) => Context.get(fiber.getFiberRef(FiberRef.currentContext), Network.CurrentCall)
  })

/** Makes the dispatchers of a process: a new one whenever its connections are renewed. */
export const make = (dependencies: Dependencies) => {
  const next = Network.counting(dependencies.world, dependencies.faults)

  const dispatch = (
    { body, headers, method, path }: Undici.Dispatcher.DispatchOptions,
    handler: Undici.Dispatcher.DispatchHandler
  ): boolean => {
    // The library passes its headers as a record, and its body as bytes or none.
    const fields = headers as Readonly<Record<string, string>>
    const call = currentCall()
    const { fault, name, sending } = next(call)
    if (fault !== undefined) dependencies.world.strike(call, fault)
    const raw = { method, target: path, headers: fields, body: body instanceof Uint8Array ? body : new Uint8Array(0) }
    new Exchanging(dependencies, handler, { call, sending, raw }, name).run(
      fault === undefined ? Faults.usual : Faults.steps[fault]
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
