/**
 * `weigh` is declared as a method and not as a property, because TypeScript checks the parameters
 * of methods less strictly. A `BoundedMap<string, number>` can then be used where a
 * `BoundedMap<string, unknown>` is expected.
 */
interface Scales<Key, Value> {
  weigh(key: Key, value: Value): number;
}

/**
 * A map for caches. Above its limit, it drops the entries whose last use is oldest. `set` and
 * `getOrCreate` count as a use; `get` and `has` do not.
 */
export class BoundedMap<Key, Value> {
  readonly #max: number;
  readonly #weigh: Scales<Key, Value>["weigh"];
  /** Entries, least recently used first. */
  readonly #entries = new Map<Key, Value>();
  #weight = 0;
  /**
   * Iterator over the keys, oldest first. It continues after the key that was dropped last, because
   * a new iterator would have to skip all deleted slots at the front of the map.
   */
  #ages = this.#entries.keys();

  /** `max` limits the number of entries, or the sum of their weights if `weigh` is given. */
  constructor(max: number, weigh: Scales<Key, Value>["weigh"] = () => 1) {
    this.#max = max;
    this.#weigh = weigh;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: Key): Value | undefined {
    return this.#entries.get(key);
  }

  has(key: Key): boolean {
    return this.#entries.has(key);
  }

  set(key: Key, value: Value): void {
    this.delete(key);
    this.#entries.set(key, value);
    this.#weight += this.#weigh(key, value);
    while (this.#weight > this.#max) this.delete(this.#findOldest());
  }

  /**
   * Returns the value of a key. Creates and stores the value if it is missing; if `create` throws,
   * nothing is stored.
   */
  getOrCreate(key: Key, create: (key: Key) => Value): Value {
    const known = this.#entries.get(key);
    const value = known === undefined && !this.#entries.has(key) ? create(key) : (known as Value);
    this.set(key, value);
    return value;
  }

  delete(key: Key): boolean {
    const value = this.#entries.get(key);
    if (!this.#entries.delete(key)) return false;
    this.#weight -= this.#weigh(key, value as Value);
    return true;
  }

  #findOldest(): Key {
    const next = this.#ages.next();
    if (!next.done) return next.value;
    this.#ages = this.#entries.keys();
    return this.#ages.next().value as Key;
  }

  clear(): void {
    this.#entries.clear();
    this.#weight = 0;
  }

  /** The entries, least recently used first. */
  [Symbol.iterator](): IterableIterator<[Key, Value]> {
    return this.#entries[Symbol.iterator]();
  }
}
