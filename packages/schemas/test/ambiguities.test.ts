/** Where the service's pages contradict themselves: either spelling is read. (docs/reference/contradictions.md) */
import { addEqualityTesters, describe, expect, it } from "@effect/vitest"
import { DateTime, Option, Schema } from "effect"
import * as ApiLimits from "../src/ApiLimits.js"
import * as Assets from "../src/Assets.js"
import * as Envelope from "../src/Envelope.js"
import * as Instant from "../src/Instant.js"
import * as Instruments from "../src/Instruments.js"
import * as Orders from "../src/Orders.js"
import * as Page from "../src/Page.js"
import * as Positions from "../src/Positions.js"
import { at, fixture, mismatches, none, sent, some } from "./helpers.js"

addEqualityTesters()

interface AnyJson {
  readonly [key: string]: unknown
}

/** The first item of a recorded list, verbatim. */
const recorded = (name: string, items: string): AnyJson => {
  const envelope = fixture(`successes/${name}.json`) as { readonly result: Record<string, ReadonlyArray<AnyJson>> }
  const first = envelope.result[items]?.[0]
  if (first === undefined) throw new Error(`${name} has no ${items}`)
  return first
}

const bothWays = <A, I>(schema: Schema.Schema<A, I>, wire: unknown): A => {
  const decoded = Schema.decodeUnknownSync(schema)(wire)
  expect(Schema.encodeSync(schema)(decoded)).toStrictEqual(wire)
  return decoded
}

describe("the id of a new transfer", () => {
  it("is transferId or transfer_id, and stays what it was", () => {
    expect(bothWays(Assets.TransferAck, { transferId: "t1" })).toStrictEqual({ transferId: "t1" })
    expect(bothWays(Assets.TransferAck, { transfer_id: "t1" })).toStrictEqual({ transferId: "t1" })
  })

  it("of the domain's own making is written as transferId", () => {
    const ack = Schema.decodeUnknownSync(Assets.TransferAck)({ transfer_id: "t1" })
    expect(Schema.encodeSync(Assets.TransferAck)({ ...ack })).toStrictEqual({ transferId: "t1" })
  })

  it("must be there", () => {
    expect(mismatches(Assets.TransferAck, {})).not.toHaveLength(0)
    expect(mismatches(Assets.TransferAck, { transferId: "" })).not.toHaveLength(0)
  })
})

describe("the UIDs of a limits query", () => {
  it("are read under uids and under uid", () => {
    expect(bothWays(ApiLimits.QueryRequest, { uids: "1,2" })).toStrictEqual({ uids: ["1", "2"] })
    expect(bothWays(ApiLimits.QueryRequest, { uid: "1,2" })).toStrictEqual({ uids: ["1", "2"] })
  })

  it("are sent under uids", () => {
    expect(sent(ApiLimits.query, { uids: ["1", "2"] })).toStrictEqual({ uids: "1,2" })
  })
})

describe("the limits of an answer", () => {
  const limit = { uids: "1", bizType: "SPOT", rate: 5 }
  const change = { ...limit, success: true, msg: "API limit updated successfully" }

  it("are read under list and under result", () => {
    for (const name of ["list", "result"]) {
      expect(bothWays(ApiLimits.QueryResult, { [name]: [limit] })).toStrictEqual({
        list: [{ uids: ["1"], bizType: "SPOT", rate: 5 }]
      })
      expect(bothWays(ApiLimits.SetResult, { [name]: [change] }).list[0]?.success).toBe(true)
    }
  })

  it("may be none", () => {
    expect(bothWays(ApiLimits.QueryResult, { list: [] })).toStrictEqual({ list: [] })
    expect(bothWays(ApiLimits.QueryResult, { result: [] })).toStrictEqual({ list: [] })
  })

  it("of the domain's own making are written as the document has them: changes under result, limits under list", () => {
    expect(Schema.encodeSync(ApiLimits.SetResult)({ list: [] })).toStrictEqual({ result: [] })
    expect(Schema.encodeSync(ApiLimits.QueryResult)({ list: [] })).toStrictEqual({ list: [] })
  })
})

