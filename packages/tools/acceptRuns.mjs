// @ts-check
/**
 * The runs of `npm run accept` by name: variables of the environment, then a command of packages/tools/bootstrap.mjs with its arguments.
 *
 * @type {Readonly<Record<string, string>>}
 */
export const acceptRuns = {
  "kill-exports": "workload kill-exports --runs 200",
  rivals: "workload kill-exports --runs 100 --processes 2",
  "kill-writes": "workload kill-writes --runs 100",
  fleet: "workload fleet",
  "shared-limits": "workload shared-limits",
  large: "VENUE_TESTS=long test",
  long: "VENUE_TEST_FILES=accept test:long",
  history: "VENUE_TEST_FILES=accept EXPORT_SEEDS=3 EXPORT_DAYS=730 test:long --project history complete",
  frozen: "VENUE_TEST_FILES=accept VENUE_TEST_FREEZE=all test:long --project history frozen",
  lock: "VENUE_TEST_ACQUISITIONS=2000 test --project history exclusion",
  hour: "VENUE_TEST_FILES=accept VENUE_HOUR=1 test:long --project services hour",
  sandbox: "VENUE_MODEL_COMMANDS=10000 test --project sandbox invariants",
  properties: "VENUE_PROPERTIES_SEED=2 test",
  simulate: "simulate --seeds 50000 --from 100000",
  exports: "simulate --workload exports --seeds 5000 --from 5000",
  browser: "check site report sandboxPage pictures",
  mutation: "mutation"
}
