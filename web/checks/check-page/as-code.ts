/** Fields of a stored check that are omitted from the example request to create a check. */
const ownFields = new Set([
  "id",
  "created_at",
  "updated_at",
  "status",
  "alertChannels",
  "groupOrder",
]);

export function toCreation(check: object): Record<string, unknown> {
  const kept = Object.entries(check).filter(
    ([name, value]) => !ownFields.has(name) && value !== null,
  );
  return Object.fromEntries(kept);
}

/** Quotes a text for a POSIX shell. Inside single quotes, only a single quote needs an escape. */
export function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

export function writeCurl(request: {
  readonly method: string;
  readonly url: string;
  readonly body?: object;
}): string {
  const { method, url, body } = request;
  return [
    `curl ${method === "GET" ? "" : `-X ${method} `}-H "Authorization: Bearer $VEDETTE_KEY"`,
    ...(body === undefined
      ? []
      : [
          `  -H "Content-Type: application/json"`,
          `  -d ${quoteForShell(JSON.stringify(body, null, 2))}`,
        ]),
    `  ${quoteForShell(url)}`,
  ].join(" \\\n");
}

/** Formats a Markdown image whose alternative text is the escaped name of the check. */
export function writeBadge(name: string, url: string): string {
  return `![${name.replace(/[\\[\]]/g, "\\$&").replace(/\s+/g, " ")}](${url})`;
}
