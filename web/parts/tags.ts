/** Functions for tags in a comma-separated text. */

const maxSuggested = 8;

const splitTags = (text: string) => text.split(",").map((tag) => tag.trim());

/** Returns the distinct tags in a text. */
export function parseTags(text: string): string[] {
  return [...new Set(splitTags(text))].filter((tag) => tag !== "");
}

/**
 * Suggests existing tags that contain the unfinished last tag. Tags that start with the unfinished
 * tag come first.
 */
export function suggestTags(text: string, known: readonly string[]): string[] {
  const typed = splitTags(text);
  const last = (typed.at(-1) ?? "").toLowerCase();
  const taken = new Set(typed.slice(0, -1));
  const fits = (tag: string) => tag.toLowerCase().includes(last) && tag !== typed.at(-1);
  const found = known.filter((tag) => !taken.has(tag) && fits(tag));
  const starts = (tag: string) => (tag.toLowerCase().startsWith(last) ? 0 : 1);
  return found.toSorted((one, other) => starts(one) - starts(other)).slice(0, maxSuggested);
}

/** Removes the tag from the text if present, otherwise appends it. */
export function toggleTag(text: string, tag: string): string {
  const tags = parseTags(text);
  const next = tags.includes(tag) ? tags.filter((one) => one !== tag) : [...tags, tag];
  return next.join(", ");
}

/** Replaces the unfinished last tag with `tag` and appends a comma. */
export function completeTag(text: string, tag: string): string {
  const before = splitTags(text).slice(0, -1);
  return `${[...before, tag].filter((one) => one !== "").join(", ")}, `;
}
