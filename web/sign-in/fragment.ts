/** A token in the part of the address that browsers send to nobody; null: there is none. */
export function readToken(hash: string, name: "link" | "token"): string | null {
  const token = new URLSearchParams(hash.replace(/^#/, "")).get(name);
  return token !== null && /^[\w-]{20,200}$/.test(token) ? token : null;
}
