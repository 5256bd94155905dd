/**
 * The types that enforce rules of request parameters at compile time, with the reason in the type error.
 *
 * @since 0.1.0
 */

/**
 * Requires the parameter `K`.
 *
 * @since 0.1.0
 * @category models
 */
export type Needs<K extends string> = { readonly [_ in K]-?: string }

/**
 * Requires at least one of the parameters `K`.
 *
 * @since 0.1.0
 * @category models
 */
export type AtLeastOne<K extends string> = K extends unknown ? Needs<K> : never

declare const why: unique symbol

/**
 * The type of a parameter that is refused. No value has this type, so the editor shows the reason.
 *
 * @since 0.1.0
 * @category models
 */
export interface Refused<out Why extends string> {
  readonly [why]: Why
}

/**
 * Refuses the parameters `K` in a request for the category `C`, with the reason in the type error.
 *
 * @since 0.1.0
 * @category models
 */
export type NotFor<C extends string, K extends string> = { readonly [P in K]?: Refused<`${P} is not for ${C}`> }
