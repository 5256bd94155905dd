import * as Folders from "@effect-venue/transport/siblings/Folders"
import * as sha256 from "#sha256"
import type * as Error from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as ProcessIdentity from "../platform/ProcessIdentity.js"
import { Refused } from "../model/ExportFailure.js"
import { newToken } from "../platform/token.js"

/**
 * A lock file contains the process that wrote it and a token that is unique to the acquisition. It appears atomically: it is written under a private
 * name and then linked to the name of the lock, which fails if that name exists.
 *
 * Takeover of a stale lock is a compare-and-set. The claim on a lock file is a second file named after the digest of the lock file's content: only
 * one process can create it, and a process that found an older lock stale claims a different name. A claim can be stale itself,
 * and is claimed the same way. The process with the last claim renames its file over the lock, so the lock always exists during a takeover.
 */
const Holder = Schema.parseJson(
  Schema.Struct({
    ...ProcessIdentity.ProcessIdentity.fields,
    token: Schema.optionalWith(Schema.String, { default: () => "" })
  })
)
const decode = Schema.decodeOption(Holder)
const encode = Schema.encodeSync(Holder)

/** Another process has the lock. `by` is `none` if its lock file is unreadable. */
export interface Held {
  readonly _tag: "Held"
  readonly by: Option.Option<ProcessIdentity.ProcessIdentity>
}

/** This process has lost the lock. */
export interface Lost {
  readonly _tag: "Lost"
  readonly detail: string
}

/** A lock that was acquired. */
export interface Lock {
  /** Unique to this acquisition. */
  readonly token: string
  /**
   * Fails if the lock was taken over or its file was removed. Run it before every write that the lock protects. It detects a claim on the lock at the
   * next heartbeat, or when the claim has replaced the lock.
   */
  readonly check: Effect.Effect<void, Lost>
}

/** The failure of a run while another one has the lock. */
export const refused = (location: string, file: string, { by }: Held): Refused =>
  new Refused({
    location,
    reason: "Locked",
    detail: Option.match(by, {
      onNone: () => `another export may be at work here: its lock cannot be read; if there is none, remove ${file}`,
      onSome: ({ pid }) =>
        `another export is at work here (process ${pid}); if there is no such process, remove ${file}`
    })
  })

const heartbeat = Duration.seconds(5)

/** A lock whose process cannot be identified is stale if it was not updated for this long. */
const staleAfter = Duration.seconds(20)

/** The maximum number of attempts if other processes keep changing the lock. */
const maxRounds = 100

const hex = "[0-9a-f]{32}"

/** Whether a name is that of a lock file, of a claim on it, or of a temporary file of either. */
export const isLockFile = (name: string, lock: string): boolean =>
  name.startsWith(lock) && new RegExp(`^(\\.${hex}(\\.gone)?)?$`).test(name.slice(lock.length))

const digest = (text: string): string => {
  const hash = sha256.begin()
  hash.update(new TextEncoder().encode(text))
  return hash.hex().slice(0, 32)
}

/** A lock file or a claim on one, as it was read. */
interface LockFile {
  readonly file: string
  readonly text: string
  readonly touched: number | undefined
  readonly holder: Option.Option<ProcessIdentity.ProcessIdentity>
}

const isSystemError = (error: Error.PlatformError, reason: Error.SystemErrorReason): boolean =>
  error._tag === "SystemError" && error.reason === reason

/** None if there is no such file. */
export const noneWhenMissing = <A>(
  effect: Effect.Effect<A, Error.PlatformError>
): Effect.Effect<Option.Option<A>, Error.PlatformError> =>
  Effect.catchIf(
    Effect.asSome(effect),
    (error) => isSystemError(error, "NotFound"),
    () => Effect.succeedNone
  )

/** Identifies the state of a file: it changes when the file is written or replaced. The system reuses inode numbers, but not together with the times. */
const stateOf = ({ birthtime, dev, ino, mtime }: FileSystem.File.Info): Option.Option<string> =>
  Option.zipWith(ino, mtime, (number, written) => {
    const born = Option.getOrUndefined(birthtime)?.getTime() ?? ""
    return `${dev} ${number} ${written.getTime()} ${born}`
  })

/** The lock file of this process: `text` is its content, `own` its private name. */
interface Own {
  readonly fs: FileSystem.FileSystem
  readonly path: Path.Path
  readonly lock: string
  readonly text: string
  readonly token: string
  readonly own: string
}

const read = (fs: FileSystem.FileSystem, file: string): Effect.Effect<Option.Option<LockFile>, Error.PlatformError> =>
  noneWhenMissing(
    Effect.zipWith(fs.readFileString(file), fs.stat(file), (text, { mtime }) => ({
      file,
      text,
      touched: Option.getOrUndefined(mtime)?.getTime(),
      holder: decode(text)
    }))
  )

/** The name of the claim on a lock file. Unreadable contents can be equal: the time of writing distinguishes them. */
const claimOn = (lock: string, { holder, text, touched }: Pick<LockFile, "holder" | "text" | "touched">): string =>
  `${lock}.${digest(Option.isSome(holder) ? text : `${text} ${touched ?? ""}`)}`

