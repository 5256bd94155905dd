import { parametersOf, type RecordedRequest } from "./exchangeParts.js"

interface MatchableExchange {
  readonly request: RecordedRequest
}

/** A parameter as JSON text on both sides; `undefined` if it is missing. */
export interface Difference {
  readonly parameter: string
  readonly recorded: string | undefined
  readonly sent: string | undefined
}

/** Text that is the same for equal JSON values with any order of members. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([left], [right]) => (left < right ? -1 : 1)))
      : inner
  )

/** The parameters of a request by name, each as canonical text, without the ignored ones. */
const parameters = (request: RecordedRequest, ignored: ReadonlySet<string>): ReadonlyMap<string, string> => {
  const { body, method, path, query = {} } = request
  const all = parametersOf({
    method,
    path,
    query: Object.entries(query),
    body: typeof body === "object" && body !== null ? { ...body } : typeof body === "string" ? body : undefined
  })
  const text = typeof body === "string" ? [["<body>", body] as const] : []
  return new Map(
    [...all, ...text].filter(([name]) => !ignored.has(name)).map(([name, value]) => [name, canonical(value)])
  )
}

export const keyOf = (request: RecordedRequest, ignored: ReadonlySet<string>): string =>
  `${request.method} ${request.path} ${canonical(Object.fromEntries(parameters(request, ignored)))}`

const differences = (
  recorded: ReadonlyMap<string, string>,
  sent: ReadonlyMap<string, string>
): ReadonlyArray<Difference> =>
  Array.from(new Set([...recorded.keys(), ...sent.keys()]))
    .filter((name) => recorded.get(name) !== sent.get(name))
    .map((parameter) => ({ parameter, recorded: recorded.get(parameter), sent: sent.get(parameter) }))

const commonPrefix = (left: string, right: string): number => {
  let length = 0
  while (length < left.length && left[length] === right[length]) length++
  return length
}

interface Candidate {
  readonly exchange: MatchableExchange
  readonly differences: ReadonlyArray<Difference>
}

/** Whether a candidate is nearer: same path and method first, then the path with the longer common beginning, then fewer differences. */
const rank = (request: RecordedRequest, { differences, exchange }: Candidate): ReadonlyArray<number> => [
  exchange.request.path === request.path ? 0 : 1,
  exchange.request.method === request.method ? 0 : 1,
  -commonPrefix(exchange.request.path, request.path),
  differences.length
]

const compare = (left: ReadonlyArray<number>, right: ReadonlyArray<number>): number =>
  left.map((value, index) => value - (right[index] ?? 0)).find((difference) => difference !== 0) ?? 0

/** The recorded exchange whose request is nearest. */
export const nearest = (
  exchanges: ReadonlyArray<MatchableExchange>,
  request: RecordedRequest,
  ignored: ReadonlySet<string>
): Candidate | undefined => {
  const sent = parameters(request, ignored)
  return exchanges
    .map((exchange): Candidate => ({ exchange, differences: differences(parameters(exchange.request, ignored), sent) }))
    .sort((left, right) => compare(rank(request, left), rank(request, right)))[0]
}
