import type * as Manifest from "@effect-venue/history/Manifest"

/** Whether another part has all rows of this one: the same account, and fewer parameters. */
const isWithin = (part: Manifest.Part, whole: Manifest.Part): boolean =>
  part !== whole &&
  part.account === whole.account &&
  Object.entries(whole.parameters).every(([name, value]) => part.parameters[name] === value) &&
  Object.keys(part.parameters).some((name) => whole.parameters[name] === undefined)

/** The parts of a dataset whose rows count, and those whose rows are in one of them too. */
export interface Chosen {
  readonly counted: ReadonlyArray<Manifest.Part>
  readonly repeated: ReadonlyArray<Manifest.Part>
}

/** The parts of a dataset, so that every row counts once. */
export const chosen = ({ parts }: Pick<Manifest.Manifest, "parts">, dataset: string): Chosen => {
  const all = parts.filter((part) => part.dataset === dataset)
  const repeated = all.filter((part) => all.some((whole) => isWithin(part, whole)))
  return { counted: all.filter((part) => !repeated.includes(part)), repeated }
}
