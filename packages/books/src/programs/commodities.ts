import * as Digest from "@effect-venue/history/siblings/Digest"

// The names of coins in ledgers. A coin can have any name; programs refuse or misread some of them.

/** A short name that every program accepts: the letters and digits of the coin, and a digest that keeps different coins apart. */
const shortName = (coin: string): string => {
  const stem = coin.toUpperCase().replaceAll(/[^A-Z0-9]+/g, "")
  return `C.${stem.slice(0, 8)}${stem === "" ? "" : "-"}${Digest.sha256Of(coin).slice(0, 10).toUpperCase()}`
}

/** Words that beancount reads as values. */
const beancountWords: ReadonlySet<string> = new Set(["TRUE", "FALSE", "NULL"])

/** Returns the name of a coin in beancount: 2 to 24 characters, a letter first, upper case. */
export const inBeancount = (coin: string): string =>
  /^[A-Z][A-Z0-9]{1,22}$/.test(coin) && !beancountWords.has(coin) ? coin : shortName(coin)

/** Returns the name of a coin in ledger and hledger, with quotes if it is not of letters alone. `s`, `m` and `h` are times there. */
export const inLedger = (coin: string): string => {
  if (/^[A-Za-z]{2,}$/.test(coin)) return coin
  return `"${/^[\p{L}\p{N}][\p{L}\p{N} ._-]+$/u.test(coin) && coin.trim() === coin && coin.length <= 40 ? coin : shortName(coin)}"`
}
