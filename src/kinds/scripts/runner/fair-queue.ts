/** A bounded queue in which keys take turns, whatever each has waiting. */
export class FairQueue<Item> {
  readonly #maxSize: number;
  /** In the order of their turns; each has at least one item. */
  readonly #lists = new Map<string, Item[]>();
  #size = 0;

  constructor(maxSize: number) {
    this.#maxSize = maxSize;
  }

  get size(): number {
    return this.#size;
  }

  /**
   * Returns the item that there is no room for: the newest of the key with the most items, which
   * may be the new one; `null` if there is room.
   */
  add(key: string, item: Item): Item | null {
    const list = this.#lists.get(key) ?? [];
    list.push(item);
    this.#lists.set(key, list);
    this.#size += 1;
    if (this.#size <= this.#maxSize) return null;
    const [longestKey, longest] = [...this.#lists].reduce((one, other) =>
      other[1].length > one[1].length ? other : one,
    );
    const removed = longest.pop() ?? null;
    if (longest.length === 0) this.#lists.delete(longestKey);
    this.#size -= 1;
    return removed;
  }

  /** Returns what `next` would return. */
  first(): Item | undefined {
    const [list] = this.#lists.values();
    return list?.[0];
  }

  next(): Item | undefined {
    const [first] = this.#lists;
    if (first === undefined) return undefined;
    const [key, list] = first;
    const item = list.shift();
    this.#lists.delete(key);
    if (list.length > 0) this.#lists.set(key, list);
    this.#size -= 1;
    return item;
  }
}
