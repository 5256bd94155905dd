/** Where the service's pages contradict themselves: either spelling is read. (docs/reference/contradictions.md) */
import { addEqualityTesters, describe, expect, it } from "@effect/vitest"
import { DateTime, Either, Option, Schema } from "effect"
import * as ApiLimits from "../src/domains/ApiLimits.js"
import * as Assets from "../src/domains/Assets.js"
import * as Instant from "../src/scalars/instants.js"
import * as Instruments from "../src/domains/Instruments.js"
import * as Orders from "../src/domains/Orders.js"
import * as Page from "../src/endpoint/page.js"
import * as Positions from "../src/domains/Positions.js"
import * as Decoder from "@effect-venue/schemas/siblings/Decoder"
import * as Encoder from "@effect-venue/schemas/siblings/Encoder"
import { at, fixture, mismatches, none, some } from "./helpers.js"

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

const limit = { uids: "1", bizType: "SPOT", rate: 5 }
const limits = { list: [{ uids: ["1"], bizType: "SPOT", rate: 5 }] }
const change = { ...limit, success: true, msg: "API limit updated successfully" }
const changes = { list: [{ ...limits.list[0], success: true, msg: change.msg }] }
const account = { status: "ACCOUNT_STATUS_NORMAL", assets: [] }
const order = { orderId: "1", orderLinkId: "" }
const ordered = { orderId: "1", orderLinkId: none, success: none }
const cancelled = (entries: ReadonlyArray<Either.Either<object, unknown>>, success: Option.Option<boolean>) => ({
  list: some(entries),
  success
})
const instrument = recorded("instruments.list", "list")
const { offlineTime: _, tags: __, ...bare } = instrument
const [transfer, subTransfer] = [recorded("assets.transfers", "list"), recorded("assets.subAccountTransfers", "list")]
const position = recorded("positions.list", "list")
const offline = some(at(1_700_006_400_000))

/** Read to what is expected, also after it was written. */
const spellings: ReadonlyArray<readonly [Schema.Schema.AnyNoContext, wire: object, expected: object]> = [
  [Assets.TransferAck, { transferId: "t1" }, { transferId: "t1" }],
  [Assets.TransferAck, { transfer_id: "t1" }, { transferId: "t1" }],
  [ApiLimits.QueryRequest, { uids: "1,2" }, { uids: ["1", "2"] }],
  [ApiLimits.QueryRequest, { uid: "1,2" }, { uids: ["1", "2"] }],
  [ApiLimits.QueryResult, { list: [limit] }, limits],
  [ApiLimits.QueryResult, { result: [limit] }, limits],
  [ApiLimits.QueryResult, { list: [] }, { list: [] }],
  [ApiLimits.QueryResult, { result: [] }, { list: [] }],
  [ApiLimits.SetResult, { list: [change] }, changes],
  [ApiLimits.SetResult, { result: [change] }, changes],
  [Assets.FundingAssets, { fund: account }, { spot: none, fund: some(account) }],
  [Assets.FundingAssets, { spot: account, fund: null }, { spot: some(account), fund: none }],
  [Orders.CancelAllResult, { list: [order] }, cancelled([Either.right(ordered)], none)],
  [Orders.CancelAllResult, { list: [], success: "1" }, cancelled([], some(true))],
  [Orders.CancelAllResult, { success: "1" }, { list: none, success: some(true) }],
  [Orders.CancelAllResult, { list: "none", success: "1" }, { list: none, success: some(true) }],
  [Orders.CancelAllResult, { list: null, success: "0" }, cancelled([], some(false))],
  [
    Orders.CancelAllResult,
    { list: [order, { orderId: "" }, 1] },
    cancelled([Either.right(ordered), Either.left({ orderId: "" }), Either.left(1)], none)
  ],
  [Orders.CancelAllResult, { list: [], success: "0" }, cancelled([], some(false))],
  [
    Orders.CancelAllResult,
    { list: [{ ...order, success: "0" }] },
    cancelled([Either.right({ ...ordered, success: some(false) })], none)
  ],
  ...["", "0", null].map(
    (offlineTime) => [Instruments.Instrument, { ...instrument, offlineTime }, { offlineTime: none }] as const
  ),
  ...["1700006400", "1700006400000", 1_700_006_400, 1_700_006_400_000].map(
    (offlineTime) => [Instruments.Instrument, { ...instrument, offlineTime }, { offlineTime: offline }] as const
  ),
  [Instruments.Instrument, bare, { offlineTime: none, tags: [] }],
  [Instruments.Instrument, { ...bare, tags: [] }, { tags: [] }],
  [Assets.SubAccountTransfer, { ...subTransfer, timestamp: "1700000000123" }, { timestamp: at(1_700_000_000_123) }],
  ...["1700000000", 1_700_000_000, "1700000000000", 1_700_000_000_000].flatMap((timestamp) => {
    const read = { timestamp: at(1_700_000_000_000) }
    return [
      [Assets.Transfer, { ...transfer, timestamp }, read],
      [Assets.SubAccountTransfer, { ...subTransfer, timestamp }, read]
    ] as const
  }),
  ...["", "None", null].map((side) => [Positions.Position, { ...position, side }, { side: none }] as const)
]

