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

const utf8 = new TextEncoder()

/** Sends a request for a handler, which can abort it. */
const send = (
  { process, world, ...options }: Dependencies,
  handler: Undici.Dispatcher.DispatchHandler,
  sending: ConstructorParameters<typeof Network.Journey>[2]
): Network.Journey => {
  const controller: Undici.Dispatcher.DispatchController = {
    aborted: false,
    paused: false,
    reason: null,
    pause: () => undefined,
    resume: () => undefined,
    abort: (reason) => {
      if (controller.aborted || journey.isDone) return
      Object.assign(controller, { aborted: true, reason })
      // An interrupted call looks at nothing any more.
      journey.leave("_tag" in reason && reason._tag === "TimedOut")
      handler.onResponseError?.(controller, reason)
    }
  }
  const listener: Network.Listener = {
    started: () => handler.onRequestStart?.(controller, {}),
    interim: () => handler.onResponseStart?.(controller, 103, { link: "</>; rel=preconnect" }),
    headers: ({ headers, status }) => handler.onResponseStart?.(controller, status, { ...headers }),
    data: (text) => handler.onResponseData?.(controller, Buffer.from(utf8.encode(text))),
    ended: () => handler.onResponseEnd?.(controller, {}),
    failed: (error) => handler.onResponseError?.(controller, error)
  }
  const journey = new Network.Journey(world, options, sending, listener, process.isDead)
  return journey
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
    send(dependencies, handler, { call, sending, raw, name }).run(
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
