import { Tracer } from "effect"
import { inspect } from "node:util"

/** Collects the spans that a tracer receives. */
export const collecting = () => {
  const spans: Array<Tracer.Span> = []
  const tracer = Tracer.make({
    span: (name, parent, context, links, startTime, kind, options) => {
      const attributes = new Map<string, unknown>(Object.entries(options?.attributes ?? {}))
      const span: Tracer.Span = {
        _tag: "Span",
        name,
        spanId: String(spans.length),
        traceId: "trace",
        parent,
        context,
        status: { _tag: "Started", startTime },
        attributes,
        links,
        sampled: true,
        kind,
        end: (_, exit) => void attributes.set("exit", inspect(exit, { depth: 20 })),
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
