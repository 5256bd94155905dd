import * as Double from "@effect-venue/transport/siblings/Double"
import * as Transport from "@effect-venue/transport/Transport"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** Creates a service with some members. The names of the others are read from the real service, created over a transport without calls. */
export const layerOf = <Id, Shape extends object>(
  tag: Context.Tag<Id, Shape>,
  name: string,
  make: (transport: Transport.Transport.Shape) => Shape,
  members: Partial<Shape>
): Layer.Layer<Id> =>
  Layer.effect(
    tag,
    Effect.map(Transport.Transport, (transport) => Double.make<Shape>(name, make(transport), members))
  ).pipe(Layer.provide(Transport.layerTest({})))

/** Random UUIDs. Effect's `Random` repeats itself when it is seeded, and the service ignores a request id that was used before. */
export const randomIds = (): (() => string) => () => globalThis.crypto.randomUUID()
