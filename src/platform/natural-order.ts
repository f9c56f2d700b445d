/** For people, host 2 comes before host 10, and case and accents matter last. */
const collator = new Intl.Collator("en", { numeric: true, sensitivity: "variant" });

export function compareNames(one: string, other: string): number {
  return collator.compare(one, other);
}
