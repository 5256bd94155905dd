/** An operation that does not exist and that the document would describe: `account.migration`. */
import { after, before, type Edit } from "./edit.js"

const schemas: ReadonlyArray<Edit> = [
  before(
    "packages/schemas/src/domains/Account.ts",
    "const feeRateSchema = Schema.Struct({\n",
    `/** Parameters of \`account.migration\`. (docs/reference/account/migration.md) */
export const MigrationRequest = Schema.Struct({
  /** USDT-linear or inverse contracts. */
  category: Rule.oneOf("document", "linear", "inverse")
})

export interface MigrationRequest extends Schema.Schema.Type<typeof MigrationRequest> {}

/** The progress of the account's migration. */
export const migration = Endpoint.make({
  name: "account.migration",
  domain: "Account",
  summary: "The progress of the account's migration",
  method: "GET",
  path: "/cloud/trade/v3/account/migration",
  request: MigrationRequest,
  result: Schema.Struct({
    /** The progress. */
    status: Enumeration.requireStated(Enumerations.TransferStatus)
  }),
  rateLimit: Endpoint.perSecond(10),
  safety: "read",
  source: "docs/reference/rules.md#26-migration",
  example: { category: "linear" },
  probes: [{ request: () => ({ category: "linear" as const }) }]
})

/** The result of \`account.migration\`. */
export interface MigrationResult extends Schema.Schema.Type<typeof migration.result> {}

`
  ),
  {
    file: "packages/schemas/src/domains/Account.ts",
    find: "endpoints = { walletBalance, feeRate, upgradeState }",
    put: "endpoints = { walletBalance, feeRate, upgradeState, migration }"
  }
]

const sources: ReadonlyArray<Edit> = [
  after(
    "packages/services/src/Account.ts",
    ") => Effect.Effect<Endpoints.UpgradeStateResult, Failure.ReadFailure>\n",
    `    /** Returns the progress of the account's migration. Fails as any read does. Limit: 10 calls a second. (docs/reference/account/migration.md) */
    readonly migration: (
      request: Endpoints.MigrationRequest
    ) => Effect.Effect<Endpoints.MigrationResult, Failure.ReadFailure>
`
  ),
  {
    file: "packages/services/src/Account.ts",
    find: "    upgradeState: (request) => transport.call(Endpoints.upgradeState, request)\n",
    put: `    upgradeState: (request) => transport.call(Endpoints.upgradeState, request),
    migration: (request) => transport.call(Endpoints.migration, request)
`
  },
  before(
    "packages/sandbox/src/handlers/account.ts",
    "const walletTypes = (account: Exchange.Account): ReadonlyArray<Exchange.WalletType> =>\n",
    `/** The migration of an account ends with its upgrade. */
export const migration: Handler.Handler<typeof Endpoints.migration> = (_, context) =>
  Handler.read(context, { status: context.account.unified ? "SUCCESS" : "PENDING" })

`
  )
]

const tests: ReadonlyArray<Edit> = [
  before(
    "packages/testing/src/Specification.ts",
    '  "positions.setRiskLimit": {\n',
    `  "account.migration": {
    is: "GET /cloud/trade/v3/account/migration | header | standard | 10/s | read",
    parameters: { category: contracts },
    required: { outcome: "status" },
    refusedHere: [
      [{ category: "spot" }, "category", 'must be linear or inverse, not "spot"'],
      [{}, "category", "is required"]
    ],
    refusedThere: [[{ category: "linear" }, "expired", expired]]
  },
`
  ),
  before(
    "packages/tools/typetest/Account.tst.ts",
    'test("feeRate", () => {\n',
    `test("migration", () => {
  expect<Method<Shape["migration"]>>().type.toBe<{
    takes: [request: { readonly category: "linear" | "inverse" }]
    fails: Read
    needs: never
  }>()
})

`
  ),
  {
    file: "packages/tools/typetest/Account.tst.ts",
    find: '"walletBalance" | "feeRate" | "upgradeState"',
    put: '"walletBalance" | "feeRate" | "upgradeState" | "migration"'
  },
  before(
    "packages/sandbox/test/rules/rules.json",
    `    {
      "title": "Authentication",
`,
    `    {
      "title": "26. Migration",
      "source": "Endpoints, 26",
      "rules": {
        "account.migration/category": "category is required: linear or inverse.",
        "account.migration/result": "The result is status: SUCCESS after the upgrade."
      }
    },
`
  ),
  before(
    "packages/sandbox/test/rules/assets.test.ts",
    `  Rules.rule("[apiLimits.query/uids]`,
    `  Rules.rule("[account.migration/category, account.migration/result] linear or inverse, with the progress", function* () {
    const migration = (category: string) => Rules.send("account.migration", { category })
    expect((yield* migration("linear")).json.result).toEqual({ status: "SUCCESS" })
    expect((yield* migration("inverse")).code).toBe(0)
    expect((yield* migration("spot")).code).toBe(10001)
  })

`
  )
]

export const edits: ReadonlyArray<Edit> = [...schemas, ...sources, ...tests]
