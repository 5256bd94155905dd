/** How the site is searched. The functions run in the reader's browser, so each names nothing outside of itself. */

/** Guides stand above operations with the same words, these above modules, and long tables last. */
const boostDocument = (id) =>
  /^\/reference\/(rules|return-codes|clients|contradictions|listed-operations)\./.test(id)
    ? 0.15
    : id.startsWith("/decisions/") || /^\/(contributing|changelog|overview)\./.test(id)
      ? 0.2
      : id.startsWith("/modules/")
        ? 0.3
        : /^\/reference\/(enumerations|control|responses)\./.test(id)
          ? 0.5
          : 1

/** A word of a question without its plural, with the words that the pages use for it; none for a word that every question has. */
const processTerm = (term) => {
  const stopWords =
    "a an and are as at be by can do does for from get have how i if in is it its me my of on or our should so that the there this to too use used using was we what when where which who why will with you your"
  const synonyms = {
    candle: ["candles", "klines"],
    kline: ["candles", "klines"],
    ticker: ["tickers"],
    balance: ["balance", "wallet"],
    mock: ["testing", "sandbox"],
    exchange: ["exchange", "sandbox"],
    testnet: ["testnet"],
    trades: ["trades", "executions"],
    trade: ["trade", "executions"],
    fill: ["fill", "executions"],
    fills: ["fills", "executions"],
    fee: ["fee", "feerate"],
    fees: ["fee", "feerate"],
    funding: ["funding", "executions"],
    many: ["many", "batch"],
    tick: ["tick", "ticksize", "instruments"],
    buy: ["buy", "place"],
    sell: ["sell", "place"],
    tax: ["tax", "books"],
    pnl: ["profit", "closedpnl"],
    timeout: ["timeout", "outcome"],
    kill: ["kill", "guards"],
    visits: ["visits", "10006", "rate", "limits"],
    permission: ["permissions"],
    websocket: ["websocket", "streams"],
    past: ["past", "history"],
    golang: ["language"],
    java: ["language"],
    rust: ["language"]
  }
  const word = term.toLowerCase()
  if (stopWords.split(" ").includes(word)) return null
  const known = Object.hasOwn(synonyms, word) ? synonyms[word] : undefined
  return known ?? (word.length > 4 && /[^s]s$/.test(word) ? word.slice(0, -1) : word)
}

export const searchOptions = {
  boost: { title: 8, titles: 2, text: 1 },
  boostDocument,
  processTerm,
  fuzzy: (term) => (term.length > 5 ? 0.15 : false),
  prefix: (term) => term.length > 2
}
