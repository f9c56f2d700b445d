const segments = /^(?:\$\.?)?((?:[A-Za-z_][\w-]*|\[\d+\])(?:\.[A-Za-z_][\w-]*|\[\d+\])*)$/;

/**
 * Converts a dotted path such as `a.b[0].c` to a JSONPath. Returns `null` for an expression with
 * functions, filters or other syntax.
 */
export function toJsonPath(expression: string): string | null {
  const text = expression.trim();
  if (text === "$" || text === "") return "$";
  const [, path] = segments.exec(text) ?? [];
  if (path === undefined) return null;
  const quoted = path.replaceAll(/(^|\.)([A-Za-z_]\w*-[\w-]*)/g, (_, _dot, name) => `['${name}']`);
  return quoted.startsWith("[") ? `$${quoted}` : `$.${quoted}`;
}