describe("a field with two spellings", () => {
  for (const [schema, wire, expected] of spellings) {
    it(`keeps its meaning in a round trip: ${JSON.stringify(wire).slice(0, 80)}`, () => {
      const decode: (input: unknown) => unknown = Schema.decodeUnknownSync(schema)
      const decoded = decode(wire)
      expect(decoded).toMatchObject(expected)
      expect(decode(Schema.encodeUnknownSync(schema)(decoded))).toMatchObject(expected)
    })
  }

  it("is written in the documented spelling", () => {
    const ack = Schema.decodeUnknownSync(Assets.TransferAck)({ transfer_id: "t1" })
    expect(Schema.encodeSync(Assets.TransferAck)(ack)).toStrictEqual({ transferId: "t1" })
    expect(Schema.encodeSync(ApiLimits.SetResult)({ list: [] })).toStrictEqual({ result: [] })
    expect(Schema.encodeSync(ApiLimits.QueryResult)({ list: [] })).toStrictEqual({ list: [] })
    const own = DateTime.unsafeMake(1_700_000_000_123)
    expect(Schema.encodeSync(Instant.disputedText("s"))(own)).toBe("1700000000")
    expect(Schema.encodeSync(Instant.disputedText("ms"))(own)).toBe("1700000000123")
    const zero = Schema.decodeUnknownSync(Instruments.Instrument)({ ...instrument, offlineTime: 0 })
    expect(zero.offlineTime).toStrictEqual(none)
    expect(Schema.encodeSync(Instruments.Instrument)(zero).offlineTime).toBe("")
    const held = Schema.decodeUnknownSync(Positions.Position)(position)
    expect(Schema.encodeSync(Positions.Position)({ ...held, side: Option.none() }).side).toBe("")
  })

  it("is required in one of them", () => {
    expect(mismatches(Assets.TransferAck, {})).not.toHaveLength(0)
    expect(mismatches(Assets.TransferAck, { transferId: "" })).not.toHaveLength(0)
    for (const timestamp of ["", " ", "0x10", "1e3", "soon", "1.5", 1.5, null]) {
      expect(mismatches(Assets.Transfer, { ...transfer, timestamp })).toHaveLength(1)
      expect(mismatches(Assets.SubAccountTransfer, { ...subTransfer, timestamp })).toHaveLength(1)
    }
  })
})

