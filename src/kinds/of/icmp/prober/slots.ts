// Holds the state of all open runs in typed arrays, so that nothing is allocated per run or packet.

export const FAMILY_V4 = 0;
export const FAMILY_V6 = 1;

/** State of an unused slot. The value is 0, because new typed arrays contain zeros. */
export const FREE = 0;
export const SENDING = 1;
export const WAITING = 2;
/**
 * State of a run whose packets are all answered or failed, while a transmit timestamp is still
 * missing.
 */
export const SETTLING = 3;

export const UNSENT = 0;
export const SENT = 1;
export const ANSWERED = 2;
/** Status of a packet that ended with an ICMP error. */
export const FAILED = 3;
/** Status of a packet that this host could not send. */
export const REFUSED = 4;

export const NO_TIME = -1;
const SMALL_RUN_PACKETS = 16;
const LARGE_RUN_PACKETS = 64;
const SMALL_SHIFT = 4;
const LARGE_SHIFT = 6;

export interface SlotCounts {
  /** Number of slots for runs with up to 16 packets. */
  readonly smallRuns: number;
  /** Number of slots for runs with up to 64 packets. */
  readonly largeRuns: number;
}

/** A run that the main thread requests from the worker. */
export interface RunOrder {
  requestId: number;
  family: number;
  packetCount: number;
  spacingMs: number;
  timeoutMs: number;
  payloadBytes: number;
  /** Target address in memory order. IPv4 uses only the first word. */
  readonly address: Uint32Array;
}

export class Slots {
  readonly slotCount: number;
  readonly packetCapacity: number;

  readonly state: Uint8Array;
  readonly generation: Uint32Array;
  readonly requestId: Uint32Array;
  readonly family: Uint8Array;
  readonly packetCount: Uint8Array;
  readonly nextIndex: Uint8Array;
  readonly answeredCount: Uint8Array;
  /** Number of packets per slot that failed or could not be sent. */
  readonly failedCount: Uint8Array;
  readonly repeats: Uint8Array;
  readonly quarantined: Uint8Array;
  readonly payloadBytes: Uint16Array;
  readonly spacingMs: Float64Array;
  readonly timeoutMs: Float64Array;
  readonly sendAtMs: Float64Array;
  readonly blockedSinceMs: Float64Array;
  /** Target addresses, four words per slot. */
  readonly address: Uint32Array;

  readonly status: Uint8Array;
  readonly socketIndex: Uint8Array;
  readonly ttl: Uint8Array;
  readonly type: Uint8Array;
  readonly code: Uint8Array;
  readonly errno: Uint8Array;
  readonly duplicates: Uint8Array;
  readonly sentMonotonicMs: Float64Array;
  readonly receivedMonotonicMs: Float64Array;
  readonly sentClockNs: Float64Array;
  readonly transmitStampNs: Float64Array;
  readonly receiveStampNs: Float64Array;

  readonly #smallSlots: number;
  readonly #smallPackets: number;
  readonly #freeSmall: Int32Array;
  readonly #freeLarge: Int32Array;
  #freeSmallCount: number;
  #freeLargeCount: number;

  constructor(counts: SlotCounts) {
    const slots = counts.smallRuns + counts.largeRuns;
    this.#smallSlots = counts.smallRuns;
    this.#smallPackets = counts.smallRuns << SMALL_SHIFT;
    const packets = this.#smallPackets + (counts.largeRuns << LARGE_SHIFT);
    this.slotCount = slots;
    this.packetCapacity = packets;

    this.state = new Uint8Array(slots);
    this.generation = new Uint32Array(slots);
    this.requestId = new Uint32Array(slots);
    this.family = new Uint8Array(slots);
    this.packetCount = new Uint8Array(slots);
    this.nextIndex = new Uint8Array(slots);
    this.answeredCount = new Uint8Array(slots);
    this.failedCount = new Uint8Array(slots);
    this.repeats = new Uint8Array(slots);
    this.quarantined = new Uint8Array(slots);
    this.payloadBytes = new Uint16Array(slots);
    this.spacingMs = new Float64Array(slots);
    this.timeoutMs = new Float64Array(slots);
    this.sendAtMs = new Float64Array(slots);
    this.blockedSinceMs = new Float64Array(slots);
    this.address = new Uint32Array(slots * 4);

    this.status = new Uint8Array(packets);
    this.socketIndex = new Uint8Array(packets);
    this.ttl = new Uint8Array(packets);
    this.type = new Uint8Array(packets);
    this.code = new Uint8Array(packets);
    this.errno = new Uint8Array(packets);
    this.duplicates = new Uint8Array(packets);
    this.sentMonotonicMs = new Float64Array(packets);
    this.receivedMonotonicMs = new Float64Array(packets);
    this.sentClockNs = new Float64Array(packets);
    this.transmitStampNs = new Float64Array(packets);
    this.receiveStampNs = new Float64Array(packets);

    this.#freeSmall = countDown(0, counts.smallRuns);
    this.#freeLarge = countDown(counts.smallRuns, counts.largeRuns);
    this.#freeSmallCount = counts.smallRuns;
    this.#freeLargeCount = counts.largeRuns;
  }

