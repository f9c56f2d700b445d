/**
 * Pure functions that remove secrets from data before it is stored in the browser, because the
 * storage is not cleared on sign-out.
 */
type Fields = Readonly<Record<string, unknown>>;

/**
 * Text that the API returns instead of a secret. A client that sends it back keeps the stored
 * value.
 */
export const mask = "********";

/** Removes passwords from URLs: `https://user:password@host/` becomes `https://user:@host/`. */
export function withoutPasswords(text: string): string {
  return text.replaceAll(/(\/\/[^\s/?#:@]*:)[^\s/?#]*@/g, "$1@");
}

/** Returns whether a URL has a user with an empty password, which `withoutPasswords` leaves. */
export function lacksPasswords(text: string): boolean {
  return /\/\/[^\s/?#:@]+:@/.test(text);
}

function stripValue(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return value.map((one) => stripValue(one, ""));
  if (typeof value === "object" && value !== null) return stripFields(value as Fields);
  if (name === "url" && typeof value === "string") return withoutPasswords(value);
  return name === "password" && value !== mask ? "" : value;
}

function stripFields(fields: Fields): Fields {
  const isSecret = fields.locked === true || fields.secret === true;
  const entries = Object.entries(fields).map(([name, value]) => {
    const isHidden = name === "value" && isSecret && value !== mask;
    return [name, isHidden ? "" : stripValue(value, name)];
  });
  return Object.fromEntries(entries);
}

/**
 * Replaces passwords, and values of locked and secret entries, by empty texts. Masked values are
 * not changed.
 */
export function stripSecrets<Values>(values: Values): Values {
  return stripValue(values, "") as Values;
}
