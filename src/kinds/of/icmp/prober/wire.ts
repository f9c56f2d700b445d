// Encodes run requests and finished runs for messages between the main thread and the worker.

import type { RunOrder } from "./slots.ts";

const ORDER_WORDS = 10;
const ADDRESS_WORD = 6;
const RESULT_HEADER = 4;
const PACKET_FIELDS = 3;
const NO_RTT = -1;

export const MEASURED = 0;
/**
 * Outcome of a run whose packets were dropped or blocked by local queues. Missing replies must not
 * count as packet loss.
 */
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
  /** Whether a reply arrived after the timeout. */
  late: boolean;
  transmitStamped: boolean;
  receiveStamped: boolean;
}

export function createWirePacket(): WirePacket {
  return {
    sentAt: 0,
    rttMs: null,
    status: 0,
    ttl: 0,
    type: 0,
    code: 0,
    errno: 0,
    duplicates: 0,
    late: false,
    transmitStamped: false,
    receiveStamped: false,
  };
}

export interface WireResult {
  readonly requestId: number;
  readonly outcome: number;
  readonly repeats: number;
  readonly packetCount: number;
  /** Reads one packet. The next call reuses the returned object. */
  packet(index: number): Readonly<WirePacket>;
}

/** A growing list of packed run requests. Spacing and timeout are encoded as whole microseconds. */
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

/** Visits each packed run request. The visitor must not store the object, which is reused. */
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

/** A growing list of finished runs for the main thread, packed as doubles. */
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

/** Visits each packed run. The visitor must not store the object, which is reused. */
export function readResults(numbers: Float64Array, visit: (result: WireResult) => void): void {
  const reader = new ResultReader(numbers);
  while (reader.next()) visit(reader);
}

class ResultReader implements WireResult {
  requestId = 0;
  outcome = 0;
  repeats = 0;
  packetCount = 0;
  readonly #numbers: Float64Array;
  readonly #packet = createWirePacket();
  #firstPacket = 0;
  #next = 0;

  constructor(numbers: Float64Array) {
    this.#numbers = numbers;
  }

  next(): boolean {
    const numbers = this.#numbers;
    const at = this.#next;
    if (at + RESULT_HEADER > numbers.length) return false;
    this.requestId = numbers[at] ?? 0;
    this.outcome = numbers[at + 1] ?? 0;
    this.repeats = numbers[at + 2] ?? 0;
    this.packetCount = numbers[at + 3] ?? 0;
    this.#firstPacket = at + RESULT_HEADER;
    this.#next = this.#firstPacket + this.packetCount * PACKET_FIELDS;
    return true;
  }

  packet(index: number): WirePacket {
    const numbers = this.#numbers;
    const at = this.#firstPacket + index * PACKET_FIELDS;
    const rttMs = numbers[at + 1] ?? NO_RTT;
    const packed = numbers[at + 2] ?? 0;
    const high = Math.floor(packed / 0x1000000);
    const low = packed - high * 0x1000000;
    const packet = this.#packet;
    packet.sentAt = numbers[at] ?? 0;
    packet.rttMs = rttMs === NO_RTT ? null : rttMs;
    packet.status = low & 0x0f;
    packet.ttl = (low >>> 8) & 0xff;
    packet.type = (low >>> 16) & 0xff;
    packet.code = high & 0xff;
    packet.errno = (high >>> 8) & 0xff;
    packet.duplicates = (high >>> 16) & 0xff;
    packet.late = (low & 0x10) !== 0;
    packet.transmitStamped = (low & 0x20) !== 0;
    packet.receiveStamped = (low & 0x40) !== 0;
    return packet;
  }
}

export function copyPackets(result: WireResult): WirePacket[] {
  return Array.from({ length: result.packetCount }, (_, index) => ({ ...result.packet(index) }));
}
