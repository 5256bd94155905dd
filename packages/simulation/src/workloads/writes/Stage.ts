/** The machine of a run, and the services of its accounts. */
import * as Venue from "@effect-venue/services/Venue"
import * as Credentials from "@effect-venue/signing/Credentials"
import * as Signer from "@effect-venue/signing/Signer"
import * as Transport from "@effect-venue/transport/Transport"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Layer from "effect/Layer"
import type * as Exchange from "../../models/Exchange.js"
import type * as Callers from "../../world/Callers.js"
import type * as Mortal from "../../world/Mortal.js"
import type * as Plan from "./Plan.js"

/** A run: its machine, its exchange, and what its processes have recorded. */
export interface WritesStage extends Mortal.MortalMachine {
  readonly plan: Plan.WritesPlan
  readonly exchange: ReturnType<typeof Exchange.make>
  readonly callers: Callers.Callers
  /** The calls of entries, and the wishes of each. `isRecorded`: the call has learnt that its intent is in the journal. */
  readonly calls: Map<
    string,
    { readonly call: string; readonly wishes: ReadonlyArray<string>; readonly isRecorded: boolean }
  >
  /** The failures of entries that stay open: the last whose recording has begun, and the last whose recording has ended. */
  readonly unknown: Map<string, { readonly begun: string; readonly ended: string }>
  readonly disturbed: HttpClient.HttpClient
  readonly calm: HttpClient.HttpClient
  /** The kill switch of all guards. */
  isStopped: boolean
}

/** A closing is lost with a process that ends before it is on the disk, and given up if the disk takes a second or has no space. */
export const isCalm = ({ disk, starts }: Plan.WritesPlan) =>
  disk < 50 && starts.every(({ fate, full, killedAfter }) => (fate ?? killedAfter ?? full) === undefined)

export const accounts = ["main", "sub"] as const

/** The accounts of a plan can be at two hosts, which are the same exchange. */
const credentialsOf = (
  credentials: Credentials.Credentials.Shape,
  { isApart }: Plan.WritesPlan,
  account: Plan.WriteCall["account"]
) => (isApart && account === "sub" ? { ...credentials, baseUrl: "https://sub.example" } : credentials)

/** The services and the transport of an account. */
export const servicesOf = (
  { exchange, plan }: WritesStage,
  account: Plan.WriteCall["account"],
  client: HttpClient.HttpClient
) =>
  Venue.layerServices.pipe(
    Layer.provideMerge(Transport.layer),
    Layer.provide(Signer.layer),
    Layer.provide(Layer.succeed(Credentials.Credentials, credentialsOf(exchange.accounts[account], plan, account))),
    Layer.provide(Venue.layerShared),
    Layer.provide(Layer.succeed(HttpClient.HttpClient, client))
  )
