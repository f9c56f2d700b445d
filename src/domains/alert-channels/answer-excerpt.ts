import { clipText } from "../../platform/text/clip.ts";
import { mask } from "./config-secrets.ts";

export const maxExcerptLength = 2_000;
/** A shorter text is no secret, and hiding it would make the answer unreadable. */
const minSecretLength = 4;

/** As a receiver may repeat it: as it is, in JSON, or in an address. */
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
 * What the other side said, for the person who tests a channel. Receivers repeat what they were
 * sent, and whoever tests may not be allowed to see the channel's secrets.
 */
export function excerptAnswer(bodyText: string, secrets: readonly string[]): string | null {
  const forms = new Set(secrets.map((secret) => secret.toWellFormed()).flatMap(listForms));
  const longestFirst = [...forms]
    .filter((form) => form.length >= minSecretLength)
    .sort((one, other) => other.length - one.length);
  const scrubbed = longestFirst.reduce((text, form) => text.replaceAll(form, mask), bodyText);
  // Controls would do something in a terminal; lines and tabs are part of how a text looks.
  const text = scrubbed.toWellFormed().replaceAll(/[^\P{Cc}\n\t]/gu, "");
  return text.trim() === "" ? null : clipText(text, maxExcerptLength);
}
