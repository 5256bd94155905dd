/**
 * Assigns each account to an egress address: the one with the highest hash of the master UID and its name (rendezvous hashing). The accounts
 * of one master are together, and removing an address moves only its accounts.
 */
import * as Option from "effect/Option"

/** An account to be assigned. */
export interface Subject {
  readonly account: string
  readonly masterUid: string
  /** The name of an address, or `any`. */
  readonly egress: string
}

/** Spreads 32 bits over all of them: a change of any bit changes each bit of the result in half of all cases. (MurmurHash3) */
const mix = (bits: number): number => {
  let hash = bits
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** 32 bits of a text. (FNV-1a over its UTF-16 units, mixed) */
const hashOf = (text: string): number => {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return mix(hash)
}

/** Chooses the address of a master UID among some. The result does not depend on their order. `none` without addresses. */
export const chooser = (egresses: ReadonlyArray<string>): ((masterUid: string) => Option.Option<string>) => {
  const hashed = [...new Set(egresses)].sort().map((name) => ({ name, hash: hashOf(name) }))
  return (masterUid) => {
    const uid = hashOf(masterUid)
    let best: string | undefined
    let highest = -1
    for (const { hash, name } of hashed) {
      const score = mix(uid ^ hash)
      if (score <= highest) continue
      best = name
      highest = score
    }
    return Option.fromNullable(best)
  }
}

/** The present address of each master that already has one. */
const homesOf = (
  subjects: ReadonlyArray<Subject>,
  present: ReadonlySet<string>,
  current: ReadonlyMap<string, string>
): ReadonlyMap<string, string> => {
  const homes = new Map<string, string>()
  for (const { account, egress, masterUid } of subjects) {
    const home = current.get(account)
    if (egress === "any" && home !== undefined && present.has(home) && !homes.has(masterUid)) homes.set(masterUid, home)
  }
  return homes
}

/**
 * The address of every account. An account that names an address has that one. Others keep their `current` address while it is present, and
 * new accounts of the same master join it; otherwise the hash decides. Accounts without an address are absent.
 */
export const assign = (
  subjects: ReadonlyArray<Subject>,
  egresses: ReadonlyArray<string>,
  current: ReadonlyMap<string, string> = new Map()
): ReadonlyMap<string, string> => {
  const present = new Set(egresses)
  const homes = homesOf(subjects, present, current)
  const choose = chooser(egresses)
  const assigned = new Map<string, string>()
  for (const { account, egress, masterUid } of subjects) {
    const chosen = egress === "any" ? (homes.get(masterUid) ?? Option.getOrUndefined(choose(masterUid))) : egress
    if (chosen !== undefined && present.has(chosen)) assigned.set(account, chosen)
  }
  return assigned
}
