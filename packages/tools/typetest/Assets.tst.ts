import type * as Decimal from "@effect-venue/schemas/Decimal"
import type * as Enumerations from "@effect-venue/schemas/Enumerations"
import type * as Instant from "@effect-venue/schemas/Instant"
import type * as Assets from "@effect-venue/services/Assets"
import { expect, test } from "tstyche"
import type { Method, Read, Write } from "./shape.js"

type Shape = Assets.Assets.Shape

test("every method is here", () => {
  expect<
    Exclude<
      keyof Shape,
      | "deposits"
      | "depositsStream"
      | "coins"
      | "bonusUsage"
      | "transfers"
      | "transfersStream"
      | "subAccountTransfers"
      | "subAccountTransfersStream"
      | "transfer"
      | "transferableCoins"
      | "withdrawInternal"
      | "fundingAssets"
    >
  >().type.toBe<never>()
})

test("deposits", () => {
  expect<Method<Shape["deposits"]>>().type.toBe<{
    takes: [
      request?:
        | {
            readonly startTime?: Instant.Input | undefined
            readonly endTime?: Instant.Input | undefined
            readonly type?: 0 | 1 | 2 | undefined
            readonly chain?: string | undefined
            readonly coin?: string | undefined
            readonly txId?: string | undefined
            readonly pageSize?: number | undefined
            readonly cursor?: string | undefined
          }
        | undefined
    ]
    fails: Read
    needs: never
  }>()
})

test("depositsStream", () => {
  expect<Method<Shape["depositsStream"]>>().type.toBe<{
    takes: Method<Shape["deposits"]>["takes"]
    fails: Read
    needs: never
  }>()
})

test("coins", () => {
  expect<Method<Shape["coins"]>>().type.toBe<{
    takes: [request?: { readonly coin?: string | undefined } | undefined]
    fails: Read
    needs: never
  }>()
})

test("transfers", () => {
  expect<Method<Shape["transfers"]>>().type.toBe<{
    takes: [
      request?:
        | {
            readonly startTime?: Instant.Input | undefined
            readonly endTime?: Instant.Input | undefined
            readonly coin?: string | undefined
            readonly cursor?: string | undefined
            readonly status?: Enumerations.TransferStatus | undefined
            readonly transferId?: string | undefined
            readonly limit?: number | undefined
          }
        | undefined
    ]
    fails: Read
    needs: never
  }>()
})

test("transfersStream", () => {
  expect<Method<Shape["transfersStream"]>>().type.toBe<{
    takes: Method<Shape["transfers"]>["takes"]
    fails: Read
    needs: never
  }>()
})

test("subAccountTransfers", () => {
  expect<Method<Shape["subAccountTransfers"]>>().type.toBe<{
    takes: [
      request?:
        | {
            readonly startTime?: Instant.Input | undefined
            readonly endTime?: Instant.Input | undefined
            readonly coin?: string | undefined
            readonly cursor?: string | undefined
            readonly status?: Enumerations.TransferStatus | undefined
            readonly transferId?: string | undefined
            readonly limit?: number | undefined
            readonly direction?: number | Enumerations.PageDirection | undefined
          }
        | undefined
    ]
    fails: Read
    needs: never
  }>()
})

test("subAccountTransfersStream", () => {
  expect<Method<Shape["subAccountTransfersStream"]>>().type.toBe<{
    takes: Method<Shape["subAccountTransfers"]>["takes"]
    fails: Read
    needs: never
  }>()
})

test("transfer", () => {
  expect<Method<Shape["transfer"]>>().type.toBe<{
    takes: [
      request: {
        readonly requestId: string
        readonly coin: string
        readonly amount: Decimal.Input
        readonly fromAccountType: Enumerations.AccountType
        readonly toAccountType: Enumerations.AccountType
      }
    ]
    fails: Write
    needs: never
  }>()
})

test("transferableCoins", () => {
  expect<Method<Shape["transferableCoins"]>>().type.toBe<{
    takes: [
      request: { readonly fromAccountType: Enumerations.AccountType; readonly toAccountType: Enumerations.AccountType }
    ]
    fails: Read
    needs: never
  }>()
})

test("withdrawInternal", () => {
  expect<Method<Shape["withdrawInternal"]>>().type.toBe<{
    takes: [
      request:
        | {
            readonly coin: string
            readonly amount: Decimal.Input
            readonly address: string
            readonly requestId: string
            readonly remark?: string | undefined
            readonly addressType: 2
            readonly areaCode: number
          }
        | {
            readonly coin: string
            readonly amount: Decimal.Input
            readonly address: string
            readonly requestId: string
            readonly remark?: string | undefined
            readonly addressType: 1 | 3
            readonly areaCode?: string | number | undefined
          }
    ]
    fails: Write
    needs: never
  }>()
})

test("fundingAssets", () => {
  expect<Method<Shape["fundingAssets"]>>().type.toBe<{
    takes: [request: { readonly coin?: string | undefined; readonly accountType: Enumerations.AccountType }]
    fails: Read
    needs: never
  }>()
})
