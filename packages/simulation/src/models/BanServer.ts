/** The server of bans that processes share: bans by their names, in milliseconds of the run. It shares no code with the library. */
import type * as RemoteStore from "@effect-venue/transport/siblings/RemoteStore"

interface Ban {
  readonly until: number
  readonly probe?: { readonly id: string; readonly leaseEnd: number } | undefined
}

export const make = (now: () => number) => {
  const bans = new Map<string, Ban>()
  return {
    enter: (name: string, probe: string, lease: number): RemoteStore.BanReply => {
      const ban = bans.get(name)
      if (ban === undefined) return { _tag: "Open" }
      if (now() < ban.until) return { _tag: "Closed", remaining: (ban.until - now()) * 1000 }
      if (ban.probe !== undefined && now() < ban.probe.leaseEnd) return { _tag: "Probing" }
      bans.set(name, { until: ban.until, probe: { id: probe, leaseEnd: now() + lease / 1000 } })
      return { _tag: "Probe" }
    },
    close: (name: string, duration: number) => {
      bans.set(name, { until: Math.max(bans.get(name)?.until ?? 0, now() + duration / 1000) })
    },
    leave: (name: string, probe: string, isUnbanned: boolean) => {
      const ban = bans.get(name)
      if (ban?.probe?.id !== probe) return
      if (isUnbanned) bans.delete(name)
      else bans.set(name, { until: ban.until })
    }
  }
}
