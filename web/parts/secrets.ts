/**
 * Pure functions that remove secrets from data before it is stored in the browser. Browser storage
 * survives a sign-out.
 */
type Fields = Readonly<Record<string, unknown>>;

/**
 * Text that responses contain instead of a secret. Sending this text in a request keeps the stored
 * secret.
 */
export const mask = "********";

/** Removes passwords from URLs: `https://user:password@host/` becomes `https://user:@host/`. */
export function withoutPasswords(text: string): string {
  return text.replaceAll(/(\/\/[^\s/?#:@]*:)[^\s/?#]*@/g, "$1@");
}

/**
 * Returns whether a text contains a URL with a user name and an empty password, such as a result of
 * `withoutPasswords`.
 */
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
 * Replaces passwords and the values of locked and secret entries with empty strings. Masks are
 * retained.
 */
export function stripSecrets<Values>(values: Values): Values {
  return stripValue(values, "") as Values;
}
