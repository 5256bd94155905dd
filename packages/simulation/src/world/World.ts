/** The world of one run: virtual time, random decisions, and the journal of everything that happens. */
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Cause from "effect/Cause"
import * as Logger from "effect/Logger"
import * as Draws from "../kernel/Draws.js"
import type * as Process from "../kernel/Process.js"
import type * as Scheduler from "../kernel/Scheduler.js"
import * as Sim from "../kernel/Sim.js"
import type * as Journal from "./Journal.js"

/** The progress of a call. */
export type Phase = "answered" | "inFlight" | "queued"

export interface World {
  readonly sim: Sim.Sim
  readonly draws: Draws.Draws
  /** Adds a fact to the journal, and a line to the trace. */
  readonly add: (happening: Journal.Happening) => void
  readonly facts: ReadonlyArray<Journal.Fact>
  /** Notes that something was reached. */
  readonly cover: (name: string) => void
  readonly covered: () => ReadonlyArray<string>
  /** A fault happens to a call. */
  readonly strike: (call: string, fault: string) => void
  /** The last fault of a call and its phase, as coverage names them. */
  readonly stateOf: (call: string) => string
  readonly phaseOf: (call: string) => Phase
  /** Texts that must appear nowhere. */
  readonly secrets: Set<string>
  /** Looks for secrets in a text. */
  readonly inspect: (text: string) => void
  /** Looks for secrets in log lines. */
  readonly logger: Layer.Layer<never>
}

const lineOf = ({ _tag, ...fields }: Journal.Happening): string => {
  const parts = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined || value === "" ? [] : [typeof value === "string" ? value : `${name}=${JSON.stringify(value)}`]
  )
  return `${_tag.padEnd(9)} ${parts.join(" ").split("\n")[0] ?? ""}`
}

export const make = (seed: number, mode: Scheduler.Mode): World => {
  const draws = Draws.make(seed)
  const sim = Sim.make(draws, mode)
  const facts: Array<Journal.Fact> = []
  const covered = new Set<string>()
  const phases = new Map<string, Phase>()
  const faults = new Map<string, string>()
  const secrets = new Set<string>()
  const phaseOf = (call: string): Phase => phases.get(call) ?? "queued"
  const add: World["add"] = (happening) => {
    facts.push({ ...happening, seq: facts.length, at: sim.now() })
    if (happening._tag === "Sent") phases.set(happening.call, "inFlight")
    if (happening._tag === "Ended") phases.set(happening.call, "answered")
    sim.trace(lineOf(happening))
  }
  const inspect = (text: string) => {
    for (const secret of secrets) if (text.includes(secret)) add({ _tag: "Leaked", text: text.slice(0, 200) })
  }
  return {
    sim,
    draws,
    add,
    facts,
    cover: (name) => void covered.add(name),
    covered: () => [...covered],
    strike: (call, fault) => {
      faults.set(call, fault)
      sim.trace(`fault     ${fault} ${call}`)
    },
    stateOf: (call) => `${faults.get(call) ?? "no fault"} x ${phaseOf(call)}`,
    phaseOf,
    secrets,
    inspect,
    logger: Logger.replace(
      Logger.defaultLogger,
      Logger.make(({ annotations, cause, message }) => {
        inspect(`${JSON.stringify([message, [...annotations]])} ${Cause.isEmpty(cause) ? "" : Cause.pretty(cause)}`)
      })
    )
  }
}

/** How the processes of a run fare: their wall clocks, as far as they are wrong, jump, and which of them die. Milliseconds. */
export interface Fates {
  readonly clocks: ReadonlyArray<number>
  readonly jumps: ReadonlyArray<{ readonly process: number; readonly at: number; readonly by: number }>
  readonly deaths: ReadonlyArray<{ readonly process: number; readonly at: number }>
}

export interface Local extends Sim.LocalClock {
  readonly index: number
  readonly process: Process.Process
}

/** Makes the processes of a run, and lets them fare as planned. `died` runs before one is killed. */
export const processes = (
  { cover, sim }: World,
  { clocks, deaths, jumps }: Fates,
  died: (process: number) => void
): ReadonlyArray<Local> => {
  const all = clocks.map((shift, index): Local => ({
    index,
    process: sim.makeProcess(),
    ...sim.makeClock(Sim.epoch + shift)
  }))
  for (const { at, by, process } of jumps) {
    sim.after(at, () => {
      sim.trace(`jump      ${process} ${by}`)
      all[process]?.jump(by)
    })
  }
  for (const { at, process } of deaths) {
    sim.after(at, () => {
      const dying = all[process]
      if (dying === undefined || dying.process.isDead()) return
      cover("death")
      sim.trace(`death     ${process}`)
      died(process)
      dying.process.kill()
    })
  }
  return all
}

/** Runs a program in each of the processes, by its clock, until all have ended. */
export const inEach = <R>(
  all: ReadonlyArray<Local>,
  programOf: (local: Local) => Effect.Effect<unknown, never, R>
): Effect.Effect<void, never, R> =>
  Effect.forEach(all, (local) => local.process.run(Effect.withClock(programOf(local), local.clock)), {
    concurrency: "unbounded",
    discard: true
  })
