import * as Option from "effect/Option"

// The service spells "nothing" in several ways: "", null, a filler such as "0" or "None", or by leaving the key out. In
// the domain all of them are `Option.none()`, equal to each other and to any other none; each spelling is an object of
// its own, so that encoding what was decoded writes the same spelling back.
const spelledNone = (): Option.Option<never> =>
  // Made of the prototype of all nones, which is all there is to a none.
  Object.create(Object.getPrototypeOf(Option.none()) as object) as Option.Option<never>

/** The key was left out. */
export const noneAbsent = spelledNone()

const byText = new Map<string | null, Option.Option<never>>()
const spellings = new WeakMap<Option.Option<unknown>, unknown>()

/** A none that is written as this value, whatever it is. */
export const noneVerbatim = (value: unknown): Option.Option<never> => {
  const none = spelledNone()
  spellings.set(none, value)
  return none
}

/** The none that was spelled as this filler text, or as null. */
export const noneSpelled = (spelling: string | null): Option.Option<never> => {
  const known = byText.get(spelling)
  if (known !== undefined) return known
  const none = noneVerbatim(spelling)
  byText.set(spelling, none)
  return none
}

/** How a none was spelled; `undefined` for a none of the domain's own making. */
export const spelling = (none: Option.Option<unknown>): unknown => spellings.get(none)