describe("a result that says nothing", () => {
  const read: (wire: unknown) => unknown = Schema.decodeUnknownSync(Page.nothing)

  it("is {}, null or left out", () => {
    for (const wire of [{}, null, undefined]) {
      expect(read(wire)).toBeUndefined()
    }
  })

  it("may say something one day", () => {
    expect(read({ orderId: "1" })).toBeUndefined()
  })

  it("is not a text, a number or a list", () => {
    for (const wire of ["", "OK", 0, true, []]) expect(mismatches(Page.nothing, wire)).toHaveLength(1)
  })

  it("is written as {}", () => {
    expect(Schema.encodeSync(Page.nothing)(undefined)).toStrictEqual({})
  })

  it("does not pass for a result that says something", () => {
    for (const wire of [{}, null]) expect(mismatches(Orders.amend.result, wire)).not.toHaveLength(0)
  })
})

describe("the account type of the funding account", () => {
  it("is FUND or SPOT", () => {
    expect(bothWays(Assets.FundingAssetsRequest, { accountType: "FUND" })).toStrictEqual({ accountType: "FUND" })
    expect(bothWays(Assets.FundingAssetsRequest, { accountType: "SPOT" })).toStrictEqual({ accountType: "SPOT" })
  })

  it("decides which accounts are answered", () => {
    const account = { status: "ACCOUNT_STATUS_NORMAL", assets: [] }
    expect(bothWays(Assets.FundingAssets, { fund: account })).toStrictEqual({ spot: none, fund: some(account) })
    expect(bothWays(Assets.FundingAssets, { spot: account, fund: null })).toStrictEqual({
      spot: some(account),
      fund: none
    })
  })
})

describe("the tpslMode of a trading stop", () => {
  it("may be left out", () => {
    const request = { category: "linear", symbol: "BTCUSDT", positionIdx: 0 }
    expect(bothWays(Positions.TradingStopRequest, request)).toStrictEqual(request)
    expect(bothWays(Positions.TradingStopRequest, { ...request, tpslMode: "Full" }).tpslMode).toBe("Full")
  })
})

describe("the success flag of cancel-all", () => {
  const order = { orderId: "1", orderLinkId: "" }

  it("may be missing everywhere, be beside the list, or be in its entries", () => {
    expect(bothWays(Orders.CancelAllResult, { list: [order] })).toStrictEqual({
      list: [{ orderId: "1", orderLinkId: none, success: none }],
      success: none
    })
    expect(bothWays(Orders.CancelAllResult, { list: [], success: "1" }).success).toStrictEqual(some(true))
    expect(bothWays(Orders.CancelAllResult, { list: [], success: "0" }).success).toStrictEqual(some(false))
    expect(bothWays(Orders.CancelAllResult, { list: [{ ...order, success: "0" }] }).list[0]?.success).toStrictEqual(
      some(false)
    )
  })
})

describe("the offline time of an instrument", () => {
  const instrument = recorded("instruments.list", "list")

  it.each([
    ["empty", "", none],
    ["zero", "0", none],
    ["null", null, none],
    ["in seconds", "1700006400", some(at(1_700_006_400_000))],
    ["in milliseconds", "1700006400000", some(at(1_700_006_400_000))],
    ["a number of seconds", 1_700_006_400, some(at(1_700_006_400_000))],
    ["a number of milliseconds", 1_700_006_400_000, some(at(1_700_006_400_000))]
  ])("may be %s", (_, offlineTime, expected) => {
    expect(bothWays(Instruments.Instrument, { ...instrument, offlineTime }).offlineTime).toStrictEqual(expected)
  })

  it("may be the number zero, which is written as text", () => {
    const offline = Schema.decodeUnknownSync(Instruments.Instrument)({ ...instrument, offlineTime: 0 })
    expect(offline.offlineTime).toStrictEqual(none)
    expect(Schema.encodeSync(Instruments.Instrument)(offline).offlineTime).toBe("0")
  })

  it("may be left out", () => {
    const { offlineTime: _, ...rest } = instrument
    expect(bothWays(Instruments.Instrument, rest).offlineTime).toStrictEqual(none)
  })
})

describe("timestamps", () => {
  it("are read as text and as a number, in the documented unit", () => {
    for (const wire of [1_700_000_000_123, "1700000000123"]) {
      expect(Schema.decodeUnknownSync(Instant.MillisText)(wire)).toStrictEqual(at(1_700_000_000_123))
      expect(Schema.decodeUnknownSync(Instant.MillisNumber)(wire)).toStrictEqual(at(1_700_000_000_123))
    }
    for (const wire of [1_700_000_000, "1700000000"]) {
      expect(Schema.decodeUnknownSync(Instant.SecondsText)(wire)).toStrictEqual(at(1_700_000_000_000))
      expect(Schema.decodeUnknownSync(Instant.SecondsNumber)(wire)).toStrictEqual(at(1_700_000_000_000))
    }
  })

  it("of an envelope are read as text and as a number", () => {
    for (const time of [1_700_000_000_123, "1700000000123"]) {
      expect(
        Schema.decodeUnknownSync(Envelope.fromKind("standard"))({
          retCode: 0,
          retMsg: "",
          result: {},
          retExtInfo: {},
          time
        }).time
      ).toStrictEqual(some(at(1_700_000_000_123)))
    }
  })
})

