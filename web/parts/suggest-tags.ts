/** Suggests tags for a text of tags with commas in between. Pure. */

const maxSuggested = 8;

const splitTags = (text: string) => text.split(",").map((tag) => tag.trim());

/** Existing tags that continue what is typed after the last comma, without those already there. */
export function suggestTags(text: string, known: readonly string[]): string[] {
  const typed = splitTags(text);
  const last = (typed.at(-1) ?? "").toLowerCase();
  const taken = new Set(typed.slice(0, -1));
  const fits = (tag: string) => tag.toLowerCase().includes(last) && tag !== typed.at(-1);
  const found = known.filter((tag) => !taken.has(tag) && fits(tag));
  const starts = (tag: string) => (tag.toLowerCase().startsWith(last) ? 0 : 1);
  return found.toSorted((one, other) => starts(one) - starts(other)).slice(0, maxSuggested);
}

/** The text with the last tag completed, ready for the next one. */
export function completeTag(text: string, tag: string): string {
  const before = splitTags(text).slice(0, -1);
  return `${[...before, tag].filter((one) => one !== "").join(", ")}, `;
}
