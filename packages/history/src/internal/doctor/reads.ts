import * as Account from "@effect-venue/schemas/Account"
import * as ApiLimits from "@effect-venue/schemas/ApiLimits"
import * as Assets from "@effect-venue/schemas/Assets"
import * as Broker from "@effect-venue/schemas/Broker"
import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import * as Executions from "@effect-venue/schemas/Executions"
import * as Instruments from "@effect-venue/schemas/Instruments"
import * as Orders from "@effect-venue/schemas/Orders"
import * as Positions from "@effect-venue/schemas/Positions"
import type * as Failure from "@effect-venue/transport/Failure"
import * as Transport from "@effect-venue/transport/Transport"
import type * as Effect from "effect/Effect"

/** What a request is made from: the window of a history in milliseconds, and the page of a list. */
export interface Ask {
  readonly from: number
  readonly to: number
  /** The UID of the account; empty where the credentials do not declare it. */
  readonly uid: string
  readonly cursor: string | undefined
  readonly size: number
}

/** One way to call an operation that reads. */
export interface Read {
  readonly endpoint: Endpoint.Any
  /** What the request is about, such as `linear`; empty where there is one request only. */
  readonly variant: string
  readonly call: (
    transport: Transport.Transport.Shape,
    ask: Ask
  ) => Effect.Effect<Transport.AnswerText<unknown>, Failure.ReadFailure>
  /** What the wire calls the cursor of an answer, where that is not what the endpoint calls it. */
  readonly cursor?: string
  /** The answer has no cursor: it is one page. */
  readonly unpaged?: boolean
  readonly needsUid?: boolean
}

const read = <Req, ReqWire, Res, ResWire>(
  endpoint: Endpoint.Endpoint<Req, ReqWire, Res, ResWire, "read">,
  request: (ask: Ask) => NoInfer<Req>,
  more: Partial<Pick<Read, "variant" | "cursor" | "unpaged" | "needsUid">> = {}
): Read => ({
  endpoint,
  variant: "",
  call: (transport, ask) => Transport.callText(transport, endpoint, request(ask)),
  ...more
})

const categories = ["spot", "linear", "inverse"] as const
const contracts = [
  { category: "linear", settleCoin: "USDT" },
  { category: "inverse", settleCoin: "BTC" }
] as const

const range = ({ cursor, from, size, to }: Ask) => ({ startTime: from, endTime: to, limit: size, cursor })

/** Every read of the library, by each category that it has. */
export const reads: ReadonlyArray<Read> = [
  ...categories.map((category) =>
    read(Instruments.list, ({ cursor }) => ({ category, cursor }), {
      variant: category,
      unpaged: category === "spot"
    })
  ),
  read(Account.walletBalance, () => ({ accountType: "UNIFIED" as const })),
  ...categories.map((category) => read(Account.feeRate, () => ({ category }), { variant: category })),
  read(Orders.open, ({ cursor }) => ({ category: "spot" as const, cursor }), { variant: "spot" }),
  read(Orders.open, ({ cursor }) => ({ category: "linear" as const, settleCoin: "USDT", cursor }), {
    variant: "linear"
  }),
  read(Orders.open, ({ cursor }) => ({ category: "inverse" as const, cursor }), { variant: "inverse" }),
  ...categories.map((category) => read(Orders.history, (ask) => ({ category, ...range(ask) }), { variant: category })),
  ...contracts.map((contract) =>
    read(Positions.list, ({ cursor }) => ({ ...contract, cursor }), { variant: contract.category })
  ),
  ...contracts.flatMap(({ category }) => [
    read(Positions.closedPnl, (ask) => ({ category, ...range(ask) }), { variant: category }),
    read(Positions.preUpgradeClosedPnl, (ask) => ({ category, ...range(ask) }), { variant: category })
  ]),
  ...categories.flatMap((category) => [
    read(Executions.list, (ask) => ({ category, ...range(ask) }), { variant: category }),
    read(Executions.preUpgrade, (ask) => ({ category, ...range(ask) }), { variant: category })
  ]),
  read(Assets.coins, () => ({})),
  read(Assets.fundingAssets, () => ({ accountType: "FUND" as const })),
  read(Assets.transferableCoins, () => ({ fromAccountType: "UNIFIED" as const, toAccountType: "FUND" as const })),
  read(Assets.deposits, ({ cursor, from, size, to }) => ({
    type: 2 as const,
    startTime: from,
    endTime: to,
    pageSize: size,
    cursor
  })),
  read(Assets.transfers, range),
  read(Assets.subAccountTransfers, range),
  read(Assets.bonusUsage, ({ from, to }) => ({ coin: "USDT" as const, startTime: from, endTime: to, limit: 50 })),
  read(Broker.customers, () => ({})),
  read(Broker.tradeVolume, ({ cursor, from, size, to }) => ({ from, to, limit: size, cursor }), {
    cursor: "next_cursor"
  }),
  read(ApiLimits.query, ({ uid }) => ({ uids: [uid] }), { needsUid: true })
]
