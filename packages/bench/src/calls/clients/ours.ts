import * as Executions from "@effect-venue/services/Executions"
import * as Credentials from "@effect-venue/signing/Credentials"
import * as Signer from "@effect-venue/signing/Signer"
import * as BanGate from "@effect-venue/transport/BanGate"
import * as CallOptions from "@effect-venue/transport/CallOptions"
import * as RateLimiter from "@effect-venue/transport/RateLimiter"
import * as Limits from "@effect-venue/transport/Limits"
import * as NodeConnections from "@effect-venue/transport/NodeConnections"
import * as ServerClock from "@effect-venue/transport/ServerClock"
import * as Transport from "@effect-venue/transport/Transport"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Array from "effect/Array"
import * as Context from "effect/Context"
import * as DefaultServices from "effect/DefaultServices"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import * as Tracer from "effect/Tracer"
import * as Page from "./page.js"
import { credentials, now } from "./client.js"
import type { Client } from "./client.js"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"

/** A limit that is enforced but never reached, to measure the cost of enforcing it. */
export const unreached: Limits.Shape = {
  perUid: (endpoint) => Option.map(endpoint.rateLimit, (limit) => ({ ...limit, count: 1_000_000 })),
  perIp: Option.some({ count: 1_000_000, window: Duration.seconds(5) })
}

const layer = (url: string, options: Layer.Layer<never>) =>
  Executions.layer.pipe(
    Layer.provideMerge(Transport.layer),
    Layer.provide([Signer.layer, RateLimiter.layerMemory, BanGate.layer, ServerClock.layer]),
    Layer.provide(NodeConnections.layer),
    Layer.provide(
      Credentials.layer({
        baseUrl: url,
        apiKey: credentials.apiKey,
        apiSecret: Redacted.make(credentials.secret)
      })
    ),
    Layer.provideMerge(Layer.merge(Layer.succeed(Limits.Limits, unreached), options))
  )

const open =
  <E>(
    call: (
      transport: Transport.Transport.Shape,
      executions: Executions.Executions.Shape
    ) => Effect.Effect<{ readonly list: ReadonlyArray<unknown> | null }, E>,
    options: Layer.Layer<never> = Layer.empty
  ) =>
  async (url: string): Promise<Client> => {
    const runtime = ManagedRuntime.make(layer(url, options))
    const checkedCall = await runtime.runPromise(
      Effect.zipWith(Transport.Transport, Executions.Executions, (transport, executions) =>
        Effect.flatMap(call(transport, executions), ({ list }) =>
          list?.length === Page.rows ? Effect.void : Effect.dieMessage(`${list?.length} rows`)
        )
      )
    )
    return async (calls, lines) => {
      const took: Array<number> = []
      const timed = Effect.suspend(() => {
        const begun = now()
        return Effect.map(checkedCall, () => took.push(now() - begun))
      })
      const line = Effect.forEach(Array.range(1, calls / lines), () => timed, { discard: true })
      await runtime.runPromise(Effect.replicateEffect(line, lines, { concurrency: "unbounded", discard: true }))
      return took
    }
  }

const wireOf = (options?: Layer.Layer<never>) =>
  open((transport) => transport.callWire(Page.endpoint, Page.request), options)

/** Signed, rate-limited, unwrapped, and checked against the wire schema. */
export const wire = wireOf()

const native = Context.get(DefaultServices.liveServices, Tracer.Tracer)

/** The same with a tracer that keeps each span until its end, and exports none. */
export const traced = wireOf(
  Layer.setTracer(Tracer.make({ span: (...of) => native.span(...of), context: (f, fiber) => native.context(f, fiber) }))
)

/** The same through a client that an application has wrapped. */
export const wrapped = wireOf(
  Layer.succeed(CallOptions.TransformClient, (client) => HttpClient.mapRequest(client, identity))
)

/** Also decoded to the domain side: decimals, options, instants. */
export const domain = open((_, executions) => executions.list(Page.request))
