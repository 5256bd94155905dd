import * as Predicate from "effect/Predicate"

// `uid`, `uids`, `userId`, `subUserId`, `memberId`, `fromMemberId`, `subMemberIds`, `UID` ...
const isUid = (name: string): boolean => /(^|[a-z_])(uid|userid|memberid)s?$/i.test(name)

const isAddress = (name: string): boolean => /^((to|from)?address|tag|txid)$/i.test(name)

const firstUid = 900_000_001

export interface Pseudonyms {
  readonly value: (value: unknown) => unknown
  readonly texts: (texts: Readonly<Record<string, string>>) => Readonly<Record<string, string>>
}

/** Pseudonyms by the text that they replace, in the order of their first use. */
export const make = (): Pseudonyms => {
  const uids = new Map<string, number>()
  const addresses = new Map<string, string>()
  const uidOf = (text: string): number => {
    const known = uids.get(text) ?? firstUid + uids.size
    uids.set(text, known)
    return known
  }
  const addressOf = (text: string): string => {
    const known = addresses.get(text) ?? `address-${addresses.size + 1}`
    addresses.set(text, known)
    return known
  }
  // Several UIDs in one text are separated by commas. 0 and empty text are no UIDs.
  const uidText = (text: string): string =>
    text.replace(/[^,\s]+/g, (uid) => (/^0*$/.test(uid) ? uid : String(uidOf(uid))))

  const text = (name: string, value: string): string =>
    isUid(name) ? uidText(value) : isAddress(name) && value !== "" ? addressOf(value) : value

  const member = (name: string, value: unknown): unknown => {
    if (typeof value === "string") return text(name, value)
    if (typeof value === "number") return isUid(name) && value !== 0 ? uidOf(String(value)) : value
    if (Array.isArray(value)) return value.map((item: unknown) => member(name, item))
    return Predicate.isReadonlyRecord(value)
      ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, member(name, inner)]))
      : value
  }

  return {
    value: (value) => member("", value),
    texts: (texts) => Object.fromEntries(Object.entries(texts).map(([name, value]) => [name, text(name, value)]))
  }
}
