import * as Option from "effect/Option"

// The service spells "nothing" in several ways: "", null, a filler such as "0" or "None", or a missing key. In the domain each is an
// `Option.none()`, equal to every other none. Each spelling is a distinct object, so that encoding a decoded value writes the same
// spelling.
const spelledNone = (): Option.Option<never> =>
  // A none consists of its prototype only.
  Object.create(Object.getPrototypeOf(Option.none()) as object) as Option.Option<never>

/** The none of a missing key. */
export const noneAbsent = spelledNone()

const byText = new Map<string | null, Option.Option<never>>()
const spellings = new WeakMap<Option.Option<unknown>, unknown>()

/** Creates a none that is encoded as this value. */
export const noneVerbatim = (value: unknown): Option.Option<never> => {
  const none = spelledNone()
  spellings.set(none, value)
  return none
}

/** Returns the none of a filler text or null. */
export const noneSpelled = (spelling: string | null): Option.Option<never> => {
  const known = byText.get(spelling)
  if (known !== undefined) return known
  const none = noneVerbatim(spelling)
  byText.set(spelling, none)
  return none
}

/** Returns the spelling of a none, or `undefined` if the domain created it. */
export const spelling = (none: Option.Option<unknown>): unknown => spellings.get(none)
