// Decides which probes to send and collects their responses. The caller passes the current time.

import {
  findLoop,
  type Hop,
  type HopError,
  type Label,
  maxAddresses,
  probesPerHop,
  type TraceEnd,
} from "../measurement.ts";
import type { Arrival } from "./packet.ts";

export interface TraceLimits {
  readonly maxHops: number;
  readonly maxUnknownHops: number;
  readonly timeoutMs: number;
}

/**
 * Number of hops probed beyond the last hop that responded. The target responds to every probe that
 * reaches it, so a larger number could exceed its rate limit.
 */
const hopsAhead = 3;
/** For every `patienceMs` without a response, `growth` more hops are probed ahead. */
const patienceMs = 300;
const growth = 4;
/** Minimum interval between two rounds of probes. Each round sends one probe to every hop. */
const roundGapMs = 100;
/** Maximum number of probes to send in one tick. */
const burst = 3;
const maxWaitMs = 3_000;
const minWaitMs = 500;
/**
 * After the target has responded, a probe times out after this multiple of the longest round trip
 * plus `waitedExtraMs`.
 */
const waitedRoundTrips = 3;
const waitedExtraMs = 250;
/** A trace ends as a loop when this number of non-adjacent hops have the same address. */
const loopOccurrences = 3;

interface Probe {
  readonly hop: number;
  readonly sentAtMs: number;
  answer: Answer | null;
}

interface Origin {
  readonly address: string;
  readonly rttMs: number;
}

interface Answer extends Origin {
  readonly error: HopError | null;
  readonly labels: readonly Label[];
}

export class Trace {
  readonly #limits: TraceLimits;
  readonly #startedAtMs: number;
  readonly #target: string;
  /** Probes in sending order. The token of a probe encodes its index in this list. */
  readonly #probes: Probe[] = [];
  #nextHop = 1;
  /**
   * Number of complete rounds. The first round discovers the path. `#roundHop` is the next hop of
   * the current round.
   */
  #round = 0;
  #roundHop = 1;
  #roundEndedAtMs = 0;
  /**
   * Highest number of a hop that responded before the end of the path. `#progressAtMs` is the time
   * of the last response from any hop.
   */
  #lastHop = 0;
  #progressAtMs: number;
  /** Hop at which the path ends, and the reason; `null` while the end is unknown. */
  #final: { readonly hop: number; readonly end: TraceEnd } | null = null;
  #longestRttMs = 0;
  #isSequential = false;
  ignoredPackets = 0;

  constructor(limits: TraceLimits, target: string, nowMs: number) {
    this.#limits = limits;
    this.#target = target;
    this.#startedAtMs = nowMs;
    this.#progressAtMs = nowMs;
  }

