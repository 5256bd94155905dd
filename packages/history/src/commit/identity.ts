import type * as Failure from "@effect-venue/transport/Failure"
import type * as Transport from "@effect-venue/transport/Transport"
import * as Chunk from "effect/Chunk"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Rows from "../formats/Rows.js"
import type * as Manifest from "../model/Manifest.js"
import type * as Part from "../model/Part.js"
import type { Related } from "./History.js"
import type * as Sink from "../store/Sink.js"
import { AccountFailed, Refused, type SinkFailure } from "../model/ExportFailure.js"
import { existingRows } from "../reconcile/existingIds.js"
import { fetchWindow } from "../read/fetchWindow.js"
import * as Verbatim from "../model/verbatim.js"

interface OfAccount {
  readonly name: string
  readonly account: Option.Option<string>
}

/** Names the account in the failures of a part if an export has several. */
export const namingAccounts = (parts: ReadonlyArray<OfAccount>) => {
  const hasSeveral = new Set(parts.map(({ account }) => Option.getOrNull(account))).size > 1
  return ({ account, name }: OfAccount, failure: Failure.ReadFailure): Failure.ReadFailure | AccountFailed =>
    hasSeveral && Option.isSome(account) ? new AccountFailed({ account: account.value, part: name, failure }) : failure
}

/** A part, whose rows were read so far, and their windows. */
export interface Recorded<R> {
  readonly part: Part.Part<unknown, R>
  /** None if nothing was read, so that any account can begin. */
  readonly identity: Option.Option<Manifest.Identity>
  readonly windows: ReadonlyArray<Manifest.Window>
}

type Failed = ReturnType<typeof namingAccounts>

interface Options<R, SinkR> {
  readonly location: string
  readonly store: Pick<Sink.Store, "existing">
  /** The caller declares that keys which were not seen before are of the same account. */
  readonly sameAccount: boolean
  readonly related: ReadonlyArray<Related<R, SinkR>>
  readonly failed: Failed
}

const windowsOf = (found: Option.Option<{ readonly windows: ReadonlyArray<Manifest.Window> }>) =>
  Option.match(found, { onNone: () => [], onSome: ({ windows }) => windows })

/** The recorded account of each part: by the run that is under way, or by the export that is finished. */
export const readRecorded = <R>(
  parts: ReadonlyArray<Part.Part<unknown, R>>,
  { checkpoint, manifest }: Pick<Sink.Store, "checkpoint" | "manifest">
): ReadonlyArray<Recorded<R>> =>
  parts.map((part) => {
    const finished = Option.flatMapNullable(manifest, ({ parts }) => parts.find(({ name }) => name === part.name))
    const begun = Option.flatMapNullable(
      checkpoint,
      ({ parts, plan }) => parts[plan.parts.findIndex(({ name }) => name === part.name)]
    )
    return {
      part,
      identity: Option.orElse(
        Option.map(begun, ({ identity }) => identity),
        () => Option.map(finished, ({ identity }) => identity)
      ),
      windows: [...windowsOf(finished), ...windowsOf(begun)]
    }
  })

/** The keyed digests of the API keys that an export has accepted. */
const keysOf = ({ identity }: Recorded<unknown>): ReadonlyArray<string> =>
  Option.match(identity, { onNone: () => [], onSome: (seen) => seen.keys.map(({ digest }) => digest) })

/** The identity of rows that are read for the first time. */
export const firstIdentity = ({ host, key, uid }: Transport.Identity): Manifest.Identity => ({
  host,
  uid: uid ?? null,
  keys: [{ digest: key, accepted: "first" }]
})

/** An identity with its UID, if the credentials declare it by now. */
export const addUid = (identity: Manifest.Identity, { uid }: Transport.Identity): Manifest.Identity =>
  identity.uid === null && uid !== undefined ? { ...identity, uid } : identity

/** The last window whose rows can identify the account. */
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
    .sort((left, right) => right.last - left.last)
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
      const fetched = yield* fetchWindow<never, R, F>(
        { part, spool: undefined, failed, onPage },
        scope
      )({
        from: window.from,
        to: window.to
      })
      const identities = new Set<string>()
      yield* Stream.runForEach(fetched.rows, (rows) =>
        Effect.sync(() => {
          for (const { text } of rows) identities.add(Rows.version(part.dataset, Verbatim.line(text).row)[0])
        })
      )
      return { identities, endedAt: fetched.endedAt }
    })
  )

type Evidence = "agrees" | "contradicts" | "none"

/** Whether the last window that has rows is read with the same rows again. */
const compare = <R>(recorded: ReadonlyArray<Recorded<R>>, store: Pick<Sink.Store, "existing">, failed: Failed) =>
  Effect.gen(function* () {
    const evidence = evidenceOf(recorded)
    if (evidence === undefined) return "none"
    const { part, window } = evidence
    const existing = Chunk.toReadonlyArray(yield* Stream.runCollect(existingRows(part, store, [window])))
    if (existing.length === 0) return "none"
    const { endedAt, identities } = yield* readAgain(part, window, (failure) => failed(part, failure))
    const found = existing.filter((row) => identities.has(Rows.version(part.dataset, row)[0])).length
    if (found === existing.length) return "agrees"
    // The service forgets some of these records before others.
    if (found > 0 && Option.isSome(part.dataset.caveat)) return "agrees"
    const isForgotten = Option.exists(
      part.dataset.windows.reachBack,
      (reach) => window.from < endedAt - Duration.toMillis(reach)
    )
    return found === 0 && isForgotten ? "none" : "contradicts"
  }) satisfies Effect.Effect<Evidence, unknown, R>

