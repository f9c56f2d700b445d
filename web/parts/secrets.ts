/** Removes secrets from what the storage of a browser may hold: it outlives a sign-out. Pure. */
type Fields = Readonly<Record<string, unknown>>;

/** How the API shows a secret, and how a client keeps it unchanged. */
export const mask = "********";

/** `https://user:password@host/` becomes `https://user:@host/`. */
export function withoutPasswords(text: string): string {
  return text.replaceAll(/(\/\/[^\s/?#:@]*:)[^\s/?#]*@/g, "$1@");
}

/** Whether a URL has a user without a password, as after `withoutPasswords`. */
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

/** Empties passwords and the values of locked and secret entries. Masked ones stay. */
export function stripSecrets<Values>(values: Values): Values {
  return stripValue(values, "") as Values;
}
