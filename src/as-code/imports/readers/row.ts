import { createHash } from "node:crypto";

/**
 * One record of a foreign file, with typed access to its values. The types of the values are not
 * trusted, because SQLite stores text in integer columns and users may edit files by hand.
 */
export class Row {
  readonly #values: Readonly<Record<string, unknown>>;

  constructor(values: unknown) {
    const isRecord = typeof values === "object" && values !== null && !Array.isArray(values);
    this.#values = isRecord ? (values as Record<string, unknown>) : {};
  }

  get(key: string): unknown {
    return Object.hasOwn(this.#values, key) ? this.#values[key] : undefined;
  }

  keys(): string[] {
    return Object.keys(this.#values);
  }

  /**
   * Returns a string, or a number as a string. Returns `null` for blank strings and for other
   * types.
   */
  text(key: string): string | null {
    const value = this.get(key);
    if (typeof value === "string") return value.trim() === "" ? null : value.toWellFormed();
    return typeof value === "number" || typeof value === "bigint" ? String(value) : null;
  }

  number(key: string): number | null {
    const value = this.get(key);
    if (typeof value === "string" && value.trim() === "") return null;
    const isScalar = ["string", "number", "bigint"].includes(typeof value);
    const number = isScalar ? Number(value) : Number.NaN;
    return Number.isFinite(number) ? number : null;
  }

  integer(key: string): number | null {
    const number = this.number(key);
    return number !== null && Number.isSafeInteger(Math.trunc(number)) ? Math.trunc(number) : null;
  }

  flag(key: string, fallback = false): boolean {
    const value = this.get(key);
    if (typeof value === "boolean") return value;
    if (value === null || value === undefined || value === "") return fallback;
    return value === "true" || (value !== "false" && Number(value) === 1);
  }

  row(key: string): Row {
    return new Row(this.get(key));
  }

  list(key: string): readonly unknown[] {
    const value = this.get(key);
    return Array.isArray(value) ? value : [];
  }

  /** Returns the parsed value of a JSON text column, or a value that is already parsed. */
  json(key: string): unknown {
    const value = this.get(key);
    if (typeof value !== "string") return value;
    try {
      return JSON.parse(value) as unknown;
    } catch {
      return undefined;
    }
  }
}

/** Replaces characters that the identifier of a resource must not contain. */
export const toLogicalPart = (text: string): string => text.replaceAll(/[^A-Za-z0-9_\-/.]/g, "-");

const maxPartLength = 150;
const exactAddress = /^(?:\w+:\/\/)?[\w\-.]+(?::\d+)?(?:\/[\w\-/.]*)?$/;

/**
 * Converts a URL such as `https://a.example:8443/x` to a part of an identifier. Adds a hash if the
 * readable part alone would be ambiguous, so that different URLs have different identifiers.
 */
export function toAddressPart(address: string): string {
  const readable = hideCredentials(address)
    .replace(/[?#].*$/s, "")
    .replace("://", "/")
    .replace(/:(\d+)(?=\/|$)/, "#$1")
    .replaceAll(/[^A-Za-z0-9_\-/.#]+/g, "-");
  if (address.length <= maxPartLength && exactAddress.test(address)) return readable;
  const hash = createHash("sha256").update(address).digest("hex").slice(0, 10);
  return `${readable.slice(0, maxPartLength)}-${hash}`;
}

/** Removes user and password from a URL. */
export const hideCredentials = (url: string): string => url.replace(/\/\/[^/?#]*@/, "//");

/** Removes the brackets of an IPv6 address. */
export const trimHost = (host: string): string => host.replace(/^\[(.*)\]$/, "$1");
