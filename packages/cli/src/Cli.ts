/** The `venue` command. */
import type * as CliApp from "@effect/cli/CliApp"
import * as HttpClient from "@effect/platform/HttpClient"
import type * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as FailureExit from "./start/failureExit.js"
import * as program from "./start/program.js"

/**
 * The exit codes. `failed`: the command failed, or its result is incomplete or wrong. `usage`: the arguments are wrong, and nothing was
 * sent. `unknown`: a write was executed or not, which is unknown. `unprinted`: a write was executed, and standard output did not accept its
 * result, which is on standard error instead. `interrupted`: the command was stopped before its end; `venue sandbox`, which runs until it
 * is stopped, then ends with `done`.
 */
export const exitCodes = FailureExit.exitCodes

/** Runs the command with the arguments of the process and returns its exit code. */
export const run = (
  args: ReadonlyArray<string>
): Effect.Effect<number, never, CliApp.CliApp.Environment | HttpClient.HttpClient> =>
  program.run(args, Layer.service(HttpClient.HttpClient))
