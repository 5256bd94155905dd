/**
 * Generates three clients from the OpenAPI document of a sandbox, each by another generator, and compiles them with programs that use their types.
 *
 *     node --import tsx packages/tools/src/checks/openApiClients.ts
 */
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import * as Server from "@effect-venue/sandbox/Server"
import * as Effect from "effect/Effect"
import { longestRun, tools } from "../repository/repository.js"

const folder = path.join(tools, "build", "clients")
const bin = (name: string): string => path.join(tools, "node_modules", ".bin", name)

const commands: ReadonlyArray<readonly [program: string, ...args: ReadonlyArray<string>]> = [
  ["openapi-typescript", "openapi.json", "-o", "types.ts", "--default-non-nullable", "false"],
  ["swagger-typescript-api", "generate", "--path", "openapi.json", "--output", ".", "--name", "classes.ts"],
  ["oazapfts", "openapi.json", "functions.ts"]
]

/** Programs that use the clients. A type that accepts everything fails at the lines that expect an error. */
const users: Readonly<Record<string, string>> = {
  "useTypes.ts": `
import type { paths } from "./types.js"
type Body = paths["/cloud/trade/v3/order/create"]["post"]["requestBody"]["content"]["application/json"]
const order = { symbol: "BTCUSDT", side: "Buy", orderType: "Limit", qty: "0.1", price: "20000", orderLinkId: "mine" } as const
export const spot: Body = { category: "spot", ...order }
// @ts-expect-error a category that does not exist
export const other: Body = { category: "option", ...order }
type SetFaults = paths["/sandbox/control/setFaults"]["post"]
export const faults: SetFaults["requestBody"]["content"]["application/json"] = { rules: [{ fault: { kind: "dropAfter" } }] }
export type Refused = SetFaults["responses"][409]["content"]["application/json"]["message"]
// @ts-expect-error a body is required
export const absent: SetFaults["requestBody"] = undefined
`,
  "useClasses.ts": `
import { Api } from "./classes.js"
const api = new Api({ baseUrl: "http://127.0.0.1:8080" })
export const wallet = api.cloud.accountWalletBalance({ accountType: "UNIFIED" })
export const opened = api.sandbox.controlOpenAccount({ funds: { USDT: "1000" } })
// @ts-expect-error a price is required
export const held = api.sandbox.controlSetPrice({ category: "linear", symbol: "BTCUSDT" })
`,
  "useFunctions.ts": `
import * as client from "./functions.js"
client.defaults.baseUrl = "http://127.0.0.1:8080"
export const held = client.controlSetPrice({ category: "linear", symbol: "BTCUSDT", price: "20000" })
// @ts-expect-error a body is required
export const nothing = client.controlSetPrice()
`
}

const run = (program: string, args: ReadonlyArray<string>): void => {
  const { status, stderr, stdout } = spawnSync(bin(program), args, {
    cwd: folder,
    encoding: "utf8",
    timeout: longestRun
  })
  if (status !== 0) throw new Error(`${program} ${args.join(" ")}\n${stdout}${stderr}`)
}

const readDocument = Effect.gen(function* () {
  const { url } = yield* Server.Server
  return yield* Effect.promise(async () => (await fetch(`${url}/openapi.json`)).text())
}).pipe(Effect.provide(Server.layer({ seed: 7 })))

fs.rmSync(folder, { recursive: true, force: true })
fs.mkdirSync(folder, { recursive: true })
fs.writeFileSync(path.join(folder, "openapi.json"), await Effect.runPromise(readDocument))
for (const [program, ...args] of commands) run(program, args)
for (const [file, text] of Object.entries(users)) fs.writeFileSync(path.join(folder, file), text)
const options = [
  "--noEmit",
  "--strict",
  "--module",
  "nodenext",
  "--target",
  "es2022",
  "--lib",
  "es2022,dom",
  "--skipLibCheck"
]
run("tsc", [...options, ...Object.keys(users)])
console.log(`${commands.length} generated clients compile`)
