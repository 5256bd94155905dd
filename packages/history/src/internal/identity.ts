import type * as Failure from "@effect-venue/transport/Failure"
import type * as Transport from "@effect-venue/transport/Transport"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Dataset from "../Dataset.js"
import type * as Manifest from "../Manifest.js"
import type * as Part from "../Part.js"
import * as Spool from "../Spool.js"
import type * as Store from "../Store.js"
import { type AccountFailed, type namingAccounts, Refused, type SinkFailure } from "./failures.js"
import { fetchWindow } from "./fetchWindow.js"
import * as Verbatim from "./verbatim.js"

/** A part, whose rows were read so far, and their windows. */
export interface Recorded<R> {
  readonly part: Part.Part<unknown, R>
  /** `none` where nothing was read, so that any account may begin; `null` where that was not recorded. */
  readonly identity: Option.Option<Manifest.Identity | null>
  readonly windows: ReadonlyArray<Manifest.Window>
}

interface Options {
  readonly location: string
  readonly store: Pick<Store.Store, "known">
  /** The caller declares that keys which were not seen before are of the same account. */
  readonly sameAccount: boolean
  readonly failed: ReturnType<typeof namingAccounts>
}

const accept = (
  identity: Manifest.Identity | null,
  { host, key, uid }: Transport.Identity,
  accepted: Manifest.Identity["keys"][number]["accepted"]
): Manifest.Identity => ({
  host,
  uid: identity?.uid ?? uid ?? null,
  keys: [...(identity?.keys ?? []), { digest: key, accepted }]
})

/** The last window of which the rows can show whose they are. */
const evidenceOf = <R>(recorded: ReadonlyArray<Recorded<R>>) =>
  recorded
    .filter(({ part: { dataset } }) => Option.isSome(dataset.instant) && !dataset.isShared)
    .flatMap(({ part, windows }) =>
      windows.flatMap((window) =>
        window.rows > 0 && window.last !== null && window.last >= window.from && window.last < window.to
          ? [{ part, window, last: window.last }]
          : []
      )
    )
    .sort((one, other) => other.last - one.last)
    .at(0)

/** The records of a window that the service has now. */
const readAgain = <R, F>(
  part: Part.Part<unknown, R>,
  window: Manifest.Window,
  failed: (failure: Failure.ReadFailure) => F
) =>
  Effect.scoped(
    Effect.gen(function* () {
      const scope = yield* Effect.scope
      const onPage = () => Effect.void
      const fetched = yield* fetchWindow(
        { part, spool: Spool.memory, failed, onPage },
        scope
      )({
        from: window.from,
        to: window.to
      })
      const identities = new Set<string>()
      yield* Stream.runForEach(fetched.rows, (rows) =>
        Effect.sync(() => {
          for (const { text } of rows) identities.add(Dataset.version(part.dataset, Verbatim.line(text).row)[0])
        })
      )
      return { identities, endedAt: fetched.endedAt }
    })
  )

type Evidence = "agrees" | "contradicts" | "none"

/** Whether the last window that has rows is read with the same rows again. */
const compare = <R>(recorded: ReadonlyArray<Recorded<R>>, { failed, store }: Options) =>
  Effect.gen(function* () {
    const evidence = evidenceOf(recorded)
    if (evidence === undefined) return "none"
    const { part, window } = evidence
    const known = yield* store.known(part, [window])
    if (known.length === 0) return "none"
    const { endedAt, identities } = yield* readAgain(part, window, (failure) => failed(part, failure))
    const found = known.filter(({ identity }) => identities.has(identity)).length
    if (found === known.length) return "agrees"
    // The service forgets some of these records before others.
    if (found > 0 && Option.isSome(part.dataset.caveat)) return "agrees"
    const isForgotten = Option.exists(
      part.dataset.windows.reachBack,
      (reach) => window.from < endedAt - Duration.toMillis(reach)
    )
    return found === 0 && isForgotten ? "none" : "contradicts"
  }) satisfies Effect.Effect<Evidence, unknown, R>

const nameOf = ({ part: { account, name } }: Recorded<unknown>): string =>
  Option.match(account, { onNone: () => name, onSome: (account) => `account ${account}` })

const refused = (location: string, reason: "OtherAccount" | "OtherExport", detail: string) =>
  new Refused({ location, reason, detail: `${detail}: export elsewhere, or overwrite it` })

/** What an identity that is recorded refuses, whatever the rows say. */
const contradiction = (
  { location }: Options,
  recorded: Recorded<unknown>,
  identity: Manifest.Identity,
  current: Transport.Identity
): Refused | undefined => {
  if (identity.host !== current.host) {
    return refused(location, "OtherExport", `the export that is here has host ${identity.host}, not ${current.host}`)
  }
  if (identity.uid !== null && current.uid !== undefined && identity.uid !== current.uid) {
    return refused(
      location,
      "OtherAccount",
      `${nameOf(recorded)}: the export that is here is of the UID ${identity.uid}, not ${current.uid}`
    )
  }
  return undefined
}

const unproven = `has no rows here that could show whether this API key is of the same account: declare it (sameAccount, --same-account)`

/**
 * Whose rows an export has from now on, part by part. A key that it has not seen before is accepted when the last window that has rows
 * is read again and has them; it may be of any part of the account.
 */
export const confirm = <R>(
  recorded: ReadonlyArray<Recorded<R>>,
  options: Options
): Effect.Effect<ReadonlyArray<Manifest.Identity>, Refused | SinkFailure | Failure.ReadFailure | AccountFailed, R> =>
  Effect.gen(function* () {
    const { location, sameAccount } = options
    const groups = new Map<string, Array<Recorded<R>>>()
    const currents = yield* Effect.forEach(recorded, ({ part }) => part.identity)
    const keyOf = ({ part }: Recorded<R>, { host, key }: Transport.Identity) =>
      JSON.stringify([host, key, Option.getOrNull(part.account)])
    const isSeen = ({ identity }: Recorded<R>, { key }: Transport.Identity) =>
      Option.match(identity, { onNone: () => true, onSome: (seen) => seen?.keys.some(({ digest }) => digest === key) })
    for (const [index, each] of recorded.entries()) {
      const current = currents[index]
      if (current === undefined || Option.isNone(each.identity)) continue
      const refusal =
        each.identity.value === null ? undefined : contradiction(options, each, each.identity.value, current)
      if (refusal !== undefined) return yield* refusal
      if (isSeen(each, current) === true) continue
      const group = keyOf(each, current)
      groups.set(group, [...(groups.get(group) ?? []), each])
    }
    const accepted = new Map<string, "rows" | "declared">()
    for (const [group, members] of groups) {
      const evidence = yield* compare(members, options)
      const [first] = members
      const name = first === undefined ? "" : nameOf(first)
      if (evidence === "contradicts") {
        return yield* refused(location, "OtherAccount", `${name}: this API key does not have the rows that are here`)
      }
      if (evidence === "none" && !sameAccount) {
        return yield* new Refused({ location, reason: "OtherAccount", detail: `${name} ${unproven}` })
      }
      accepted.set(group, evidence === "none" ? "declared" : "rows")
    }
    return recorded.flatMap((each, index): ReadonlyArray<Manifest.Identity> => {
      const current = currents[index]
      if (current === undefined) return []
      if (Option.isNone(each.identity)) return [accept(null, current, "first")]
      const identity = each.identity.value
      if (identity !== null && isSeen(each, current) === true) return [identity]
      return [accept(identity, current, accepted.get(keyOf(each, current)) ?? "rows")]
    })
  })
