const NOWHERE = -1;

/**
 * Timer that stores at most one time per slot and returns the slots that are due. Arming, moving
 * and removing a slot take constant time and allocate nothing.
 */
export class TimingWheel {
  readonly #tickMs: number;
  readonly #bucketMask: number;
  readonly #heads: Int32Array;
  readonly #next: Int32Array;
  readonly #previous: Int32Array;
  readonly #bucketOf: Int32Array;
  readonly #occupied: Uint32Array;
  #cursorTick: number;
  #armedCount = 0;

  /**
   * `bucketCount` is a power of two, at least 32. The maximum delay is (bucketCount - 1) * tickMs.
   */
  constructor(slotCount: number, bucketCount: number, tickMs: number, nowMs: number) {
    this.#tickMs = tickMs;
    this.#bucketMask = bucketCount - 1;
    this.#heads = new Int32Array(bucketCount).fill(NOWHERE);
    this.#next = new Int32Array(slotCount).fill(NOWHERE);
    this.#previous = new Int32Array(slotCount).fill(NOWHERE);
    this.#bucketOf = new Int32Array(slotCount).fill(NOWHERE);
    this.#occupied = new Uint32Array(bucketCount >>> 5);
    this.#cursorTick = Math.floor(nowMs / tickMs);
  }

  get armedCount(): number {
    return this.#armedCount;
  }

  /**
   * Sets the time at which a slot is due. A delay above the maximum is shortened to the maximum.
   */
  arm(slot: number, atMs: number): void {
    this.disarm(slot);
    const wanted = Math.ceil(atMs / this.#tickMs);
    const tick = Math.min(Math.max(wanted, this.#cursorTick), this.#cursorTick + this.#bucketMask);
    const bucket = tick & this.#bucketMask;
    const head = this.#heads[bucket] ?? NOWHERE;
    this.#next[slot] = head;
    this.#previous[slot] = NOWHERE;
    if (head !== NOWHERE) this.#previous[head] = slot;
    this.#heads[bucket] = slot;
    this.#bucketOf[slot] = bucket;
    this.#occupied[bucket >>> 5] = (this.#occupied[bucket >>> 5] ?? 0) | (1 << (bucket & 31));
    this.#armedCount += 1;
  }

  disarm(slot: number): void {
    const bucket = this.#bucketOf[slot] ?? NOWHERE;
    if (bucket === NOWHERE) return;
    const next = this.#next[slot] ?? NOWHERE;
    const previous = this.#previous[slot] ?? NOWHERE;
    if (next !== NOWHERE) this.#previous[next] = previous;
    if (previous !== NOWHERE) this.#next[previous] = next;
    else {
      this.#heads[bucket] = next;
      if (next === NOWHERE) {
        this.#occupied[bucket >>> 5] = (this.#occupied[bucket >>> 5] ?? 0) & ~(1 << (bucket & 31));
      }
    }
    this.#bucketOf[slot] = NOWHERE;
    this.#armedCount -= 1;
  }

  /** Removes and returns one slot that is due at `nowMs`; -1 if no slot is due. */
  takeDue(nowMs: number): number {
    const nowTick = Math.floor(nowMs / this.#tickMs);
    if (this.#armedCount === 0) {
      this.#cursorTick = Math.max(this.#cursorTick, nowTick);
      return NOWHERE;
    }
    const tick = this.#nextOccupiedTick();
    if (tick > nowTick) {
      this.#cursorTick = Math.max(this.#cursorTick, nowTick);
      return NOWHERE;
    }
    this.#cursorTick = tick;
    const slot = this.#heads[tick & this.#bucketMask] ?? NOWHERE;
    this.disarm(slot);
    return slot;
  }

  /** Returns the time at which the next slot is due; Infinity if no slot is armed. */
  nextDueMs(): number {
    return this.#armedCount === 0 ? Infinity : this.#nextOccupiedTick() * this.#tickMs;
  }

  #nextOccupiedTick(): number {
    const words = this.#occupied;
    const start = this.#cursorTick & this.#bucketMask;
    const wordMask = words.length - 1;
    let index = start >>> 5;
    let word = (words[index] ?? 0) & (-1 << (start & 31));
    for (let scanned = 0; scanned <= words.length; scanned += 1) {
      if (word !== 0) {
        const bucket = (index << 5) + lowestSetBit(word);
        return this.#cursorTick + ((bucket - start) & this.#bucketMask);
      }
      index = (index + 1) & wordMask;
      word = words[index] ?? 0;
    }
    return Infinity;
  }
}

function lowestSetBit(word: number): number {
  return 31 - Math.clz32(word & -word);
}
