/**
 * A complete application: a server with several accounts whose keys change without a restart, a journal of writes that is reconciled at the
 * start, and a stop that lets open calls finish.
 */
import * as Account from "@effect-venue/services/Account"
import * as Orders from "@effect-venue/services/Orders"
import * as Venue from "@effect-venue/services/Venue"
import * as OpenWrites from "@effect-venue/transport/OpenWrites"
import type * as Transport from "@effect-venue/transport/Transport"
import type * as HttpClient from "@effect/platform/HttpClient"
import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpMiddleware from "@effect/platform/HttpMiddleware"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"

type Credentials = Parameters<typeof Venue.account>[0]
type Services = Context.Context<Venue.Venue | Transport.Transport>

// Answers -----------------------------------------------------------------------------------------------------------

const NoAccount = Schema.TaggedStruct("NoAccount", {})
/** The venue refused, or could not be reached: nothing was executed. */
const Refused = Schema.TaggedStruct("Refused", { failure: Schema.String })
/** Do not send the order again: look it up by `orderLinkId`. */
const OutcomeUnknown = Schema.TaggedStruct("OutcomeUnknown", { orderLinkId: Schema.String })

const failureOf = ({ _tag: failure }: { readonly _tag: string }): typeof Refused.Type => ({ _tag: "Refused", failure })

const Named = Schema.Struct({ account: Schema.String })

const Order = Schema.Struct({
  orderLinkId: Schema.String,
  symbol: Schema.String,
  side: Schema.Literal("Buy", "Sell"),
  qty: Schema.String,
  price: Schema.String
})

const Key = Schema.Struct({ apiKey: Schema.Redacted(Schema.String), apiSecret: Schema.Redacted(Schema.String) })

const accounts = HttpApiGroup.make("accounts")
  .add(
    HttpApiEndpoint.get("equity", "/accounts/:account/equity")
      .setPath(Named)
      .addSuccess(Schema.Struct({ equity: Schema.String }))
  )
  .add(
    HttpApiEndpoint.post("order", "/accounts/:account/orders")
      .setPath(Named)
      .setPayload(Order)
      .addSuccess(Schema.Struct({ orderId: Schema.String }))
      .addError(OutcomeUnknown, { status: 504 })
  )
  .add(HttpApiEndpoint.put("key", "/accounts/:account/key").setPath(Named).setPayload(Key))
  .addError(NoAccount, { status: 404 })
  .addError(Refused, { status: 502 })

const health = HttpApiGroup.make("health").add(
  HttpApiEndpoint.get("health", "/health").addSuccess(
    Schema.Struct({ accounts: Schema.Array(Schema.String), openWrites: Schema.Int })
  )
)

export const api = HttpApi.make("gateway").add(accounts).add(health)

// Accounts ----------------------------------------------------------------------------------------------------------

/** The accounts by name. `rotate` replaces a key: calls in flight finish with the old key, later calls use the new one. */
export class Accounts extends Context.Tag("gateway/Accounts")<
  Accounts,
  {
    readonly names: () => ReadonlyArray<string>
    readonly get: (name: string) => Effect.Effect<Services, typeof NoAccount.Type>
    readonly rotate: (name: string, key: typeof Key.Type) => Effect.Effect<void, typeof NoAccount.Type>
    /** Entries that the reconciliation at the start could not close. */
    readonly openWrites: number
  }
>() {}

/** Looks up the writes that earlier processes left open, before the first write. The UID identifies an account when keys change. */
const reconcileAccount = (name: string) =>
  OpenWrites.reconcile().pipe(
    Stream.tap((write) =>
      Effect.annotateLogs(Effect.logInfo(write._tag === "Closed" ? `executed: ${write.executed}` : "still open"), {
        account: name,
        operation: write.entry.intent.operation
      })
    ),
    Stream.filter(({ _tag }) => _tag !== "Closed"),
    Stream.runCount
  )

