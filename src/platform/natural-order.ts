/** Sorts host 2 before host 10; case and accents count last. */
const collator = new Intl.Collator("en", { numeric: true, sensitivity: "variant" });

export function compareNames(one: string, other: string): number {
  return collator.compare(one, other);
}
