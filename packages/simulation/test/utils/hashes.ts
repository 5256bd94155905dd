/** Prints the hashes of the runs of every workload; the arguments are the seeds. */
import { hashes } from "./hash.js"

process.stdout.write(JSON.stringify(await hashes(process.argv.slice(2).map(Number))))
