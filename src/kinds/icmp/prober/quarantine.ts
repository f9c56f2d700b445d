const BUCKETS = 65_536;
const QUARANTINE_MS = 600_000;

/**
 * Remembers targets that did not reply recently. Packets to hosts that do not exist on the local
 * network wait three seconds for address resolution and occupy the socket that sent them, so such
 * targets get a separate socket and cannot block the others.
 */
export class Quarantine {
  readonly #untilMs = new Float64Array(BUCKETS);

  holds(address: Uint32Array, first: number, nowMs: number): boolean {
    return (this.#untilMs[hashAddress(address, first)] ?? 0) > nowMs;
  }

  note(address: Uint32Array, first: number, answered: boolean, nowMs: number): void {
    this.#untilMs[hashAddress(address, first)] = answered ? 0 : nowMs + QUARANTINE_MS;
  }
}

/** A collision only makes two targets share a lane for a while, which is harmless. */
function hashAddress(address: Uint32Array, first: number): number {
  let hash = 0;
  for (let word = 0; word < 4; word += 1) {
    hash = Math.imul(hash ^ (address[first + word] ?? 0), 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  return hash & (BUCKETS - 1);
}