const makeAccounts = (keys: Readonly<Record<string, Credentials>>) =>
  Effect.gen(function* () {
    const environment = yield* Effect.context<HttpClient.HttpClient | Venue.Shared | Scope.Scope>()
    const build = (credentials: Credentials) => Effect.provide(Venue.account(credentials), environment)
    const current = new Map<string, { readonly credentials: Credentials; readonly services: Services }>()
    let openWrites = 0
    for (const [name, credentials] of Object.entries(keys)) {
      const services = yield* build(credentials)
      current.set(name, { credentials, services })
      openWrites += yield* Effect.provide(reconcileAccount(name), services)
    }
    const find = (name: string) =>
      Effect.mapError(Effect.fromNullable(current.get(name)), (): typeof NoAccount.Type => ({ _tag: "NoAccount" }))
    return {
      names: () => [...current.keys()],
      get: (name: string) => Effect.map(find(name), ({ services }) => services),
      rotate: (name: string, key: typeof Key.Type) =>
        Effect.flatMap(find(name), (present) => {
          const credentials = { ...present.credentials, ...key }
          return Effect.map(build(credentials), (services) => void current.set(name, { credentials, services }))
        }),
      openWrites
    }
  })

// Handlers ----------------------------------------------------------------------------------------------------------

const accountsLive = HttpApiBuilder.group(api, "accounts", (handlers) =>
  Effect.map(Accounts, (all) =>
    handlers
      .handle("equity", ({ path }) =>
        Effect.gen(function* () {
          const account = Context.get(yield* all.get(path.account), Account.Account)
          const { list } = yield* Effect.mapError(account.walletBalance({ accountType: "UNIFIED" }), failureOf)
          const equity = Option.flatMap(Option.fromNullable(list[0]), ({ totalEquity }) =>
            Option.fromNullable(totalEquity)
          )
          return { equity: Option.match(equity, { onNone: () => "0", onSome: (value) => String(value) }) }
        })
      )
      .handle("order", ({ path, payload }) =>
        Effect.gen(function* () {
          const orders = Context.get(yield* all.get(path.account), Orders.Orders)
          const { orderLinkId } = payload
          const { orderId } = yield* Effect.mapError(
            orders.create({ ...payload, category: "linear", orderType: "Limit" }),
            (failure) => (failure._tag === "OutcomeUnknown" ? OutcomeUnknown.make({ orderLinkId }) : failureOf(failure))
          )
          return { orderId }
        })
      )
      .handle("key", ({ path, payload }) => all.rotate(path.account, payload))
  )
)

const healthLive = HttpApiBuilder.group(api, "health", (handlers) =>
  Effect.map(Accounts, ({ names, openWrites }) =>
    handlers.handle("health", () => Effect.succeed({ accounts: names(), openWrites }))
  )
)

// Stop --------------------------------------------------------------------------------------------------------------

/** Counts the open requests. Once it is closing, it refuses new ones. */
class Gate extends Context.Tag("gateway/Gate")<
  Gate,
  { readonly enter: typeof HttpMiddleware.logger; readonly close: Effect.Effect<void> }
>() {}

const longestStop = Duration.seconds(20)

const gate = Layer.sync(Gate, () => {
  let open = 0
  let isClosing = false
  return {
    enter: HttpMiddleware.make((app) =>
      Effect.suspend(() => {
        if (isClosing) return Effect.succeed(HttpServerResponse.empty({ status: 503 }))
        open++
        return Effect.ensuring(
          app,
          Effect.sync(() => open--)
        )
      })
    ),
    close: Effect.suspend(() => {
      isClosing = true
      return Effect.repeat(Effect.sleep("20 millis"), { until: () => open === 0 })
    }).pipe(Effect.timeout(longestStop), Effect.ignore, Effect.interruptible)
  }
})

/** Built after the server, so that it is released before the server, and the server before journal and connections. */
const drained = Layer.scopedDiscard(Effect.flatMap(Gate, ({ close }) => Effect.addFinalizer(() => close)))

/**
 * The server. It needs an HTTP server and client, and a journal. Provide `NodeSdk.layer` of @effect/opentelemetry to see its spans and
 * metrics.
 */
export const layer = (keys: Readonly<Record<string, Credentials>>) =>
  drained.pipe(
    Layer.provideMerge(Layer.unwrapEffect(Effect.map(Gate, ({ enter }) => HttpApiBuilder.serve(enter)))),
    Layer.provide(HttpApiBuilder.api(api)),
    Layer.provide([accountsLive, healthLive]),
    Layer.provide(Layer.scoped(Accounts, makeAccounts(keys))),
    Layer.provide(Venue.layerShared),
    Layer.provide(gate)
  )
