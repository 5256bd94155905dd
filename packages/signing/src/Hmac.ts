/** The HMAC-SHA256 of both signing methods. It is synchronous on every runtime. */
import * as here from "#hmac"
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import * as portable from "./hmac.portable.js"

/** The HMAC implementation. Default: `Hmac.make()`. If the secret is not available, or signing is asynchronous, replace the `Signer` instead. */
export class Hmac extends Context.Reference<Hmac>()("@effect-venue/signing/Hmac", {
  defaultValue: (): Hmac.Shape => make()
}) {}

export declare namespace Hmac {
  export interface Shape {
    /** Returns 64 lowercase hex digits: the HMAC-SHA256 of the UTF-8 bytes of `text`, with the UTF-8 bytes of `secret` as key. */
    readonly sha256Hex: (secret: string, text: string) => string
  }
}

/** Uses `createHmac` of `node:crypto` if the `node` condition of package imports applies, otherwise the portable implementation. */
export const make = (): Hmac.Shape => here.make()

/** Uses plain JavaScript, for every runtime. */
export const makePortable = (): Hmac.Shape => portable.make()

/** The default implementation, to undo a replacement. */
export const layer: Layer.Layer<Hmac> = Layer.sync(Hmac, make)

/** The portable implementation on every runtime. */
export const layerPortable: Layer.Layer<Hmac> = Layer.sync(Hmac, makePortable)
