const maxLength = 63;

/** Derives a label for a URL: "Acme Status (EU)" becomes "acme-status-eu". May be empty. */
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
