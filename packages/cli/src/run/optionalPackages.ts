import * as Effect from "effect/Effect"
import { Refusal } from "./failures.js"

// Packages that are bundled with the published command. A program that imports this package has to install them.

/** Packages of a fleet in a folder. */
export const ofFolder = ["@effect/sql", "@effect/sql-libsql"]

/** Packages of a fleet in a database. */
export const ofDatabase = ["@effect/sql", "@effect/sql-pg", "@effect/cluster", "@effect/rpc", "@effect/workflow"]

/** What OTLP needs. */
export const ofTelemetry = ["@effect/opentelemetry"]

/** Loads a module of this package that needs such packages. */
export const load = <Module>(
  module: () => Promise<Module>,
  command: string,
  needed: ReadonlyArray<string>
): Effect.Effect<Module, Refusal> =>
  Effect.tryPromise({
    try: module,
    catch: () => new Refusal({ message: `${command} needs npm install ${needed.join(" ")}` })
  })
