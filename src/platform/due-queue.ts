interface DueItem {
  readonly key: string;
  readonly dueAtMs: number;
}

/**
 * A binary heap of keys ordered by due time. If a key already exists, adding it moves it, so the
 * heap contains each key at most once.
 */
export class DueQueue {
  readonly #keys: string[] = [];
  readonly #dueAtMs: number[] = [];
  readonly #places = new Map<string, number>();

  get size(): number {
    return this.#keys.length;
  }

  /** When the first item is due; `null` if the queue is empty. */
  get nextDueAtMs(): number | null {
    return this.#dueAtMs[0] ?? null;
  }

  has(key: string): boolean {
    return this.#places.has(key);
  }

  add(key: string, dueAtMs: number): void {
    // NaN is neither smaller nor larger than any number, and would break the order of the heap.
    if (Number.isNaN(dueAtMs)) throw new RangeError("due time must be a number");
    const existing = this.#places.get(key);
    if (existing === undefined) {
      const place = this.#keys.push(key) - 1;
      this.#dueAtMs.push(dueAtMs);
      this.#rise(place, key, dueAtMs);
    } else {
      this.#settle(existing, key, dueAtMs);
    }
  }

  /** Removes and returns at most `maxCount` due items, earliest first. */
  takeDue(nowMs: number, maxCount = Number.POSITIVE_INFINITY): DueItem[] {
    const taken: DueItem[] = [];
    while (taken.length < maxCount) {
      const key = this.#keys[0];
      const dueAtMs = this.#dueAtMs[0];
      if (key === undefined || dueAtMs === undefined || dueAtMs > nowMs) break;
      taken.push({ key, dueAtMs });
      this.remove(key);
    }
    return taken;
  }

  remove(key: string): boolean {
    const place = this.#places.get(key);
    if (place === undefined) return false;
    this.#places.delete(key);
    const lastKey = this.#keys.pop();
    const lastDueAtMs = this.#dueAtMs.pop();
    if (lastKey !== undefined && lastDueAtMs !== undefined && lastKey !== key) {
      this.#settle(place, lastKey, lastDueAtMs);
    }
    return true;
  }

  #settle(place: number, key: string, dueAtMs: number): void {
    const parent = this.#dueAtMs[(place - 1) >> 1];
    if (place > 0 && parent !== undefined && dueAtMs < parent) this.#rise(place, key, dueAtMs);
    else this.#sink(place, key, dueAtMs);
  }

  #rise(from: number, key: string, dueAtMs: number): void {
    let place = from;
    while (place > 0) {
      const above = (place - 1) >> 1;
      const parentKey = this.#keys[above];
      const parentDueAtMs = this.#dueAtMs[above];
      if (parentKey === undefined || parentDueAtMs === undefined) break;
      if (parentDueAtMs <= dueAtMs) break;
      this.#put(place, parentKey, parentDueAtMs);
      place = above;
    }
    this.#put(place, key, dueAtMs);
  }

  #sink(from: number, key: string, dueAtMs: number): void {
    let place = from;
    while (true) {
      const below = this.#earlierChild(place);
      const childKey = this.#keys[below];
      const childDueAtMs = this.#dueAtMs[below];
      if (childKey === undefined || childDueAtMs === undefined) break;
      if (childDueAtMs >= dueAtMs) break;
      this.#put(place, childKey, childDueAtMs);
      place = below;
    }
    this.#put(place, key, dueAtMs);
  }

  #earlierChild(place: number): number {
    const left = 2 * place + 1;
    const leftDueAtMs = this.#dueAtMs[left];
    const rightDueAtMs = this.#dueAtMs[left + 1];
    if (leftDueAtMs === undefined || rightDueAtMs === undefined) return left;
    return rightDueAtMs < leftDueAtMs ? left + 1 : left;
  }

  #put(place: number, key: string, dueAtMs: number): void {
    this.#keys[place] = key;
    this.#dueAtMs[place] = dueAtMs;
    this.#places.set(key, place);
  }
}
