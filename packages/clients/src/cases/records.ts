import * as assert from "node:assert/strict"
import { type Case, v1, v3, week } from "../Case.js"
import type { DocumentClient } from "../documentClient.js"
import type { Json } from "../peers.js"

type RecordsCase = Case<DocumentClient>

/** Field names, by the type in the document's tables. */
interface Fields {
  readonly string?: string
  readonly integer?: string
  readonly boolean?: string
  readonly array?: string
  readonly object?: string
}

const isOf: Readonly<Record<keyof Fields, (value: unknown) => boolean>> = {
  string: (value) => typeof value === "string",
  integer: Number.isInteger,
  boolean: (value) => typeof value === "boolean",
  array: Array.isArray,
  object: (value) => typeof value === "object" && value !== null && !Array.isArray(value)
}

/** Checks that every record has every field, with the documented type. */
const check = (records: ReadonlyArray<Json>, fields: Fields): void => {
  assert.ok(records.length > 0, "no record to look at")
  for (const type of ["string", "integer", "boolean", "array", "object"] as const) {
    for (const name of fields[type]?.split(" ") ?? []) {
      const wrong = records.find((record) => !isOf[type](record[name]))
      if (wrong !== undefined)
        assert.fail(`${name} is no ${type}: ${JSON.stringify(wrong[name])} in ${JSON.stringify(wrong)}`)
    }
  }
}

const order: Fields = {
  string: [
    "OrderId OrderLinkId Symbol Price Qty Side IsLeverage OrderStatus CancelType RejectReason AvgPrice LeavesQty LeavesValue",
    "CumExecQty CumExecValue CumExecFee TimeInForce OrderType StopOrderType OrderIv MarketUnit TriggerPrice TakeProfit",
    "StopLoss TpslMode TpLimitPrice SlLimitPrice TpTriggerBy SlTriggerBy TriggerBy LastPriceOnCreated CreatedTime UpdatedTime"
  ].join(" "),
  integer: "PositionIdx TriggerDirection",
  boolean: "ReduceOnly CloseOnTrigger"
}

const position: Fields = {
  integer: "positionIdx riskId adlRankIndicator autoAddMargin",
  boolean: "isReduceOnly",
  string: [
    "riskLimitValue symbol side size avgPrice positionValue positionStatus leverage markPrice liqPrice bustPrice positionIM",
    "positionMM takeProfit stopLoss trailingStop unrealisedPnl cumRealisedPnl mmrSysUpdatedTime leverageSysUpdatedTime",
    "createdTime updatedTime tpslMode"
  ].join(" ")
}

const preUpgradeExecution =
  "symbol orderId side orderPrice orderQty leavesQty orderType stopOrderType execFee execId execPrice execQty execValue execType execTime feeRate markPrice closedSize"

const closedPnl =
  "symbol orderId side qty orderPrice orderType execType closedSize cumEntryValue avgEntryPrice cumExitValue avgExitPrice closedPnl fillCount leverage createdTime updatedTime"

const range = async (preUpgrade: () => Promise<ReadonlyArray<{ readonly at: number }>>) => {
  const endTime = (await preUpgrade()).at(-1)?.at ?? 0
  return { category: "linear", startTime: endTime - week, endTime }
}

const trading: ReadonlyArray<RecordsCase> = [
  {
    call: "openOrders, its records",
    paths: [v3("order/realtime")],
    result: "every field of the order record, open or closed, with the document's type and a capital initial",
    run: async (client) => {
      for (const openOnly of [0, 1]) {
        check((await client.openOrders({ category: "linear", settleCoin: "USDT", openOnly })).list, order)
        const spot = (await client.openOrders({ category: "spot", openOnly })).list
        if (spot.length > 0) check(spot, order)
      }
    }
  },
  {
    call: "positions and addMargin, their records",
    paths: [v3("position/list"), v3("position/add-margin")],
    result: "every field of the position record; those of the answer to a margin",
    run: async (client) => {
      check((await client.positions({ category: "linear", settleCoin: "USDT" })).list, position)
      check((await client.positions({ category: "inverse", symbol: "BTCUSD" })).list, position)
      const added = await client.addMargin({ category: "linear", symbol: "ETHUSDT", margin: "1", positionIdx: 0 })
      check([added], {
        integer: "positionIdx riskId autoAddMargin",
        string:
          "category symbol riskLimitValue size avgPrice liqPrice bustPrice markPrice positionValue leverage positionStatus positionIM positionMM takeProfit stopLoss trailingStop unrealisedPnl cumRealisedPnl createdTime updatedTime"
      })
    }
  },
  {
    call: "executions and preUpgradeExecutions, their records",
    paths: [v3("execution/list"), v3("pre-upgrade/execution/list")],
    result:
      "every field of the execution record; no seq and no createType on spot and before the upgrade, and no createType on payments of funding",
    run: async (client, { preUpgrade }) => {
      for (const category of ["linear", "inverse"]) {
        const records: ReadonlyArray<Json> = (await client.executions({ category })).list
        check(records, { string: preUpgradeExecution, boolean: "isMaker", integer: "seq" })
        // A funding payment has no order and therefore no creation type.
        check(
          records.filter(({ execType }) => execType !== "Funding"),
          { string: "createType" }
        )
        assert.ok(records.every((record) => record.execType !== "Funding" || !("createType" in record)))
      }
      const spot = (await client.executions({ category: "spot" })).list
      const before = (await client.preUpgradeExecutions(await range(preUpgrade))).list
      check(spot, { string: "symbol orderId side orderPrice orderQty execFee execId execPrice execQty execTime" })
      check(before, { string: preUpgradeExecution, boolean: "isMaker" })
      for (const record of [...spot, ...before]) assert.ok(!("seq" in record) && !("createType" in record))
    }
  },
  {
    call: "closedPnl and preUpgradeClosedPnl, their records",
    paths: [v3("position/closed-pnl"), v3("pre-upgrade/position/closed-pnl")],
    result: "every field of the closed PnL record, all strings; exit types of the four that the document has",
    run: async (client, { preUpgrade }) => {
      const records = [
        ...(await client.closedPnl({ category: "linear" })).list,
        ...(await client.preUpgradeClosedPnl(await range(preUpgrade))).list
      ]
      check(records, { string: closedPnl })
      const types = ["Trade", "BustTrade", "SessionSettlePnL", "Settle"]
      assert.ok(records.every(({ execType }) => types.includes(execType)))
    }
  },
  {
    call: "instruments, its records",
    paths: [v3("market/instruments-info")],
    result: "every field of the instrument record with its three filters",
    run: async (client) => {
      for (const category of ["linear", "inverse"]) {
        const { list } = await client.instruments({ category })
        check(list, {
          string:
            "symbol contractType status baseCoin quoteCoin launchTime priceScale settleCoin offlineTime deliveryTime deliveryFeeRate",
          object: "leverageFilter priceFilter lotSizeFilter",
          integer: "fundingInterval",
          array: "tags",
          boolean: "unifiedMarginTrade"
        })
        const filter = (name: string) => list.map((instrument: Json) => instrument[name])
        check(filter("leverageFilter"), { string: "minLeverage maxLeverage leverageStep" })
        check(filter("priceFilter"), { string: "minPrice maxPrice tickSize" })
        check(filter("lotSizeFilter"), {
          string: "maxOrderQty maxMktOrderQty minOrderQty minNotionalValue qtyStep postOnlyMaxOrderQty"
        })
      }
    }
  }
]

