const maxLength = 63;

/**
 * Derives a label for a URL from a name: "Acme Status (EU)" becomes "acme-status-eu". The label may
 * be empty.
 */
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
