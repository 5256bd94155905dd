import * as BigDecimal from "effect/BigDecimal"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Endpoint from "../endpoint/Endpoint.js"
import * as LookUp from "../endpoint/lookUp.js"
import { type Comparison, contract, isOfCategory, type Parameters, textOf } from "../endpoint/lookUp.js"

type Amount = Option.Option<BigDecimal.BigDecimal>

/** The fields of a position that look-ups compare. */
interface Position {
  readonly symbol: string
  readonly positionIdx: number
  readonly size: BigDecimal.BigDecimal
  readonly leverage: Amount
  readonly riskId: Option.Option<number>
  readonly isReduceOnly: boolean
  readonly tpslMode: Option.Option<string>
  readonly takeProfit: Amount
  readonly stopLoss: Amount
  readonly trailingStop: Amount
}

interface Page {
  readonly category: Option.Option<string>
  readonly list: ReadonlyArray<Position>
}

interface Selection {
  readonly category: "linear" | "inverse"
  readonly symbol: string
}

/** The read of the domain. It is a parameter because Positions.ts imports this file. */
type List = <E>(selection: Selection, read: Endpoint.ReadCall<E>) => Effect.Effect<Page, E>

/** The positions that a write changes: those of its symbol, and of its index if it has one. */
const find = <E>(
  list: List,
  parameters: Parameters,
  read: Endpoint.ReadCall<E>
): Effect.Effect<ReadonlyArray<Position>, E> => {
  const selection = { category: contract(parameters), symbol: textOf(parameters, "symbol") ?? "" }
  const index = LookUp.valueOf(parameters, "positionIdx")
  return Effect.map(list(selection, read), (page) =>
    isOfCategory(page, selection.category) && parameters.category === selection.category
      ? page.list.filter(
          ({ positionIdx, symbol }) => symbol === selection.symbol && (index === undefined || positionIdx === index)
        )
      : []
  )
}

type Holds = (positions: ReadonlyArray<Position>, parameters: Parameters) => boolean

/** Finds out whether the requested state is in force for all positions that a write changes. Another state proves nothing. */
const isInForce =
  (list: List, holds: Holds = () => true) =>
  <E>(
    { isShownBy, parameters }: LookUp.Write<Position>,
    read: Endpoint.ReadCall<E>
  ): Effect.Effect<Endpoint.Finding, E> =>
    Effect.map(find(list, parameters, read), (evidence) => {
      const isSo = evidence.length > 0 && evidence.every(isShownBy) && holds(evidence, parameters)
      return { executed: isSo ? "yes" : "undetermined", evidence }
    })

const selecting = { category: "selects", symbol: "selects" } as const

/** A partial stop is an order beside the stops of the position, so the position shows full stops only. */
const isFull: Comparison<Position> = ({ tpslMode }, mode = "Full") => mode === "Full" && Option.contains(tpslMode, mode)

/** A full stop triggers a market order. */
const isMarket: Comparison<Position> = (_, type = "Market") => type === "Market"

/** A closed position has no stops, and a request without a stop changes nothing. */
const canHaveStops: Holds = ([position, ...more], parameters) =>
  position !== undefined &&
  more.length === 0 &&
  BigDecimal.isPositive(position.size) &&
  LookUp.hasAny(parameters, ["takeProfit", "stopLoss", "trailingStop"])

/** The leverage of the positions whose side has the parameter: 0 both, 1 long, 2 short. */
const leverageOf =
  (index: 1 | 2): Comparison<Position> =>
  (position, value) =>
    (position.positionIdx !== 0 && position.positionIdx !== index) || LookUp.decimal("leverage")(position, value)

/** Whether the positions show the leverage of both sides. */
const haveBothSides: Holds = (positions) =>
  ([1, 2] as const).every((index) => positions.some(({ positionIdx }) => positionIdx === 0 || positionIdx === index))

const makeLookUp = LookUp.makeFor<Position>()

/** The look-ups for the writes of positions. */
export const make = (list: List) => ({
  // The previous margin is unknown, so the look-up returns the position and the caller decides.
  marginAdded: makeLookUp({ ...selecting, positionIdx: "selects", margin: "unseen" }, isInForce(list)),
  tradingStopSet: makeLookUp(
    {
      ...selecting,
      positionIdx: "selects",
      tpslMode: isFull,
      takeProfit: LookUp.decimal("takeProfit"),
      stopLoss: LookUp.decimal("stopLoss"),
      trailingStop: LookUp.decimal("trailingStop"),
      tpTriggerBy: "unseen",
      slTriggerBy: "unseen",
      activePrice: "unseen",
      tpSize: "unseen",
      slSize: "unseen",
      tpLimitPrice: "unseen",
      slLimitPrice: "unseen",
      tpOrderType: isMarket,
      slOrderType: isMarket
    },
    isInForce(list, canHaveStops)
  ),
  riskLimitSet: makeLookUp({ ...selecting, positionIdx: "selects", riskId: LookUp.exact("riskId") }, isInForce(list)),
  leverageSet: makeLookUp(
    { ...selecting, buyLeverage: leverageOf(1), sellLeverage: leverageOf(2) },
    isInForce(list, haveBothSides)
  ),
  tpslModeSet: makeLookUp({ ...selecting, tpSlMode: LookUp.exact("tpslMode") }, isInForce(list)),
  riskLimitConfirmed: makeLookUp(
    selecting,
    isInForce(list, (positions) => positions.every(({ isReduceOnly }) => !isReduceOnly))
  )
})