describe("an open order", () => {
  const order = recorded("orders.open", "list")
  const names = Object.keys(order)
  const small = (name: string) => name.charAt(0).toLowerCase() + name.slice(1)
  /** The order, with these names spelled with a small initial. */
  const spelled = (...own: ReadonlyArray<string>) =>
    Object.fromEntries(Object.entries(order).map(([name, value]) => [own.includes(name) ? small(name) : name, value]))
  const ordinary = Schema.decodeUnknownEither(Orders.OpenOrder)
  const compiled = Decoder.decodeUnknownEither(Orders.OpenOrder)
  const check = Decoder.validateWireEither(Orders.OpenOrder)
  const whole = Schema.decodeUnknownSync(Orders.OpenOrder)(order)
  // An object is no value of any field, or nothing in a field that is not described.
  const isRead = (name: string) => Either.isRight(ordinary({ ...order, [name]: {} }))

  it("is read with small initials, in any of its fields, and written with capitals", () => {
    for (const own of [
      names,
      ...names.map((name) => [name]),
      ...names.map((name) => names.filter((n) => n !== name))
    ]) {
      const wire = spelled(...own)
      expect(ordinary(wire)).toEqual(Either.right(whole))
      expect(compiled(wire)).toEqual(Either.right(whole))
      expect(check(wire)).toEqual(Either.right(wire))
    }
    expect(Object.keys(Schema.encodeSync(Orders.OpenOrder)(whole))).toStrictEqual(names)
    expect(Encoder.encodeSync(Orders.OpenOrder)(whole)).toEqual(Schema.encodeSync(Orders.OpenOrder)(whole))
  })

  it("is read by its documented name, whatever the other one has", () => {
    for (const name of names) {
      for (const decode of [ordinary, compiled]) {
        expect(decode({ ...order, [small(name)]: {} })).toEqual(Either.right(whole))
        const wire = { ...spelled(...names), [name]: {} }
        if (!isRead(name))
          expect(decode(wire)).toMatchObject(Either.left({ message: expect.stringContaining(`["${name}"]`) }))
      }
      if (!isRead(name)) {
        expect(mismatches(Orders.OpenOrder, { ...spelled(...names), [name]: {} })).toEqual([
          expect.stringMatching(new RegExp(`^${name}: `))
        ])
      }
    }
    expect(mismatches(Orders.OpenOrder, { ...order, OrderId: null, orderId: "1" })).toEqual([
      expect.stringMatching(/^OrderId: /)
    ])
  })

  it("is refused at the name that it has", () => {
    for (const name of names.filter((name) => !isRead(name))) {
      for (const own of [names, [name]]) {
        const wire = { ...spelled(...own), [small(name)]: {} }
        expect(mismatches(Orders.OpenOrder, wire)).toEqual([expect.stringMatching(new RegExp(`^${small(name)}: `))])
        expect(Either.isLeft(compiled(wire))).toBe(true)
        expect(Either.isLeft(check(wire))).toBe(true)
      }
    }
    const { orderId: _, ...missing } = spelled(...names)
    expect(mismatches(Orders.OpenOrder, missing)).toEqual(["OrderId: is missing"])
    for (const wire of [null, [], "", 1]) expect(mismatches(Orders.OpenOrder, wire)).toHaveLength(1)
  })
})

describe("a field that is text in a table and a number in an example", () => {
  const chain = { chain: "ETH", chain_name: "ERC20", can_deposit: 1, deposit_min: "1" }
  const deposit = recorded("assets.deposits", "rows")
  const confirmed = (deposit_confirmation: unknown) => ({
    ...recorded("assets.coins", "rows"),
    deposit_chains: [{ ...chain, deposit_confirmation }]
  })

  it.each([
    [Assets.CoinInfo, confirmed("12"), { depositChains: [{ depositConfirmation: some(12) }] }],
    [Assets.CoinInfo, confirmed(12), { depositChains: [{ depositConfirmation: some(12) }] }],
    [Assets.CoinInfo, confirmed(""), { depositChains: [{ depositConfirmation: none }] }],
    [Assets.Deposit, { ...deposit, type: 1, status: 2 }, { type: "1", status: "2" }],
    [Assets.Deposit, { ...deposit, type: "1", status: "2" }, { type: "1", status: "2" }],
    [Assets.SubAccountTransfer, { ...subTransfer, user_id: 7, sub_user_id: "8" }, { userId: "7", subUserId: "8" }]
  ])("accepts both: %#", (schema, wire, expected) => {
    expect(Schema.decodeUnknownSync(schema as Schema.Schema.AnyNoContext)(wire)).toMatchObject(expected)
  })
})

describe("a result without information", () => {
  it("accepts {}, null, a missing result and later additions, and is written as {}", () => {
    const read: (wire: unknown) => unknown = Schema.decodeUnknownSync(Page.nothing)
    for (const wire of [{}, null, undefined, { orderId: "1" }]) expect(read(wire)).toBeUndefined()
    expect(Schema.encodeSync(Page.nothing)(undefined)).toStrictEqual({})
  })

  it("refuses a text, a number, a list, and a result with information", () => {
    for (const wire of ["", "OK", 0, true, []]) expect(mismatches(Page.nothing, wire)).toHaveLength(1)
    for (const wire of [{}, null]) expect(mismatches(Orders.amend.result, wire)).not.toHaveLength(0)
  })
})
