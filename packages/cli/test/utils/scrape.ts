const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

/** Where a process serves its metrics, by what it has logged. */
export const metricsAt = async (output: () => string): Promise<string> => {
  for (;;) {
    const url = /metrics and health are at (?<url>http:\/\/[\d.:]+)/.exec(output())?.groups?.url
    if (url !== undefined) return url
    await pause(50)
  }
}

export const metricsOf = async (url: string): Promise<string> => {
  const response = await fetch(`${url}/metrics`)
  if (response.headers.get("content-type") !== "text/plain; version=0.0.4; charset=utf-8")
    throw new Error("not Prometheus' text format")
  return response.text()
}

/** Asks until an answer holds, and returns it. Fails with the last one after two minutes. */
export const until = async (ask: () => Promise<string>, holds: (answer: string) => boolean): Promise<string> => {
  const end = Date.now() + 120_000
  for (;;) {
    const answer = await ask()
    if (holds(answer)) return answer
    if (Date.now() > end) throw new Error(`it did not hold within two minutes: ${holds.toString()}\n${answer}`)
    await pause(200)
  }
}

/** Scrapes until something holds of the metrics, and returns them. */
export const scrape = (url: string, holds: (text: string) => boolean): Promise<string> =>
  until(() => metricsOf(url), holds)

export interface Value {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** The values of a metric in Prometheus' text format. */
export const valuesOf = (text: string, name: string): ReadonlyArray<Value> =>
  [...text.matchAll(new RegExp(`^${name}(?:\\{(?<labels>.*)\\})? (?<value>\\S+)$`, "gm"))].map(({ groups }) => ({
    labels: Object.fromEntries(
      [...(groups?.labels ?? "").matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key = "", value = ""]) => [key, value])
    ),
    value: groups?.value === "+Inf" ? Infinity : Number(groups?.value)
  }))
