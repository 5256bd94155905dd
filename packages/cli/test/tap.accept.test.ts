import type * as Singer from "@effect-venue/history/Singer"
import * as fs from "node:fs"
import * as path from "node:path"
import { describe, expect, it } from "vitest"
import { ago, folder, launch, linesOf, sharedExchange, venue } from "./utils/venue.js"

// Killed between any two messages: packages/history/test/tap.test.ts

const shared = sharedExchange({ limits: "off" })

const wantedKills = 100

const write = (name: string, content: unknown) => {
  fs.writeFileSync(path.join(folder(), name), JSON.stringify(content))
  return name
}

const messagesOf = (out: string) => linesOf(out).map((line) => JSON.parse(line) as Singer.Message)

/** A target that keeps rows by stream and key, as soon as it receives them, and the last state. */
const target = () => {
  const rows = new Map<string, string>()
  let state: unknown
  return {
    rows,
    state: () => state,
    receive: (message: Singer.Message) => {
      if (message.type === "STATE") state = message.value
      if (message.type === "RECORD") {
        rows.set(JSON.stringify([message.stream, message.record.venue_key]), JSON.stringify(message.record))
      }
    }
  }
}

describe("venue tap", () => {
  it("gives a target every row once if its process is killed repeatedly", async () => {
    const config = write("tap.json", {
      start_date: ago(60),
      end_date: ago(1),
      datasets: ["executions", "transfers"],
      categories: ["linear", "spot"]
    })
    const { out } = await venue(["tap", "--config", config], shared.current().variables)
    const whole = target()
    messagesOf(out).forEach(whole.receive)
    expect(whole.rows.size).toBeGreaterThan(100)
    const lines = linesOf(out).length
    let [kills, runs] = [0, 0]
    while (kills < wantedKills) {
      // A target that has everything gives way to an empty one.
      const killed = target()
      for (let isKilled = true; isKilled; runs++) {
        const state = killed.state()
        const from = state === undefined ? [] : ["--state", write("state.json", state)]
        // The first runs are killed early, some before their first state.
        const last = Math.ceil((lines * ((runs * 7) % 11)) / 40)
        const { ended } = launch(
          ["tap", "--config", config, ...from],
          shared.current().variables,
          (output, kill) => output.split("\n").length > last && kills < wantedKills && kill("SIGKILL")
        )
        const { code, out, signal } = await ended
        isKilled = signal === "SIGKILL"
        if (isKilled) kills++
        else expect(code).toBe(0)
        // The line that is being written when it is killed does not reach its end.
        messagesOf(out.slice(0, out.lastIndexOf("\n") + 1)).forEach(killed.receive)
      }
      expect(new Map([...killed.rows].sort())).toEqual(new Map([...whole.rows].sort()))
    }
    expect(kills).toBe(wantedKills)
  })
})
