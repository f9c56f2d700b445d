/** The list with the item, or without it if it was there. */
export function toggled<Item>(list: readonly Item[], item: Item): Item[] {
  return list.includes(item) ? list.filter((one) => one !== item) : [...list, item];
}
