import * as Credentials from "@effect-venue/signing/Credentials"
import * as Effect from "effect/Effect"
import * as Control from "../../Control.js"
import type * as Command from "./command.js"
import * as Commands from "./commands.js"

/** The control of a world whose exchange is at this address. */
export const make = (world: Command.World, baseUrl: string): Control.SandboxControl.Shape => {
  const credentials = ({ apiKey, apiSecret, uid }: Control.Opened) => ({
    ...Credentials.make({ baseUrl, apiKey, apiSecret, uid }),
    uid
  })
  return {
    faults: world.faults,
    openAccount: (options = {}) => Effect.map(Commands.openAccount.run(options, world), credentials),
    openKey: (options) => Effect.map(Commands.openKey.run(options, world), credentials),
    setModes: (options) => Commands.setModes.run(options, world),
    banAccount: (options) => Commands.banAccount.run(options, world),
    deposit: (options) => Commands.deposit.run(options, world),
    grant: (options) => Commands.grant.run(options, world),
    setPrice: (options) => Commands.setPrice.run(options, world),
    releasePrice: (options) => Commands.releasePrice.run(options, world),
    fill: (options) => Commands.fill.run(options, world),
    liquidate: (options) => Commands.liquidate.run(options, world),
    deleverage: (options) => Commands.deleverage.run(options, world),
    markReduceOnly: (options) => Commands.markReduceOnly.run(options, world),
    setInstrument: (options) => Commands.setInstrument.run(options, world),
    restart: Commands.restarted(world),
    snapshot: Commands.present(world),
    restore: (state) => Commands.goOnFrom(world, state),
    reset: Commands.goOnFrom(world, world.initial),
    call: (name, json) => {
      const command = Commands.byName.get(name)
      return command === undefined
        ? Effect.fail(
            new Control.ControlRefused({ command: name, reason: "NotFound", field: "", detail: "is no command" })
          )
        : command.runJson(json, world)
    }
  }
}
