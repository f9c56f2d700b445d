import { clipText } from "../../platform/text/clip.ts";
import { mask } from "./config-secrets.ts";

export const maxExcerptLength = 2_000;
/**
 * Shorter values are not masked: they are no secrets, and masking them would make the text
 * unreadable.
 */
const minSecretLength = 4;

/** Lists the forms in which a response may echo a secret: raw, JSON-escaped or URL-encoded. */
function listForms(secret: string): string[] {
  const url = /^https?:\/\//i.test(secret) ? URL.parse(secret) : null;
  const parts = url === null ? [secret] : [secret, url.href, `${url.pathname}${url.search}`];
  return parts.flatMap((part) => [
    part,
    JSON.stringify(part).slice(1, -1),
    encodeURIComponent(part),
    encodeURI(part),
  ]);
}

/**
 * Returns the start of a response body for the person who tests a channel. Secrets are masked:
 * responses often echo the request, and the person may not be allowed to see the channel's secrets.
 */
export function excerptAnswer(bodyText: string, secrets: readonly string[]): string | null {
  const forms = new Set(secrets.map((secret) => secret.toWellFormed()).flatMap(listForms));
  const longestFirst = [...forms]
    .filter((form) => form.length >= minSecretLength)
    .sort((one, other) => other.length - one.length);
  const scrubbed = longestFirst.reduce((text, form) => text.replaceAll(form, mask), bodyText);
  // Remove control characters except newlines and tabs: others could affect a terminal.
  const text = scrubbed.toWellFormed().replaceAll(/[^\P{Cc}\n\t]/gu, "");
  return text.trim() === "" ? null : clipText(text, maxExcerptLength);
}