  /** Returns the hop limits of the probes that are due, at most `burst` at a time. */
  listDue(nowMs: number): number[] {
    const due: number[] = [];
    if (this.#isSequential && !this.#areSettled(nowMs)) return due;
    while (due.length < (this.#isSequential ? 1 : burst)) {
      const hop = this.#round === 0 ? this.#findUndiscovered(nowMs) : this.#findRepeated(nowMs);
      if (hop === null) break;
      due.push(hop);
    }
    return due;
  }

  #findUndiscovered(nowMs: number): number | null {
    if (this.#final !== null || this.#isDiscovered(nowMs)) {
      this.#round = 1;
      this.#roundEndedAtMs = nowMs;
      return this.#findRepeated(nowMs);
    }
    const waited = Math.floor((nowMs - this.#progressAtMs) / patienceMs);
    const ahead = Math.min(hopsAhead + growth * waited, this.#limits.maxUnknownHops);
    if (this.#nextHop > Math.min(this.#lastHop + ahead, this.#limits.maxHops)) return null;
    this.#nextHop += 1;
    return this.#nextHop - 1;
  }

  /** Returns whether every allowed hop was probed and every probe was answered or timed out. */
  #isDiscovered(nowMs: number): boolean {
    const last = Math.min(this.#lastHop + this.#limits.maxUnknownHops, this.#limits.maxHops);
    // `#nextHop` increases as soon as the probe of a hop is due, but `#probes` contains the probe
    // only after it was sent. Comparing the two numbers shows whether all due probes were sent.
    const areSent = this.#probes.length >= this.#nextHop - 1;
    return this.#nextHop > last && areSent && this.#areSettled(nowMs);
  }

  #findRepeated(nowMs: number): number | null {
    const last = this.#final?.hop ?? this.#lastHop;
    if (this.#round >= probesPerHop || last === 0) return null;
    if (this.#roundHop === 1 && nowMs < this.#roundEndedAtMs + roundGapMs) return null;
    const hop = this.#roundHop;
    if (hop >= last) {
      this.#round += 1;
      this.#roundHop = 1;
      this.#roundEndedAtMs = nowMs;
    } else {
      this.#roundHop += 1;
    }
    return hop;
  }

  get nextIndex(): number {
    return this.#probes.length;
  }

  recordSent(hop: number, nowMs: number): void {
    this.#probes.push({ hop, sentAtMs: nowMs, answer: null });
  }

  /** Returns the send time of an open probe; `null` if no open probe has this index. */
  findOpen(index: number): number | null {
    const probe = this.#probes[index];
    return probe === undefined || probe.answer !== null ? null : probe.sentAtMs;
  }

  /**
   * Returns the index of the probe that a reply without a token most likely answers; `null` if
   * none.
   */
  findLikelyIndex(): number | null {
    const index = this.#probes.findIndex(
      ({ hop, answer }) => answer === null && hop > this.#lastHop,
    );
    if (index >= 0) return index;
    const last = this.#final?.hop;
    const open = this.#probes.findIndex(({ hop, answer }) => answer === null && hop === last);
    return open < 0 ? null : open;
  }

  /** Sends probes to one hop at a time from now on, because errors do not identify their probes. */
  becomeSequential(): void {
    this.#isSequential = true;
  }

  /**
   * Returns the index of the first open probe if all open probes have the same hop limit; otherwise
   * `null`.
   */
  findSoleOpenIndex(nowMs: number): number | null {
    const waitMs = this.#waitMs();
    const open = this.#probes.flatMap(({ hop, sentAtMs, answer }, index) =>
      answer === null && nowMs - sentAtMs < waitMs ? [{ hop, index }] : [],
    );
    const [first] = open;
    return open.every(({ hop }) => hop === first?.hop) ? (first?.index ?? null) : null;
  }

  /** Records the response to an open probe and returns the hop; `null` if the probe is not open. */
  recordArrival(index: number, arrival: Arrival, from: Origin, nowMs: number): number | null {
    const probe = this.#probes[index];
    if (probe === undefined || probe.answer !== null) return null;
    const isTarget = from.address === this.#target;
    const { kind, type, code, mtu, labels } = arrival;
    const end = findEnd(arrival, isTarget);
    const error = kind === "exceeded" || kind === "reply" ? null : { type, code, mtu };
    probe.answer = { ...from, error, labels };
    this.#progressAtMs = nowMs;
    this.#longestRttMs = Math.max(this.#longestRttMs, from.rttMs);
    if (end !== null && (this.#final === null || probe.hop < this.#final.hop)) {
      this.#final = { hop: probe.hop, end };
    }
    if (end === null) {
      this.#lastHop = Math.max(this.#lastHop, probe.hop);
      this.#endLoop();
    }
    return probe.hop;
  }

  #endLoop(): void {
    if (this.#final !== null) return;
    const loop = findLoop(this.#listHops(this.#lastHop));
    const last = loop?.hops[loopOccurrences - 1];
    if (last !== undefined) this.#final = { hop: last, end: "loop" };
  }

  isFinished(nowMs: number): boolean {
    if (nowMs >= this.#startedAtMs + this.#limits.timeoutMs) return true;
    if (this.#round === 0) return false;
    const isSent = this.#round >= probesPerHop || (this.#final === null && this.#lastHop === 0);
    return isSent && this.#areSettled(nowMs);
  }

  #areSettled(nowMs: number): boolean {
    const last = this.#final?.hop ?? Number.POSITIVE_INFINITY;
    const waitMs = this.#waitMs();
    return this.#probes.every(
      ({ hop, sentAtMs, answer }) => answer !== null || hop > last || nowMs - sentAtMs >= waitMs,
    );
  }

  /** Returns how long to wait for a response before a probe counts as lost. */
  #waitMs(): number {
    const { timeoutMs } = this.#limits;
    const mostMs = Math.min(maxWaitMs, Math.max(timeoutMs / 4, Math.min(timeoutMs / 2, minWaitMs)));
    if (this.#final?.end !== "destinationReached") return mostMs;
    return Math.min(mostMs, waitedRoundTrips * this.#longestRttMs + waitedExtraMs);
  }

  /** Reason why a finished trace ended. */
  get end(): TraceEnd {
    if (this.#final !== null) return this.#final.end;
    if (this.#round === 0) return "timeout";
    return this.#nextHop > this.#limits.maxHops ? "maxHops" : "maxUnknownHops";
  }

  listHops(): Hop[] {
    return this.#listHops(this.#final?.hop ?? this.#nextHop - 1);
  }

  #listHops(last: number): Hop[] {
    const byHop = Array.from({ length: last }, (): Probe[] => []);
    for (const probe of this.#probes) byHop[probe.hop - 1]?.push(probe);
    return byHop.map((probes) => {
      const answers = probes.flatMap(({ answer }) => answer ?? []);
      const addresses = [...new Set(answers.map(({ address }) => address))];
      return {
        sent: probes.length,
        rttsMs: answers.map(({ rttMs }) => rttMs),
        addresses: addresses.slice(0, maxAddresses).map((address) => ({ address, name: null })),
        error: answers.find(({ error }) => error !== null)?.error ?? null,
        labels: answers.find(({ labels }) => labels.length > 0)?.labels ?? [],
      };
    });
  }
}

/**
 * Returns whether an ICMP error reports a closed port. Such an error comes from the target, even if
 * it has another source address.
 */
function isPortUnreachable({ kind, type, code }: Arrival): boolean {
  return kind === "unreachable" && (type === 3 ? code === 3 : code === 4);
}

function findEnd(arrival: Arrival, isTarget: boolean): TraceEnd | null {
  if (arrival.kind === "exceeded") return null;
  if (arrival.kind === "too-big") return "packetTooBig";
  const isReached = arrival.kind === "reply" || isTarget || isPortUnreachable(arrival);
  return isReached ? "destinationReached" : "unreachable";
}
