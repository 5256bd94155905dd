import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { Refusal } from "../run/failures.js"

// Exports traces, metrics and logs as OpenTelemetry's standard variables configure.

const signals = ["traces", "metrics", "logs"] as const

export type Signal = (typeof signals)[number]

/** The place of one signal. */
export interface Target {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** How often it is sent, in milliseconds. */
  readonly every: number
}

export interface OtlpSettings {
  readonly serviceName: string | undefined
  readonly isJson: boolean
  readonly targets: Readonly<Partial<Record<Signal, Target>>>
}

const prefix = "OTEL_EXPORTER_OTLP_"

/** The variable with the interval of a signal, and its default in milliseconds. */
const intervals: Readonly<Record<Signal, readonly [name: string, millis: number]>> = {
  traces: ["OTEL_BSP_SCHEDULE_DELAY", 5_000],
  metrics: ["OTEL_METRIC_EXPORT_INTERVAL", 60_000],
  logs: ["OTEL_BLRP_SCHEDULE_DELAY", 1_000]
}

const ofSignal = (signal: Signal, name: string): string => `${prefix}${signal.toUpperCase()}_${name}`

const exporterOf = (signal: Signal): string => `OTEL_${signal.toUpperCase()}_EXPORTER`

/** The variables that are read here. */
export const names: ReadonlyArray<string> = [
  ...["ENDPOINT", "HEADERS", "PROTOCOL"].map((name) => `${prefix}${name}`),
  ...signals.flatMap((signal) => [
    ofSignal(signal, "ENDPOINT"),
    ofSignal(signal, "HEADERS"),
    exporterOf(signal),
    intervals[signal][0]
  ]),
  "OTEL_SDK_DISABLED",
  "OTEL_SERVICE_NAME",
  "OTEL_RESOURCE_ATTRIBUTES"
]

type Variables = ReadonlyMap<string, string>

const decodeText = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** `name=value,name=value`, with percent signs as in URLs. */
const headersOf = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    text.split(",").flatMap((pair) => {
      const index = pair.indexOf("=")
      return index < 1 ? [] : [[pair.slice(0, index).trim(), decodeText(pair.slice(index + 1).trim())] as const]
    })
  )

/** The target of a signal. Fails with the name of a variable: its value can have a password. */
const targetOf = (signal: Signal, variables: Variables): Either.Either<Target | undefined, string> => {
  const ofAll = variables.get(`${prefix}ENDPOINT`)
  const own = variables.get(ofSignal(signal, "ENDPOINT"))
  const url = own ?? (ofAll === undefined ? undefined : `${ofAll.replace(/\/+$/, "")}/v1/${signal}`)
  if (url === undefined || variables.get(exporterOf(signal)) === "none") return Either.right(undefined)
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
    return Either.left(`${own === undefined ? `${prefix}ENDPOINT` : ofSignal(signal, "ENDPOINT")} is not an http URL`)
  }
  const [interval, millis] = intervals[signal]
  const every = Number(variables.get(interval) ?? millis)
  if (!Number.isInteger(every) || every < 1) return Either.left(`${interval} is not a number of milliseconds`)
  const headers = headersOf(variables.get(ofSignal(signal, "HEADERS")) ?? variables.get(`${prefix}HEADERS`) ?? "")
  return Either.right({ url, headers, every })
}

/** The settings in variables; none if nothing is to be sent. `name` is the service unless the variables name it. */
export const settingsOf = (variables: Variables, name: string): Either.Either<OtlpSettings | undefined, string> =>
  Either.gen(function* () {
    if (variables.get("OTEL_SDK_DISABLED")?.toLowerCase() === "true") return undefined
    const targets: Partial<Record<Signal, Target>> = {}
    for (const signal of signals) {
      const target = yield* targetOf(signal, variables)
      if (target !== undefined) targets[signal] = target
    }
    if (Object.keys(targets).length === 0) return undefined
    const protocol = variables.get(`${prefix}PROTOCOL`) ?? "http/protobuf"
    if (protocol !== "http/protobuf" && protocol !== "http/json") {
      return yield* Either.left(`${prefix}PROTOCOL: only http/protobuf and http/json are supported`)
    }
    const isNamed = /(^|,)\s*service\.name\s*=/.test(variables.get("OTEL_RESOURCE_ATTRIBUTES") ?? "")
    const serviceName = variables.get("OTEL_SERVICE_NAME") ?? (isNamed ? undefined : name)
    return { serviceName, isJson: protocol === "http/json", targets }
  })

/** The settings of the environment. An empty variable is one that is not set. */
export const fromEnvironment = (name: string): Effect.Effect<OtlpSettings | undefined, Refusal> =>
  Effect.gen(function* () {
    const found = yield* Effect.forEach(names, (name) =>
      Effect.map(Effect.option(Config.string(name)), (value): ReadonlyArray<readonly [string, string]> =>
        Option.isNone(value) || value.value === "" ? [] : [[name, value.value]]
      )
    )
    return yield* Either.mapLeft(settingsOf(new Map(found.flat()), name), (message) => new Refusal({ message }))
  })
