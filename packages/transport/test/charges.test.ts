import * as Endpoints from "@effect-venue/schemas/Endpoints"
import * as Executions from "@effect-venue/schemas/Executions"
import * as Orders from "@effect-venue/schemas/Orders"
import * as Limits from "@effect-venue/transport/Limits"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Option } from "effect"
import * as charges from "../src/limits/charges.js"

/** What the service granted, by its type of business. */
const granted: Readonly<Record<string, number>> = { SPOT: 30, DERIVATIVES: 50 }

const of = (uid: string | undefined, grants = granted) =>
  charges.make({
    address: "host:443",
    host: "https://host",
    owner: "owner",
    uid,
    granted: (host, grantee, bizType) => (host === "https://host" && grantee === uid ? grants[bizType] : undefined)
  })

const second = Duration.seconds(1)

describe("the charges of a call", () => {
  const charge = of("7")

  it("are one of the address and one of the UID, which the headers report", () => {
    const { all, ofUid } = charge(Orders.cancel, { category: "linear" }, Limits.documented)
    const own = { key: "host:443 owner /cloud/trade/v3/order/cancel linear", scope: "uid", cost: 1, limit: 50 }
    expect(Option.getOrThrow(ofUid)).toEqual({ ...own, window: second })
    expect(all).toHaveLength(2)
    expect(all[0]).toMatchObject({ key: "host:443", scope: "ip", cost: 1 })
    expect(all[1]).toBe(Option.getOrThrow(ofUid))
  })

  it("are none without limits", () => {
    expect(charge(Orders.cancel, { category: "linear" }, Limits.none)).toEqual({ all: [], ofUid: Option.none() })
  })

  const limitOf = (uid: string | undefined, category: string, grants = granted) => {
    const { ofUid } = of(uid, grants)(Orders.cancel, { category }, Limits.documented)
    return Option.map(ofUid, ({ limit }) => limit)
  }
  const documented = (category: string) =>
    Option.map(Limits.documented.perUid(Orders.cancel, category), ({ count }) => count)

  it("have the limit that was granted to their UID, for spot and for derivatives", () => {
    expect(limitOf("7", "spot")).toEqual(Option.some(30))
    expect(limitOf("7", "linear")).toEqual(Option.some(50))
    expect(limitOf("7", "inverse")).toEqual(Option.some(50))
  })

  it("have the documented limit if none was granted or the UID is unknown", () => {
    for (const category of ["spot", "linear", "inverse"]) {
      expect(limitOf(undefined, category)).toEqual(documented(category))
      expect(limitOf("7", category, {})).toEqual(documented(category))
    }
  })

  it("are upgraded only for upgradable operations", () => {
    for (const endpoint of Endpoints.all) {
      const { ofUid } = charge(endpoint, { category: "linear" }, Limits.documented)
      const upgradable = Option.exists(endpoint.rateLimit, (limit) => limit.upgradable === true)
      const usual = Option.map(Limits.documented.perUid(endpoint, "linear"), ({ count }) => count)
      expect(
        Option.map(ofUid, ({ limit }) => limit),
        endpoint.name
      ).toEqual(upgradable ? Option.some(50) : usual)
    }
  })

  it("are counted by category if the service does, and otherwise together", () => {
    for (const endpoint of Endpoints.all) {
      for (const category of ["spot", "linear", undefined]) {
        const limit = Limits.documented.perUid(endpoint, category)
        const { ofUid } = charge(endpoint, { category }, Limits.documented)
        const part = Option.exists(limit, ({ scope }) => scope === "uid x category") ? ` ${category ?? ""}` : ""
        expect(Option.map(ofUid, ({ key }) => key)).toEqual(
          Option.map(limit, () => `host:443 owner ${endpoint.path}${part}`)
        )
      }
    }
  })

  it("treat a category that is not text as absent", () => {
    const { ofUid } = charge(Executions.list, { category: 1 }, Limits.documented)
    expect(ofUid).toEqual(charge(Executions.list, {}, Limits.documented).ofUid)
  })
})
