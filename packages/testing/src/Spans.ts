import * as Tracer from "effect/Tracer"
import { inspect } from "node:util"

/** Collects the spans that a tracer receives. */
export const collecting = () => {
  const spans: Array<Tracer.Span> = []
  const tracer = Tracer.make({
    span: (name, parent, context, links, startTime, kind, options) => {
      const attributes = new Map<string, unknown>(Object.entries(options?.attributes ?? {}))
      let status: Tracer.SpanStatus = { _tag: "Started", startTime }
      const span: Tracer.Span = {
        _tag: "Span",
        name,
        spanId: String(spans.length),
        traceId: "trace",
        parent,
        context,
        get status() {
          return status
        },
        attributes,
        links,
        sampled: true,
        kind,
        end: (endTime, exit) => {
          status = { _tag: "Ended", startTime, endTime, exit }
          attributes.set("exit", inspect(exit, { depth: 20 }))
        },
        attribute: (key, value) => void attributes.set(key, value),
        event: (event, _, told) => void attributes.set(event, told),
        addLinks: () => undefined
      }
      spans.push(span)
      return span
    },
    context: (execute) => execute()
  })
  return {
    spans,
    tracer,
    told: () =>
      inspect(
        spans.map(({ attributes, name }) => [name, attributes]),
        { depth: 20 }
      )
  }
}
