// @ts-check
/**
 * The rooms of the packages: the folders of `src`, in the order of the data. Each room can import those before it.
 *
 * @type {Readonly<Record<string, ReadonlyArray<string>>>}
 */
module.exports = {
  schemas: ["compiler", "json", "scalars", "rules", "fields", "endpoint", "domains", "document"],
  transport: [
    ...["model", "time", "stores", "laws", "limits", "bans", "response", "connections", "attempt", "journal", "guard"],
    ...["telemetry", "pages", "recording", "call"]
  ],
  sandbox: [
    ...["state", "trading", "handling", "records", "past", "seed", "book", "positions", "orders", "engine", "handlers"],
    ...["faults", "edge", "control", "page", "sandbox"]
  ],
  services: ["calls"],
  history: [
    ...["platform", "model", "requests", "formats", "files", "store", "audit", "sql", "read", "reconcile", "commit"],
    ...["doctor", "tap"]
  ],
  books: ["accounts", "log", "figures", "programs"],
  fleet: ["ledger", "accounts", "owner", "fleet"],
  cli: [
    ...["run", "output", "monitor", "config", "options", "account", "call", "export", "figures", "report"],
    ...["sandbox", "fleet", "commands", "help", "start"]
  ],
  simulation: ["kernel", "world", "models", "judges", "run", "workloads"]
}
