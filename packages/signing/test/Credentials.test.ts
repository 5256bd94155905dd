import { describe, expect, it, vi } from "@effect/vitest"
import { Cause, ConfigError, ConfigProvider, Duration, Effect, Exit, Layer, Logger, Redacted } from "effect"
import { inspect } from "node:util"
import * as Credentials from "../src/Credentials.js"

const variables = {
  VENUE_BASE_URL: "https://venue.example",
  VENUE_API_KEY: "EXAMPLEKEY0001",
  VENUE_API_SECRET: "example-secret-not-real-0001",
  VENUE_RECV_WINDOW: "20000"
}

const configured = (values: Readonly<Record<string, string>>) =>
  Credentials.Credentials.pipe(
    Effect.provide(Credentials.layerConfig),
    Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(values))))
  )

const without = (name: keyof typeof variables) => {
  const { [name]: _, ...rest } = variables
  return rest
}

/** The message that a person reads. */
const messageOf = (error: unknown): string => String(error)

/** Everything in which a value could end up: a terminal, a log file, a message. */
const shown = (value: unknown): string =>
  [inspect(value, { depth: 20, showHidden: true }), JSON.stringify(value), String(value)].join("\n")

describe("credentials from the configuration", () => {
  it.effect("are read from the four variables", () =>
    Effect.gen(function* () {
      const credentials = yield* configured(variables)
      expect(credentials.baseUrl).toBe("https://venue.example")
      expect(Redacted.value(credentials.apiKey)).toBe("EXAMPLEKEY0001")
      expect(Redacted.value(credentials.apiSecret)).toBe("example-secret-not-real-0001")
      expect(Duration.toMillis(credentials.recvWindow)).toBe(20_000)
    })
  )

  it.effect("have a default receive window of 5 seconds", () =>
    Effect.gen(function* () {
      const credentials = yield* configured(without("VENUE_RECV_WINDOW"))
      expect(Duration.toMillis(credentials.recvWindow)).toBe(5000)
      expect(Duration.toMillis(Credentials.defaultRecvWindow)).toBe(5000)
    })
  )

  it.effect.each(["VENUE_BASE_URL", "VENUE_API_KEY", "VENUE_API_SECRET"] as const)("require %s", (name) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(configured(without(name)))
      expect(ConfigError.isMissingData(error)).toBe(true)
      expect(messageOf(error)).toContain(name)
      expect(messageOf(yield* Effect.flip(configured({ ...variables, [name]: "" })))).toContain(name)
    })
  )

  it.effect.each([
    ["venue.example", "must be an absolute http or https address"],
    ["", "must be an absolute http or https address"],
    ["/relative", "must be an absolute http or https address"],
    ["ftp://venue.example", "must be an absolute http or https address"],
    ["file:///etc/passwd", "must be an absolute http or https address"],
    ["xhttps://venue.example", "must be an absolute http or https address"],
    ["https://hunter2@venue.example", "must have no user, query or fragment"],
    ["https://:hunter2@venue.example", "must have no user, query or fragment"],
    ["https://user:hunter2@venue.example", "must have no user, query or fragment"],
    ["https://venue.example?a=1", "must have no user, query or fragment"],
    ["https://venue.example#a", "must have no user, query or fragment"]
  ] as const)("refuse the address %j", ([address, rule]) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(configured({ ...variables, VENUE_BASE_URL: address }))
      expect(error).toMatchObject({ _op: "InvalidData", path: ["VENUE_BASE_URL"] })
      expect(messageOf(error)).toContain(rule)
      expect(shown(error)).not.toContain("hunter2")
    })
  )

  it.effect.each([
    ["https://venue.example/", "https://venue.example"],
    ["https://VENUE.example:443/prefix//", "https://venue.example/prefix"],
    ["http://127.0.0.1:8080", "http://127.0.0.1:8080"]
  ] as const)("read the address %s as %s", ([address, baseUrl]) =>
    Effect.gen(function* () {
      expect((yield* configured({ ...variables, VENUE_BASE_URL: address })).baseUrl).toBe(baseUrl)
    })
  )

  it.effect.each(["0", "-1", "1.5", "soon", "", "5 seconds"])("refuse the receive window %j", (window) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(configured({ ...variables, VENUE_RECV_WINDOW: window }))
      expect(ConfigError.isInvalidData(error)).toBe(true)
      expect(messageOf(error)).toContain("VENUE_RECV_WINDOW")
    })
  )
})

