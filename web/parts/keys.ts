interface Keyed<Item> {
  readonly key: string;
  readonly item: Item;
}

/**
 * Returns items with a key for React: the text of each, numbered if it was there before. A key does
 * not change if items are added behind its own.
 */
export function listWithKeys<Item>(
  items: readonly Item[],
  write: (item: Item) => string,
): readonly Keyed<Item>[] {
  const counts = new Map<string, number>();
  return items.map((item) => {
    const text = write(item);
    const count = (counts.get(text) ?? 0) + 1;
    counts.set(text, count);
    return { key: `${count} ${text}`, item };
  });
}
