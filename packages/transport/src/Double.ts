/**
 * Test doubles: an implementation of a service that has some of its members, and dies by name when another one is called.
 *
 * `layerTest` of every service, such as `Orders.layerTest`, is made from it. An application uses it for services of its own.
 *
 * @since 0.1.0
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"

/**
 * A member was called that the test does not give. It is a defect: no caller handles it, and the test fails with its message.
 *
 * @since 0.1.0
 * @category failures
 */
export class NotGiven extends Data.TaggedError("NotGiven")<{
  /** What was called, such as `Orders.cancel`. */
  readonly called: string
  /** What the test gives, in the order of the test. */
  readonly given: ReadonlyArray<string>
}> {
  override get message(): string {
    const given = this.given.length === 0 ? "gives no member" : `gives only: ${this.given.join(", ")}`
    return `${this.called} was called, but this layerTest ${given}`
  }
}

/**
 * Dies with `NotGiven`. The effect is a stream too, which dies when it is run.
 *
 * @since 0.1.0
 * @category constructors
 */
export const notGiven = (called: string, given: ReadonlyArray<string>): Effect.Effect<never> =>
  Effect.dieSync(() => new NotGiven({ called, given }))

/**
 * A service with the members of `given`. Each other method of `members` returns an effect, or a stream, that dies with `NotGiven`.
 * `members` has the names: any implementation of the service will do, none of it is called.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = <Shape extends object>(
  service: string,
  members: { readonly [K in keyof Shape]: unknown },
  given: Partial<Shape>
): Shape => {
  const names = Object.keys(given)
  const dying = Object.keys(members).map((name) => [name, () => notGiven(`${service}.${name}`, names)] as const)
  // A record of the names of `members` is a Shape by construction; the compiler does not compute with keys of a record.
  return { ...Object.fromEntries(dying), ...given } as Shape
}
