/**
 * Who runs an export: two runs on one folder are told apart by it, and a run that was killed from one that is at work.
 *
 * @since 0.1.0
 */
import * as FileSystem from "@effect/platform/FileSystem"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/**
 * A process: its number, and when it began, since numbers are given again.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Id = Schema.Struct({ pid: Schema.Int, began: Schema.String })

/**
 * @since 0.1.0
 * @category models
 */
export type Id = typeof Id.Type

/**
 * @since 0.1.0
 * @category references
 */
export class Runner extends Context.Reference<Runner>()("@effect-venue/history/Runner", {
  defaultValue: (): Runner.Shape => fromProc
}) {}

/**
 * @since 0.1.0
 */
export declare namespace Runner {
  /**
   * @since 0.1.0
   * @category models
   */
  export interface Shape {
    readonly self: Effect.Effect<Id>
    readonly isAlive: (id: Id) => Effect.Effect<boolean>
  }
}

/** Fields of `/proc/<pid>/stat` after the name, which may hold anything: the 20th is the instant of birth. */
const born = (stat: string): Option.Option<Id> => {
  const pid = Number(stat.slice(0, stat.indexOf(" ")))
  const began = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]
  return Number.isInteger(pid) && began !== undefined ? Option.some({ pid, began }) : Option.none()
}

const nobody: Id = { pid: 0, began: "" }

const stat = (pid: number | "self"): Effect.Effect<Option.Option<Id>> =>
  Effect.flatMap(Effect.serviceOption(FileSystem.FileSystem), (fs) =>
    Option.isNone(fs)
      ? Effect.succeedNone
      : Effect.map(Effect.option(fs.value.readFileString(`/proc/${pid}/stat`)), Option.flatMap(born))
  )

/**
 * What Linux says of its processes. Where it says nothing, whoever left a lock is taken to be alive: remove the lock by hand then, or
 * provide a `Runner` that knows better.
 *
 * @since 0.1.0
 * @category constants
 */
export const fromProc: Runner.Shape = {
  self: Effect.map(
    stat("self"),
    Option.getOrElse(() => nobody)
  ),
  isAlive: (id) =>
    Effect.flatMap(stat("self"), (self) =>
      Option.isNone(self) || id.pid === 0
        ? Effect.succeed(true)
        : Effect.map(stat(id.pid), (found) => Option.exists(found, ({ began }) => began === id.began))
    )
}
