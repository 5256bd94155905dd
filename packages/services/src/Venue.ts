/** All services at once. */
import * as Credentials from "@effect-venue/signing/Credentials"
import * as Signer from "@effect-venue/signing/Signer"
import * as BanGate from "@effect-venue/transport/BanGate"
import * as RateLimiter from "@effect-venue/transport/RateLimiter"
import * as ServerClock from "@effect-venue/transport/ServerClock"
import * as Transport from "@effect-venue/transport/Transport"
import * as HttpClient from "@effect/platform/HttpClient"
import type * as ConfigError from "effect/ConfigError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Account from "./Account.js"
import * as ApiLimits from "./ApiLimits.js"
import * as Assets from "./Assets.js"
import * as Broker from "./Broker.js"
import * as Executions from "./Executions.js"
import * as Instruments from "./Instruments.js"
import * as Orders from "./Orders.js"
import * as Positions from "./Positions.js"

/** The services of one account. */
export type Venue =
  | Account.Account
  | ApiLimits.ApiLimits
  | Assets.Assets
  | Broker.Broker
  | Executions.Executions
  | Instruments.Instruments
  | Orders.Orders
  | Positions.Positions

/** State that the accounts of a process share: rate limits, ban gate, and the clocks of the hosts. */
export type Shared = RateLimiter.RateLimiter | BanGate.BanGate | ServerClock.ServerClock

/** Rate limits, ban gate and clocks in the memory of this process. Provide the same layer to every account. */
export const layerShared: Layer.Layer<Shared> = Layer.mergeAll(
  RateLimiter.layerMemory,
  BanGate.layer,
  ServerClock.layer
)

/** The services over a transport that the application provides. */
export const layerServices: Layer.Layer<Venue, never, Transport.Transport> = Layer.mergeAll(
  Account.layer,
  ApiLimits.layer,
  Assets.layer,
  Broker.layer,
  Executions.layer,
  Instruments.layer,
  Orders.layer,
  Positions.layer
)

/**
 * `layerAccount` with a signer of the application, such as one whose key is in a hardware module.
 *
 * **Gotchas**
 *
 * The other layers sign by the secret of the credentials, and use no `Signer` of their context, which can belong to other credentials.
 */
export const layerSigned: Layer.Layer<
  Venue | Transport.Transport,
  never,
  HttpClient.HttpClient | Credentials.Credentials | Signer.Signer | Shared
> = Layer.provideMerge(layerServices, Transport.layer)

/** The services of one of several accounts, which shares rate limits, ban gate and clocks with the others. */
export const layerAccount: Layer.Layer<
  Venue | Transport.Transport,
  never,
  HttpClient.HttpClient | Credentials.Credentials | Shared
> = Layer.provide(layerSigned, Signer.layer)

/** The services of a single account, with separate rate limits, ban gate and clocks. */
export const layer: Layer.Layer<Venue | Transport.Transport, never, HttpClient.HttpClient | Credentials.Credentials> =
  layerAccount.pipe(Layer.provide(layerShared))

/** The connection of the world of `layerIn`, for further accounts at its address. */
class World extends Context.Tag("@effect-venue/services/Venue/World")<
  World,
  { readonly baseUrl: string; readonly client: HttpClient.HttpClient }
>() {}

/**
 * The services in a world that provides the connection and the credentials, such as `Sandbox.layer`. A `Signer` of the world signs. Everything else of the
 * world is provided too; its `HttpClient` is not, because the other requests of an application do not go there. Further accounts at the address of the
 * world, by `account`, use its connection.
 */
export const layerIn = <Out, E, R>(
  world: Layer.Layer<HttpClient.HttpClient | Credentials.Credentials | Out, E, R>
): Layer.Layer<Venue | Transport.Transport | Credentials.Credentials | Exclude<Out, HttpClient.HttpClient>, E, R> =>
  Layer.flatMap(world, (context) => {
    const { baseUrl } = Context.get(context, Credentials.Credentials)
    const connection = Context.make(World, { baseUrl, client: Context.get(context, HttpClient.HttpClient) })
    const signer = Option.match(Context.getOption(context, Signer.Signer), {
      onNone: () => Signer.layer,
      onSome: (signer) => Layer.succeed(Signer.Signer, signer)
    })
    return layerSigned.pipe(
      Layer.provide([signer, layerShared]),
      Layer.provide(Layer.succeedContext(context)),
      Layer.merge(Layer.succeedContext(Context.merge(Context.omit(HttpClient.HttpClient)(context), connection)))
    )
  })

/**
 * The services of the account in `VENUE_BASE_URL`, `VENUE_API_KEY`, `VENUE_API_SECRET` and `VENUE_RECV_WINDOW`. An `http` address on
 * another machine is refused unless `VENUE_ALLOW_INSECURE` is `1`.
 */
export const layerConfig: Layer.Layer<Venue | Transport.Transport, ConfigError.ConfigError, HttpClient.HttpClient> =
  layer.pipe(Layer.provide(Credentials.layerConfig))

/**
 * The services of one account as a context, for programs with many accounts. Cheap to create; shares its state with the other accounts. Within the services of
 * `layerIn`, an account at the address of that world uses the connection of the world, and any other account the `HttpClient`.
 */
export const account = (
  credentials: Credentials.Credentials.Shape
): Effect.Effect<Context.Context<Venue | Transport.Transport>, never, HttpClient.HttpClient | Shared | Scope.Scope> =>
  Effect.flatMap(Effect.serviceOption(World), (world) => {
    const built = Layer.build(Layer.provide(layerAccount, Layer.succeed(Credentials.Credentials, credentials)))
    return Option.isSome(world) && world.value.baseUrl === credentials.baseUrl
      ? Effect.provideService(built, HttpClient.HttpClient, world.value.client)
      : built
  })
