/**
 * Parses and formats the query string of a URL. A list is a repeated parameter, such as
 * `state=failing&state=degraded`, so that people can read and type it.
 */
type Search = Record<string, unknown>;

/**
 * Parses a value. Numbers, `true`, `false` and quoted strings are parsed as JSON; any other text is
 * used as it is.
 */
function readValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Formats a parameter value. A string is quoted if it would otherwise parse as another type. */
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
