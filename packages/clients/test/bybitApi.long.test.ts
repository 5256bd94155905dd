import { cases } from "../src/cases/bybitApi.js"
import * as peers from "../src/peers.js"
import { coversEveryMethod } from "./utils/coversEveryMethod.js"
import { runCases } from "./utils/runCases.js"

runCases({ name: "bybit-api", cases, open: peers.bybit })

coversEveryMethod({ name: "bybit-api", cases, leftOut: {}, open: peers.bybit })
