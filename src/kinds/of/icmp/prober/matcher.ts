import {
  CMSGHDR,
  EXTENDED_ERROR,
  IP_RECVERR,
  IP_TTL,
  IPPROTO_IP,
  IPPROTO_IPV6,
  IPV6_HOPLIMIT,
  IPV6_RECVERR,
  SO_TIMESTAMPING,
  SOL_SOCKET,
} from "../../../wire/kernel/kernel-layout.ts";
import type { EngineCounters } from "./counters.ts";
import { createParsedPacket, type ParsedPacket, UNKNOWN_TTL } from "./packet.ts";
import { ANSWERED, FAILED, FAMILY_V6, FREE, SENDING, SENT, type Slots } from "./slots.ts";

/** Value that represents a missing kernel timestamp. */
export const NO_STAMP = -1;

/**
 * Reads the control messages of one received packet into the fields of this object. Timestamps are
 * nanoseconds since `baseSeconds`, because a double cannot hold nanoseconds since 1970 exactly.
 */
export class ControlReader {
  stampNs = NO_STAMP;
  ttl = UNKNOWN_TTL;
  errorOrigin = 0;
  errno = 0;
  errorType = 0;
  errorCode = 0;
  readonly #baseSeconds: number;

  constructor(baseSeconds: number) {
    this.#baseSeconds = baseSeconds;
  }

  /** Reads all control messages. `start` must be a multiple of 8, the kernel's alignment. */
  read(words: Uint32Array, start: number, byteCount: number): void {
    this.stampNs = NO_STAMP;
    this.ttl = UNKNOWN_TTL;
    this.errorOrigin = 0;
    const end = start + byteCount;
    let offset = start;
    while (offset + CMSGHDR.data <= end) {
      const length = words[offset >>> 2] ?? 0;
      if (length < CMSGHDR.data || offset + length > end) return;
      this.#readOne(words, offset >>> 2, length - CMSGHDR.data);
      offset += (length + CMSGHDR.alignment - 1) & -CMSGHDR.alignment;
    }
  }

  #readOne(words: Uint32Array, header: number, dataBytes: number): void {
    const level = words[header + CMSGHDR.level / 4];
    const type = words[header + CMSGHDR.type / 4];
    const data = header + CMSGHDR.data / 4;
    if (level === SOL_SOCKET && type === SO_TIMESTAMPING && dataBytes >= 16) {
      const seconds = words[data] ?? 0;
      // The software timestamp is zero if the kernel reports only a hardware timestamp, which is
      // not used.
      if (seconds !== 0) {
        this.stampNs = (seconds - this.#baseSeconds) * 1e9 + (words[data + 2] ?? 0);
      }
    } else if (isTtl(level, type) && dataBytes >= 4) {
      this.ttl = words[data] ?? UNKNOWN_TTL;
    } else if (isExtendedError(level, type) && dataBytes >= EXTENDED_ERROR.size) {
      const packed = words[data + EXTENDED_ERROR.origin / 4] ?? 0;
      this.errno = words[data] ?? 0;
      this.errorOrigin = packed & 0xff;
      this.errorType = (packed >>> 8) & 0xff;
      this.errorCode = (packed >>> 16) & 0xff;
    }
  }
}

function isTtl(level: number | undefined, type: number | undefined): boolean {
  return (
    (level === IPPROTO_IP && type === IP_TTL) || (level === IPPROTO_IPV6 && type === IPV6_HOPLIMIT)
  );
}

function isExtendedError(level: number | undefined, type: number | undefined): boolean {
  return (
    (level === IPPROTO_IP && type === IP_RECVERR) ||
    (level === IPPROTO_IPV6 && type === IPV6_RECVERR)
  );
}

/**
 * A received packet that contains the cookie of this worker, with the source address and the
 * arrival time of the packet.
 */
interface Arrival extends ParsedPacket {
  readonly source: Uint32Array;
  stampNs: number;
  monotonicMs: number;
}

export function createArrival(): Arrival {
  const source = new Uint32Array(4);
  return { ...createParsedPacket(), source, stampNs: NO_STAMP, monotonicMs: 0 };
}

/** Return value for a received packet that changed no slot. */
export const NOTHING_CHANGED = -1;

/**
 * Decides to which open run a received packet belongs, if any. The packet contains a packet id,
 * which identifies the slot of the run, and a generation, which increases whenever a run starts or
 * restarts in the slot. A packet with an old generation is ignored. A reply is also ignored if it
 * does not come from the target of the run.
 *
 * The ICMP identifier and the sequence number are not used.
 */
export class Matcher {
  readonly #slots: Slots;
  readonly #counters: EngineCounters;

  constructor(slots: Slots, counters: EngineCounters) {
    this.#slots = slots;
    this.#counters = counters;
  }

  /** Records a reply. Returns the slot of the run that sent the packet, or NOTHING_CHANGED. */
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
    // A reply replaces an ICMP error that arrived earlier for the same packet.
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

  /**
   * Records an ICMP error. Returns the slot of the run that sent the packet, or NOTHING_CHANGED.
   */
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

  /**
   * Records a transmit timestamp. Returns the slot of the run that sent the packet, or
   * NOTHING_CHANGED.
   */
  acceptTransmitStamp(arrival: Arrival): number {
    const slots = this.#slots;
    const packet = arrival.packetId;
    if (packet >= slots.packetCapacity) return NOTHING_CHANGED;
    const slot = slots.slotOf(packet);
    if (slots.generation[slot] !== arrival.generation) return NOTHING_CHANGED;
    if (slots.state[slot] === FREE) return NOTHING_CHANGED;
    // Only the first timestamp of a packet counts. Later timestamps belong to further fragments.
    if (slots.transmitStampNs[packet] !== NO_STAMP) return NOTHING_CHANGED;
    slots.transmitStampNs[packet] = arrival.stampNs;
    return slot;
  }

  /** Returns whether every packet of the run is answered or failed. */
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