  get openCount(): number {
    return this.slotCount - this.#freeSmallCount - this.#freeLargeCount;
  }

  /** Allocates a slot for a run. Returns -1 if no slot of sufficient size is free. */
  open(order: RunOrder): number {
    const slot = this.#takeFree(order.packetCount);
    if (slot < 0) return -1;
    this.requestId[slot] = order.requestId;
    this.family[slot] = order.family;
    this.packetCount[slot] = order.packetCount;
    this.payloadBytes[slot] = order.payloadBytes;
    this.spacingMs[slot] = order.spacingMs;
    this.timeoutMs[slot] = order.timeoutMs;
    this.repeats[slot] = 0;
    this.quarantined[slot] = 0;
    for (let word = 0; word < 4; word += 1) {
      this.address[slot * 4 + word] = order.address[word] ?? 0;
    }
    this.restart(slot);
    return slot;
  }

  /**
   * Restarts the run of a slot from its first packet. Replies to packets from before the restart
   * count as late.
   */
  restart(slot: number): void {
    this.state[slot] = SENDING;
    this.generation[slot] = (this.generation[slot] ?? 0) + 1;
    this.nextIndex[slot] = 0;
    this.answeredCount[slot] = 0;
    this.failedCount[slot] = 0;
    this.blockedSinceMs[slot] = NO_TIME;
    const first = this.firstPacket(slot);
    const end = first + (this.packetCount[slot] ?? 0);
    // A plain loop is faster than six calls of fill(), because a run has few packets.
    for (let packet = first; packet < end; packet += 1) {
      this.status[packet] = UNSENT;
      this.ttl[packet] = 0;
      this.errno[packet] = 0;
      this.duplicates[packet] = 0;
      this.transmitStampNs[packet] = NO_TIME;
      this.receiveStampNs[packet] = NO_TIME;
    }
  }

  release(slot: number): void {
    this.state[slot] = FREE;
    if (slot < this.#smallSlots) {
      this.#freeSmall[this.#freeSmallCount] = slot;
      this.#freeSmallCount += 1;
    } else {
      this.#freeLarge[this.#freeLargeCount] = slot;
      this.#freeLargeCount += 1;
    }
  }

  firstPacket(slot: number): number {
    if (slot < this.#smallSlots) return slot << SMALL_SHIFT;
    return this.#smallPackets + ((slot - this.#smallSlots) << LARGE_SHIFT);
  }

  slotOf(packet: number): number {
    if (packet < this.#smallPackets) return packet >>> SMALL_SHIFT;
    return this.#smallSlots + ((packet - this.#smallPackets) >>> LARGE_SHIFT);
  }

  #takeFree(packetCount: number): number {
    if (packetCount <= SMALL_RUN_PACKETS && this.#freeSmallCount > 0) {
      this.#freeSmallCount -= 1;
      return this.#freeSmall[this.#freeSmallCount] ?? -1;
    }
    if (packetCount > LARGE_RUN_PACKETS || this.#freeLargeCount === 0) return -1;
    this.#freeLargeCount -= 1;
    return this.#freeLarge[this.#freeLargeCount] ?? -1;
  }
}

/**
 * Returns the initial stack of free slots. The lowest slot is on top, so that the few slots in use
 * stay in the CPU cache.
 */
function countDown(first: number, count: number): Int32Array {
  return Int32Array.from({ length: count }, (_, index) => first + count - 1 - index);
}
