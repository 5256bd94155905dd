import { SandboxControl } from "@effect-venue/sandbox/Control"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Server from "@effect-venue/sandbox/Server"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Option, Redacted, TestClock } from "effect"
import * as Raw from "./utils/raw.js"
import { onServer } from "./utils/tests.js"

const wallet = "/cloud/trade/v3/account/wallet-balance"
const coins = "/private/v1/asset/coin/query-info"
const unified = { accountType: "UNIFIED" }

describe("the log of requests", () => {
  it.effect("contains the result of each signature check, but no secret and no signature", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox.Sandbox
      const control = yield* SandboxControl
      yield* TestClock.setTime(1_000_000)
      const { headers, target } = Raw.request({
        path: wallet,
        parameters: unified,
        credentials: sandbox.credentials.main,
        timestamp: 1_000_000
      })
      const asMain = (more: Readonly<Record<string, string>>) => Raw.bare({ target, headers: { ...headers, ...more } })
      const cases: ReadonlyArray<readonly [Effect.Effect<unknown, unknown, Sandbox.Sandbox>, object]> = [
        [Raw.call(wallet, unified), { signature: "valid", status: 200, code: 0, executed: true, path: wallet }],
        [asMain({ "x-bapi-sign": "00" }), { signature: "wrong", status: 200, code: 10004, executed: false }],
        [asMain({ "x-bapi-sign": "" }), { signature: "missing", status: 401, code: null }],
        [asMain({ "x-bapi-api-key": "nobody" }), { signature: "unknownKey", uid: null, code: 10003 }],
        [asMain({ "x-bapi-timestamp": "1" }), { signature: "outsideWindow", code: 10002 }],
        [Raw.bare({ target: coins, headers }), { signature: "incomplete", code: 10001 }],
        [
          Raw.bare({ target: `${coins}?api_key=a&timestamp=1&sign=stolen`, headers }),
          { signature: "contradictory", code: 10004 }
        ],
        [Raw.call(wallet, unified, { role: "expired" }), { signature: "valid", code: 33004, executed: false }],
        [
          Raw.bare({ target: "/cloud/trade/v3/market/instruments-info?category=spot&limit=1" }),
          {
            signature: "notNeeded",
            operation: "instruments.list",
            parameters: { category: "spot", limit: "1" },
            code: 0
          }
        ],
        [
          Raw.bare({ target: "/nowhere?secret=1", method: "PUT" }),
          { method: "PUT", path: "/nowhere", operation: null, signature: "notChecked", status: 400, code: null }
        ]
      ]
      for (const [request] of cases) yield* request
      yield* control.faults.set([{ fault: { kind: "dropBefore" } }])
      expect(Exit.isFailure(yield* Effect.exit(Raw.call(wallet, unified)))).toBe(true)
      const { requests } = (yield* control.call("requests", {})) as { readonly requests: ReadonlyArray<object> }
      expect(requests).toMatchObject([
        ...cases.map(([, entry]) => entry),
        { signature: "notChecked", fault: { kind: "dropBefore" }, executed: false, status: null, code: null }
      ])
      const text = JSON.stringify(requests)
      for (const { apiKey, apiSecret } of Object.values(sandbox.credentials)) {
        expect(text).not.toContain(Redacted.value(apiKey))
        expect(text).not.toContain(Redacted.value(apiSecret))
      }
      for (const secret of [headers["x-bapi-sign"] ?? "none", "stolen", "secret"]) expect(text).not.toContain(secret)
    }).pipe(Effect.provide(Sandbox.layer({ seed: 5 })))
  )

  it.effect("has a maximum size, and can be queried by every field", () =>
    Effect.gen(function* () {
      const control = yield* SandboxControl
      const { uids } = yield* Sandbox.Sandbox
      yield* Raw.bare({ target: "/forgotten" })
      yield* Raw.call(wallet, unified)
      yield* TestClock.adjust("1 second")
      yield* Raw.call(wallet, { accountType: "NONE" }, { role: "sub" })
      yield* Raw.bare({ target: "/nowhere" })
      const paths = (query: Parameters<typeof control.requests>[0]) =>
        Effect.map(control.requests(query), (found) => found.map(({ path, uid }) => [path, Option.getOrNull(uid)]))
      const first = [wallet, uids.main]
      const second = [wallet, uids.sub]
      const third = ["/nowhere", null]
      expect(yield* paths({})).toEqual([first, second, third])
      expect(yield* paths({ last: 1 })).toEqual([third])
      expect(yield* paths({ account: uids.sub })).toEqual([second])
      expect(yield* paths({ operation: "account.walletBalance", last: 1 })).toEqual([second])
      expect(yield* paths({ path: "/cloud/" })).toEqual([first, second])
      expect(yield* paths({ signature: "valid", code: 0 })).toEqual([first])
      expect(yield* paths({ status: 404 })).toEqual([third])
      expect(yield* paths({ since: 1000 })).toEqual([second, third])
      expect(yield* Effect.flip(control.requests({ last: 0 }))).toMatchObject({
        reason: "InvalidArgument",
        field: "last",
        detail: "must be a whole number of at least 1"
      })
    }).pipe(Effect.provide(Sandbox.layer({ seed: 5, faults: { logSize: 3 } })))
  )

  onServer("can be queried over HTTP", function* () {
    const { url } = yield* Server.Server
    const get = (path: string) =>
      Effect.promise(async () => {
        const response = await fetch(url + path)
        return { status: response.status, json: response.ok ? await response.json() : undefined }
      })
    yield* get("/nowhere")
    const { json } = yield* get("/sandbox/control/requests?status=404&last=1")
    expect(json.requests).toMatchObject([{ method: "GET", path: "/nowhere", status: 404 }])
    for (const query of ["last=none", "last=0", "nonsense=1", "path=%zz"]) {
      expect((yield* get(`/sandbox/control/requests?${query}`)).status).toBe(400)
    }
  })
})