/** What a call throws, be it nothing at all: `toThrow` takes a thrown `undefined` for any error. */
const thrown = (call: () => unknown): unknown => {
  try {
    return call()
  } catch (error) {
    return error
  }
}

describe("credentials of a program", () => {
  const options = {
    baseUrl: new URL("https://venue.example/prefix/"),
    apiKey: "EXAMPLEKEY0001",
    apiSecret: Redacted.make("example-secret-not-real-0001")
  }

  it("are checked when they are created", () => {
    expect(Credentials.make(options).baseUrl).toBe("https://venue.example/prefix")
    expect(Duration.toMillis(Credentials.make({ ...options, recvWindow: "2 seconds" }).recvWindow)).toBe(2000)
    expect(thrown(() => Credentials.make({ ...options, baseUrl: "nowhere" }))).toStrictEqual(
      new TypeError("Credentials: baseUrl must be an absolute http or https address")
    )
    for (const recvWindow of [0, -5, 0.5, Number.NaN, "forever" as `${number} seconds`, Duration.infinity]) {
      expect(thrown(() => Credentials.make({ ...options, recvWindow }))).toStrictEqual(
        new TypeError("Credentials: recvWindow must be a whole number of milliseconds greater than 0")
      )
    }
  })

  it("accept a redacted key", () => {
    const apiKey = Redacted.make("EXAMPLEKEY0002")
    expect(Credentials.make({ ...options, apiKey }).apiKey).toBe(apiKey)
  })

  it("redact a secret that is plain text, as a program without types can pass it", () => {
    const credentials = Credentials.make({ ...options, apiSecret: "plain" as never })
    expect(JSON.stringify(credentials)).not.toContain("plain")
    expect(Redacted.value(credentials.apiSecret)).toBe("plain")
  })

  it.effect("die in a layer if they are invalid", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* Effect.provide(Credentials.Credentials, Credentials.layer(options))
      expect(baseUrl).toBe("https://venue.example/prefix")
      const exit = yield* Effect.exit(Effect.scoped(Layer.build(Credentials.layer({ ...options, baseUrl: "nowhere" }))))
      expect(Exit.isFailure(exit) && Cause.isDie(exit.cause)).toBe(true)
    })
  )

  it.effect("without a key work for public operations", () =>
    Effect.gen(function* () {
      const credentials = yield* Effect.provide(
        Credentials.Credentials,
        Credentials.layerPublic({ baseUrl: "https://venue.example" })
      )
      expect(credentials.baseUrl).toBe("https://venue.example")
      expect(Redacted.value(credentials.apiKey)).toBe("")
      expect(Redacted.value(credentials.apiSecret)).toBe("")
    })
  )
})

describe("the secret", () => {
  it.effect("does not appear in the credentials, nor does the key", () =>
    Effect.gen(function* () {
      const credentials = yield* configured(variables)
      for (const text of [
        shown(credentials),
        shown({ credentials }),
        inspect(new Error("x", { cause: credentials }))
      ]) {
        expect(text).not.toContain(variables.VENUE_API_SECRET)
        expect(text).not.toContain(variables.VENUE_API_KEY)
      }
      expect(shown(credentials)).toContain("<redacted>")
    })
  )

  it.effect("does not appear in any failure of the configuration", () =>
    Effect.gen(function* () {
      const wrong = [
        { ...variables, VENUE_BASE_URL: "nowhere" },
        { ...variables, VENUE_RECV_WINDOW: "soon" },
        { ...variables, VENUE_API_KEY: "" },
        without("VENUE_BASE_URL")
      ]
      for (const values of wrong) {
        const exit = yield* Effect.exit(configured(values))
        if (Exit.isSuccess(exit)) throw new Error("this configuration should have been refused")
        for (const text of [
          shown(exit),
          shown(exit.cause),
          Cause.pretty(exit.cause),
          inspect(Cause.squash(exit.cause))
        ]) {
          expect(text).not.toContain(variables.VENUE_API_SECRET)
        }
      }
    })
  )
})

