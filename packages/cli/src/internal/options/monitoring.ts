import * as Options from "@effect/cli/Options"

/** Options of commands that run for months. `--log-level` is an option of every command. */
export const monitoring = {
  metricsPort: Options.integer("metrics-port").pipe(
    Options.optional,
    Options.withDescription("Serve /metrics for Prometheus, /healthz and /readyz at this port. Defaults to no port.")
  ),
  metricsHost: Options.text("metrics-host").pipe(
    Options.withDefault("127.0.0.1"),
    Options.withDescription("The address of that port; defaults to 127.0.0.1, which other machines cannot reach.")
  ),
  logFormat: Options.choice("log-format", ["json", "pretty"]).pipe(
    Options.withDefault("pretty" as const),
    Options.withDescription("How standard output and standard error are written; defaults to pretty.")
  )
}
