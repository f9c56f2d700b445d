const maxLength = 63;

/** "Acme Status (EU)" → "acme-status-eu": a label of a host name, or nothing. */
export function suggestUrl(name: string): string {
  return name
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, maxLength)
    .replace(/-+$/, "");
}
