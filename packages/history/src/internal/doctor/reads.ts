import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import * as Endpoints from "@effect-venue/schemas/Endpoints"

type ReadEndpoint = Endpoint.Any & Endpoint.Properties<"read">

/** One way to call an operation that reads. */
export interface Read {
  readonly endpoint: ReadEndpoint
  readonly probe: Endpoint.Probe<unknown>
}

const isRead = (endpoint: Endpoint.Any): endpoint is ReadEndpoint => endpoint.safety === "read"

/** Every read of the library, by each category that it has. */
export const reads: ReadonlyArray<Read> = Endpoints.all
  .filter(isRead)
  .flatMap((endpoint) => (endpoint.probes ?? []).map((probe) => ({ endpoint, probe })))
