import * as Server from "@effect-venue/sandbox/Server"
import { it } from "@effect/vitest"
import { Effect, type Layer, type Scope, TestClock } from "effect"
import type { YieldWrap } from "effect/Utils"

type Body<R> = () => Generator<YieldWrap<Effect.Effect<unknown, unknown, R>>, void, never>

/** Defines tests that begin at an instant, each in a world of its own. */
export const testsIn =
  <R, E>(world: Layer.Layer<R, E>, now = 0) =>
  (title: string, body: Body<R>) => {
    it.effect(title, () => Effect.zipRight(TestClock.setTime(now), Effect.provide(Effect.gen(body), world)))
  }

/** Defines a test on a server of its own. */
export const onServer = (
  title: string,
  body: Body<Layer.Layer.Success<ReturnType<typeof Server.layer>> | Scope.Scope>
) => {
  it.scopedLive(title, () => Effect.provide(Effect.gen(body), Server.layer({ seed: 5 })))
}
