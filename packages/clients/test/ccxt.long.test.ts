import { cases } from "../src/cases/ccxt.js"
import * as peers from "../src/peers.js"
import { runCases } from "./utils/runCases.js"

runCases({ name: "ccxt", cases, open: peers.ccxt })