describe("timestamps whose unit is disputed", () => {
  const transfer = recorded("assets.transfers", "list")
  const subAccountTransfer = recorded("assets.subAccountTransfers", "list")

  it.each([
    ["1700000000", 1_700_000_000_000],
    ["1700000000123", 1_700_000_000_123],
    [1_700_000_000, 1_700_000_000_000],
    [1_700_000_000_123, 1_700_000_000_123]
  ])("are read by their size: %s", (timestamp, millis) => {
    expect(bothWays(Assets.Transfer, { ...transfer, timestamp }).timestamp).toStrictEqual(at(millis))
    expect(bothWays(Assets.SubAccountTransfer, { ...subAccountTransfer, timestamp }).timestamp).toStrictEqual(
      at(millis)
    )
  })

  it("of the domain's own making are written in the documented unit", () => {
    const own = DateTime.unsafeMake(1_700_000_000_123)
    expect(Schema.encodeSync(Instant.disputedText("s"))(own)).toBe("1700000000")
    expect(Schema.encodeSync(Instant.disputedText("ms"))(own)).toBe("1700000000123")
  })

  it("are no instants when they are empty, fractions or words", () => {
    for (const timestamp of ["", " ", "0x10", "1e3", "soon", "1.5", 1.5, null]) {
      expect(mismatches(Assets.Transfer, { ...transfer, timestamp })).toHaveLength(1)
      expect(mismatches(Assets.SubAccountTransfer, { ...subAccountTransfer, timestamp })).toHaveLength(1)
    }
  })
})

describe("fields that are text in a table and a number in an example", () => {
  it("read deposit_confirmation either way", () => {
    const coin = recorded("assets.coins", "rows")
    const confirmation = (deposit_confirmation: unknown) =>
      Schema.decodeUnknownSync(Assets.CoinInfo)({
        ...coin,
        deposit_chains: [{ chain: "ETH", chain_name: "ERC20", can_deposit: 1, deposit_min: "1", deposit_confirmation }]
      }).depositChains[0]?.depositConfirmation
    expect(confirmation("12")).toStrictEqual(some(12))
    expect(confirmation(12)).toStrictEqual(some(12))
    expect(confirmation("")).toStrictEqual(none)
  })

  it("read the type and the status of a deposit either way", () => {
    const deposit = recorded("assets.deposits", "rows")
    const read = Schema.decodeUnknownSync(Assets.Deposit)
    expect(read({ ...deposit, type: 1, status: 2 })).toMatchObject({ type: "1", status: "2" })
    expect(read({ ...deposit, type: "1", status: "2" })).toMatchObject({ type: "1", status: "2" })
  })

  it("read the UIDs of a sub-account transfer either way", () => {
    const transfer = recorded("assets.subAccountTransfers", "list")
    const read = Schema.decodeUnknownSync(Assets.SubAccountTransfer)
    expect(read({ ...transfer, user_id: 7, sub_user_id: "8" })).toMatchObject({ userId: "7", subUserId: "8" })
  })
})

describe("the side of an empty position", () => {
  it.each(["", "None", null])("may be %j, and stays what it was", (side) => {
    const position = recorded("positions.list", "list")
    expect(bothWays(Positions.Position, { ...position, side }).side).toStrictEqual(none)
  })

  it("of the domain's own making is written as empty text", () => {
    const position = Schema.decodeUnknownSync(Positions.Position)(recorded("positions.list", "list"))
    expect(Schema.encodeSync(Positions.Position)({ ...position, side: Option.none() }).side).toBe("")
  })
})

describe("the tags of an instrument", () => {
  it("may be left out, and are none then", () => {
    const { tags: _, ...rest } = recorded("instruments.list", "list")
    expect(bothWays(Instruments.Instrument, rest).tags).toStrictEqual([])
    expect(bothWays(Instruments.Instrument, { ...rest, tags: [] }).tags).toStrictEqual([])
  })
})
