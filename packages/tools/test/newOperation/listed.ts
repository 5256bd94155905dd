/** An operation that does not exist and of which the document would contain only the path: `account.upgradeState`. */
import { after, before, type Edit } from "./edit.js"

const schemas: ReadonlyArray<Edit> = [
  before(
    "packages/schemas/src/domains/Account.ts",
    'import * as Enumerations from "../scalars/Enumerations.js"\n',
    'import * as Enumeration from "../scalars/enumeration.js"\n'
  ),
  before(
    "packages/schemas/src/domains/Account.ts",
    "const feeRateSchema = Schema.Struct({\n",
    `/** Parameters of \`account.upgradeState\`. (docs/reference/account/upgradeState.md) */
export const UpgradeStateRequest = Schema.Struct({
  /** USDT-linear or inverse contracts. */
  category: Rule.oneOf("document", "linear", "inverse"),
  /** The feature that it is about. */
  feature: Rule.optional(Rule.nonEmpty)
})

export interface UpgradeStateRequest extends Schema.Schema.Type<typeof UpgradeStateRequest> {}

/** Whether the account is upgraded. */
export const upgradeState = Endpoint.make({
  name: "account.upgradeState",
  domain: "Account",
  summary: "Whether the account is upgraded",
  method: "GET",
  path: "/cloud/trade/v3/account/upgrade-state",
  request: UpgradeStateRequest,
  result: Schema.Struct({
    /** Whether the account is upgraded. */
    upgradeState: Enumeration.requireStated(Enumerations.TransferStatus)
  }),
  safety: "read",
  evidence: "path documented",
  source: "docs/reference/listed-operations.md",
  example: { category: "linear" },
  probes: [{ request: () => ({ category: "linear" as const }) }]
})

/** The result of \`account.upgradeState\`. */
export interface UpgradeStateResult extends Schema.Schema.Type<typeof upgradeState.result> {}

`
  ),
  {
    file: "packages/schemas/src/domains/Account.ts",
    find: "endpoints = { walletBalance, feeRate }",
    put: "endpoints = { walletBalance, feeRate, upgradeState }"
  }
]

const sources: ReadonlyArray<Edit> = [
  after(
    "packages/services/src/Account.ts",
    "    readonly feeRate: (request: Endpoints.FeeRateRequest) => Effect.Effect<Endpoints.FeeRateResult, Failure.ReadFailure>\n",
    `    /**
     * Whether the account is upgraded. Fails as any read does. Limit: none is documented. The service's document contains
     * only the path of this operation. (docs/reference/account/upgradeState.md)
     */
    readonly upgradeState: (
      request: Endpoints.UpgradeStateRequest
    ) => Effect.Effect<Endpoints.UpgradeStateResult, Failure.ReadFailure>
`
  ),
  {
    file: "packages/services/src/Account.ts",
    find: "    feeRate: (request) => transport.call(Endpoints.feeRate, request)\n",
    put: `    feeRate: (request) => transport.call(Endpoints.feeRate, request),
    upgradeState: (request) => transport.call(Endpoints.upgradeState, request)
`
  },
  before(
    "packages/sandbox/src/handlers/account.ts",
    "const walletTypes = (account: Exchange.Account): ReadonlyArray<Exchange.WalletType> =>\n",
    `/** Every unified account is upgraded. */
export const upgradeState: Handler.Handler<typeof Endpoints.upgradeState> = (_, context) =>
  Handler.read(context, { upgradeState: context.account.unified ? "SUCCESS" : "PENDING" })

`
  )
]

const tests: ReadonlyArray<Edit> = [
  before(
    "packages/testing/src/Specification.ts",
    '  "account.feeRate": {\n',
    `  "account.upgradeState": {
    is: "GET /cloud/trade/v3/account/upgrade-state | header | standard |  | read",
    closed: ["category"],
    required: { outcome: "upgradeState" },
    refusedHere: [
      [{ category: "spot" }, "category", 'must be linear or inverse, not "spot"'],
      [{ category: "linear", feature: "" }, "feature", "must not be empty"]
    ],
    refusedThere: [[{ category: "linear" }, "expired", expired]]
  },
`
  ),
  {
    file: "packages/tools/typetest/Account.tst.ts",
    find: '"walletBalance" | "feeRate"',
    put: '"walletBalance" | "feeRate" | "upgradeState"'
  },
  before(
    "packages/tools/typetest/Account.tst.ts",
    'test("feeRate", () => {\n',
    `test("upgradeState", () => {
  expect<Method<Shape["upgradeState"]>>().type.toBe<{
    takes: [request: { readonly feature?: string | undefined; readonly category: "linear" | "inverse" }]
    fails: Read
    needs: never
  }>()
})

`
  )
]

export const edits: ReadonlyArray<Edit> = [...schemas, ...sources, ...tests]
