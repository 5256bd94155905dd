import { cases, leftOut } from "../src/cases/ccxt.js"
import * as peers from "../src/peers.js"
import { coversEveryMethod } from "./utils/coversEveryMethod.js"
import { runCases } from "./utils/runCases.js"

runCases({ name: "ccxt", cases, open: peers.ccxt })

coversEveryMethod({ name: "ccxt", cases, leftOut, open: peers.ccxt })
