import type * as Error from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Runner from "../Runner.js"
import { Refused } from "./failures.js"

const decode = Schema.decodeOption(Schema.parseJson(Runner.Id))
const encode = Schema.encodeSync(Schema.parseJson(Runner.Id))

/** Another run has the lock. */
export interface Held {
  readonly _tag: "Held"
  readonly by: Runner.Id
}

/** What is told of it. */
export const refused = (location: string, file: string, { by }: Held): Refused =>
  new Refused({
    location,
    reason: "Locked",
    detail: `another export is at work here (process ${by.pid}); if there is no such process, remove ${file}`
  })

const isThere = (error: Error.PlatformError): boolean =>
  error._tag === "SystemError" && error.reason === "AlreadyExists"

/** How often whoever has a lock touches it. */
const beat = Duration.seconds(5)

/** How long a lock is looked at that nobody can say anything of. */
const patience = Duration.seconds(20)

/**
 * Takes a lock until the scope ends. One that a dead process left behind is taken over. It is moved away before it is judged: of two
 * that find it at once only one can move it.
 *
 * Of a process that is not known here, such as one in another container, is seen whether it touches its lock.
 */
export const acquire = (
  file: string
): Effect.Effect<void, Error.PlatformError | Held, FileSystem.FileSystem | Path.Path | Scope.Scope> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const runner = yield* Runner.Runner
    const own = yield* runner.self
    const path = yield* Path.Path
    const write = Effect.scoped(
      Effect.flatMap(fs.open(file, { flag: "wx" }), (handle) =>
        Effect.zipRight(handle.writeAll(new TextEncoder().encode(`${encode(own)}\n`)), handle.sync)
      )
    )
    // Whoever is done removes the folder: it may go between the two.
    const create = Effect.zipRight(fs.makeDirectory(path.dirname(file), { recursive: true }), write).pipe(
      Effect.retry({ times: 3, while: (error) => error._tag === "SystemError" && error.reason === "NotFound" })
    )

    const touched = Effect.map(fs.stat(file), ({ mtime }) => Option.getOrUndefined(mtime)?.getTime())
    /** What is no lock at all was left by somebody who was killed while writing it. */
    const isAlive = (holder: Option.Option<Runner.Id>): Effect.Effect<boolean, Error.PlatformError> =>
      Option.isNone(holder)
        ? Effect.succeed(false)
        : Effect.flatMap(runner.isAlive(holder.value), (known) =>
            known === undefined
              ? Effect.zipWith(
                  touched,
                  Effect.delay(
                    Effect.orElseSucceed(touched, () => undefined),
                    patience
                  ),
                  (before, after) => before !== after
                )
              : Effect.succeed(known)
          )
    const held = (by: Option.Option<Runner.Id>) =>
      Effect.fail<Held>({ _tag: "Held", by: Option.getOrElse(by, () => ({ pid: 0, began: "", where: "" })) })

    const attempt: Effect.Effect<void, Error.PlatformError | Held> = Effect.catchAll(create, (error) =>
      isThere(error)
        ? Effect.gen(function* () {
            const before = yield* fs.readFileString(file)
            const holder = decode(before)
            if (yield* isAlive(holder)) return yield* held(holder)
            const aside = `${file}.${own.pid}`
            yield* fs.rename(file, aside)
            // Another one may have taken it over in the meantime.
            if ((yield* fs.readFileString(aside)) !== before) {
              yield* fs.rename(aside, file)
              return yield* held(decode(before))
            }
            yield* fs.remove(aside, { force: true })
            yield* create
          })
        : Effect.fail(error)
    )
    yield* Effect.acquireRelease(attempt, () => Effect.ignore(fs.remove(file, { force: true })))
    const touch = Effect.flatMap(Clock.currentTimeMillis, (now) => fs.utimes(file, now / 1000, now / 1000))
    yield* Effect.forkScoped(Effect.forever(Effect.zipRight(Effect.sleep(beat), Effect.ignore(touch))))
  })
