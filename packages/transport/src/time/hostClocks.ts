import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as address from "../model/address.js"
import * as monotonic from "./monotonic.js"
import type { Sample } from "./ServerClock.js"

/**
 * The service's clock minus the local clock, in milliseconds, by one sample: most likely in the middle. The local clock is the monotonic clock, which begins
 * with the wall clock's time when the process starts, and does not move when that is set.
 */
export const skew = ({ receivedAt, sentAt, serverTime }: Sample): number =>
  Math.round(serverTime - (sentAt + receivedAt) / 2)

interface Learnt {
  readonly offset: number
  /** The lowest and the highest offset that the sample allows, give or take the rounding to milliseconds. */
  readonly earliest: number
  readonly latest: number
  /** How much later the latest offset is than the earliest: the round trip, and the resolution of the clock. */
  readonly width: number
  readonly at: number
}

interface Host {
  readonly learnt: Learnt
  /** The largest observed difference between the clocks of the machines behind the host. */
  readonly spread: number
  /** The last response that was earlier than its request. */
  readonly earlier: Sample | undefined
}

// Half of the second that a timestamp can be ahead: a sample is never trusted to be later than its earliest reading by more than this.
const mostAhead = 500

// Clocks drift apart, so the best sample of an hour ago is not better than a fair sample of now.
const keptFor = Duration.toMillis("10 minutes")

// Clocks that are being adjusted drift by up to 500 ppm.
const drift = 0.0005

// Machines of a service whose clocks differ by more would refuse each other's clients. A larger difference is a clock that was set.
const mostSpread = 1_000

/**
 * How much later than its time a response can have been created, in milliseconds. Some machines send whole seconds, or hundredths. Their clocks are recognised
 * by the time alone, because a machine with another resolution can send the next response.
 */
const truncationOf = ({ serverTime }: Sample): number =>
  ([1000, 100, 10].find((resolution) => serverTime % resolution === 0) ?? 1) - 1

/** The offset to use: the middle for a short round trip, near the earliest reading for a long one. */
const offsetOf = (sample: Sample): number => Math.min(skew(sample), sample.serverTime - sample.receivedAt + mostAhead)

const learnFrom = (sample: Sample): Learnt => {
  const earliest = sample.serverTime - sample.receivedAt - 1
  const latest = sample.serverTime + truncationOf(sample) - sample.sentAt + 1
  return { offset: offsetOf(sample), earliest, latest, width: latest - earliest, at: sample.receivedAt }
}

/** Whether an offset lies outside the range of a sample. */
const isDisproved = (offset: number, sample: Sample): boolean => {
  const { earliest, latest } = learnFrom(sample)
  return offset < earliest || offset > latest
}

/** The contradiction between two samples of one clock, in milliseconds; 0 if they agree. */
const gap = (left: Learnt, right: Learnt): number =>
  Math.max(left.earliest - right.latest, right.earliest - left.latest, 0)

/** The minimum time by which a response was created before its request was sent. */
const earlierBy = ({ learnt, spread }: Host, sample: Sample): number => {
  const { sentAt, serverTime } = sample
  const error = spread + truncationOf(sample) + Math.max(sentAt - learnt.at, 0) * drift
  return sentAt + learnt.earliest - error - (serverTime + 1)
}

/** Whether the time that passed between two responses is the time between their requests. A response that is delivered twice has only one time. */
const isSameClock = (left: Sample, right: Sample): boolean => {
  const passed = right.serverTime - left.serverTime
  return (
    passed > 0 &&
    passed + truncationOf(right) >= right.sentAt - left.receivedAt - 1 &&
    passed - truncationOf(left) <= right.receivedAt - left.sentAt + 1
  )
}

/** The clocks of the hosts, without effects. */
export class HostClocks {
  readonly #hosts = new Map<string, Host>()

  /** In whole milliseconds: after a wait with jitter a test's clock stands between two milliseconds, and the service accepts only whole ones. */
  now(host: string, time: Clock.Clock): number {
    const learnt = this.#hosts.get(address.of(host))?.learnt
    return Math.floor(
      learnt === undefined ? time.unsafeCurrentTimeMillis() : monotonic.unsafeMillis(time) + learnt.offset
    )
  }

  isKnown(host: string): boolean {
    return this.#hosts.has(address.of(host))
  }

  learn(host: string, sample: Sample): void {
    const best = this.#hosts.get(address.of(host))?.learnt
    if (
      best === undefined ||
      learnFrom(sample).width <= best.width ||
      sample.receivedAt - best.at > keptFor ||
      isDisproved(best.offset, sample)
    ) {
      this.reset(host, sample)
    }
  }

  reset(host: string, sample: Sample): void {
    const known = this.#hosts.get(address.of(host))
    const learnt = learnFrom(sample)
    const apart = known === undefined ? 0 : gap(known.learnt, learnt)
    const spread = Math.max(known?.spread ?? 0, apart <= mostSpread ? apart : 0)
    this.#hosts.set(address.of(host), { learnt, spread, earlier: undefined })
  }

  precedes(host: string, sample: Sample): boolean {
    const known = this.#hosts.get(address.of(host))
    if (known === undefined || earlierBy(known, sample) <= 0) return false
    if (known.earlier !== undefined && isSameClock(known.earlier, sample)) {
      this.reset(host, sample)
      return false
    }
    this.#hosts.set(address.of(host), { ...known, earlier: sample })
    return true
  }
}
