import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"

/** How a read fails, spelt out: `OutcomeUnknown` is not among it. */
export type Read =
  | "InvalidRequest"
  | "Rejected"
  | "Unauthorized"
  | "ClockSkew"
  | "RateLimited"
  | "Banned"
  | "Unavailable"
  | "ConnectionFailed"
  | "UnexpectedResponse"

/** How a write fails, spelt out: an answer that fits no schema ends in `OutcomeUnknown`. */
export type Write =
  | "InvalidRequest"
  | "Blocked"
  | "Rejected"
  | "Unauthorized"
  | "ClockSkew"
  | "RateLimited"
  | "Banned"
  | "Unavailable"
  | "ConnectionFailed"
  | "OutcomeUnknown"

/** One object instead of intersections, member by member of a union. */
export type Flat<A> =
  A extends ReadonlyArray<infer Item>
    ? ReadonlyArray<Flat<Item>>
    : A extends string | number | boolean
      ? A
      : { [K in keyof A]: K extends "request" ? Flat<A[K]> : A[K] }

type Tag<E> = E extends { readonly _tag: infer T } ? T : E

/** What a method takes, by which tags it fails, what it needs to run. */
export type Method<F> = F extends (...args: infer Args) => Effect.Effect<unknown, infer E, infer R>
  ? { takes: { [I in keyof Args]: Flat<Args[I]> }; fails: Tag<E>; needs: R }
  : F extends (...args: infer Args) => Stream.Stream<unknown, infer E, infer R>
    ? { takes: { [I in keyof Args]: Flat<Args[I]> }; fails: Tag<E>; needs: R }
    : never
