import * as Hmac from "@effect-venue/signing/Hmac"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"

/** Which keys of Redis are used, and under which secret names are digested. */
export interface NameOptions {
  /**
   * The beginning of every key. Stores of one prefix share their limits. One prefix is one hash slot of a cluster. Defaults to `venue`.
   */
  readonly prefix?: string | undefined
  /**
   * The secret under which addresses, UIDs and keys are digested, the same in all processes. Defaults to a constant: a UID can then be found
   * by trying.
   */
  readonly digestKey?: Redacted.Redacted | undefined
}

const constant = Redacted.make("effect-venue/redis/v1")

/** How many digests are remembered. */
const remembered = 10_000

export interface Names {
  /** The key that all limits share. */
  readonly shared: string
  /** A key that stands for a name, of which it shows nothing. */
  readonly of: (kind: string, name: string) => string
}

export const make = ({ digestKey = constant, prefix = "venue" }: NameOptions): Effect.Effect<Names> =>
  Effect.map(Hmac.Hmac, ({ sha256Hex }) => {
    const digests = new Map<string, string>()
    const digestOf = (name: string): string => {
      const found = digests.get(name)
      if (found !== undefined) return found
      if (digests.size === remembered) digests.clear()
      const digest = sha256Hex(Redacted.value(digestKey), name).slice(0, 32)
      digests.set(name, digest)
      return digest
    }
    return {
      shared: `{${prefix}}:shared`,
      of: (kind, name) => `{${prefix}}:${kind}:${digestOf(name)}`
    }
  })

/** A random name of 12 hex digits. */
export const random: Effect.Effect<string> = Effect.map(Random.nextIntBetween(0, 2 ** 48), (number) =>
  number.toString(16).padStart(12, "0")
)

export const microsOf = (duration: Duration.DurationInput): number => Math.round(Duration.toMillis(duration) * 1000)
