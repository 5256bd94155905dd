import * as BigDecimal from "effect/BigDecimal"
import type * as Exchange from "../state/Exchange.js"

const rate = (text: string) => BigDecimal.unsafeFromString(text)

const contract = { maker: rate("0.0002"), taker: rate("0.00055") }
const spot = { maker: rate("0.001"), taker: rate("0.001") }

/** The fee rates of an execution, charged on its value for contracts and on the received coin for spot. */
export const rates = (
  category: Exchange.Category
): { readonly maker: BigDecimal.BigDecimal; readonly taker: BigDecimal.BigDecimal } =>
  category === "spot" ? spot : contract

export const of = (category: Exchange.Category, isMaker: boolean): BigDecimal.BigDecimal =>
  isMaker ? rates(category).maker : rates(category).taker
