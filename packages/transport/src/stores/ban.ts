/** Whether a call to a host can leave now. `until` is when to try again. */
export type BanEntry =
  | { readonly _tag: "Open" }
  | { readonly _tag: "Closed"; readonly until: number }
  /** The ban is over, and this call goes first. `leave` or `close` ends it. */
  | { readonly _tag: "Probe"; readonly probe: number }
  /** Another call goes first. */
  | { readonly _tag: "Probing" }

const open: BanEntry = { _tag: "Open" }
const probing: BanEntry = { _tag: "Probing" }

/**
 * The ban of one host: open, closed until an instant, or half-open, when one call (the probe) goes first and opens the host if it was not banned
 * again. It has no effects and no clock; instants are monotonic milliseconds.
 */
export class Ban {
  #until: number | undefined
  #probe: { readonly id: number; readonly leaseEnd: number } | undefined
  #probes = 0

  /** `lease`: after this time the slot of a probe that does not end is free again. */
  constructor(readonly lease: number) {}

  /** The end of the last ban, until a probe has opened the host. */
  get until(): number | undefined {
    return this.#until
  }

  isClosed(now: number): boolean {
    return this.#until !== undefined && now < this.#until
  }

  enter(now: number): BanEntry {
    if (this.#until === undefined) return open
    if (now < this.#until) return { _tag: "Closed", until: this.#until }
    if (this.#probe !== undefined && now < this.#probe.leaseEnd) return probing
    const id = ++this.#probes
    this.#probe = { id, leaseEnd: now + this.lease }
    return { _tag: "Probe", probe: id }
  }

  /** Never shortens a ban. Ends the probe: if the probe is not banned itself, it was sent before the banned call. */
  close(until: number): void {
    this.#until = Math.max(this.#until ?? until, until)
    this.#probe = undefined
  }

  /** Ends a probe that was not banned. Changes nothing if the host was closed since, or its slot was released. */
  leave(probe: number, outcome: "unbanned" | "unknown"): void {
    if (this.#probe?.id !== probe) return
    this.#probe = undefined
    if (outcome === "unbanned") this.#until = undefined
  }
}
