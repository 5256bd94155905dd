import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as BadNights from "@effect-venue/testing/BadNights"
import * as Transport from "@effect-venue/transport/Transport"
import { HttpClient, HttpClientResponse } from "@effect/platform"
import { Clock, Context, Effect, Layer } from "effect"

/** A sandbox whose lists at this path are answered by `answer`. */
export const exchangeWith = (
  path: string,
  answer: BadNights.Answer
): Layer.Layer<Transport.Transport | HttpClient.HttpClient | Sandbox.Sandbox> => {
  const sandbox = Layer.scopedContext(
    Effect.map(Layer.build(Sandbox.layer({ seed: 3, prices: "still" })), (context) => {
      const inner = Context.get(context, HttpClient.HttpClient)
      const client = HttpClient.make((request, url) => {
        if (url.pathname !== path) return inner.execute(request)
        return Effect.map(Clock.currentTimeMillis, (now) =>
          HttpClientResponse.fromWeb(
            request,
            new Response(BadNights.bodyOf(path, answer, url, now), {
              headers: { "content-type": "application/json; charset=utf-8" }
            })
          )
        )
      })
      return Context.add(context, HttpClient.HttpClient, client)
    })
  )
  return Transport.layerStandalone.pipe(Layer.provideMerge(sandbox))
}
