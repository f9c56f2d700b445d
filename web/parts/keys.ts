interface Keyed<Item> {
  readonly key: string;
  readonly item: Item;
}

/**
 * Returns items with React keys. A key consists of the item's text and a number that distinguishes
 * repeated texts. Keys of existing items do not change when items are appended.
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