describe("a key that is invalid in a header", () => {
  const keys = [
    "key\nnext",
    "key\r",
    " key",
    "key ",
    "two keys",
    "key\u0000",
    "schl\u00fcssel",
    "\u2603",
    "key\t",
    "\u007f"
  ]

  it.effect.each(keys)("is refused when the credentials are created: %j", (apiKey) =>
    Effect.gen(function* () {
      const options = { baseUrl: "https://venue.example", apiKey, apiSecret: Redacted.make("example") }
      const error = thrown(() => Credentials.make(options))
      expect(error).toStrictEqual(
        new TypeError("Credentials: apiKey must consist of visible ASCII characters, because a header carries it")
      )
      expect(thrown(() => Credentials.make({ ...options, apiKey: Redacted.make(apiKey) }))).toStrictEqual(error)
      const failure = yield* Effect.flip(configured({ ...variables, VENUE_API_KEY: `${apiKey}x` }))
      expect(failure).toMatchObject({ _op: "InvalidData", path: ["VENUE_API_KEY"] })
      expect(shown(failure)).not.toContain(apiKey.trim() === "key" ? "keyx" : apiKey)
    })
  )

  it("is not one of visible ASCII characters", () => {
    const apiKey = Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index)).join("")
    const options = { baseUrl: "https://venue.example", apiKey, apiSecret: Redacted.make("example") }
    expect(Redacted.value(Credentials.make(options).apiKey)).toBe(apiKey)
  })
})

describe("a base URL of http", () => {
  const insecure = [
    "http://venue.example",
    "http://10.0.0.1:8080",
    "http://test",
    "http://venue.test.example",
    "http://[::2]"
  ]
  const secure = [
    ...["https://venue.example", "http://localhost:1", "http://127.0.0.1", "http://127.9.9.9", "http://[::1]:8080"],
    ...["http://venue.test", "http://sandbox.invalid", "http://a.localhost", "http://venue.internal/prefix"]
  ]

  it.effect.each(insecure)("in the configuration is refused unless it is allowed: %s", (address) =>
    Effect.gen(function* () {
      const values = { ...variables, VENUE_BASE_URL: address }
      for (const VENUE_ALLOW_INSECURE of [undefined, "", "0", "true"]) {
        const error = yield* Effect.flip(
          configured(VENUE_ALLOW_INSECURE === undefined ? values : { ...values, VENUE_ALLOW_INSECURE })
        )
        expect(error).toMatchObject({ _op: "InvalidData", path: ["VENUE_BASE_URL"] })
        expect(messageOf(error)).toContain("VENUE_ALLOW_INSECURE=1")
      }
      expect((yield* configured({ ...values, VENUE_ALLOW_INSECURE: "1" })).baseUrl).toBe(address)
    })
  )

  const logged = <A>(effect: Effect.Effect<A>) =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const logger = Logger.map(Logger.logfmtLogger, (line) => void lines.push(line))
      yield* Effect.provide(effect, Logger.replace(Logger.defaultLogger, logger))
      return lines
    })

  it.effect("is logged as a warning by the layer only if it is insecure", () =>
    Effect.gen(function* () {
      const built = (baseUrl: string) =>
        logged(Effect.scoped(Layer.build(Credentials.layer({ baseUrl, apiKey: "k", apiSecret: Redacted.make("s") }))))
      for (const baseUrl of insecure) {
        const lines = yield* built(baseUrl)
        expect(lines).toHaveLength(1)
        expect(lines[0]).toContain("level=WARN")
        expect(lines[0]).toContain("is not https")
      }
      for (const baseUrl of secure) expect(yield* built(baseUrl)).toEqual([])
    })
  )

  it("is logged as a warning by make", () => {
    const lines: Array<string> = []
    const log = vi.spyOn(console, "log").mockImplementation((line) => void lines.push(String(line)))
    try {
      const options = { apiKey: "k", apiSecret: Redacted.make("s") }
      for (const baseUrl of secure) Credentials.make({ ...options, baseUrl })
      expect(lines).toEqual([])
      Credentials.make({ ...options, baseUrl: "http://venue.example" })
      expect(lines.join()).toContain("http://venue.example is not https")
      expect(lines.join()).toContain("WARN")
    } finally {
      log.mockRestore()
    }
  })
})