/**
 * Whether another export of the account shows that a key is of the account: one that was read with a key which these have seen, and that has
 * accepted the new key, or whose last window with rows is read with the same rows again.
 */
const compareRelated = <R, SinkR>(
  recorded: ReadonlyArray<Recorded<R>>,
  current: Transport.Identity,
  { failed, location, related }: Options<R, SinkR>
) =>
  Effect.gen(function* () {
    const seen = new Set(recorded.flatMap(keysOf))
    const accounts = new Set(recorded.map(({ part }) => Option.getOrNull(part.account)))
    const isOfSameKey = ({ identity, part }: Recorded<R>) =>
      accounts.has(Option.getOrNull(part.account)) &&
      Option.exists(
        identity,
        (found) => found.host === current.host && found.keys.some(({ digest }) => seen.has(digest))
      )
    for (const { parts, sink } of seen.size === 0 ? [] : related) {
      const evidence = yield* Effect.scoped(
        Effect.flatMap(sink.open(parts), (store) => {
          const others = readRecorded(parts, store).filter(isOfSameKey)
          return others.some((earlier) => keysOf(earlier).includes(current.key))
            ? Effect.succeed<Evidence>("agrees")
            : compare(others, store, failed)
        })
      )
      if (evidence !== "none") return { evidence, location: sink.location }
    }
    return { evidence: "none" as const, location }
  })

const nameOf = ({ part: { account, name } }: Recorded<unknown>): string =>
  Option.match(account, { onNone: () => name, onSome: (account) => `account ${account}` })

const refuse = (location: string, reason: Refused["reason"], detail: string) =>
  new Refused({ location, reason, detail: `${detail}: export elsewhere, or overwrite it` })

/** Refuses a different host or UID, without comparing rows. */
const contradiction = (
  location: string,
  recorded: Recorded<unknown>,
  identity: Manifest.Identity,
  current: Transport.Identity
): Refused | undefined => {
  if (identity.host !== current.host) {
    return refuse(location, "OtherExport", `the export that is here has host ${identity.host}, not ${current.host}`)
  }
  if (identity.uid !== null && current.uid !== undefined && identity.uid !== current.uid) {
    return refuse(
      location,
      "OtherAccount",
      `${nameOf(recorded)}: the export that is here is of the UID ${identity.uid}, not ${current.uid}`
    )
  }
  return undefined
}

const unproven = "has no rows here that could show whether this API key is of the same account"

/**
 * Returns the identity of each part from now on. A key that the export has not seen before is accepted when the last window that has rows is read
 * again and has them; the window can be of any part of the account, and of a related export when this one has no rows.
 */
export const confirm = <R, SinkR>(
  recorded: ReadonlyArray<Recorded<R>>,
  options: Options<R, SinkR>
): Effect.Effect<
  ReadonlyArray<Manifest.Identity>,
  Refused | SinkFailure | Failure.ReadFailure | AccountFailed,
  R | SinkR
> =>
  Effect.gen(function* () {
    const { failed, location, sameAccount, store } = options
    const groups = new Map<string, { readonly current: Transport.Identity; readonly members: Array<Recorded<R>> }>()
    const currents = yield* Effect.forEach(recorded, ({ part }) => part.identity)
    const keyOf = ({ part }: Recorded<R>, { host, key }: Transport.Identity) =>
      JSON.stringify([host, key, Option.getOrNull(part.account)])
    const isSeen = ({ identity }: Recorded<R>, { key }: Transport.Identity) =>
      Option.match(identity, { onNone: () => true, onSome: (seen) => seen.keys.some(({ digest }) => digest === key) })
    for (const [index, each] of recorded.entries()) {
      const current = currents[index]
      if (current === undefined || Option.isNone(each.identity)) continue
      const refusal = contradiction(location, each, each.identity.value, current)
      if (refusal !== undefined) return yield* refusal
      if (isSeen(each, current)) continue
      const group = keyOf(each, current)
      groups.set(group, { current, members: [...(groups.get(group)?.members ?? []), each] })
    }
    const accepted = new Map<string, "rows" | "declared">()
    for (const [group, { current, members }] of groups) {
      const own = yield* compare(members, store, failed)
      const found = own === "none" ? yield* compareRelated(members, current, options) : { evidence: own, location }
      const [first] = members
      const name = first === undefined ? "" : nameOf(first)
      const { evidence } = found
      if (evidence === "contradicts") {
        const place = found.location === location ? "here" : `in ${found.location}`
        return yield* refuse(location, "OtherAccount", `${name}: this API key does not have the rows that are ${place}`)
      }
      if (evidence === "none" && !sameAccount) {
        return yield* new Refused({ location, reason: "UnknownKey", detail: `${name} ${unproven}` })
      }
      accepted.set(group, evidence === "none" ? "declared" : "rows")
    }
    return recorded.flatMap((each, index): ReadonlyArray<Manifest.Identity> => {
      const current = currents[index]
      if (current === undefined) return []
      if (Option.isNone(each.identity)) return [firstIdentity(current)]
      const identity = each.identity.value
      if (isSeen(each, current)) return [addUid(identity, current)]
      const key = { digest: current.key, accepted: accepted.get(keyOf(each, current)) ?? "rows" }
      return [{ ...addUid(identity, current), keys: [...identity.keys, key] }]
    })
  })
