/**
 * The identity of a process that runs an export: it distinguishes two runs on one folder, and a killed run from one at work.
 *
 * @sibling
 */
import * as FileSystem from "@effect/platform/FileSystem"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/**
 * A process: its number, its start time, since numbers are reused, and its machine or container, since numbers repeat between them;
 * empty if unknown.
 */
export const ProcessIdentity = Schema.Struct({
  pid: Schema.Int,
  startedAt: Schema.String,
  machine: Schema.optionalWith(Schema.String, { default: () => "" })
})

export type ProcessIdentity = typeof ProcessIdentity.Type

export class Processes extends Context.Reference<Processes>()("@effect-venue/history/Processes", {
  defaultValue: (): Processes.Shape => fromProc
}) {}

export declare namespace Processes {
  export interface Shape {
    readonly self: Effect.Effect<ProcessIdentity>
    /** `undefined` if unknown: the process is then alive as long as its lock is touched. */
    readonly isAlive: (id: ProcessIdentity) => Effect.Effect<boolean | undefined>
  }
}

/**
 * Fields of `/proc/<pid>/stat` after the name, which can contain any character: the first is the state, the 20th the start time. A
 * process in state Z or X has ended, and its parent has not collected its exit code.
 */
const born = (stat: string): Option.Option<Pick<ProcessIdentity, "pid" | "startedAt">> => {
  const pid = Number(stat.slice(0, stat.indexOf(" ")))
  const [state = "", ...fields] = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  const startedAt = fields[18]
  return Number.isInteger(pid) && startedAt !== undefined && !"ZXx".includes(state)
    ? Option.some({ pid, startedAt })
    : Option.none()
}

const unknownProcess: ProcessIdentity = { pid: 0, startedAt: "", machine: "" }

const proc = <A>(read: (fs: FileSystem.FileSystem) => Effect.Effect<A, unknown>): Effect.Effect<Option.Option<A>> =>
  Effect.flatMap(Effect.serviceOption(FileSystem.FileSystem), (fs) =>
    Option.isNone(fs) ? Effect.succeedNone : Effect.option(read(fs.value))
  )

const stat = (pid: number | "self") =>
  Effect.map(
    proc((fs) => fs.readFileString(`/proc/${pid}/stat`)),
    Option.flatMap(born)
  )

/** The machine since it was started, and whose processes are counted together. */
const machine = proc((fs) =>
  Effect.zipWith(
    fs.readFileString("/proc/sys/kernel/random/boot_id"),
    fs.readLink("/proc/self/ns/pid"),
    (boot, namespace) => `${boot.trim()} ${namespace}`
  )
)

/** Looks processes up in `/proc` of Linux. Processes of another machine or container, and of other systems, are unknown. */
export const fromProc: Processes.Shape = {
  self: Effect.zipWith(stat("self"), machine, (found, here) =>
    Option.match(found, {
      onNone: () => unknownProcess,
      onSome: (id) => ({ ...id, machine: Option.getOrElse(here, () => "") })
    })
  ),
  isAlive: (id) =>
    Effect.flatMap(machine, (here) =>
      id.machine !== "" && Option.contains(here, id.machine)
        ? Effect.map(
            stat(id.pid),
            Option.exists(({ startedAt }) => startedAt === id.startedAt)
          )
        : Effect.succeed(undefined)
    )
}