/** The lock, the claim on it, the claim on that claim, and so on. The process with the last one has the lock or is taking it over. */
const chainOf = ({ fs, lock }: Own) =>
  Effect.gen(function* () {
    const entries: Array<LockFile> = []
    let next = yield* read(fs, lock)
    while (Option.isSome(next)) {
      entries.push(next.value)
      next = yield* read(fs, claimOn(lock, next.value))
    }
    return entries
  })

/** Without a sync to disk: a lock that was lost or cut in a crash of the system has no living process. */
const write = ({ fs, text }: Own, file: string) =>
  Effect.scoped(
    Effect.flatMap(fs.open(file, { flag: "wx" }), (handle) => handle.writeAll(new TextEncoder().encode(text)))
  )

const remove = ({ fs }: Own, file: string) => Effect.ignore(fs.remove(file, { force: true }))

/** Links the file of this process to a second name. Returns false if that name exists. */
const link = (self: Own, file: string): Effect.Effect<boolean, Error.PlatformError> =>
  Effect.as(self.fs.link(self.own, file), true).pipe(
    Effect.catchAll((error) => {
      if (isSystemError(error, "NotFound")) return Effect.fail(error)
      if (isSystemError(error, "AlreadyExists")) return Effect.succeed(false)
      // The file system has no links. A process that writes too slowly is considered dead, and detects this when it reads the file.
      return Effect.zipRight(
        write(self, file),
        Effect.map(
          read(self.fs, file),
          Option.exists((entry) => entry.text === self.text)
        )
      )
    }),
    Effect.catchIf(
      (error) => isSystemError(error, "AlreadyExists"),
      () => Effect.succeed(false)
    )
  )

/** The files that killed processes left. Read before acquiring the lock, so that none of them belongs to this process. */
const leftoversOf = ({ fs, lock, path }: Own, removesFolder: boolean) =>
  Effect.gen(function* () {
    const folder = path.dirname(lock)
    const list = (folder: string) => Effect.orElseSucceed(fs.readDirectory(folder), (): ReadonlyArray<string> => [])
    const [parent, base, home] = [path.dirname(folder), path.basename(lock), path.basename(folder)]
    const isGone = (name: string) =>
      name.startsWith(`${home}-`) && new RegExp(`^${hex}$`).test(name.slice(home.length + 1))
    const beside = removesFolder ? yield* list(parent) : []
    const inside = removesFolder && !beside.includes(home) ? [] : yield* list(folder)
    return [
      ...inside.filter((name) => name !== base && isLockFile(name, base)).map((name) => path.join(folder, name)),
      ...beside.filter(isGone).map((name) => path.join(parent, name))
    ]
  })

/** Fails if this process has lost the lock. Compares the content of the file without decoding it. */
const compare = ({ fs, lock, text }: Own): Effect.Effect<void, Lost> =>
  Effect.flatMap(Effect.option(fs.readFileString(lock)), (found) => {
    if (Option.isNone(found)) return Effect.fail("its lock is gone: the folder was removed or cleared")
    if (found.value !== text) {
      const pid = Option.match(decode(found.value), { onNone: () => "unknown", onSome: ({ pid }) => String(pid) })
      return Effect.fail(`another process took over its lock (process ${pid})`)
    }
    const claim = claimOn(lock, { text, holder: decode(text), touched: undefined })
    return Effect.flatMap(
      Effect.orElseSucceed(fs.exists(claim), () => true),
      (isClaimed) => (isClaimed ? Effect.fail("another process is taking over its lock") : Effect.void)
    )
  }).pipe(Effect.mapError((detail): Lost => ({ _tag: "Lost", detail })))

/** Skips the comparison if the file is unchanged, because comparisons were half of the file operations of a short export. */
const checkOf = (self: Own) => {
  /** The state of the file at the last comparison that found it unchanged. */
  let compared: string | undefined
  const compareNow = Effect.tapError(compare(self), () =>
    Effect.sync(() => {
      compared = undefined
    })
  )
  const check: Effect.Effect<void, Lost> = Effect.flatMap(Effect.option(self.fs.stat(self.lock)), (info) => {
    const state = Option.getOrUndefined(Option.flatMap(info, stateOf))
    if (state !== undefined && state === compared) return Effect.void
    return Effect.map(compareNow, () => {
      compared = state
    })
  })
  return { compareNow, check }
}

/** Whether the process of a lock file is alive; `undefined` if another process has replaced the file. */
const isAlive = (fs: FileSystem.FileSystem, entry: LockFile): Effect.Effect<boolean | undefined, Error.PlatformError> =>
  Effect.gen(function* () {
    const processes = yield* ProcessIdentity.Processes
    const known = Option.isSome(entry.holder) ? yield* processes.isAlive(entry.holder.value) : undefined
    if (known !== undefined) return known
    yield* Effect.sleep(staleAfter)
    const later = yield* read(fs, entry.file)
    if (Option.isNone(later) || later.value.text !== entry.text) return undefined
    return later.value.touched !== entry.touched
  })

