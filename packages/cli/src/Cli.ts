/**
 * The `venue` command.
 *
 * @since 0.1.0
 */
import type * as CliApp from "@effect/cli/CliApp"
import * as HttpClient from "@effect/platform/HttpClient"
import type * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ExitCodes from "./internal/start/exitCodes.js"
import * as program from "./internal/start/program.js"

/**
 * The exit codes. `failed`: it could not be done, or its result is incomplete, or not what it should be. `usage`: the
 * arguments are wrong, and nothing was sent. `unknown`: it is not known whether a write was executed. `unprinted`: a write was
 * done, and standard output did not accept its result, which is on standard error instead. `interrupted`: it was
 * stopped before it was done; `venue sandbox`, which runs until it is stopped, is `done` then.
 *
 * @since 0.1.0
 * @category constants
 */
export const exitCodes = ExitCodes.exitCodes

/**
 * Runs the command with the arguments of the process and returns its exit code.
 *
 * @since 0.1.0
 * @category running
 */
export const run = (
  args: ReadonlyArray<string>
): Effect.Effect<number, never, CliApp.CliApp.Environment | HttpClient.HttpClient> =>
  program.run(args, Layer.service(HttpClient.HttpClient))
