/**
 * What was typed and not saved, kept for this tab: a session that ends, or a reload, loses nothing.
 * Secrets are not kept: storage outlives a sign-out, and a secret must not.
 */
import { type Fields, getAt, isSame } from "../../kinds/fields.ts";
import { withoutPasswords } from "../../kinds/list/kept-text.ts";

export interface Draft {
  readonly values: Fields;
  /** What it was made from, and the state that the API called by this tag; null: a new check. */
  readonly base: Fields | null;
  readonly etag: string | null;
}

const prefix = "vedette.draft.";
const maxDraftLength = 1_000_000;

const mask = "********";

function isSecretHolder(value: Fields): boolean {
  return value.locked === true || value.secret === true;
}

function withoutSecrets(value: unknown, name = ""): unknown {
  if (Array.isArray(value)) return value.map((one) => withoutSecrets(one));
  if (typeof value !== "object" || value === null) {
    if (name === "url" && typeof value === "string") return withoutPasswords(value);
    const isSecret = name === "password" && value !== mask;
    return isSecret ? "" : value;
  }
  const fields = value as Fields;
  const entries = Object.entries(fields).map(([key, inner]) => {
    const isSecret = key === "value" && isSecretHolder(fields) && inner !== mask;
    return [key, isSecret ? "" : withoutSecrets(inner, key)];
  });
  return Object.fromEntries(entries);
}

export function stripSecrets(values: Fields): Fields {
  return withoutSecrets(values) as Fields;
}

/** Whether something must be typed again. */
export function lacksSecrets(values: Fields, stripped: Fields): boolean {
  return !isSame(values, stripped);
}

function parseDraft(text: string | null): Draft | null {
  if (text === null) return null;
  try {
    const parsed: unknown = JSON.parse(text);
    const values = getAt(parsed, "values");
    if (typeof values !== "object" || values === null || Array.isArray(values)) return null;
    const etag = getAt(parsed, "etag");
    return {
      values: values as Fields,
      base: (getAt(parsed, "base") as Fields | undefined) ?? null,
      etag: typeof etag === "string" ? etag : null,
    };
  } catch {
    return null;
  }
}

export function readDraft(key: string): Draft | null {
  try {
    return parseDraft(sessionStorage.getItem(prefix + key));
  } catch {
    return null;
  }
}

export function keepDraft(key: string, draft: Draft): void {
  const text = JSON.stringify({ ...draft, values: stripSecrets(draft.values) });
  if (text.length > maxDraftLength) return;
  try {
    sessionStorage.setItem(prefix + key, text);
  } catch {
    // Full or forbidden: then a reload loses what was typed, and the browser asks before.
  }
}

/** Of a pasted list the text is enough. */
export function readDraftText(key: string): string {
  try {
    return sessionStorage.getItem(prefix + key) ?? "";
  } catch {
    return "";
  }
}

export function keepDraftText(key: string, text: string): void {
  try {
    if (text === "") sessionStorage.removeItem(prefix + key);
    else if (text.length <= maxDraftLength) sessionStorage.setItem(prefix + key, text);
  } catch {
    // As above.
  }
}

export function dropDraft(key: string): void {
  try {
    sessionStorage.removeItem(prefix + key);
  } catch {
    // There is none then.
  }
}
