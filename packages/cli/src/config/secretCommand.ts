import * as Command from "@effect/platform/Command"
import type * as FileSystem from "@effect/platform/FileSystem"
import * as NodeCommandExecutor from "@effect/platform-node/NodeCommandExecutor"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

/** The first line that a program prints; its standard error and input are those of this process, so that it can ask for a password. */
export const readPrinted = (words: ReadonlyArray<string>): Effect.Effect<string, string, FileSystem.FileSystem> => {
  const [program = "", ...args] = words
  return Effect.gen(function* () {
    const command = Command.make(program, ...args).pipe(Command.stdin("inherit"), Command.stderr("inherit"))
    const running = yield* Command.start(command)
    const [text, code] = yield* Effect.all([Stream.mkString(Stream.decodeText(running.stdout)), running.exitCode], {
      concurrency: 2
    })
    if (code !== 0) return yield* Effect.fail(`ended with exit code ${code}`)
    const [line = ""] = text.trim().split("\n")
    return line === "" ? yield* Effect.fail("printed nothing") : line
  }).pipe(
    Effect.mapError((error) => (typeof error === "string" ? error : `could not be started: ${program}`)),
    Effect.scoped,
    Effect.provide(NodeCommandExecutor.layer)
  )
}
