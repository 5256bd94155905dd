/**
 * Test doubles: an implementation of a service that has some of its members, and dies with the name of any missing member that is called.
 *
 * `layerTest` of every service, such as `Orders.layerTest`, is built with it. An application can use it for its services.
 *
 * @sibling
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"

/** The test called a member that it does not provide. This is a defect, so no caller handles it, and the test fails with its message. */
export class NotGiven extends Data.TaggedError("NotGiven")<{
  /** The called member, such as `Orders.cancel`. */
  readonly called: string
  /** The provided members, in the order of the test. */
  readonly given: ReadonlyArray<string>
}> {
  override get message(): string {
    const list = this.given.length === 0 ? "gives no member" : `gives only: ${this.given.join(", ")}`
    return `${this.called} was called, but this layerTest ${list}`
  }
}

/** Dies with `NotGiven`. The effect is a stream too, which dies when it is run. */
export const notGiven = (called: string, provided: ReadonlyArray<string>): Effect.Effect<never> =>
  Effect.dieSync(() => new NotGiven({ called, given: provided }))

/**
 * A service with the members of `provided`. Each further method of `members` returns an effect, or a stream, that dies with `NotGiven`. `members` supplies the
 * names: pass any implementation of the service; it is never called.
 */
export const make = <Shape extends object>(
  service: string,
  members: { readonly [K in keyof Shape]: unknown },
  provided: Partial<Shape>
): Shape => {
  const names = Object.keys(provided)
  const dying = Object.keys(members).map((name) => [name, () => notGiven(`${service}.${name}`, names)] as const)
  // A record of the names of `members` is a Shape by construction; the compiler does not compute with keys of a record.
  return { ...Object.fromEntries(dying), ...provided } as Shape
}
