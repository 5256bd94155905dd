/** Maps the paths of the clients' API family to documented paths, with the differences in spelling. */

/** The differences in spelling. */
export type Spelling = "as is" | "capital initials" | "legacy"

export interface Place {
  readonly path: string
  readonly spelling: Spelling
  /** Parameters with a different name in the document. */
  readonly renamed?: Readonly<Record<string, string>>
}

const v3 = "/cloud/trade/v3"
const v1 = "/private/v1"

const asIs = [
  "order/history",
  "order/create",
  "order/amend",
  "order/cancel",
  "order/cancel-all",
  "order/create-batch",
  "order/amend-batch",
  "order/cancel-batch",
  "position/list",
  "position/add-margin",
  "position/trading-stop",
  "position/set-risk-limit",
  "position/confirm-pending-mmr",
  "position/set-leverage",
  "position/set-tpsl-mode",
  "position/closed-pnl",
  "execution/list",
  "pre-upgrade/execution/list",
  "pre-upgrade/position/closed-pnl",
  "market/instruments-info",
  "account/wallet-balance",
  "account/fee-rate",
  "apilimit/set",
  "apilimit/query"
].map((path): readonly [string, Place] => [`/v5/${path}`, { path: `${v3}/${path}`, spelling: "as is" }])

/** The documented places, by the client's path. */
export const places: ReadonlyMap<string, Place> = new Map<string, Place>([
  ...asIs,
  ["/v5/order/realtime", { path: `${v3}/order/realtime`, spelling: "capital initials" }],
  ["/v5/asset/transfer/query-asset-info", { path: `${v3}/asset/transfer/query-asset-info`, spelling: "legacy" }],
  ["/v5/asset/deposit/query-record", { path: `${v1}/asset/deposit/query-record`, spelling: "legacy" }],
  ["/v5/asset/coin/query-info", { path: `${v1}/asset/coin/query-info`, spelling: "legacy" }],
  ["/v5/asset/transfer/query-inter-transfer-list", { path: `${v1}/asset/transfer/list`, spelling: "legacy" }],
  [
    "/v5/asset/transfer/inter-transfer",
    {
      path: `${v1}/asset/transfer/single-account-transfer`,
      spelling: "legacy",
      renamed: { transferId: "requestId" }
    }
  ],
  ["/v5/asset/transfer/query-transfer-coin-list", { path: `${v1}/asset/transfer/query-coins`, spelling: "legacy" }]
])
