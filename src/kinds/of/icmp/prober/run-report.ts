import type { EngineCounters } from "./counters.ts";
import { NO_STAMP } from "./matcher.ts";
import { ANSWERED, FAILED, type Slots, UNSENT } from "./slots.ts";
import { createWirePacket, type ResultList } from "./wire.ts";

/** Tolerance for rounding differences between kernel and monotonic timestamps. */
const BRACKET_SLACK_NS = 1000;

/** Computes the round-trip times of a finished run and adds its result to the result list. */
export class RunReport {
  readonly #slots: Slots;
  readonly #counters: EngineCounters;
  readonly #results: ResultList;
  readonly #baseMs: number;
  readonly #packet = createWirePacket();

  constructor(slots: Slots, counters: EngineCounters, results: ResultList, baseSeconds: number) {
    this.#slots = slots;
    this.#counters = counters;
    this.#results = results;
    this.#baseMs = baseSeconds * 1000;
  }

  write(slot: number, outcome: number): void {
    const slots = this.#slots;
    const count = slots.packetCount[slot] ?? 0;
    const first = slots.firstPacket(slot);
    this.#results.beginRun(slots.requestId[slot] ?? 0, outcome, slots.repeats[slot] ?? 0, count);
    const timeoutNs = (slots.timeoutMs[slot] ?? 0) * 1e6;
    for (let packet = first; packet < first + count; packet += 1) {
      this.#writePacket(packet, timeoutNs);
    }
    this.#counters.runsFinished += 1;
  }

  #writePacket(packet: number, timeoutNs: number): void {
    const slots = this.#slots;
    const out = this.#packet;
    const status = slots.status[packet] ?? UNSENT;
    const stampNs = slots.transmitStampNs[packet] ?? NO_STAMP;
    const sentNs = stampNs === NO_STAMP ? (slots.sentClockNs[packet] ?? 0) : stampNs;
    out.status = status;
    out.sentAt = this.#baseMs + sentNs / 1e6;
    out.transmitStamped = stampNs !== NO_STAMP;
    out.receiveStamped = slots.receiveStampNs[packet] !== NO_STAMP;
    out.ttl = slots.ttl[packet] ?? 0;
    const hasMessage = status === ANSWERED || status === FAILED;
    out.type = hasMessage ? (slots.type[packet] ?? 0) : 0;
    out.code = hasMessage ? (slots.code[packet] ?? 0) : 0;
    out.errno = slots.errno[packet] ?? 0;
    out.duplicates = slots.duplicates[packet] ?? 0;
    out.rttMs = null;
    out.late = false;
    if (status === ANSWERED) {
      const rttNs = this.#decideRttNs(packet, sentNs);
      if (rttNs <= timeoutNs) out.rttMs = rttNs / 1e6;
      else out.late = true;
    }
    this.#results.addPacket(out);
  }

  /**
   * Returns the round-trip time: the difference of the send and receive timestamps, or an upper
   * bound if the receive timestamp is missing or the wall clock was stepped. The upper bound is the
   * difference of the monotonic times just before the send call and just after the receive call. If
   * the difference of the timestamps is negative or above the bound, the wall clock was stepped.
   */
  #decideRttNs(packet: number, sentNs: number): number {
    const slots = this.#slots;
    const receivedNs = slots.receiveStampNs[packet] ?? NO_STAMP;
    const bracketNs =
      ((slots.receivedMonotonicMs[packet] ?? 0) - (slots.sentMonotonicMs[packet] ?? 0)) * 1e6;
    if (slots.transmitStampNs[packet] === NO_STAMP) this.#counters.missingTransmitStamps += 1;
    if (receivedNs === NO_STAMP) {
      this.#counters.missingReceiveStamps += 1;
      return bracketNs;
    }
    const rttNs = receivedNs - sentNs;
    if (rttNs >= 0 && rttNs <= bracketNs + BRACKET_SLACK_NS) return rttNs;
    this.#counters.clockSteps += 1;
    return bracketNs;
  }
}
