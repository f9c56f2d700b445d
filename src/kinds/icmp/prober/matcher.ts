import { NO_STAMP } from "./control-message.ts";
import type { EngineCounters } from "./counters.ts";
import { createParsedPacket, type ParsedPacket } from "./packet.ts";
import { ANSWERED, FAILED, FAMILY_V6, FREE, SENDING, SENT, type Slots } from "./slots.ts";

/** A packet with our cookie, its source and its arrival time. */
export interface Arrival extends ParsedPacket {
  readonly source: Uint32Array;
  stampNs: number;
  monotonicMs: number;
}

export function createArrival(): Arrival {
  const source = new Uint32Array(4);
  return { ...createParsedPacket(), source, stampNs: NO_STAMP, monotonicMs: 0 };
}

/** The slot did not change. */
export const NOTHING_CHANGED = -1;

/**
 * Decides which open run, if any, a packet belongs to. It trusts only the cookie, the generation
 * and the source address, and ignores the identifier and sequence number of the packet.
 */
export class Matcher {
  readonly #slots: Slots;
  readonly #counters: EngineCounters;

  constructor(slots: Slots, counters: EngineCounters) {
    this.#slots = slots;
    this.#counters = counters;
  }

  /** Returns the slot whose packet was just answered, or NOTHING_CHANGED. */
  acceptReply(arrival: Arrival): number {
    const slots = this.#slots;
    const packet = arrival.packetId;
    if (packet >= slots.packetCapacity) return this.#ignore("foreign");
    const slot = slots.slotOf(packet);
    if (slots.generation[slot] !== arrival.generation) return this.#ignore("late");
    if (!this.#isFromTarget(slot, arrival.source)) return this.#ignore("wrongSource");
    if (slots.status[packet] === ANSWERED) {
      slots.duplicates[packet] = Math.min(255, (slots.duplicates[packet] ?? 0) + 1);
      return this.#ignore("duplicate");
    }
    if (slots.state[slot] === FREE) return this.#ignore("late");
    const wasFailed = slots.status[packet] === FAILED;
    if (slots.status[packet] !== SENT && !wasFailed) return this.#ignore("foreign");
    // A reply overrides an earlier error about the same packet.
    if (wasFailed) slots.failedCount[slot] = (slots.failedCount[slot] ?? 0) - 1;
    slots.status[packet] = ANSWERED;
    slots.answeredCount[slot] = (slots.answeredCount[slot] ?? 0) + 1;
    slots.receiveStampNs[packet] = arrival.stampNs;
    slots.receivedMonotonicMs[packet] = arrival.monotonicMs;
    slots.ttl[packet] = arrival.ttl;
    slots.type[packet] = arrival.type;
    slots.code[packet] = arrival.code;
    slots.errno[packet] = 0;
    this.#counters.repliesMatched += 1;
    return slot;
  }

  /** Returns the slot whose packet was just ended by an ICMP error, or NOTHING_CHANGED. */
  acceptError(arrival: Arrival, errno: number): number {
    const slots = this.#slots;
    const packet = arrival.packetId;
    if (packet >= slots.packetCapacity) return this.#ignore("foreign");
    const slot = slots.slotOf(packet);
    if (slots.generation[slot] !== arrival.generation) return this.#ignore("late");
    if (slots.state[slot] === FREE || slots.status[packet] !== SENT) return NOTHING_CHANGED;
    slots.status[packet] = FAILED;
    slots.failedCount[slot] = (slots.failedCount[slot] ?? 0) + 1;
    slots.type[packet] = arrival.type;
    slots.code[packet] = arrival.code;
    slots.errno[packet] = errno;
    this.#counters.icmpErrors += 1;
    return slot;
  }

  /** Returns the slot whose packet got its transmit timestamp, or NOTHING_CHANGED. */
  acceptTransmitStamp(arrival: Arrival): number {
    const slots = this.#slots;
    const packet = arrival.packetId;
    if (packet >= slots.packetCapacity) return NOTHING_CHANGED;
    const slot = slots.slotOf(packet);
    if (slots.generation[slot] !== arrival.generation) return NOTHING_CHANGED;
    if (slots.state[slot] === FREE) return NOTHING_CHANGED;
    // The first timestamp is that of the whole packet; later ones belong to further fragments.
    if (slots.transmitStampNs[packet] !== NO_STAMP) return NOTHING_CHANGED;
    slots.transmitStampNs[packet] = arrival.stampNs;
    return slot;
  }

  /** Whether every packet of the run is answered or failed. */
  isSettled(slot: number): boolean {
    const slots = this.#slots;
    if (slots.state[slot] === SENDING) return false;
    const ended = (slots.answeredCount[slot] ?? 0) + (slots.failedCount[slot] ?? 0);
    return ended === slots.packetCount[slot];
  }

  #isFromTarget(slot: number, source: Uint32Array): boolean {
    const address = this.#slots.address;
    const first = slot * 4;
    if (address[first] !== source[0]) return false;
    if (this.#slots.family[slot] !== FAMILY_V6) return true;
    return (
      address[first + 1] === source[1] &&
      address[first + 2] === source[2] &&
      address[first + 3] === source[3]
    );
  }

  #ignore(counter: "foreign" | "late" | "duplicate" | "wrongSource"): number {
    this.#counters[counter] += 1;
    return NOTHING_CHANGED;
  }
}