const assets: ReadonlyArray<RecordsCase> = [
  {
    call: "walletBalance and fundingAssets, their records",
    paths: [v3("account/wallet-balance"), v3("asset/transfer/query-asset-info")],
    result: "every field of the wallet and of each coin, all strings; status and assets of the account",
    run: async (client) => {
      const { list } = await client.walletBalance({ accountType: "UNIFIED" })
      check(list, {
        string:
          "accountType accountIMRate accountMMRate totalWalletBalance totalMarginBalance totalAvailableBalance totalInitialMargin totalMaintenanceMargin totalEquity totalPerpUPL",
        array: "coin"
      })
      check(list[0].coin, {
        string:
          "coin equity usdValue walletBalance availableToWithdraw totalOrderIM totalPositionIM totalPositionMM unrealisedPnl cumRealisedPnl bonus borrowAmount availableToBorrow accruedInterest"
      })
      const { fund } = await client.fundingAssets({ accountType: "FUND" })
      check([fund], { string: "status", array: "assets" })
      check(fund.assets, { string: "coin free total_balance" })
    }
  },
  {
    call: "coins, deposits, bonusUsage, their records",
    paths: [v1("asset/coin/query-info"), v1("asset/deposit/query-record"), v1("asset/bonus/usage")],
    result: "every field, with the document's type",
    run: async (client) => {
      const coins = (await client.coins()).rows
      check(coins, { string: "coin coin_name", integer: "accuracy", array: "deposit_chains withdraw_chains" })
      const chains = (name: string) => coins.flatMap((coin: Json) => coin[name])
      check(chains("deposit_chains"), {
        string: "chain chain_name deposit_min deposit_confirmation",
        integer: "can_deposit"
      })
      check(chains("withdraw_chains"), {
        string: "chain chain_name withdraw_min withdraw_fee",
        integer: "can_withdraw"
      })
      const deposits = (await client.deposits({ type: 2 })).rows
      check(deposits, {
        string: "type chain coin amount address status time transaction_id",
        integer: "create_time"
      })
      check((await client.bonusUsage({ coin: "USDT" })).rows, {
        string: "symbol coin amount order_id",
        integer: "award_type time type"
      })
    }
  },
  {
    call: "transfers, subAccountTransfers, tradeVolume, apiLimits, their records",
    paths: [
      v1("asset/transfer/list"),
      v1("asset/sub-member/transfer/list"),
      v1("broker/trade-volume"),
      v3("apilimit/query")
    ],
    result: "every field, with the document's type; seconds and milliseconds as documented",
    run: async (client, { uid }) => {
      const transfers = (await client.transfers()).list
      check(transfers, { string: "transferId coin amount fromAccountType toAccountType status timestamp" })
      assert.ok(transfers.every(({ timestamp }: Json) => /^\d{10}$/.test(timestamp)))
      const between = (await client.subAccountTransfers()).list
      check(between, { string: "transfer_id coin amount status timestamp type", integer: "user_id sub_user_id" })
      assert.ok(between.every(({ timestamp }: Json) => /^\d{13}$/.test(timestamp)))
      const volumes = (await client.tradeVolume()).list
      check(volumes, { string: "user_id", array: "coins" })
      check(
        volumes.flatMap(({ coins }: Json) => coins),
        { string: "coin trade_volume fee" }
      )
      check((await client.apiLimits({ uids: uid })).list, { string: "uids bizType", integer: "rate" })
    }
  }
]

/** The cases that check documented records field by field. */
export const cases: ReadonlyArray<RecordsCase> = [...trading, ...assets]
