/** API rate limits of UIDs: query and set them. */
import * as Schema from "effect/Schema"
import * as Absent from "../fields/Absent.js"
import * as Endpoint from "../endpoint/Endpoint.js"
import * as Enumerations from "../scalars/Enumerations.js"
import { Flag } from "../scalars/flag.js"
import * as Id from "../scalars/Id.js"
import { Integer } from "../scalars/integer.js"
import { eitherSpelling } from "../fields/eitherSpelling.js"
import { alias } from "../rules/Meaning.js"
import * as repeated from "../endpoint/repeated.js"
import { textOrNumber } from "../scalars/codec.js"
import * as Refusals from "../rules/Refusals.js"
import * as Rule from "../rules/rule.js"

const Uids: Schema.Schema<ReadonlyArray<Id.Uid>, string | number> = Schema.transform(
  textOrNumber("must be UIDs separated by commas", (fc) =>
    fc.array(fc.stringMatching(/^\d{1,9}$/), { minLength: 1, maxLength: 4 }).map((uids) => uids.join(","))
  ).annotations({ jsonSchema: { anyOf: [{ type: "string" }, { type: "number" }], format: "comma-separated" } }),
  Schema.Array(Id.Uid).annotations({
    arbitrary: () => (fc) => fc.array(fc.stringMatching(/^\d{1,9}$/).map(Id.Uid.make), { minLength: 1, maxLength: 4 })
  }),
  { strict: true, decode: (joined) => String(joined).split(","), encode: (uids) => uids.join(",") }
)

const apiLimitSchema = Schema.Struct({
  /** The UIDs that the limit applies to. */
  uids: Uids,
  /** The business type, such as SPOT or DERIVATIVES. */
  bizType: Absent.orEmptyText(Enumerations.BizType),
  /** The limit. Unit: requests per second. */
  rate: Integer
}).pipe(Refusals.record("ApiLimit"))

/**
 * The rate limit of some UIDs. `rate` counts requests per second.
 * (docs/reference/rules.md#records-deposit-transfers-bonus-broker-rate-limit)
 */
export const ApiLimit: Schema.Schema<ApiLimit, Schema.Schema.Encoded<typeof apiLimitSchema>> = apiLimitSchema

export interface ApiLimit extends Schema.Schema.Type<typeof apiLimitSchema> {}

const apiLimitChangeSchema = Schema.Struct({
  /** The UIDs that the limit applies to. */
  uids: Uids,
  /** The business type, such as SPOT or DERIVATIVES. */
  bizType: Absent.orEmptyText(Enumerations.BizType),
  /** The limit. Unit: requests per second. */
  rate: Integer,
  /** Whether the limit was set. */
  success: Flag,
  /** The message of the service. */
  msg: Absent.orEmptyText(Enumerations.ApiLimitMessage)
}).pipe(Refusals.record("ApiLimitChange"))

/** The outcome of one requested rate limit. */
export const ApiLimitChange: Schema.Schema<
  ApiLimitChange,
  Schema.Schema.Encoded<typeof apiLimitChangeSchema>
> = apiLimitChangeSchema

export interface ApiLimitChange extends Schema.Schema.Type<typeof apiLimitChangeSchema> {}

/**
 * Parameters of `apiLimits.set`. The caller must be an institutional user. A master account can set its limits and those of its
 * sub-accounts, any other account only its limits. (docs/reference/api-limits/set.md)
 */
export const SetRequest = Rule.request({
  /** The limits to set, one for each business type. */
  list: Rule.list(
    Schema.Struct({
      /** The UIDs; a master account can include those of its sub-accounts, other accounts only themselves. */
      uids: Rule.commaSeparated,
      /** The business type, such as SPOT or DERIVATIVES. */
      bizType: Rule.nonEmptyOf(Enumerations.BizType),
      /** Allowed calls. Unit: calls per second. */
      rate: Rule.bodyInteger
    })
  )
})

export interface SetRequest extends Schema.Schema.Type<typeof SetRequest> {}

const underList = <A, I>(entry: Schema.Schema<A, I>) =>
  Schema.Struct({
    /** An entry for each limit. */
    list: Absent.rows(entry)
  })

const underResult = <A, I>(entry: Schema.Schema<A, I>) =>
  Schema.Struct({
    /** An entry for each limit. */
    list: alias(Absent.rows(entry).pipe(Schema.fromKey("result")), "list")
  })

const setResultSchema = eitherSpelling(underResult(ApiLimitChange), underList(ApiLimitChange))

/**
 * The outcomes. The service's text names the field `list`, its example `result`; both are accepted.
 * (docs/reference/contradictions.md#result-of-setting-rate-limits)
 */
export const SetResult: Schema.Schema<SetResult, Schema.Schema.Encoded<typeof setResultSchema>> = setResultSchema

export interface SetResult extends Schema.Schema.Type<typeof setResultSchema> {}

/** Sets API rate limits of UIDs. */
export const set = Endpoint.make({
  name: "apiLimits.set",
  domain: "ApiLimits",
  summary: "Set the API rate limits of UIDs",
  method: "POST",
  path: "/cloud/trade/v3/apilimit/set",
  request: SetRequest,
  result: SetResult,
  rateLimit: Endpoint.perSecond(50),
  safety: "write",
  contradicts: repeated.limits,
  source: "docs/reference/rules.md#21-setting-api-rate-limits",
  example: { list: [{ uids: ["10000101"], bizType: "SPOT", rate: 20 }] }
})

/**
 * Parameters of `apiLimits.query`. A master account can query itself and its sub-accounts, a sub-account only itself. The wire name is
 * `uids`; `uid`, from the service's table, is accepted as well (docs/reference/contradictions.md#uids-of-a-rate-limit-query).
 * (docs/reference/api-limits/query.md)
 */
export const QueryRequest: Schema.Schema<
  {
    /** The UIDs; a master account can include those of its sub-accounts, other accounts only themselves. */
    readonly uids: ReadonlyArray<string>
  },
  { readonly uids: string } | { readonly uid: string }
> = Rule.all(
  eitherSpelling(
    Schema.Struct({ uids: Rule.commaSeparated }),
    Schema.Struct({
      uids: alias(Schema.propertySignature(Rule.commaSeparated).pipe(Schema.fromKey("uid")), "uids")
    })
  )
)

export interface QueryRequest extends Schema.Schema.Type<typeof QueryRequest> {}

const queryResultSchema = eitherSpelling(underList(ApiLimit), underResult(ApiLimit))

/** The rate limits, in the field `list` or, like those of `SetResult`, in `result`. */
export const QueryResult: Schema.Schema<
  QueryResult,
  Schema.Schema.Encoded<typeof queryResultSchema>
> = queryResultSchema

export interface QueryResult extends Schema.Schema.Type<typeof queryResultSchema> {}

/** The API rate limits of UIDs. */
export const query = Endpoint.make({
  name: "apiLimits.query",
  domain: "ApiLimits",
  summary: "The API rate limits of UIDs",
  method: "GET",
  path: "/cloud/trade/v3/apilimit/query",
  request: QueryRequest,
  result: QueryResult,
  rateLimit: Endpoint.perSecond(50),
  safety: "read",
  source: "docs/reference/rules.md#22-querying-api-rate-limits",
  example: { uids: ["10000001"] },
  probes: [{ request: ({ uid }) => ({ uids: [uid] }), needsUid: true }]
})

/** The endpoints of this domain, by method name. */
export const endpoints = { set, query }
