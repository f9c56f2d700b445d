/** Pure functions that remove secrets before storage in the browser, which survives sign-out. */
type Fields = Readonly<Record<string, unknown>>;

/** Text in responses instead of a secret. Sending it back keeps the stored value. */
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

/** Empties passwords and the values of locked and secret entries, except masked values. */
export function stripSecrets<Values>(values: Values): Values {
  return stripValue(values, "") as Values;
}