/** Tries once to acquire a lock that exists. Returns whether it succeeded; `undefined` if it must be tried again. */
const look = (self: Own, restore: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const chain = yield* chainOf(self)
    const last = chain.at(-1)
    if (last === undefined) return undefined
    if (last.text === self.text) return true
    const alive = yield* restore(isAlive(self.fs, last))
    if (alive === undefined) return undefined
    if (alive) return yield* Effect.fail<Held>({ _tag: "Held", by: last.holder })
    const claim = claimOn(self.lock, last)
    if (!(yield* link(self, claim))) return undefined
    return yield* Effect.ensuring(
      Effect.gen(function* () {
        // If the holder has finished and another run has started, this is the claim on an earlier lock.
        if ((yield* chainOf(self)).at(-1)?.text !== self.text) return undefined
        yield* self.fs.rename(self.own, self.lock)
        return true
      }),
      remove(self, claim)
    )
  })

/** Tries until the lock is acquired or another process has it. */
const take = (self: Own, restore: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>) => {
  const { fs, lock, own, path } = self
  /** Why the folder cannot be created, unless it was. */
  let refusal: Error.PlatformError | undefined
  const folder = Folders.makeFolder({ fs, path }, path.dirname(lock)).pipe(
    Effect.tapBoth({
      onFailure: (error) => Effect.sync(() => (refusal = error)),
      onSuccess: () => Effect.sync(() => (refusal = undefined))
    })
  )
  /** The holder of the lock can remove the folder, and with it the file of this process, when it finishes. */
  const round = Effect.gen(function* () {
    yield* folder
    yield* Effect.catchIf(
      write(self, own),
      (error) => isSystemError(error, "AlreadyExists"),
      () => Effect.void
    )
    return (yield* link(self, lock)) ? true : yield* look(self, restore)
  }).pipe(
    Effect.catchIf(
      (error) => error._tag !== "Held" && isSystemError(error, "NotFound"),
      () => Effect.succeed(undefined)
    )
  )
  return Effect.gen(function* () {
    for (let rounds = 0; rounds < maxRounds; rounds++) {
      if ((yield* round) === true) return
      yield* Effect.yieldNow()
    }
    return yield* refusal ?? Effect.fail<Held>({ _tag: "Held", by: Option.none() })
  })
}

/**
 * Acquires a lock until the scope ends. The lock of a dead process is taken over at once. A lock that is unreadable, or whose process cannot be
 * identified (in another container), is taken over if it was not updated for 20 seconds.
 *
 * With `folder`, the lock's folder is removed too if it is empty.
 */
export const acquire = (
  lock: string,
  { folder = false }: { readonly folder?: boolean | undefined } = {}
): Effect.Effect<Lock, Error.PlatformError | Held, FileSystem.FileSystem | Path.Path | Scope.Scope> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const processes = yield* ProcessIdentity.Processes
      const token = yield* newToken
      const text = `${encode({ ...(yield* processes.self), token })}\n`
      const self: Own = { fs, path, lock, text, token, own: `${lock}.${token}` }
      const { check, compareNow } = checkOf(self)
      const leftovers = yield* leftoversOf(self, folder)
      yield* Effect.ensuring(take(self, restore), remove(self, self.own))
      yield* Effect.addFinalizer(() => Effect.ignore(Effect.zipRight(check, release(self, folder))))
      yield* Effect.forEach(leftovers, (file) => Effect.ignore(fs.remove(file, { recursive: true, force: true })), {
        discard: true
      })
      const touch = Effect.flatMap(Clock.currentTimeMillis, (now) => fs.utimes(lock, now / 1000, now / 1000))
      const beat = Effect.zipRight(Effect.sleep(heartbeat), Effect.ignore(Effect.zipRight(compareNow, touch)))
      yield* Effect.forkScoped(Effect.interruptible(Effect.forever(beat)))
      return { token, check }
    })
  )

/**
 * Moves the lock to a private name before removing it, alone or with its folder, and moves it back if another process owns it. This process can have
 * been frozen after its last check and considered dead.
 */
const release = (self: Own, folder: boolean) =>
  Effect.gen(function* () {
    const { fs, lock, path, text, token } = self
    const home = path.dirname(lock)
    const base = path.basename(lock)
    const isOwn = (file: string) => Effect.map(noneWhenMissing(fs.readFileString(file)), Option.contains(text))
    if (folder && (yield* fs.readDirectory(home)).every((name) => isLockFile(name, base))) {
      const gone = `${home}-${token}`
      // Some systems cannot move a folder that contains an open file.
      if (yield* Effect.isSuccess(fs.rename(home, gone))) {
        return yield* (yield* isOwn(path.join(gone, base)))
          ? fs.remove(gone, { recursive: true, force: true })
          : fs.rename(gone, home)
      }
    }
    const gone = `${lock}.${token}.gone`
    yield* fs.rename(lock, gone)
    if (!(yield* isOwn(gone))) yield* Effect.ignore(fs.link(gone, lock))
    yield* remove(self, gone)
  })
