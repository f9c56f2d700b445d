/**
 * Parses and formats the query string of an address. A list is a repeated parameter, such as
 * `state=failing&state=degraded`, which people can read and type.
 */
type Search = Record<string, unknown>;

/**
 * Numbers, `true`, `false` and quoted strings are parsed as JSON; other text is taken literally.
 */
function readValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Quotes a string that would otherwise be parsed as another type. */
function writeValue(value: unknown): string {
  if (typeof value !== "string") return JSON.stringify(value);
  return typeof readValue(value) === "string" && !value.startsWith('"')
    ? value
    : JSON.stringify(value);
}

export function readSearch(text: string): Search {
  const params = new URLSearchParams(text);
  return Object.fromEntries(
    [...new Set(params.keys())].map((key) => {
      const values = params.getAll(key).map(readValue);
      return [key, values.length === 1 ? values[0] : values];
    }),
  );
}

export function writeSearch(search: Search): string {
  const fields = Object.entries(search)
    .filter(([, value]) => value !== undefined)
    .flatMap(([key, value]) => (Array.isArray(value) ? value : [value]).map((one) => [key, one]));
  const query = new URLSearchParams(fields.map(([key, one]) => [String(key), writeValue(one)]));
  return query.size === 0 ? "" : `?${query}`;
}
