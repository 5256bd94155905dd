/**
 * HMAC-SHA256, by which the two signing methods sign. It is synchronous on every runtime.
 *
 * @since 0.1.0
 */
import * as here from "#hmac"
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import * as portable from "./internal/hmac.portable.js"

/**
 * Defaults to `make()`. To sign where the secret is not available, or only asynchronously, replace the `Signer` instead.
 *
 * @since 0.1.0
 * @category references
 */
export class Hmac extends Context.Reference<Hmac>()("@effect-venue/signing/Hmac", {
  defaultValue: (): Hmac.Shape => make()
}) {}

/**
 * @since 0.1.0
 */
export declare namespace Hmac {
  /**
   * @since 0.1.0
   * @category models
   */
  export interface Shape {
    /** 64 lowercase hex digits: HMAC-SHA256 of the UTF-8 bytes of `text`, under those of `secret`. */
    readonly sha256Hex: (secret: string, text: string) => string
  }
}

/**
 * `createHmac` of `node:crypto` where the `node` condition of package imports holds, otherwise the portable one.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (): Hmac.Shape => here.make()

/**
 * In plain JavaScript, for every runtime.
 *
 * @since 0.1.0
 * @category constructors
 */
export const makePortable = (): Hmac.Shape => portable.make()

/**
 * The default, to undo a replacement.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<Hmac> = Layer.sync(Hmac, make)

/**
 * The portable one wherever the program runs.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerPortable: Layer.Layer<Hmac> = Layer.sync(Hmac, makePortable)
