/** Prints the hashes of the runs of the seeds 0 to 7. */
import * as CallWorld from "../../src/CallWorld.js"
import * as Plan from "../../src/Plan.js"

const hashes = Array.from({ length: 8 }, (_, seed) => CallWorld.run(Plan.make(seed)).hash)

process.stdout.write(JSON.stringify(hashes))
