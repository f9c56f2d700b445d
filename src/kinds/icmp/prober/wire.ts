// How orders and finished runs look while they cross between the main thread and the worker.

import type { RunOrder } from "./slots.ts";

const ORDER_WORDS = 10;
const ADDRESS_WORD = 6;
const RESULT_HEADER = 4;
const PACKET_FIELDS = 3;
const NO_RTT = -1;

export const MEASURED = 0;
/** Our own queues lost or refused packets, so the numbers would blame the network for our fault. */
export const LOCAL_OVERLOAD = 1;
export const NO_FREE_SLOT = 2;
export const NO_SOCKET = 3;

/** One packet of a finished run. `status` is one of the packet states of slots.ts. */
export interface WirePacket {
  sentAt: number;
  rttMs: number | null;
  status: number;
  ttl: number;
  type: number;
  code: number;
  errno: number;
  duplicates: number;
  /** A reply came, but not within the timeout. */
  late: boolean;
  transmitStamped: boolean;
  receiveStamped: boolean;
}

export interface WireResult {
  readonly requestId: number;
  readonly outcome: number;
  readonly repeats: number;
  readonly packets: readonly WirePacket[];
}

/** A growing list of orders; spacing and timeout travel as whole microseconds. */
export class OrderList {
  #words = new Uint32Array(64 * ORDER_WORDS);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(order: RunOrder): void {
    const at = this.#count * ORDER_WORDS;
    if (at === this.#words.length) {
      const grown = new Uint32Array(this.#words.length * 2);
      grown.set(this.#words);
      this.#words = grown;
    }
    this.#words[at] = order.requestId;
    this.#words[at + 1] = order.family;
    this.#words[at + 2] = order.packetCount;
    this.#words[at + 3] = order.payloadBytes;
    this.#words[at + 4] = Math.round(order.spacingMs * 1000);
    this.#words[at + 5] = Math.round(order.timeoutMs * 1000);
    this.#words.set(order.address, at + ADDRESS_WORD);
    this.#count += 1;
  }

  take(): Uint32Array<ArrayBuffer> {
    const taken = this.#words.slice(0, this.#count * ORDER_WORDS);
    this.#count = 0;
    return taken;
  }
}

/** Visits each packed order; the visited object is reused, so it must not be kept. */
export function readOrders(words: Uint32Array, visit: (order: RunOrder) => void): void {
  const address = new Uint32Array(4);
  const order: RunOrder = {
    requestId: 0,
    family: 0,
    packetCount: 0,
    payloadBytes: 0,
    spacingMs: 0,
    timeoutMs: 0,
    address,
  };
  for (let at = 0; at + ORDER_WORDS <= words.length; at += ORDER_WORDS) {
    order.requestId = words[at] ?? 0;
    order.family = words[at + 1] ?? 0;
    order.packetCount = words[at + 2] ?? 0;
    order.payloadBytes = words[at + 3] ?? 0;
    order.spacingMs = (words[at + 4] ?? 0) / 1000;
    order.timeoutMs = (words[at + 5] ?? 0) / 1000;
    for (let word = 0; word < 4; word += 1) address[word] = words[at + ADDRESS_WORD + word] ?? 0;
    visit(order);
  }
}

/** Finished runs on their way to the main thread, packed as doubles. */
export class ResultList {
  #numbers = new Float64Array(16_384);
  #length = 0;

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  beginRun(requestId: number, outcome: number, repeats: number, packetCount: number): void {
    this.#reserve(RESULT_HEADER + packetCount * PACKET_FIELDS);
    this.#push(requestId);
    this.#push(outcome);
    this.#push(repeats);
    this.#push(packetCount);
  }

  addPacket(packet: WirePacket): void {
    this.#push(packet.sentAt);
    this.#push(packet.rttMs ?? NO_RTT);
    const flags =
      packet.status |
      (packet.late ? 0x10 : 0) |
      (packet.transmitStamped ? 0x20 : 0) |
      (packet.receiveStamped ? 0x40 : 0);
    const low = flags | (packet.ttl << 8) | (packet.type << 16);
    const high = packet.code | (packet.errno << 8) | (packet.duplicates << 16);
    this.#push(low + high * 0x1000000);
  }

  take(): Float64Array<ArrayBuffer> {
    const taken = this.#numbers.slice(0, this.#length);
    this.#length = 0;
    return taken;
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#numbers.length) return;
    const grown = new Float64Array(this.#numbers.length * 2);
    grown.set(this.#numbers);
    this.#numbers = grown;
  }

  #push(value: number): void {
    this.#numbers[this.#length] = value;
    this.#length += 1;
  }
}

export function readResults(numbers: Float64Array, visit: (result: WireResult) => void): void {
  let at = 0;
  while (at + RESULT_HEADER <= numbers.length) {
    const packetCount = numbers[at + 3] ?? 0;
    const packets: WirePacket[] = [];
    for (let index = 0; index < packetCount; index += 1) {
      packets.push(readPacket(numbers, at + RESULT_HEADER + index * PACKET_FIELDS));
    }
    visit({
      requestId: numbers[at] ?? 0,
      outcome: numbers[at + 1] ?? 0,
      repeats: numbers[at + 2] ?? 0,
      packets,
    });
    at += RESULT_HEADER + packetCount * PACKET_FIELDS;
  }
}

function readPacket(numbers: Float64Array, at: number): WirePacket {
  const rttMs = numbers[at + 1] ?? NO_RTT;
  const packed = numbers[at + 2] ?? 0;
  const high = Math.floor(packed / 0x1000000);
  const low = packed - high * 0x1000000;
  return {
    sentAt: numbers[at] ?? 0,
    rttMs: rttMs === NO_RTT ? null : rttMs,
    status: low & 0x0f,
    ttl: (low >>> 8) & 0xff,
    type: (low >>> 16) & 0xff,
    code: high & 0xff,
    errno: (high >>> 8) & 0xff,
    duplicates: (high >>> 16) & 0xff,
    late: (low & 0x10) !== 0,
    transmitStamped: (low & 0x20) !== 0,
    receiveStamped: (low & 0x40) !== 0,
  };
}
