/** Makes a plan smaller as long as it still shows the same violation. */

/** Smaller plans, each without one thing, by the name of the thing that is left out. */
export type Smaller<Plan> = ReadonlyArray<readonly [name: string, plan: Plan]>

/** The smallest plan that was found; the plan itself if nothing can be left out. */
export const shrink = <Plan>(
  plan: Plan,
  without: (plan: Plan) => Smaller<Plan>,
  shows: (plan: Plan) => boolean
): Plan => {
  for (const [, candidate] of without(plan)) if (shows(candidate)) return shrink(candidate, without, shows)
  return plan
}

/** The things without which the plan does not show the violation. A hint only: leaving one out moves everything that follows. */
export const causes = <Plan>(
  plan: Plan,
  without: (plan: Plan) => Smaller<Plan>,
  shows: (plan: Plan) => boolean
): ReadonlyArray<string> =>
  without(plan)
    .filter(([, candidate]) => !shows(candidate))
    .map(([name]) => name)

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

// A plan needs one element of these.
const needed = ["calls", "egresses"]

/** A list without half of its elements, and without each of them. */
const withoutElements = (key: string, list: ReadonlyArray<unknown>): Smaller<ReadonlyArray<unknown>> => {
  const half = list.length >> 1
  const halves: Smaller<ReadonlyArray<unknown>> =
    list.length > 3
      ? [
          [`the second half of ${key}`, list.slice(0, half)],
          [`the first half of ${key}`, list.slice(half)]
        ]
      : []
  const single = list.map((element, index) => {
    const name = isFields(element) && typeof element.id === "string" ? element.id : String(index)
    return [`${key} ${name}`, list.filter((_, other) => other !== index)] as const
  })
  return list.length > 1 || !needed.includes(key) ? [...halves, ...single] : []
}

/** A list whose elements lack one of their optional fields. */
const withoutFields = (
  key: string,
  list: ReadonlyArray<unknown>,
  optional: ReadonlyArray<string>
): Smaller<ReadonlyArray<unknown>> =>
  optional
    .filter((name) =>
      list.some((element) => isFields(element) && element[name] !== undefined && element[name] !== false)
    )
    .map((name) => [
      `${name} of ${key}`,
      list.map((element) => (isFields(element) ? { ...element, [name]: undefined } : element))
    ])

const ofValue = (key: string, value: unknown, optional: ReadonlyArray<string>): Smaller<unknown> => {
  if (Array.isArray(value)) {
    const list: ReadonlyArray<unknown> = value
    return [...withoutElements(key, list), ...withoutFields(key, list, optional)]
  }
  if (!isFields(value) || !Array.isArray(value.kinds) || value.kinds.length < 2) return []
  const kinds: ReadonlyArray<unknown> = value.kinds
  return kinds.map((kind) => [`${key} ${String(kind)}`, { ...value, kinds: kinds.filter((kept) => kept !== kind) }])
}

/**
 * Plans without one thing: with one field as in a calm plan, without an element of a list, or without an optional field of all elements.
 * The smallest plans are first.
 */
export const without =
  <Plan extends object>(calm: Partial<Plan>, optional: ReadonlyArray<string> = []) =>
  (plan: Plan): Smaller<Plan> => {
    const calmer = Object.entries(calm)
      .filter(([key, value]) => !isSame(value, Reflect.get(plan, key)))
      .map(([key, value]) => [key, { ...plan, [key]: value }] as const)
    const parts = Object.entries(plan).flatMap(([key, value]) =>
      ofValue(key, value, optional).map(([name, smaller]) => [name, { ...plan, [key]: smaller }] as const)
    )
    return [...calmer, ...parts]
  }
