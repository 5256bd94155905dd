// @ts-check
/**
 * The files of tests that import modules with a small initial of the package that they test. A new one is refused: behaviour is tested through public
 * modules. A name is deleted with the last such import of its file.
 */
const names = {
  schemas: `
    Decoder.test Enumeration.test Instant.test ambiguities.test decoding types.test withoutCode`,
  transport: `
    Gauges.test ban.test guard.test recording.test utils/writeJournals`,
  services: `
    batchAnswers.test`,
  history: `
    columns.test damage.test gaps.test lines.test lock.test partition.test platform.test ranges.test readAhead.test readings.test
    seenIds.test verbatim.test`,
  books: `
    programs.test statement.test`,
  fleet: `
    Assignment.test utils/world`,
  sandbox: `
    Funding.test StateFile.test access.test growth.accept.test invariants.test recordList.test rules/orders.test rules/pages.test
    rules/utils utils/digest utils/invariants`,
  cli: `
    call.test configFile.test deployment.test fleet.test fleetPackages.test layout.test monitoring.test months.test print.test
    progress.test proxy.test report.test statement.accept.test utils/books utils/ledgers utils/sandbox utils/venue`
}

/** @type {ReadonlyArray<string>} */
module.exports = Object.entries(names).flatMap(([name, files]) =>
  files
    .trim()
    .split(/\s+/)
    .map((file) => `packages/${name}/test/${file}.ts`)
)
