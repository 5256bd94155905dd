/** Prints the hashes of the runs of every world, for as many seeds as its argument says. */
import { hashes } from "./hash.js"

process.stdout.write(JSON.stringify(await hashes(Number(process.argv[2]))))
