import * as Arr from "effect/Array"
import * as Option from "effect/Option"
import type * as Checkpoint from "../../shared/Checkpoint.js"
import * as Manifest from "../../Manifest.js"
import * as Part from "../../Part.js"
import { instants } from "../read/partRange.js"
import { type Planned, partitioned } from "./plan.js"

/** The manifest of an export whose windows are all read. */
export const conclude = (
  { continued, plan, whole }: Pick<Planned, "continued" | "plan" | "whole">,
  parts: ReadonlyArray<Part.Part<unknown, unknown>>,
  checkpoint: Checkpoint.Checkpoint,
  { endedAt, wallets }: { readonly endedAt: number; readonly wallets: ReadonlyArray<Manifest.Wallet> }
): Manifest.Manifest => {
  const made = Arr.zip(parts, checkpoint.parts).map(([part, { identity, unsettled, windows }], index) => {
    const before = Option.getOrUndefined(Option.flatMapNullable(continued, ({ parts }) => parts[index]))
    return Manifest.part(Part.subject(part), [...(before?.windows ?? []), ...windows], {
      columns: part.dataset.columns,
      identity,
      caveat: Option.getOrNull(part.dataset.caveat),
      unsettled: instants(unsettled),
      files: before?.files ?? [],
      rejected: before?.rejected ?? []
    })
  })
  const { rereads, retries, startedAt, starts } = checkpoint
  const manifest = Manifest.make(whole, plan.format, made, {
    startedAt,
    endedAt,
    starts,
    rereads,
    retries,
    walletsAtStart: Option.match(continued, {
      onNone: () => checkpoint.wallets,
      onSome: ({ run }) => run.walletsAtStart
    }),
    walletsAtEnd: wallets
  })
  return { ...manifest, ...partitioned(plan.partition) }
}
