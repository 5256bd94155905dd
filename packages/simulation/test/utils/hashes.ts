/** Prints the hashes of the runs of every workload; the argument is the number of seeds. */
import { hashes } from "./hash.js"

process.stdout.write(JSON.stringify(await hashes(Number(process.argv[2]))))
