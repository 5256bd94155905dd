import { cases } from "../src/cases/records.js"
import * as documentClient from "../src/documentClient.js"
import { runCases } from "./utils/runCases.js"

runCases({ name: "fetch", cases, open: (account) => Promise.resolve(documentClient.open(account)) })
